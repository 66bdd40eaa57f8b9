"""An index database: its connections, its records and how values are packed into it.

SQLite in WAL mode: readers never block and never fail while one writer works. One connection per
thread. Every user text that reaches FTS passes :func:`quote`.
"""

from __future__ import annotations

import json
import marshal
import sqlite3
import threading
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from codeviews.core.config import EXTRACTOR_VERSION, SCHEMA_VERSION
from codeviews.core.facts import FileFacts

_T = TypeVar("_T")
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


def quote(term: str) -> str:
    """``term`` as one FTS5 string: the only way user text enters a MATCH expression."""
    return '"' + term.replace('"', '""').replace("\0", " ") + '"'


def glob_escape(text: str) -> str:
    """``text`` as a GLOB pattern that matches only itself."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in text)


def pack(value: Any) -> bytes:
    """Builtin types only -> compressed bytes (marshal, zlib level 1)."""
    return zlib.compress(marshal.dumps(value), 1)


def unpack(blob: bytes) -> Any:
    """The reverse of :func:`pack`."""
    return marshal.loads(zlib.decompress(blob))


def pack_facts(facts: FileFacts) -> bytes:
    """Everything but the symbols, which have a table of their own; not compressed.

    A build writes and reads all of them: that costs a fifth more disk and no seconds of zlib.
    """
    return marshal.dumps(
        (list(map(tuple, facts.sites)), list(map(tuple, facts.imports)), facts.flow)
    )


def unpack_facts(blob: bytes) -> tuple[list[Any], list[Any], Any]:
    """Sites, imports and flow as tuples of builtins."""
    return marshal.loads(blob)


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


class StoreBase:
    """One open index file: connections, versions and what a build says of itself."""

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

    def generation(self) -> str:
        """Changes whenever a writer commits; the same for all connections of one snapshot."""
        return self.meta("generation")

    def current(self) -> bool:
        """Whether this index was made by this schema and these extractors."""
        try:
            return all(self.meta(key) == value for key, value in versions().items())
        except sqlite3.DatabaseError:
            return False

    def progress(self) -> dict[str, Any]:
        """What the running build says of itself: phase, done, total."""
        return json.loads(self.meta("progress", "{}"))


def chunks(items: Sequence[_T]) -> Iterator[list[_T]]:
    """Slices short enough for SQLite's limit of bound variables."""
    for start in range(0, len(items), _CHUNK):
        yield list(items[start : start + _CHUNK])
