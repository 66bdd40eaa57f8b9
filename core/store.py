"""The index database, read side. All SQL of the project is in the ``core/store*.py`` files."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, cast

from codeviews.core.config import MAX_NAME_CHARS
from codeviews.core.facts import FileFacts, Import, Site, Symbol
from codeviews.core.store_base import (
    Definition,
    EdgeRecord,
    FileRecord,
    Hit,
    ImportRecord,
    Place,
    UnresolvedRecord,
    chunks,
    connect,
    glob_escape,
    pack,
    pack_facts,
    quote,
    unpack,
    unpack_facts,
    versions,
)
from codeviews.core.store_graph import GraphQueries
from codeviews.core.store_history import HistoryQueries

__all__ = [
    "Definition",
    "EdgeRecord",
    "FileRecord",
    "Hit",
    "ImportRecord",
    "Place",
    "Store",
    "UnresolvedRecord",
    "chunks",
    "connect",
    "pack",
    "pack_facts",
    "quote",
    "unpack",
    "versions",
]

_new_symbol = partial(
    cast("Callable[[type[Symbol], tuple[Any, ...]], Symbol]", tuple.__new__), Symbol
)
_new_site = partial(cast("Callable[[type[Site], tuple[Any, ...]], Site]", tuple.__new__), Site)
_new_definition = partial(
    cast("Callable[[type[Definition], tuple[Any, ...]], Definition]", tuple.__new__), Definition
)
_DEFINITION = (
    "SELECT s.id, s.file_id, f.path, f.marks, f.language, s.idx, s.name, s.qualname, s.kind, "
    "s.start_line, s.end_line, s.start_byte, s.end_byte, s.signature, s.doc, s.parent_id, s.flags "
    "FROM symbol s JOIN file f ON f.id = s.file_id "
)
_OUTLINE = _DEFINITION.replace("s.signature, s.doc", "'', ''")


class Store(GraphQueries, HistoryQueries):
    """Read access to one index file."""

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
        sites, imports, flow = unpack_facts(row[0]) if row else ([], [], None)
        symbols, ids = self.raw_symbols(file_id)
        all_sites = list(map(_new_site, sites))
        return FileFacts(language, symbols, all_sites, list(map(Import._make, imports)), flow), ids

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
        sql = "SELECT data FROM summary JOIN file ON id = file_id WHERE path = ?"
        row = self.db.execute(sql, (path,)).fetchone()
        return None if row is None else unpack(row[0])

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
        return list(map(_new_definition, self.db.execute(_DEFINITION + where, values)))

    def definitions(self, ids: Iterable[int]) -> dict[int, Definition]:
        """id -> definition; unknown ids are left out."""
        return self._by_id(_DEFINITION, ids)

    def outlines(self, ids: Iterable[int]) -> dict[int, Definition]:
        """The same without signature and documentation, which are most of what is read."""
        return self._by_id(_OUTLINE, ids)

    def _by_id(self, select: str, ids: Iterable[int]) -> dict[int, Definition]:
        out: dict[int, Definition] = {}
        for part in chunks(list(ids)):
            rows = self.db.execute(f"{select}WHERE s.id IN ({','.join('?' * len(part))})", part)
            out.update((row[0], _new_definition(row)) for row in rows)
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
        head, tail = glob_escape(name[:2]) + "*", "*" + glob_escape(name[-3:])
        n = len(name)
        rows = self.db.execute(sql, (n - 3 - n // 4, n + 3 + n // 4, head, tail, limit))
        return [row[0] for row in rows]

    def paths_ending(self, tail: str, limit: int = 20) -> list[str]:
        """Indexed paths that end with ``/tail``."""
        if len(tail) > MAX_NAME_CHARS:  # no path does, and SQLite refuses long patterns
            return []
        sql = "SELECT path FROM file WHERE path GLOB ? ORDER BY path LIMIT ?"
        return [row[0] for row in self.db.execute(sql, ("*/" + glob_escape(tail), limit))]

    def at_line(self, path: str, line: int) -> Definition | None:
        """The innermost symbol whose span holds that line."""
        found = self._definitions(
            "WHERE f.path = ? AND s.start_line <= ? AND s.end_line >= ? "
            "ORDER BY s.end_line - s.start_line, s.idx DESC LIMIT 1",
            (path, line, line),
        )
        return found[0] if found else None

    def symbol_ids(self, files: Iterable[int]) -> list[int]:
        """Ids of all symbols in these files."""
        out: list[int] = []
        for part in chunks(list(files)):
            sql = f"SELECT id FROM symbol WHERE file_id IN ({','.join('?' * len(part))})"
            out += [row[0] for row in self.db.execute(sql, part)]
        return out

    def last_row(self, table: str) -> int:
        """The largest row of ``symbol_text`` or ``file_text``; ids are never given twice."""
        of = {"symbol_text": "symbol", "file_text": "file"}[table]
        return self.db.execute(f"SELECT coalesce(max(id), 0) FROM {of}").fetchone()[0]

    def documented(self, ids: Iterable[int]) -> set[int]:
        """Those of the symbols that have documentation."""
        out: set[int] = set()
        for part in chunks(list(ids)):
            slots = ",".join("?" * len(part))
            sql = f"SELECT id FROM symbol WHERE doc != '' AND id IN ({slots})"
            out.update(row[0] for row in self.db.execute(sql, part))
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

    # --- full text --------------------------------------------------------------------------------
    def match(self, table: str, expression: str, weights: Sequence[float], limit: int) -> list[Hit]:
        """Rows of ``symbol_text`` or ``file_text`` by BM25; score > 0, best first.

        ``expression`` is made of :func:`quote` d terms joined by OR, AND and column filters.
        """
        assert table in ("symbol_text", "file_text")
        rank = f"bm25({table}, {', '.join(map(str, weights))})"
        sql = f"SELECT rowid, -{rank} FROM {table} WHERE {table} MATCH ? ORDER BY 2 DESC, 1 LIMIT ?"
        return [Hit(*row) for row in self.db.execute(sql, (expression, limit))]

    def term_scores(
        self, table: str, term: str, weights: Sequence[float]
    ) -> Iterator[tuple[int, float]]:
        """(row, BM25) of every row with a :func:`quote` d term, in row order."""
        assert table in ("symbol_text", "file_text")
        rank = f"bm25({table}, {', '.join(map(str, weights))})"
        sql = f"SELECT rowid, -{rank} FROM {table} WHERE {table} MATCH ?"
        return self.db.execute(sql, (term,))

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
