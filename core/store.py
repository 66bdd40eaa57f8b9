"""The index database, read side. All SQL of the project is here and in ``store_write.py``.

SQLite in WAL mode: readers never block and never fail while one writer works. One connection per
thread. Every user text that reaches FTS passes :func:`quote`.
"""

from __future__ import annotations

import json
import marshal
import sqlite3
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

from codeviews.core.config import EXTRACTOR_VERSION, SCHEMA_VERSION
from codeviews.core.facts import FileFacts, Import, Site, Symbol

_T = TypeVar("_T")
_new_symbol = partial(
    cast("Callable[[type[Symbol], tuple[Any, ...]], Symbol]", tuple.__new__), Symbol
)
_CHUNK = 900  # bound variables per statement: SQLite's portable limit is 999


class FileRecord(NamedTuple):
    """A row of the file table; ``size`` in bytes, times in ns."""

    id: int
    path: str
    language: str
    size: int
    mtime_ns: int
    seen_ns: int
    hash: bytes
    marks: int
    lines: int
    note: str


class Place(NamedTuple):
    """Where a file is and what it is."""

    id: int
    path: str
    marks: int


class Definition(NamedTuple):
    """A symbol with its file, as answers need it."""

    id: int
    file_id: int
    path: str
    marks: int
    language: str
    idx: int
    name: str
    qualname: str
    kind: str
    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    signature: str
    doc: str
    parent: int | None
    flags: int

    @property
    def address(self) -> str:
        """``path:Qualified.name``, or the path alone for the file's own symbol."""
        return f"{self.path}:{self.qualname}" if self.qualname else self.path


class EdgeRecord(NamedTuple):
    """A row of the edge table."""

    source: int
    target: int
    kind: str
    line: int
    tier: str
    rule: str


class UnresolvedRecord(NamedTuple):
    """A site without a target."""

    source: int
    kind: str
    name: str
    line: int
    reason: str
    candidates: int


class ImportRecord(NamedTuple):
    """A file-level import: ``target`` is None when it leaves the repository."""

    path: str
    target: str | None
    module: str
    line: int


class Hit(NamedTuple):
    """A full-text match; a higher score is better."""

    id: int
    score: float


_DEFINITION = (
    "SELECT s.id, s.file_id, f.path, f.marks, f.language, s.idx, s.name, s.qualname, s.kind, "
    "s.start_line, s.end_line, s.start_byte, s.end_byte, s.signature, s.doc, s.parent_id, s.flags "
    "FROM symbol s JOIN file f ON f.id = s.file_id "
)
_EDGE = "SELECT source, target, kind, line, tier, rule FROM edge "
_UNRESOLVED = "SELECT source, kind, name, line, reason, candidates FROM unresolved "
_IMPORT = (
    "SELECT f.path, t.path, i.module, i.line FROM import i JOIN file f ON f.id = i.file_id "
    "LEFT JOIN file t ON t.id = i.target_id "
)


def quote(term: str) -> str:
    """``term`` as one FTS5 string: the only way user text enters a MATCH expression."""
    return '"' + term.replace('"', '""').replace("\0", " ") + '"'


def _glob_escape(text: str) -> str:
    return "".join(f"[{c}]" if c in "*?[" else c for c in text)


def pack(value: Any) -> bytes:
    """Builtin types only -> compressed bytes (marshal, zlib level 1)."""
    return zlib.compress(marshal.dumps(value), 1)


def unpack(blob: bytes) -> Any:
    """The reverse of :func:`pack`."""
    return marshal.loads(zlib.decompress(blob))


def pack_facts(facts: FileFacts) -> bytes:
    """Everything but the symbols, which have a table of their own."""
    sites = [tuple(site) for site in facts.sites]
    imports = [tuple(item) for item in facts.imports]
    return pack((sites, imports, facts.flow))


