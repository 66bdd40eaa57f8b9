"""Layers and cycles of any graph, against their definitions."""

from __future__ import annotations

import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st

from codeviews.core.graphs import components, shortest_cycle
from codeviews.core.layers import layering

NODES = 8
GRAPHS = st.dictionaries(
    st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1)).filter(lambda e: e[0] != e[1]),
    st.integers(1, 5),
    max_size=24,
)
Weights = dict[tuple[int, int], int]


@settings(deadline=None)
@given(weights=GRAPHS)
def test_every_import_that_breaks_no_layer_points_downwards(weights: Weights) -> None:
    found = layering(list(range(NODES)), weights)
    level = {node: i for i, nodes in enumerate(found.levels) for node in nodes}
    assert sorted(level) == list(range(NODES))
    for edge in weights.keys() - set(found.breaking):
        assert level[edge[0]] > level[edge[1]]


@settings(deadline=None)
@given(weights=GRAPHS)
def test_only_edges_inside_a_cycle_break_layers(weights: Weights) -> None:
    found = layering(list(range(NODES)), weights)
    for source, target in found.breaking:
        assert any(source in members and target in members for members in found.cyclic)
    graph = nx.DiGraph(list(weights))
    assert bool(found.breaking) is not nx.is_directed_acyclic_graph(graph)


@settings(deadline=None)
@given(weights=GRAPHS)
def test_the_cycle_shown_is_a_shortest_one(weights: Weights) -> None:
    out = [sorted(t for s, t in weights if s == node) for node in range(NODES)]
    graph = nx.DiGraph(list(weights))
    for members in components(range(NODES), weights):
        cycle = shortest_cycle(members, out)
        assert all(edge in weights for edge in zip(cycle, [*cycle[1:], cycle[0]], strict=True))
        inside = graph.subgraph(members)
        assert len(cycle) == min(map(len, nx.simple_cycles(inside)))


def test_the_lightest_edge_of_a_cycle_is_the_one_that_breaks_it() -> None:
    weights = {(0, 1): 9, (1, 2): 9, (2, 0): 1}
    assert layering([0, 1, 2], weights) == ([[2], [1], [0]], [[0, 1, 2]], [(2, 0)])
