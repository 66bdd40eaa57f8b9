"""The import graph of the whole repository, kept between answers until the index changes.

Nodes are positions in path order, so every answer made from it is deterministic.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from codeviews.core.kept import all_files, kept
from codeviews.core.store import FileRecord, Store


class ImportLine(NamedTuple):
    """``source`` imports ``target`` (node positions) on ``line``, on ``lines`` lines in all."""

    source: int
    target: int
    line: int
    lines: int


@dataclass
class ImportGraph:
    """Files and the imports among them. ``out[n]`` and ``into[n]`` are sorted positions."""

    files: list[FileRecord]
    edges: dict[tuple[int, int], ImportLine]
    out: list[list[int]]
    into: list[list[int]]
    place: dict[str, int]

    def shortest_path(self, start: Iterable[int], goal: Iterable[int]) -> list[ImportLine] | None:
        """Import lines of a shortest chain, or None; ties go to the first path in order."""
        wanted, came = set(goal), dict[int, int | None].fromkeys(sorted(start))
        frontier = list(came)
        while frontier:
            reached: list[int] = []
            for node in frontier:
                for other in self.out[node]:
                    if other in came:
                        continue
                    came[other] = node
                    if other in wanted:
                        return self._trace(came, other)
                    reached.append(other)
            frontier = reached
        return None

    def _trace(self, came: dict[int, int | None], last: int) -> list[ImportLine]:
        path: list[ImportLine] = []
        node = last
        while (before := came[node]) is not None:
            path.append(self.edges[before, node])
            node = before
        return path[::-1]

    def importers(self, start: Iterable[int], depth: int) -> dict[int, int]:
        """Position -> distance of the files that import ``start``, directly or through others."""
        distance = dict.fromkeys(start, 0)
        frontier = list(distance)
        for level in range(1, depth + 1):
            frontier = sorted({o for n in frontier for o in self.into[n] if o not in distance})
            distance.update(dict.fromkeys(frontier, level))
        return {node: level for node, level in distance.items() if level}


def import_graph(store: Store) -> ImportGraph:
    """The graph of the store's present generation; built once a generation."""
    return kept(store, "import graph", lambda: _build(store))


def _build(store: Store) -> ImportGraph:
    files = all_files(store)
    position = {record.id: i for i, record in enumerate(files)}
    edges: dict[tuple[int, int], ImportLine] = {}
    out: list[list[int]] = [[] for _ in files]
    into: list[list[int]] = [[] for _ in files]
    lines = [
        ImportLine(position[s], position[t], line, n)
        for s, t, line, n in store.import_pairs()
        if s in position and t in position
    ]
    for item in sorted(lines):
        edges[item.source, item.target] = item
        out[item.source].append(item.target)
        into[item.target].append(item.source)
    place = {record.path: i for i, record in enumerate(files)}
    return ImportGraph(files, edges, out, into, place)


def components(nodes: Iterable[int], edges: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Strongly connected components with more than one node, each sorted, largest first."""
    import networkx as nx  # costs 0.2 s to import, and only two tools need it

    graph = cast(Any, nx.DiGraph())
    graph.add_nodes_from(nodes)
    graph.add_edges_from(edges)
    found = [sorted(c) for c in cast(Any, nx).strongly_connected_components(graph) if len(c) > 1]
    return sorted(found, key=lambda members: (-len(members), members[0]))


def shortest_cycle(members: Sequence[int], out: Sequence[Sequence[int]]) -> list[int]:
    """The nodes of a shortest cycle inside one strongly connected component, first node first."""
    inside = set(members)
    best: list[int] = []
    for start in members:
        found = _cycle_through(start, inside, out, len(best) or len(members) + 1)
        if found and (not best or len(found) < len(best)):
            best = found
        if len(best) == 2:
            break
    return best


def _cycle_through(
    start: int, inside: set[int], out: Sequence[Sequence[int]], bound: int
) -> list[int]:
    """A shortest cycle through ``start`` with fewer than ``bound`` nodes, or nothing."""
    came: dict[int, int] = {start: start}
    frontier = [start]
    for _ in range(bound - 1):
        reached: list[int] = []
        for node in frontier:
            for other in out[node]:
                if other == start:
                    return _walk_back(came, node, start)
                if other in inside and other not in came:
                    came[other] = node
                    reached.append(other)
        frontier = reached
    return []


def _walk_back(came: dict[int, int], node: int, start: int) -> list[int]:
    path = [node]
    while path[-1] != start:
        path.append(came[path[-1]])
    return path[::-1]