def connect(path: Path) -> sqlite3.Connection:
    """A connection in WAL mode; waits up to 10 s for a lock instead of failing."""
    connection = sqlite3.connect(path, timeout=10.0, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA cache_size = -32000")
    connection.execute("PRAGMA temp_store = MEMORY")
    return connection


def versions() -> dict[str, str]:
    """What an index must say of itself to be readable by this code."""
    return {"schema": str(SCHEMA_VERSION), "extractor": str(EXTRACTOR_VERSION)}


class Store:
    """Read access to one index file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._local = threading.local()
        self._open: list[sqlite3.Connection] = []

    @property
    def db(self) -> sqlite3.Connection:
        """This thread's connection."""
        found: sqlite3.Connection | None = getattr(self._local, "db", None)
        if found is None:
            found = self._local.db = connect(self.path)
            self._open.append(found)
        return found

    def close(self) -> None:
        """Close the connections of all threads."""
        for connection in self._open:
            connection.close()
        self._open.clear()
        self._local = threading.local()

    # --- state ------------------------------------------------------------------------------------
    def meta(self, key: str, default: str = "") -> str:
        """One value of the meta table."""
        row = self.db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return default if row is None else str(row[0])

    def data_version(self) -> int:
        """Changes whenever another connection commits."""
        return int(self.db.execute("PRAGMA data_version").fetchone()[0])

    def generation(self) -> str:
        """Changes whenever a writer commits; the same for all connections of one snapshot."""
        return self.meta("generation")

    def current(self) -> bool:
        """Whether this index was made by this schema and these extractors."""
        try:
            return all(self.meta(key) == value for key, value in versions().items())
        except sqlite3.DatabaseError:
            return False

    def file_count(self) -> int:
        """Files in the index."""
        return int(self.db.execute("SELECT count(*) FROM file").fetchone()[0])

    def counts(self) -> dict[str, int]:
        """Rows of the main tables, and files per language under ``files:<language>``."""
        out = {
            name: int(self.db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
            for name, table in (
                ("files", "file"),
                ("symbols", "symbol"),
                ("edges", "edge"),
                ("unresolved", "unresolved"),
                ("skipped", "skipped"),
            )
        }
        for language, n in self.db.execute("SELECT language, count(*) FROM file GROUP BY language"):
            out[f"files:{language}"] = n
        return out

    def edge_counts(self) -> dict[tuple[str, str], int]:
        """(kind, tier) -> number of edges."""
        rows = self.db.execute("SELECT kind, tier, count(*) FROM edge GROUP BY kind, tier")
        return {(kind, tier): n for kind, tier, n in rows}

    def reason_counts(self) -> dict[str, int]:
        """Reason -> number of sites without a target."""
        return dict(self.db.execute("SELECT reason, count(*) FROM unresolved GROUP BY reason"))

    def skipped(self, limit: int = -1) -> list[tuple[str, str]]:
        """(path, reason) of files that were not read."""
        sql = "SELECT path, reason FROM skipped ORDER BY path LIMIT ?"
        return self.db.execute(sql, (limit,)).fetchall()

    # --- files ------------------------------------------------------------------------------------
    def files(self) -> list[FileRecord]:
        """All files in path order."""
        rows = self.db.execute("SELECT * FROM file ORDER BY path")
        return [FileRecord(*row) for row in rows]

    def file(self, path: str) -> FileRecord | None:
        """One file by its path."""
        row = self.db.execute("SELECT * FROM file WHERE path = ?", (path,)).fetchone()
        return None if row is None else FileRecord(*row)

    def places(self) -> list[Place]:
        """Every file's id, path and marks."""
        return [Place(*row) for row in self.db.execute("SELECT id, path, marks FROM file")]

    def row_count(self, table: str) -> int:
        """About how many rows a full-text table has (exact in an index that was never edited)."""
        source = {"symbol_text": "symbol", "file_text": "file"}[table]
        return int(self.db.execute(f"SELECT coalesce(max(id), 0) FROM {source}").fetchone()[0])

    def stamps(self) -> dict[str, tuple[int, int, int]]:
        """path -> (size, mtime_ns, seen_ns) of every file looked at, for the stat sweep."""
        rows = self.db.execute(
            "SELECT path, size, mtime_ns, seen_ns FROM file UNION ALL "
            "SELECT path, size, mtime_ns, 1 << 62 FROM skipped WHERE size >= 0"
        )
        return {path: (size, mtime, seen) for path, size, mtime, seen in rows}

    def text(self, file_id: int) -> bytes:
        """The file's bytes as they were indexed."""
        row = self.db.execute("SELECT text FROM content WHERE file_id = ?", (file_id,)).fetchone()
        return b"" if row is None else zlib.decompress(row[0])

    def facts(self, file_id: int, language: str) -> tuple[FileFacts, list[int]]:
        """A file's facts, symbols included, as its extractor made them, and the symbols' ids."""
        row = self.db.execute("SELECT facts FROM content WHERE file_id = ?", (file_id,)).fetchone()
        packed: tuple[list[Any], list[Any], Any] = unpack(row[0]) if row else ([], [], None)
        sites, imports, flow = packed
        symbols, ids = self.raw_symbols(file_id)
        all_sites = list(map(Site._make, sites))
        return FileFacts(language, symbols, all_sites, list(map(Import._make, imports)), flow), ids

    def written_imports(self, file_id: int) -> list[Import]:
        """A file's imports as written."""
        row = self.db.execute("SELECT facts FROM content WHERE file_id = ?", (file_id,)).fetchone()
        return list(map(Import._make, unpack(row[0])[1])) if row else []

    def raw_symbols(self, file_id: int) -> tuple[list[Symbol], list[int]]:
        """A file's symbols with file-local parents, and their ids."""
        rows = self.db.execute(
            "SELECT name, qualname, kind, start_line, end_line, start_byte, end_byte, "
            "signature, doc, parent_idx, flags, id FROM symbol WHERE file_id = ? ORDER BY idx",
            (file_id,),
        ).fetchall()
        return [_new_symbol(row[:11]) for row in rows], [row[11] for row in rows]

    def summary(self, path: str) -> Any:
        """What resolution stored for that file's importers, or None."""
        sql = "SELECT summary FROM content JOIN file ON id = file_id WHERE path = ?"
        row = self.db.execute(sql, (path,)).fetchone()
        return None if row is None or row[0] is None else unpack(row[0])

    def file_counts(self, ids: Sequence[int], view: str) -> dict[int, tuple[int, int]]:
        """file id -> (symbols, edges of the view that start in it)."""
        out: dict[int, tuple[int, int]] = {}
        edges = (
            "(SELECT count(*) FROM import i WHERE i.file_id = f.id)"
            if view == "deps"
            else "(SELECT count(*) FROM edge e JOIN symbol x ON x.id = e.source "
            "WHERE x.file_id = f.id)"
        )
        symbols = "(SELECT count(*) - 1 FROM symbol s WHERE s.file_id = f.id)"
        for part in chunks(ids):
            marks = ",".join("?" * len(part))
            sql = f"SELECT f.id, {symbols}, {edges} FROM file f WHERE f.id IN ({marks})"
            out.update((i, (n, m)) for i, n, m in self.db.execute(sql, part))
        return out

    # --- symbols ----------------------------------------------------------------------------------
    def _definitions(self, where: str, values: Sequence[Any] = ()) -> list[Definition]:
        return [Definition(*row) for row in self.db.execute(_DEFINITION + where, values)]

    def definitions(self, ids: Iterable[int]) -> dict[int, Definition]:
        """id -> definition; unknown ids are left out."""
        out: dict[int, Definition] = {}
        for part in chunks(list(ids)):
            marks = ",".join("?" * len(part))
            for found in self._definitions(f"WHERE s.id IN ({marks})", part):
                out[found.id] = found
        return out

    def symbols_of(self, path: str) -> list[Definition]:
        """All symbols of a file in order, the file's own first."""
        return self._definitions("WHERE f.path = ? ORDER BY s.idx", (path,))

    def named(self, name: str, limit: int = 500) -> list[Definition]:
        """Definitions with exactly this last name, in path order."""
        return self._definitions(
            "WHERE s.name = ? ORDER BY f.path, s.start_line LIMIT ?", (name, limit)
        )

    def named_like(self, pattern: str, limit: int = 200) -> list[Definition]:
        """Definitions whose name matches a GLOB pattern; a prefix is tried as written first."""
        order = " ORDER BY length(s.name), f.path, s.start_line LIMIT ?"
        prefix = pattern.removesuffix("*")
        if prefix and pattern.endswith("*") and not set(prefix) & set("*?["):
            where = "WHERE s.name >= ? AND s.name < ?"  # by the index: no scan of all names
            found = self._definitions(where + order, (prefix, prefix + "\U0010ffff", limit))
            if found:
                return found
        return self._definitions("WHERE lower(s.name) GLOB lower(?)" + order, (pattern, limit))

    def names_near(self, name: str, limit: int = 5000) -> list[str]:
        """Distinct names that could be a misspelling: similar length, one shared start or end."""
        sql = (
            "SELECT DISTINCT name FROM symbol WHERE length(name) BETWEEN ? AND ? "
            "AND (lower(name) GLOB lower(?) OR lower(name) GLOB lower(?)) LIMIT ?"
        )
        head, tail = _glob_escape(name[:2]) + "*", "*" + _glob_escape(name[-3:])
        n = len(name)
        rows = self.db.execute(sql, (n - 3 - n // 4, n + 3 + n // 4, head, tail, limit))
        return [row[0] for row in rows]

    def paths_ending(self, tail: str, limit: int = 20) -> list[str]:
        """Indexed paths that end with ``/tail``."""
        sql = "SELECT path FROM file WHERE path GLOB ? ORDER BY path LIMIT ?"
        return [row[0] for row in self.db.execute(sql, ("*/" + _glob_escape(tail), limit))]

    def at_line(self, path: str, line: int) -> Definition | None:
        """The innermost symbol whose span holds that line."""
        found = self._definitions(
            "WHERE f.path = ? AND s.start_line <= ? AND s.end_line >= ? "
            "ORDER BY s.end_line - s.start_line, s.idx DESC LIMIT 1",
            (path, line, line),
        )
        return found[0] if found else None

    def marks_of_symbols(self, ids: Iterable[int]) -> dict[int, int]:
        """symbol id -> marks of its file."""
        out: dict[int, int] = {}
        for part in chunks(list(ids)):
            marks = ",".join("?" * len(part))
            sql = (
                "SELECT s.id, f.marks FROM symbol s JOIN file f ON f.id = s.file_id "
                f"WHERE s.id IN ({marks})"
            )
            out.update(self.db.execute(sql, part))
        return out

    def file_symbols(self, file_ids: Iterable[int]) -> dict[int, int]:
        """file id -> id of the file's own symbol."""
        out: dict[int, int] = {}
        for part in chunks(list(file_ids)):
            marks = ",".join("?" * len(part))
            sql = f"SELECT file_id, id FROM symbol WHERE idx = 0 AND file_id IN ({marks})"
            out.update(self.db.execute(sql, part))
        return out

    def children(self, ids: Sequence[int]) -> list[Definition]:
        """Symbols contained directly in the given ones."""
        out: list[Definition] = []
        for part in chunks(ids):
            marks = ",".join(f"?{i}" for i in range(1, len(part) + 1))
            # Through the file index: the parent column has none, and needs none this way.
            where = (
                f"WHERE s.file_id IN (SELECT file_id FROM symbol WHERE id IN ({marks})) "
                f"AND s.parent_id IN ({marks}) ORDER BY s.file_id, s.idx"
            )
            out += self._definitions(where, part)
        return out

    def in_degrees(self, ids: Sequence[int]) -> dict[int, int]:
        """Symbol id -> number of edges into it; ids without any are left out."""
        out: dict[int, int] = {}
        for part in chunks(ids):
            marks = ",".join("?" * len(part))
            sql = f"SELECT target, count(*) FROM edge WHERE target IN ({marks}) GROUP BY target"
            out.update(self.db.execute(sql, part).fetchall())
        return out

    def modules_of(self, file_ids: Sequence[int]) -> list[Definition]:
        """The files' own symbols."""
        out: list[Definition] = []
        for part in chunks(file_ids):
            marks = ",".join("?" * len(part))
            out += self._definitions(f"WHERE s.file_id IN ({marks}) AND s.idx = 0", part)
        return out

    # --- edges ------------------------------------------------------------------------------------
    def edges(self, column: str, ids: Sequence[int], kinds: Sequence[str] = ()) -> list[EdgeRecord]:
        """Edges whose ``source`` or ``target`` (``column``) is one of ``ids``, ordered."""
        assert column in ("source", "target")
        kind_sql = f" AND kind IN ({','.join('?' * len(kinds))})" if kinds else ""
        out: list[EdgeRecord] = []
        for part in chunks(ids):
            where = f"WHERE {column} IN ({','.join('?' * len(part))}){kind_sql}"
            out += map(EdgeRecord._make, self.db.execute(_EDGE + where, [*part, *kinds]))
        return out

    def registrations(self, prefix: str) -> list[tuple[str, int, str]]:
        """(rule, target, path of the source) of ``registers`` edges by the start of their rule."""
        sql = (
            "SELECT e.rule, e.target, f.path FROM edge e JOIN symbol s ON s.id = e.source"
            " JOIN file f ON f.id = s.file_id WHERE e.kind = 'registers' AND e.rule >= ?"
            " AND e.rule < ? ORDER BY f.path, e.line, e.target"
        )
        return self.db.execute(sql, (prefix, prefix + "\U0010ffff")).fetchall()

    def nearby(self, ids: Sequence[int], kinds: Sequence[str], fanout: int) -> list[EdgeRecord]:
        """At most ``fanout`` edges out of and into each of the given symbols."""
        kind_sql = f" AND kind IN ({','.join('?' * len(kinds))})"
        out: list[EdgeRecord] = []
        for column in ("source", "target"):
            sql = f"{_EDGE}WHERE {column} = ?{kind_sql} LIMIT ?"
            for i in ids:
                out += map(EdgeRecord._make, self.db.execute(sql, (i, *kinds, fanout)))
        return out

    def tree(self, ids: Sequence[int], fanout: int) -> list[tuple[int, int, int]]:
        """(parent, child, the child's line) around the given symbols."""
        up = "SELECT parent_id, id, start_line FROM symbol WHERE id = ? AND parent_id IS NOT NULL"
        down = (
            "SELECT parent_id, id, start_line FROM symbol WHERE file_id = "
            "(SELECT file_id FROM symbol WHERE id = ?1) AND parent_id = ?1 ORDER BY idx LIMIT ?2"
        )
        out: list[tuple[int, int, int]] = []
        for i in ids:
            out += self.db.execute(up, (i,))
            out += self.db.execute(down, (i, fanout))
        return out

    def nearby_imports(self, ids: Sequence[int], fanout: int) -> list[tuple[int, int, int]]:
        """(importing file's symbol, imported file's symbol, line) around file symbols."""
        out: list[tuple[int, int, int]] = []
        for mine, other in (("file_id", "target_id"), ("target_id", "file_id")):
            sql = (
                "SELECT s.id, t.id, i.line FROM symbol m "
                f"JOIN import i ON i.{mine} = m.file_id JOIN symbol o ON o.file_id = i.{other} "
                "AND o.idx = 0 JOIN symbol s ON s.file_id = i.file_id AND s.idx = 0 "
                "JOIN symbol t ON t.file_id = i.target_id AND t.idx = 0 "
                "WHERE m.id = ? AND m.idx = 0 LIMIT ?"
            )
            for i in ids:
                out += self.db.execute(sql, (i, fanout))
        return out

    def unresolved_from(self, ids: Sequence[int]) -> list[UnresolvedRecord]:
        """Sites without a target inside the given symbols."""
        out: list[UnresolvedRecord] = []
        for part in chunks(ids):
            where = f"WHERE source IN ({','.join('?' * len(part))})"
            out += map(UnresolvedRecord._make, self.db.execute(_UNRESOLVED + where, part))
        return out

    def unresolved_named(self, last: str, limit: int = -1) -> list[UnresolvedRecord]:
        """Sites without a target whose last component is ``last``."""
        where = "WHERE last = ? LIMIT ?"
        rows = self.db.execute(_UNRESOLVED + where, (last, limit))
        return [UnresolvedRecord(*row) for row in rows]

    def imports_of(self, paths: Sequence[str]) -> list[ImportRecord]:
        """The import lines of the given files."""
        return self._imports("f.path", paths)

    def importers_of(self, paths: Sequence[str]) -> list[ImportRecord]:
        """The import lines elsewhere that reach the given files."""
        return self._imports("t.path", paths)

    def all_imports(self) -> Iterator[ImportRecord]:
        """Every import line, in path and line order."""
        yield from map(ImportRecord._make, self.db.execute(_IMPORT + "ORDER BY f.path, i.line"))

    def import_pairs(self) -> list[tuple[int, int, int, int]]:
        """(file id, imported file id, first line, number of lines), without self-imports."""
        sql = (
            "SELECT file_id, target_id, min(line), count(*) FROM import "
            "WHERE target_id IS NOT NULL AND target_id != file_id GROUP BY file_id, target_id"
        )
        return self.db.execute(sql).fetchall()

    def _imports(self, column: str, paths: Sequence[str]) -> list[ImportRecord]:
        out: list[ImportRecord] = []
        for part in chunks(paths):
            where = f"WHERE {column} IN ({','.join('?' * len(part))}) ORDER BY f.path, i.line"
            out += map(ImportRecord._make, self.db.execute(_IMPORT + where, part))
        return out

    # --- full text --------------------------------------------------------------------------------
    def match(self, table: str, expression: str, weights: Sequence[float], limit: int) -> list[Hit]:
        """Rows of ``symbol_text`` or ``file_text`` by BM25; score > 0, best first.

        ``expression`` is made of :func:`quote` d terms joined by OR, AND and column filters.
        """
        assert table in ("symbol_text", "file_text")
        rank = f"bm25({table}, {', '.join(map(str, weights))})"
        sql = f"SELECT rowid, -{rank} FROM {table} WHERE {table} MATCH ? ORDER BY 2 DESC, 1 LIMIT ?"
        return [Hit(*row) for row in self.db.execute(sql, (expression, limit))]

    def match_count(self, table: str, expression: str) -> int:
        """How many rows match: a document frequency."""
        assert table in ("symbol_text", "file_text")
        sql = f"SELECT count(*) FROM {table} WHERE {table} MATCH ?"
        return int(self.db.execute(sql, (expression,)).fetchone()[0])

    def files_with(self, phrase: str) -> list[int]:
        """Ids of the files whose text holds a :func:`quote` d phrase, by token, in id order."""
        sql = "SELECT rowid FROM file_text WHERE file_text MATCH ? ORDER BY rowid"
        return [row[0] for row in self.db.execute(sql, ("{body} : " + phrase,))]

    def file_paths(self, ids: Iterable[int]) -> dict[int, FileRecord]:
        """file id -> record."""
        out: dict[int, FileRecord] = {}
        for part in chunks(list(ids)):
            sql = f"SELECT * FROM file WHERE id IN ({','.join('?' * len(part))})"
            out.update((row[0], FileRecord(*row)) for row in self.db.execute(sql, part))
        return out

    def progress(self) -> dict[str, Any]:
        """What the running build says of itself: phase, done, total."""
        return json.loads(self.meta("progress", "{}"))


def chunks(items: Sequence[_T]) -> Iterator[list[_T]]:
    """Slices short enough for SQLite's limit of bound variables."""
    for start in range(0, len(items), _CHUNK):
        yield list(items[start : start + _CHUNK])
