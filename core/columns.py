"""Sparse values by id and name as one matrix, so that weighing hundreds of candidates is a product
instead of a loop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


class Columns:
    """Values of ids by name; a name or an id without values reads as zeros."""

    def __init__(self, rows: Mapping[int, Mapping[str, float]]) -> None:
        self.ids = list(rows)
        self.names = list(dict.fromkeys(name for row in rows.values() for name in row))
        self._row = {found: i for i, found in enumerate(rows)}
        column = {name: i for i, name in enumerate(self.names)}
        cells = [
            (i, column[name], value)
            for i, row in enumerate(rows.values())
            for name, value in row.items()
        ]
        self._values = np.zeros((len(rows) + 1, len(self.names)))  # the last row is always zero
        if cells:
            table = np.array(cells)
            ends = table[:, :2].astype(np.int64)
            self._values[ends[:, 0], ends[:, 1]] = table[:, 2]

    def of(self, ids: Iterable[int]) -> Matrix:
        """A row for each id, a column for each of ``names``."""
        return self._values[[self._row.get(found, -1) for found in ids]]

    def weighted(self, weights: Mapping[str, float]) -> Matrix:
        """The weighted sum of each of ``ids``; names without a weight do not count."""
        return self._values[:-1] @ weight_vector(self.names, weights)


class Table(NamedTuple):
    """A row of features for each id; ``values`` has a column for each name."""

    ids: list[int]
    names: list[str]
    values: Matrix

    def column(self, name: str) -> Matrix:
        """The values of one name, in the order of ``ids``; writing to it changes the table."""
        return self.values[:, self.names.index(name)]

    def rows(self) -> dict[int, dict[str, float]]:
        """The same by id and name."""
        rows = self.values.tolist()
        return {
            i: dict(zip(self.names, row, strict=True))
            for i, row in zip(self.ids, rows, strict=True)
        }


def weight_vector(names: Sequence[str], weights: Mapping[str, float]) -> Matrix:
    """The weight of each name, 0.0 where it has none."""
    return np.array([weights.get(name, 0.0) for name in names])


def joined(ids: Sequence[int], parts: Sequence[tuple[Sequence[str], Matrix]]) -> Table:
    """(names, values) side by side."""
    names = [name for part, _ in parts for name in part]
    return Table(list(ids), names, np.hstack([values for _, values in parts]))


def widened(table: Table, more: Table) -> Table:
    """``table`` with the columns of ``more``, zero in rows that ``more`` does not have."""
    place = {found: i for i, found in enumerate(table.ids)}
    values = np.zeros((len(table.ids), len(more.names)))
    values[[place[found] for found in more.ids]] = more.values
    return joined(table.ids, [(table.names, table.values), (more.names, values)])


def top_by_group(groups: NDArray[np.int64], values: Matrix, n: int, count: int) -> Matrix:
    """The ``n`` largest values of each column within each group: shape (n, count, columns).

    ``groups`` gives each row's group, 0 to ``count`` - 1. Missing places are zero.
    """
    across = values.T
    order = np.lexsort((-across, np.broadcast_to(groups, across.shape)), axis=-1)
    grouped = np.sort(groups)
    rank = np.arange(len(groups)) - np.searchsorted(grouped, grouped)
    out = np.zeros((n, count, values.shape[1]))
    kept = rank < n
    for place in range(values.shape[1]):
        out[rank[kept], grouped[kept], place] = across[place, order[place]][kept]
    return out
