"""A shortest chain of calls, sought from both ends at once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from codeviews.core.neighbourhood import CALLS
from codeviews.core.store import EdgeRecord, Store

MAX_NODES = 20_000
_Pairs = list[tuple[int, int]]


class _Side:
    """A breadth-first search from one end; ``pairs`` holds the (source, target) of each level."""

    def __init__(self, store: Store, start: Sequence[int], forward: bool) -> None:
        self._store, self._forward = store, forward
        self.frontier = list(dict.fromkeys(start))
        self.seen = set(self.frontier)
        self.pairs: list[_Pairs] = []

    def advance(self, kinds: Sequence[str]) -> None:
        """One level further."""
        column = "source" if self._forward else "target"
        found = self._store.call_pairs(column, self.frontier, kinds)
        ends = dict.fromkeys(t if self._forward else s for s, t in found)
        self.frontier = [node for node in ends if node not in self.seen]
        self.seen.update(self.frontier)
        self.pairs.append(found)

    def toward_start(self, layer: set[int]) -> list[set[int]]:
        """``layer`` and, level by level, the nodes through which it was reached."""
        layers = [layer]
        for pairs in reversed(self.pairs):
            near = layers[-1]
            layers.append(
                {s for s, t in pairs if t in near}
                if self._forward
                else {t for s, t in pairs if s in near}
            )
        return layers


def shortest_path(
    store: Store, start: Sequence[int], goal: Sequence[int], kinds: Sequence[str] = CALLS
) -> list[EdgeRecord] | None:
    """Edges of a shortest call path, or None; bounded to ``MAX_NODES``.

    Of several, the one that a search from the start would find which takes certain edges first.
    """
    layers = _layers(store, start, [node for node in goal if node not in set(start)], kinds)
    came: dict[int, EdgeRecord] = {}
    last: EdgeRecord | None = None
    for here, there in pairwise(layers):
        edges = store.edges("source", sorted(here), kinds)
        onward = sorted((e for e in edges if e.target in there), key=_certainty)
        for edge in onward:
            came.setdefault(edge.target, edge)
        last = onward[0]
    return None if last is None else _trace(came, last, set(start))


def _layers(
    store: Store, start: Sequence[int], goal: Sequence[int], kinds: Sequence[str]
) -> list[set[int]]:
    """The nodes of all shortest paths by their distance from the start; [] when there is none."""
    ahead, behind = _Side(store, start, True), _Side(store, goal, False)
    while ahead.frontier and behind.frontier and len(ahead.seen) + len(behind.seen) < MAX_NODES:
        side = ahead if len(ahead.frontier) <= len(behind.frontier) else behind
        side.advance(kinds)
        met = set(ahead.frontier) & set(behind.frontier)
        if met:
            return [*reversed(ahead.toward_start(met)), *behind.toward_start(met)[1:]]
    return []


def _certainty(edge: EdgeRecord) -> tuple[str, int, int]:
    return (edge.tier, edge.source, edge.line)


def _trace(came: dict[int, EdgeRecord], last: EdgeRecord, start: set[int]) -> list[EdgeRecord]:
    path = [last]
    while path[-1].source not in start:
        path.append(came[path[-1].source])
    return path[::-1]
