"""The index database, write side: transactions, and the edges of each file.

An edge belongs to its caller's file and is replaced together with the file's other edges.
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from codeviews.core.errors import StorageError
from codeviews.core.facts import ANY_TEXT, FileEdges
from codeviews.core.store import Store, pack

_IN_PART = re.compile(rf"\w*{ANY_TEXT}\w*")
_LAST = re.compile(r"\w+(?=\W*$)")
_WORDS = re.compile(r"\w+")
_NOT_WRITTEN = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
)
_KEY = itemgetter(0, 1, 2, 3)
_INDEXES = (
    "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL "
    "AND tbl_name IN ('edge', 'unresolved', 'import') AND name != 'edge_registered'"
)
_SUMMARY = (
    "INSERT INTO summary VALUES (?, ?) ON CONFLICT (file_id) DO UPDATE SET data = excluded.data "
    "WHERE data IS NOT excluded.data"
)
_USERS = "SELECT DISTINCT f.path FROM file f JOIN symbol s ON s.file_id = f.id "
_USERS_OF_UNRESOLVED = _USERS + "JOIN unresolved u ON u.source = s.id WHERE u.last = ?"
_USERS_OF_NAME = (
    _USERS + "JOIN edge e ON e.source = s.id JOIN symbol t ON t.id = e.target WHERE t.name = ?"
)
_USERS_OF_ID = _USERS + "JOIN edge e ON e.source = s.id WHERE e.target = ?"


class Removed(NamedTuple):
    """Names that lost or gained a definition, and the ids that vanished."""

    names: set[str]
    ids: set[int]


@contextmanager
def writing(path: Path) -> Generator[None]:
    """Turns what a full or failing disk makes of SQLite into one sentence.

    Raises:
        StorageError: the database at ``path`` could not be written.
    """
    try:
        yield
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _NOT_WRITTEN:
            raise
        raise StorageError(str(path.parent), str(error)) from error


class EdgeWriter(Store):
    """Write access to edges; the caller holds the writer lock."""

    @contextmanager
    def transaction(self) -> Generator[sqlite3.Connection]:
        """All or nothing; nests as a no-op inside another transaction."""
        if self.db.in_transaction:
            yield self.db
            return
        self.db.execute("BEGIN IMMEDIATE")
        try:
            yield self.db
            self.set_meta("generation", str(time.time_ns()))
            self.db.commit()
        except BaseException:
            self.db.rollback()
            raise

    def set_meta(self, key: str, value: str) -> None:
        """Set one value of the meta table."""
        self.db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    @contextmanager
    def all_edges_anew(self) -> Generator[None]:
        """Drops every edge; those written inside are indexed at the end, sorted, all at once."""
        with self.transaction():
            indexes = self.db.execute(_INDEXES).fetchall()
            for name, _ in indexes:
                self.db.execute(f"DROP INDEX {name}")
            for table in ("edge", "unresolved", "import"):
                self.db.execute(f"DELETE FROM {table}")
            yield
            for _, sql in indexes:
                self.db.execute(sql)

    def clear_edges(self, paths: Iterable[str]) -> None:
        """Drop all edges of the given files before they are resolved anew."""
        with self.transaction():
            for path in paths:
                known = self.file(path)
                if known is not None:
                    self.delete_edges(known.id)

    def delete_edges(self, file_id: int) -> None:
        """Drop the edges of one file."""
        mine = "(SELECT id FROM symbol WHERE file_id = ?)"
        self.db.execute(f"DELETE FROM edge WHERE source IN {mine}", (file_id,))
        self.db.execute(f"DELETE FROM unresolved WHERE source IN {mine}", (file_id,))
        self.db.execute("DELETE FROM import WHERE file_id = ?", (file_id,))

    def write_edges(self, batch: Sequence[FileEdges], ids: Mapping[str, int]) -> bool:
        """Store the edges of files whose old edges are gone; whether any summary changed.

        ``ids``: path -> file id of every indexed file.
        """
        known = [(ids[item.path], item) for item in batch if item.path in ids]
        edges = sorted((edge for _, item in known for edge in item.edges), key=_KEY)  # stable
        sites = [(*u[:3], _last(u.name), *u[3:]) for _, item in known for u in item.unresolved]
        imports = [
            (i, ids.get(edge.target or ""), edge.module, edge.line)
            for i, item in known
            for edge in item.imports
        ]
        summaries = [(i, pack(item.summary)) for i, item in known if item.summary is not None]
        with self.transaction():
            insert = self.db.executemany
            insert("INSERT OR IGNORE INTO edge VALUES (?,?,?,?,?,?)", edges)
            insert("INSERT INTO unresolved VALUES (?,?,?,?,?,?,?)", sites)
            insert("INSERT INTO import VALUES (?,?,?,?)", imports)
            return insert(_SUMMARY, summaries).rowcount > 0

    def importing_outside(self, words: set[str]) -> set[str]:
        """Files with an import, external so far, whose last component is one of ``words``."""
        if not words:
            return set()
        sql = (
            "SELECT DISTINCT f.path, i.module FROM import i JOIN file f ON f.id = i.file_id "
            "WHERE i.target_id IS NULL"
        )
        rows = self.db.execute(sql)
        return {path for path, module in rows if words & set(_WORDS.findall(module))}

    def affected_by(self, changed: Removed) -> set[str]:
        """Files whose edges may change because these names or ids did."""
        paths: set[str] = set()
        for name in changed.names:
            paths.update(p for (p,) in self.db.execute(_USERS_OF_UNRESOLVED, (name,)))
            paths.update(p for (p,) in self.db.execute(_USERS_OF_NAME, (name,)))
        for i in changed.ids:
            paths.update(p for (p,) in self.db.execute(_USERS_OF_ID, (i,)))
        return paths


def _last(name: str) -> str:
    """The component a site is found by; of a name made at run time the mark for any text."""
    if ANY_TEXT in name and _IN_PART.fullmatch(name):
        return ANY_TEXT
    last = name[name.rfind(".") + 1 :]
    if last.isidentifier():
        return last
    found = _LAST.search(name)
    return found.group() if found else name
