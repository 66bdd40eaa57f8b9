"""Layers of a directed graph: condensation, and an order inside each cycle that breaks it least.

A node stands one layer above the highest node it depends on. Inside a strongly connected component
there is no such order, so the greedy feedback arc set of Eades, Lin and Smyth (1993) finds one that
few (weighted) edges contradict; those edges are the ones that break the layers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from codeviews.core.graphs import components

Edge = tuple[int, int]


class Layering(NamedTuple):
    """``levels[0]`` depends on nothing; ``breaking`` edges point upwards or sideways."""

    levels: list[list[int]]
    cyclic: list[list[int]]
    breaking: list[Edge]


def layering(nodes: list[int], weights: Mapping[Edge, int]) -> Layering:
    """Layers of the graph whose edges (source depends on target) carry a weight."""
    cyclic = components(nodes, weights)
    breaking: set[Edge] = set()
    for members in cyclic:
        inside = set(members)
        local = {e: w for e, w in weights.items() if e[0] in inside and e[1] in inside}
        rank = {node: i for i, node in enumerate(_sequence(members, local))}
        breaking.update(e for e in local if rank[e[0]] > rank[e[1]])
    kept = [edge for edge in weights if edge not in breaking]
    ordered = sorted(breaking, key=lambda e: (-weights[e], e))
    return Layering(_levels(nodes, kept), cyclic, ordered)


def _sequence(members: list[int], weights: Mapping[Edge, int]) -> list[int]:
    """Dependants first: sources to the left, sinks to the right, else the most one-sided node."""
    out: dict[int, dict[int, int]] = {n: {} for n in members}
    into: dict[int, dict[int, int]] = {n: {} for n in members}
    for (source, target), weight in sorted(weights.items()):
        out[source][target] = into[target][source] = weight
    left: list[int] = []
    right: list[int] = []
    while out:
        sinks = [n for n in out if not out[n]]
        node = sinks[0] if sinks else max(out, key=lambda n: _one_sided(n, out, into))
        (right if sinks else left).append(node)
        for other in out.pop(node):
            into[other].pop(node, None)
        for other in into.pop(node):
            out[other].pop(node, None)
    return left + right[::-1]


def _one_sided(
    node: int, out: Mapping[int, dict[int, int]], into: Mapping[int, dict[int, int]]
) -> tuple[bool, int, int]:
    return (not into[node], sum(out[node].values()) - sum(into[node].values()), -node)


def _levels(nodes: list[int], edges: list[Edge]) -> list[list[int]]:
    needs: dict[int, set[int]] = {n: set() for n in nodes}
    users: dict[int, list[int]] = {n: [] for n in nodes}
    for source, target in edges:
        needs[source].add(target)
        users[target].append(source)
    ready = [n for n in nodes if not needs[n]]
    levels: list[list[int]] = []
    while ready:
        levels.append(sorted(ready))
        above: list[int] = []
        for node in ready:
            for user in users[node]:
                needs[user].discard(node)
                if not needs[user]:
                    above.append(user)
        ready = list(dict.fromkeys(above))
    return levels
