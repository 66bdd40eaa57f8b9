"""BM25 of an OR of terms as the sum of its terms, each read once.

FTS5 adds up the BM25 of the phrases of a query, so the terms' own scores give the same result. They
are kept while the index stays as it is: questions of one session share words, and so do the parts
of one report, and nearly all of what a query costs is reading the rows of its commonest words.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from codeviews.core.config import KEPT_SCORE_BYTES
from codeviews.core.kept import kept
from codeviews.core.store import Hit, Store

_Rows = NDArray[np.int32]
_Scores = NDArray[np.float64]


class TermScores:
    """Rows and BM25 of single terms; above ``KEPT_SCORE_BYTES`` the longest unused go first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str], tuple[_Rows, _Scores]] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def of(
        self, store: Store, table: str, term: str, columns: Sequence[float]
    ) -> tuple[_Rows, _Scores]:
        """The rows that hold an FTS term and their scores, in row order."""
        key = (table, term)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        found = np.fromiter(
            store.term_scores(table, term, columns), dtype=[("row", np.int32), ("score", float)]
        )
        parts = found["row"].copy(), found["score"].copy()
        with self._lock:
            self._keep(key, parts)
        return parts

    def _keep(self, key: tuple[str, str], parts: tuple[_Rows, _Scores]) -> None:
        size = sum(part.nbytes for part in parts)
        if key in self._kept or size > KEPT_SCORE_BYTES:
            return
        self._kept[key] = parts
        self._bytes += size
        while self._bytes > KEPT_SCORE_BYTES:
            _, dropped = self._kept.popitem(last=False)
            self._bytes -= sum(part.nbytes for part in dropped)


def best_rows(
    store: Store, table: str, terms: Sequence[str], columns: Mapping[str, float], limit: int
) -> list[Hit]:
    """Rows of ``symbol_text`` or ``file_text`` with any of the quoted terms, best by BM25 first;
    ties by row. ``columns`` are the weights of the table's columns."""
    if not terms:
        return []
    scores = kept(store, "term scores", TermScores)
    parts = [scores.of(store, table, term, [*columns.values()]) for term in terms]
    total = np.bincount(
        np.concatenate([rows for rows, _ in parts]), np.concatenate([value for _, value in parts])
    )
    rows = np.flatnonzero(total)
    if len(rows) > limit:
        bound = np.partition(total[rows], -limit)[-limit]
        rows = rows[total[rows] >= bound]
    order = np.lexsort((rows, -total[rows]))[:limit]
    return [
        Hit(i, v) for i, v in zip(rows[order].tolist(), total[rows][order].tolist(), strict=True)
    ]
