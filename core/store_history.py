"""The commits of an index: their messages by BM25, and which files each of them changed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from codeviews.core.store_base import Hit, StoreBase, chunks


class Commit(NamedTuple):
    """A commit's message and the root-relative paths that it changed."""

    message: str
    paths: tuple[str, ...]


class HistoryQueries(StoreBase):
    """Read access to the commits."""

    def commit_count(self) -> int:
        """Commits in the index."""
        return int(self.db.execute("SELECT count(*) FROM commit_text").fetchone()[0])

    def changed_paths(self) -> dict[int, list[str]]:
        """Commit -> the paths it changed, oldest commit first; some are of files long gone."""
        rows = self.db.execute("SELECT rowid, paths FROM commit_text ORDER BY rowid")
        return {commit: paths.split("\n") for commit, paths in rows}

    def commits_like(self, expression: str, limit: int) -> list[Hit]:
        """Commits whose messages match :func:`quote` d terms, by BM25; score > 0, best first."""
        sql = (
            "SELECT rowid, -bm25(commit_text) FROM commit_text WHERE commit_text MATCH ? "
            "ORDER BY 2 DESC, 1 DESC LIMIT ?"
        )
        return [Hit(*row) for row in self.db.execute(sql, (expression, limit))]

    def commits_with(self, term: str) -> int:
        """How many messages hold a :func:`quote` d term."""
        sql = "SELECT count(*) FROM commit_text WHERE commit_text MATCH ?"
        return int(self.db.execute(sql, (term,)).fetchone()[0])

    def subjects(self, commits: Iterable[int]) -> dict[int, str]:
        """Commit -> the first line of its message."""
        out: dict[int, str] = {}
        for part in chunks(list(commits)):
            slots = ",".join("?" * len(part))
            sql = f"SELECT rowid, message FROM commit_text WHERE rowid IN ({slots})"
            out.update((i, text.partition("\n")[0]) for i, text in self.db.execute(sql, part))
        return out

    def imported_by(self, files: Iterable[int]) -> list[tuple[int, int]]:
        """(importing file, imported file) for each of ``files`` as the importing one."""
        out: list[tuple[int, int]] = []
        for part in chunks(list(files)):
            slots = ",".join("?" * len(part))
            sql = (
                "SELECT DISTINCT file_id, target_id FROM import "
                f"WHERE target_id IS NOT NULL AND target_id != file_id AND file_id IN ({slots}) "
                "ORDER BY file_id, target_id"
            )
            out += self.db.execute(sql, part)
        return out


class HistoryWriter(HistoryQueries):
    """Write access; the caller holds a transaction."""

    def add_commits(self, newest_first: Iterable[Commit], keep: int, anew: bool) -> None:
        """Append commits, or replace all of them; only the ``keep`` newest stay."""
        if anew:
            self.db.execute("DELETE FROM commit_text")
        last = int(self.db.execute("SELECT coalesce(max(rowid), 0) FROM commit_text").fetchone()[0])
        rows = [(c.message, "\n".join(c.paths)) for c in newest_first]
        insert = "INSERT INTO commit_text (rowid, message, paths) VALUES (?, ?, ?)"
        numbered = enumerate(reversed(rows), last + 1)
        self.db.executemany(insert, ((i, *row) for i, row in numbered))
        self.db.execute("DELETE FROM commit_text WHERE rowid <= ?", (last + len(rows) - keep,))
