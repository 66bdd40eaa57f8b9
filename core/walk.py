"""Random walk with restart: a pure function of (graph, seeds, weights).

Tong, Faloutsos and Pan 2006; the study's section III ranks views with it. ``networkx.pagerank``
gives the same vector, but converting a 3,000-node graph to its dictionaries costs ten times the
iteration itself. A step is one weighted count over the edges, which for graphs of this size is as
fast as a sparse matrix of scipy, whose import alone would cost each server's start 0.2 s.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from codeviews.core.config import RESTART, WALK_ITERATIONS, WALK_TOLERANCE


class Link(NamedTuple):
    """An edge of the walk between node positions; the walk may go both ways."""

    source: int
    target: int
    weight: float


def random_walk(n: int, links: Sequence[Link], seeds: Mapping[int, float]) -> list[float]:
    """Stationary probabilities of ``n`` nodes, restarting at ``seeds`` (node -> weight > 0).

    A step's probability is divided by the square root of the receiving node's degree, so that
    helpers called from everywhere do not drain the walk (hub damping).
    """
    restart = np.zeros(n)
    for node, weight in seeds.items():
        restart[node] = weight
    total = restart.sum()
    if n == 0 or total <= 0:
        return [0.0] * n
    restart /= total
    if not links:
        return restart.tolist()
    rows, columns, weights = _transition(n, links)
    rank = restart.copy()
    for _ in range(WALK_ITERATIONS):
        moved = (1 - RESTART) * np.bincount(rows, weights * rank[columns], n) + RESTART * restart
        moved += (1 - moved.sum()) * restart  # what dangling nodes lose goes back to the seeds
        if np.abs(moved - rank).sum() < WALK_TOLERANCE:
            return moved.tolist()
        rank = moved
    return rank.tolist()


def _transition(
    n: int, links: Sequence[Link]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """(receiving node, giving node, share of its probability) of every step that can be taken."""
    table = np.array(links, dtype=float)
    ends = table[:, :2].astype(np.int64)
    rows = np.concatenate([ends[:, 1], ends[:, 0]])
    columns = np.concatenate([ends[:, 0], ends[:, 1]])
    weights = np.concatenate([table[:, 2], table[:, 2]])
    degree = np.maximum(np.bincount(rows, minlength=n), 1)
    weights = weights / np.sqrt(degree[rows])
    return rows, columns, weights / np.bincount(columns, weights, minlength=n)[columns]
