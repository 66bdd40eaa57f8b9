"""Edges, imports and sites without a target, as the walk and the answers ask for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codeviews.core.facts import ANY_TEXT
from codeviews.core.store_base import EdgeRecord, ImportRecord, StoreBase, UnresolvedRecord, chunks

_EDGE = "SELECT source, target, kind, line, tier, rule FROM edge "
_UNRESOLVED = "SELECT source, kind, name, line, reason, candidates FROM unresolved "
_IMPORT = (
    "SELECT f.path, t.path, i.module, i.line FROM import i JOIN file f ON f.id = i.file_id "
    "LEFT JOIN file t ON t.id = i.target_id "
)


def _where(column: str, ids: Sequence[int], kinds: Sequence[str], table: str = "") -> str:
    """The condition that a column is one of some ids, and the kind one of some kinds (if any)."""
    kind = f" AND {table}kind IN ({','.join('?' * len(kinds))})" if kinds else ""
    return f"WHERE {table}{column} IN ({','.join('?' * len(ids))}){kind}"


class GraphQueries(StoreBase):
    """Read access to the graph of an index."""

    def edges(self, column: str, ids: Sequence[int], kinds: Sequence[str] = ()) -> list[EdgeRecord]:
        """Edges whose ``source`` or ``target`` (``column``) is one of ``ids``, ordered."""
        assert column in ("source", "target")
        out: list[EdgeRecord] = []
        for part in chunks(ids):
            sql = _EDGE + _where(column, part, kinds)
            out += map(EdgeRecord._make, self.db.execute(sql, [*part, *kinds]))
        return out

    def linked(
        self, column: str, ids: Sequence[int], kinds: Sequence[str]
    ) -> list[tuple[int, int, str, int, str, str, int, int]]:
        """The fields of an :class:`EdgeRecord`, the file of its source and the file of its other
        end, of the edges whose ``column`` is one of ``ids``; not those whose other end is gone."""
        assert column in ("source", "target")
        other = "s" if column == "target" else "t"  # CROSS JOIN keeps the order of the edges
        joined = "" if column == "target" else "CROSS JOIN symbol t ON t.id = e.target "
        select = (
            "SELECT e.source, e.target, e.kind, e.line, e.tier, e.rule, "
            f"s.file_id, {other}.file_id "
            f"FROM edge e CROSS JOIN symbol s ON s.id = e.source {joined}"
        )
        out: list[tuple[int, int, str, int, str, str, int, int]] = []
        for part in chunks(ids):
            out += self.db.execute(select + _where(column, part, kinds, "e."), [*part, *kinds])
        return out

    def call_pairs(
        self, column: str, ids: Sequence[int], kinds: Sequence[str]
    ) -> list[tuple[int, int]]:
        """(source, target) of the edges whose ``column`` is one of ``ids``."""
        assert column in ("source", "target")
        out: list[tuple[int, int]] = []
        for part in chunks(ids):
            sql = "SELECT source, target FROM edge " + _where(column, part, kinds)
            out += self.db.execute(sql, [*part, *kinds])
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

    def unresolved_named(
        self, last: str, kinds: Sequence[str], reasons: Sequence[str], limit: int
    ) -> list[UnresolvedRecord]:
        """The first ``limit`` sites of these kinds and reasons whose last component is ``last``."""
        where, values = _among(last, kinds, reasons)
        rows = self.db.execute(f"{_UNRESOLVED}WHERE {where} LIMIT ?", [*values, limit])
        return list(map(UnresolvedRecord._make, rows))

    def unresolved_in_part(self, name: str, reasons: Sequence[str]) -> list[UnresolvedRecord]:
        """Sites that reach a name put together at run time which ``name`` fits."""
        where, values = _among(ANY_TEXT, ("calls",), reasons)
        rows = self.db.execute(f"{_UNRESOLVED}WHERE {where}", values)
        return [site for site in map(UnresolvedRecord._make, rows) if _fits(name, site.name)]

    def unresolved_counts(
        self, last: str, kinds: Sequence[str], reasons: Sequence[str]
    ) -> list[tuple[str, int, int]]:
        """(reason, candidates, how many) of those sites, the first met first."""
        where, values = _among(last, kinds, reasons)
        sql = (
            f"SELECT reason, candidates, count(*) FROM unresolved WHERE {where} "
            "GROUP BY reason, candidates ORDER BY min(rowid)"
        )
        return self.db.execute(sql, values).fetchall()

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


def _fits(name: str, pattern: str) -> bool:
    prefix, _, suffix = pattern.partition(ANY_TEXT)
    longer = len(name) > len(prefix) + len(suffix)
    return longer and name.startswith(prefix) and name.endswith(suffix)


def _among(last: str, kinds: Sequence[str], reasons: Sequence[str]) -> tuple[str, list[str]]:
    """A condition on the unresolved table and its values."""
    slots = [",".join("?" * len(part)) for part in (kinds, reasons)]
    where = f"last = ? AND kind IN ({slots[0]}) AND reason IN ({slots[1]})"
    return where, [last, *kinds, *reasons]
