"""BM25 of an OR of terms as the sum of its terms, each read once.

FTS5 adds up the BM25 of the phrases of a query, so the terms' own scores give the same result. They
are kept while the index stays as it is: questions of one session share words, and so do the parts
of one report, and nearly all of what a query costs is reading the rows of its commonest words.
"""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from codeviews.core.config import KEPT_SCORE_BYTES
from codeviews.core.facts import TEST
from codeviews.core.kept import files_by_id, kept
from codeviews.core.languages import LANGUAGES
from codeviews.core.store import FileRecord, Hit, Store

_Rows = NDArray[np.int32]
_Scores = NDArray[np.float64]
Mask = NDArray[np.bool_]
"""By row of a full-text table."""


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
    store: Store,
    table: str,
    terms: Sequence[str],
    columns: Mapping[str, float],
    limits: tuple[int, int],
    second: Mask,
) -> tuple[list[Hit], list[Hit]]:
    """Rows of ``symbol_text`` or ``file_text`` with any of the quoted terms, best by BM25 first;
    ties by row.

    Args:
        store: the index.
        table: the full-text table.
        terms: FTS terms, quoted.
        columns: the weights of the table's columns.
        limits: how many of the two kinds at most.
        second: by row, whether it is of the second kind, by which a term's rarity is not counted.

    Returns:
        The best rows of the first kind and those of the second.
    """
    if not terms:
        return [], []
    scores = kept(store, "term scores", TermScores)
    parts = [scores.of(store, table, term, [*columns.values()]) for term in terms]
    parts = [_rescaled(part, second) for part in parts]
    places, values = np.concatenate([r for r, _ in parts]), np.concatenate([v for _, v in parts])
    total = np.bincount(places, values).astype(float)
    rows = np.flatnonzero(total)
    is_second = second[rows]
    return (
        _best(rows[~is_second], total, limits[0]),
        _best(rows[is_second], total, limits[1]),
    )


def _rescaled(part: tuple[_Rows, _Scores], second: Mask) -> tuple[_Rows, _Scores]:
    """One term's scores as if its rarity had been counted over the rows of the first kind: what
    tests say often may be rare in code."""
    rows, values = part
    outside, found = int(second.sum()), int(second[rows].sum())
    of_all = _rarity(len(rows), len(second))
    of_first = _rarity(len(rows) - found, len(second) - outside)
    return rows, values * (of_first / of_all)


def _rarity(found: int, total: int) -> float:
    """Inverse document frequency as FTS5 counts it."""
    return max(math.log((total - found + 0.5) / (found + 0.5)), 1e-6)


def _best(rows: NDArray[np.intp], total: _Scores, limit: int) -> list[Hit]:
    if len(rows) > limit:
        bound = np.partition(total[rows], -limit)[-limit]
        rows = rows[total[rows] >= bound]
    order = np.lexsort((rows, -total[rows]))[:limit]
    return [
        Hit(i, v) for i, v in zip(rows[order].tolist(), total[rows][order].tolist(), strict=True)
    ]


def beside(store: Store, table: str, apart: int) -> Mask:
    """The rows of a full-text table that are not code, or demoted for their marks; ``apart`` is
    ``TEST`` where tests are."""

    def is_beside(record: FileRecord) -> bool:
        return bool(record.marks & (~TEST | apart)) or not LANGUAGES.get(record.language)

    return kept(store, f"{table} beside {apart}", lambda: _mask(store, table, is_beside))


def of_tests(store: Store, table: str, marks: int) -> Mask:
    """The rows of a full-text table that are in tests; none when ``marks`` is 0."""
    key = f"{table} of tests {marks}"
    return kept(store, key, lambda: _mask(store, table, lambda r: bool(r.marks & TEST & marks)))


def _mask(store: Store, table: str, is_meant: Callable[[FileRecord], bool]) -> Mask:
    files = [record.id for record in files_by_id(store).values() if is_meant(record)]
    mask = np.zeros(store.last_row(table) + 1, dtype=bool)
    mask[files if table == "file_text" else store.symbol_ids(files)] = True
    return mask
