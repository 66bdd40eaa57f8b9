"""The index database, write side: one writer at a time (see ``core/lock.py``).

A file's rows are replaced as a whole. Symbol ids survive as long as the file keeps a symbol of the
same qualified name, so that edges from other files stay true.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from importlib.resources import files as resources
from pathlib import Path
from typing import Any, NamedTuple

from codeviews.core.facts import Symbol
from codeviews.core.store import FileRecord, versions
from codeviews.core.store_edges import EdgeWriter, Removed
from codeviews.core.store_history import HistoryWriter
from codeviews.core.text import SymbolTuple, file_row, symbol_rows

_SYMBOL_TEXT = (
    "INSERT INTO symbol_text (rowid, name, parts, path, signature, doc, body) "
    "VALUES (?,?,?,?,?,?,?)"
)
_SYMBOL_TEXT_DELETE = (
    "INSERT INTO symbol_text (symbol_text, rowid, name, parts, path, signature, doc, body) "
    "VALUES ('delete',?,?,?,?,?,?,?)"
)
_FILE_TEXT = "INSERT INTO file_text (rowid, path, names, body) VALUES (?,?,?,?)"
_FILE_TEXT_DELETE = (
    "INSERT INTO file_text (file_text, rowid, path, names, body) VALUES ('delete',?,?,?,?)"
)


_KEYS = (("symbol", "file_id"), ("content", "file_id"), ("file", "id"))


class Extracted(NamedTuple):
    """What a worker returns for one file; ``text`` and ``facts`` are compressed already."""

    path: str
    language: str
    size: int
    mtime_ns: int
    seen_ns: int
    hash: bytes
    marks: int
    lines: int
    note: str
    text: bytes
    facts: bytes
    symbols: list[SymbolTuple]
    source: bytes


@dataclass(slots=True)
class _Rows:
    """Rows of several files, by table."""

    files: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])
    contents: list[tuple[int, bytes, bytes]] = field(default_factory=list[tuple[int, bytes, bytes]])
    symbols: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])
    symbol_texts: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])
    file_texts: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])

    def add(self, item: Extracted, file_id: int, ids: Sequence[int]) -> None:
        """Take a file whose symbols get ``ids``."""
        self.files.append((file_id, *item[:9]))
        self.contents.append((file_id, item.text, item.facts))
        self.symbols += [
            (ids[i], file_id, i, *s[:9], ids[s[9]] if s[9] >= 0 else None, s[9], s[10])
            for i, s in enumerate(item.symbols)
        ]
        path, source, symbols = item.path, item.source, item.symbols
        rows = symbol_rows(path, source, symbols, item.language, item.marks)
        self.symbol_texts += [(ids[row[0]], *row[1:]) for row in rows]
        self.file_texts.append((file_id, *file_row(path, source, symbols)))


class Writer(EdgeWriter, HistoryWriter):
    """Write access; the caller holds the writer lock."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._next_file = self._next_symbol = 0
        self.tracking = (
            True  # whether :meth:`write_files` notes changed names; a first build needs none
        )

    def create(self) -> None:
        """Make the tables and stamp the versions."""
        sql = resources("codeviews.core").joinpath("schema.sql").read_text("utf-8")
        self.db.executescript(sql)
        with self.transaction():
            for key, value in versions().items():
                self.set_meta(key, value)

    def bulk(self) -> None:
        """Settings for a build: a large cache, and no waiting for the disk."""
        self.db.execute("PRAGMA cache_size = -96000")
        self.db.execute("PRAGMA synchronous = OFF")
        self.db.execute("PRAGMA wal_autocheckpoint = 16000")

    def slim(self) -> None:
        """Give the cache's memory to whoever resolves next: it reads and writes in order."""
        self.db.execute("PRAGMA cache_size = -16000")
        self.db.execute("PRAGMA shrink_memory")

    def settle(self) -> None:
        """Fold the log back into the database file and refresh the planner's statistics."""
        self.db.execute("PRAGMA optimize")
        self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def set_progress(self, phase: str, done: int, total: int) -> None:
        """Let readers know how far a build is; an empty phase means complete."""
        with self.transaction():
            state = {"phase": phase, "done": done, "total": total}
            self.set_meta("progress", json.dumps(state if phase else {}))

    def set_refused(self, skipped: Iterable[tuple[str, str]]) -> None:
        """Replace the list of files that the walk refused (size -1)."""
        with self.transaction():
            self.db.execute("DELETE FROM skipped WHERE size < 0")
            sql = "INSERT OR REPLACE INTO skipped (path, reason) VALUES (?, ?)"
            self.db.executemany(sql, ((_printable(path), reason) for path, reason in skipped))

    def skip(self, path: str, reason: str, size: int, mtime_ns: int) -> None:
        """Note a file that was looked at and is not indexed until it changes."""
        row = (path, reason, size, mtime_ns)
        self.db.execute("INSERT OR REPLACE INTO skipped VALUES (?, ?, ?, ?)", row)

    def touch(self, stamps: Iterable[tuple[int, int, int, str]]) -> None:
        """(size, mtime_ns, seen_ns, path) of files whose bytes turned out to be unchanged."""
        with self.transaction():
            sql = "UPDATE file SET size = ?, mtime_ns = ?, seen_ns = ? WHERE path = ?"
            self.db.executemany(sql, stamps)

    # --- files ------------------------------------------------------------------------------------
    def write_files(self, batch: Sequence[Extracted]) -> Removed:
        """Insert or replace files; returns the names whose definitions changed."""
        changed = Removed(set(), set())
        with self.transaction():
            self._reserve()
            paths = [(item.path,) for item in batch]
            self.db.executemany("DELETE FROM skipped WHERE path = ?", paths)
            rows = _Rows()
            for item in batch:
                self._replace(item, rows, changed)
            self._insert(rows)
            self.set_meta("next_symbol", str(self._next_symbol))
        return changed

    def _reserve(self) -> None:
        """Ids are never given twice: an edge may outlive its target by one refresh."""
        if not self._next_symbol:
            self._next_symbol = int(self.meta("next_symbol", "1"))
            row = self.db.execute("SELECT coalesce(max(id), 0) + 1 FROM file").fetchone()
            self._next_file = int(row[0])

    def _replace(self, item: Extracted, rows: _Rows, changed: Removed) -> None:
        """Take the file's old rows away and collect its new ones."""
        known = self.file(item.path) if self._next_file > 1 else None
        if known is None:
            file_id, first = self._next_file, self._next_symbol
            self._next_file += 1
            self._next_symbol += len(item.symbols)
            rows.add(item, file_id, range(first, self._next_symbol))
            if self.tracking:
                _note_changes(item, [], changed)
            return
        old, old_ids = self.raw_symbols(known.id)
        self._delete_text(known, old, old_ids)
        self._delete_rows(known.id)
        kept = {symbol.qualname: i for symbol, i in zip(old, old_ids, strict=True)}
        ids = self._symbol_ids(item.symbols, kept)
        rows.add(item, known.id, ids)
        if self.tracking:
            _note_changes(item, old, changed)
            changed.ids.update(set(old_ids) - set(ids))

    def _insert(self, rows: _Rows) -> None:
        insert = self.db.executemany
        insert("INSERT INTO file VALUES (?,?,?,?,?,?,?,?,?,?)", rows.files)
        insert("INSERT INTO content (file_id, text, facts) VALUES (?,?,?)", rows.contents)
        insert("INSERT INTO symbol VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", rows.symbols)
        insert(_SYMBOL_TEXT, rows.symbol_texts)
        insert(_FILE_TEXT, rows.file_texts)

    def remove_files(self, paths: Iterable[str]) -> Removed:
        """Forget files that are gone."""
        changed = Removed(set(), set())
        with self.transaction():
            for path in paths:
                self.db.execute("DELETE FROM skipped WHERE path = ?", (path,))
                known = self.file(path)
                if known is None:
                    continue
                old, ids = self.raw_symbols(known.id)
                self._delete_text(known, old, ids)
                self._delete_rows(known.id)
                self.db.execute("DELETE FROM summary WHERE file_id = ?", (known.id,))
                changed.names.update(symbol.name for symbol in old)
                changed.ids.update(ids)
        return changed

    def _delete_text(self, known: FileRecord, old: list[Symbol], ids: list[int]) -> None:
        source = self.text(known.id)
        rows = symbol_rows(known.path, source, old, known.language, known.marks)
        self.db.executemany(_SYMBOL_TEXT_DELETE, [(ids[row[0]], *row[1:]) for row in rows])
        self.db.execute(_FILE_TEXT_DELETE, (known.id, *file_row(known.path, source, old)))

    def _delete_rows(self, file_id: int) -> None:
        """All but the summary: what other files gave this one outlives an edit of it."""
        self.delete_edges(file_id)
        for table, column in _KEYS:
            self.db.execute(f"DELETE FROM {table} WHERE {column} = ?", (file_id,))

    def _symbol_ids(self, symbols: list[SymbolTuple], kept: dict[str, int]) -> list[int]:
        ids: list[int] = []
        for symbol in symbols:
            found = kept.get(symbol[1])
            if found is None:
                found = self._next_symbol
                self._next_symbol += 1
            ids.append(found)
        return ids


def _note_changes(item: Extracted, old: list[Symbol], changed: Removed) -> None:
    """Add the names whose definition appeared, vanished or changed its shape."""
    before = {(s.qualname, s.kind, s.signature, s.flags): s.name for s in old}
    after = {(s[1], s[2], s[7], s[10]): s[0] for s in item.symbols}
    for key in before.keys() ^ after.keys():
        changed.names.add(before[key] if key in before else after[key])  # it may be empty


def compress(source: bytes) -> bytes:
    """A file's bytes as the content table keeps them."""
    return zlib.compress(source, 1)


def _printable(path: str) -> str:
    """A path that was refused, perhaps for its name: every odd character as an escape."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in path)
