"""The part of a view's graph around the seeds, bounded so that a walk stays in milliseconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from codeviews.core.config import KIND_WEIGHT, NODE_FANOUT, TIER_WEIGHT, WALK_NODES
from codeviews.core.store import Store
from codeviews.core.walk import Link, random_walk

CALLS = ("calls", "implicit", "registers")
HIERARCHY = ("inherits", "overrides")


class Relations(NamedTuple):
    """Which edges a view walks."""

    edges: tuple[str, ...] = ()
    contains: bool = False
    imports: bool = False


VIEWS: dict[str, Relations] = {
    "ast": Relations(contains=True),
    "callgraph": Relations(edges=CALLS),
    "deps": Relations(imports=True, contains=True),
    "docs": Relations(),
    "hybrid": Relations(
        edges=(*CALLS, *HIERARCHY, "decorates", "references"), contains=True, imports=True
    ),
}


class GraphEdge(NamedTuple):
    """An edge between two symbol ids as answers show it; ``line`` is in the source's file."""

    source: int
    target: int
    kind: str
    line: int
    tier: str


@dataclass
class Neighbourhood:
    """Symbol ids around the seeds and the edges among them."""

    nodes: dict[int, int] = field(default_factory=dict[int, int])
    edges: list[GraphEdge] = field(default_factory=list[GraphEdge])

    def add(self, node: int) -> bool:
        """Whether there is room for (or already is) the node."""
        if node not in self.nodes and len(self.nodes) < WALK_NODES:
            self.nodes[node] = len(self.nodes)
        return node in self.nodes

    def walk(self, seeds: Mapping[int, float]) -> dict[int, float]:
        """Symbol id -> probability of the walk from the seeds."""
        links = [Link(self.nodes[e.source], self.nodes[e.target], weight_of(e)) for e in self.edges]
        start = {self.nodes[i]: weight for i, weight in seeds.items() if i in self.nodes}
        ranks = random_walk(len(self.nodes), links, start)
        return {node: ranks[place] for node, place in self.nodes.items()}


def weight_of(edge: GraphEdge) -> float:
    """How readily the walk takes an edge: its kind times how sure it is."""
    return KIND_WEIGHT.get(edge.kind, 0.5) * TIER_WEIGHT.get(edge.tier, 1.0)


def gather(
    store: Store,
    seeds: Sequence[int],
    relations: Relations,
    without: NDArray[np.bool_],
    hops: int = 2,
) -> Neighbourhood:
    """Breadth first from the seeds; each node gives at most ``NODE_FANOUT`` edges a direction.

    Edges of symbols where ``without`` is true (by symbol id) are left out.
    """
    around = Neighbourhood()
    for seed in seeds:
        around.add(seed)
    seen: set[tuple[int, int, str]] = set()
    frontier = list(around.nodes)
    for hop in range(hops):
        fanout = max(NODE_FANOUT >> (2 * hop), 8)
        reached: list[int] = []
        for edge in _edges(store, frontier, relations, fanout):
            if without[edge.source] or without[edge.target]:
                continue
            key = (edge.source, edge.target, edge.kind)
            fresh = [n for n in (edge.source, edge.target) if n not in around.nodes]
            if key in seen or not (around.add(edge.source) and around.add(edge.target)):
                continue
            seen.add(key)
            around.edges.append(edge)
            reached += fresh
        frontier = reached[: WALK_NODES // 6]
    return around


def _edges(
    store: Store, nodes: Sequence[int], relations: Relations, fanout: int
) -> list[GraphEdge]:
    out: list[GraphEdge] = []
    if relations.edges:
        for row in store.nearby(nodes, relations.edges, fanout):
            out.append(GraphEdge(*row[:5]))
    if relations.contains:
        out += [GraphEdge(p, c, "contains", line, "A") for p, c, line in store.tree(nodes, fanout)]
    if relations.imports:
        out += [
            GraphEdge(s, t, "imports", line, "A")
            for s, t, line in store.nearby_imports(nodes, fanout)
        ]
    return out
