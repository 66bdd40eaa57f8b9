"""``layer_summary`` and ``cycles``: the import graph as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from pydantic import Field

from codeviews.core.facts import CALLABLE_KINDS, TEST
from codeviews.core.graphs import (
    ImportGraph,
    ImportLine,
    components,
    import_graph,
    shortest_cycle,
)
from codeviews.core.kept import kept
from codeviews.core.layers import Layering, layering
from codeviews.core.render import Answer
from codeviews.servers.toolkit import Ask, Limit, ListParams

AUTO_PACKAGES = 60  # packages that still read as a summary
MAX_DEPTH = 20  # folders; Java sources lie eight deep
SHOWN_MEMBERS = 12  # of a layer or a cycle group, on one line
EXAMPLES = 3  # import lines of an edge that breaks the layers


class LayerParams(ListParams):
    """Parameters of layer_summary."""

    level: Literal["package", "file"] = "package"
    depth: int = Field(
        0, ge=0, le=MAX_DEPTH, description="folders that make a package; 0 = automatic"
    )
    include_tests: bool = False


class CyclesParams(ListParams):
    """Parameters of cycles."""

    limit: Limit = 20
    include_tests: bool = False


class _Packages(NamedTuple):
    """``names[p]`` is a package, ``of`` maps file positions to packages."""

    names: list[str]
    of: dict[int, int]


def _files(ask: Ask, graph: ImportGraph) -> list[int]:
    """Positions of the files asked for that import or are imported."""
    return [
        n
        for n, record in enumerate(graph.files)
        if (graph.out[n] or graph.into[n])
        and (ask.params.include_tests or not record.marks & TEST)
        and ask.filter.keeps(record.path)
    ]


def layer_summary(ask: Ask) -> Answer:
    """Layers of packages (or files) from the bottom up, and the imports that break them."""
    params: LayerParams = ask.params
    graph = import_graph(ask.store)
    key = f"layers {params.level} {params.depth} {params.include_tests} {params.paths}"
    packages, found, lines = kept(ask.store, key, lambda: _layers(ask, graph))
    answer = Answer(found=bool(packages.names))
    if not packages.names:
        answer.add("", ["No import edge is known among these files."])
        answer.data = {"layers": [], "breaking": [], "total": 0}
        return answer
    rows = [_layer_line(i, level, packages) for i, level in enumerate(found.levels)]
    answer.add("Layers, the lowest (imports nothing else here) first", rows)
    groups = [", ".join(packages.names[m] for m in members) for members in found.cyclic]
    answer.add("Packages in a cycle" if groups else "", groups)
    broken = [_breaking(graph, packages, edge, lines) for edge in found.breaking]
    page = broken[ask.offset : ask.offset + params.limit]
    section = answer.add(f"Imports that break the layers: {len(broken)}", page, len(broken))
    section.offset = ask.offset
    answer.data = _layer_data(graph, packages, found, lines, ask.page(found.breaking))
    return answer


_Lines = dict[tuple[int, int], list[ImportLine]]


def _layers(ask: Ask, graph: ImportGraph) -> tuple[_Packages, Layering, _Lines]:
    files = _files(ask, graph)
    packages = _packages(graph, files, ask.params.level, ask.params.depth)
    lines: _Lines = {}
    for (source, target), item in graph.edges.items():
        if source in packages.of and target in packages.of:
            edge = packages.of[source], packages.of[target]
            if edge[0] != edge[1]:
                lines.setdefault(edge, []).append(item)
    weights = {edge: sum(i.lines for i in items) for edge, items in lines.items()}
    return packages, layering(list(range(len(packages.names))), weights), lines


def _packages(graph: ImportGraph, files: Sequence[int], level: str, depth: int) -> _Packages:
    if level == "file":
        return _Packages([graph.files[n].path for n in files], {n: i for i, n in enumerate(files)})
    best = _grouped(graph, files, depth or 1)
    for deeper in range(2, MAX_DEPTH if not depth else 0):
        finer = _grouped(graph, files, deeper)
        if len(finer.names) > AUTO_PACKAGES:
            break
        best = finer
    return best


def _grouped(graph: ImportGraph, files: Sequence[int], depth: int) -> _Packages:
    folders = {n: _folder(graph.files[n].path, depth) for n in files}
    names = sorted(set(folders.values()))
    place = {name: i for i, name in enumerate(names)}
    return _Packages(names, {n: place[folder] for n, folder in folders.items()})


def _folder(path: str, depth: int) -> str:
    """The package of a file: its first ``depth`` folders, or the file itself above them."""
    parts = path.split("/")
    return "/".join(parts[:depth]) + ("/" if len(parts) > depth else "")


def _layer_line(number: int, level: Sequence[int], packages: _Packages) -> str:
    sizes = Counter(packages.of.values())
    names = [(packages.names[p], sizes[p]) for p in level[:SHOWN_MEMBERS]]
    shown = [f"{name} ({n})" if name.endswith("/") else name for name, n in names]
    more = f" and {len(level) - SHOWN_MEMBERS} more" if len(level) > SHOWN_MEMBERS else ""
    return f"{number}: {', '.join(shown)}{more}"


def _breaking(graph: ImportGraph, packages: _Packages, edge: tuple[int, int], lines: _Lines) -> str:
    items = lines[edge]
    total = sum(i.lines for i in items)
    head = f"{packages.names[edge[0]]} -> {packages.names[edge[1]]}: {total} import lines"
    some = [
        f"  {graph.files[i.source].path}:{i.line}  imports {graph.files[i.target].path}"
        for i in items[:EXAMPLES]
    ]
    return "\n".join([head, *some])


def _layer_data(
    graph: ImportGraph,
    packages: _Packages,
    found: Layering,
    lines: _Lines,
    page: Sequence[tuple[int, int]],
) -> dict[str, Any]:
    names = packages.names
    return {
        "layers": [[names[p] for p in level] for level in found.levels],
        "cyclic": [[names[p] for p in members] for members in found.cyclic],
        "breaking": [
            {
                "source": names[source],
                "target": names[target],
                "lines": [
                    {
                        "path": graph.files[i.source].path,
                        "line": i.line,
                        "target": graph.files[i.target].path,
                    }
                    for i in lines[source, target]
                ],
            }
            for source, target in page
        ],
        "total": len(found.breaking),
    }


class _Cycle(NamedTuple):
    members: list[int]
    shortest: list[int]


def cycles(ask: Ask) -> Answer:
    """Groups of files that import each other, largest first, each with its shortest cycle."""
    params: CyclesParams = ask.params
    graph = import_graph(ask.store)
    key = f"cycles {params.include_tests} {params.paths}"
    found: list[_Cycle] = kept(ask.store, key, lambda: _find(graph, _files(ask, graph)))
    answer = Answer(found=bool(found))
    page = found[ask.offset : ask.offset + params.limit]
    items = [_cycle_text(ask, graph, cycle) for cycle in page]
    section = answer.add(f"Import cycles: {len(found)} groups", items, len(found))
    section.offset = ask.offset
    if not found:
        some = "none" if graph.edges else "no import edge is known"
        answer.add("", [f"No import cycle among these files ({some})."])
    answer.data = {
        "cycles": [
            {
                "files": [graph.files[n].path for n in cycle.members],
                "shortest": [
                    {"source": graph.files[i.source].path, "line": i.line}
                    for i in _edges(graph, cycle)
                ],
            }
            for cycle in page
        ],
        "total": len(found),
    }
    return answer


def _find(graph: ImportGraph, files: Sequence[int]) -> list[_Cycle]:
    inside = set(files)
    edges = [(s, t) for s, t in graph.edges if s in inside and t in inside]
    return [_Cycle(c, shortest_cycle(c, graph.out)) for c in components(files, edges)]


def _edges(graph: ImportGraph, cycle: _Cycle) -> list[ImportLine]:
    path = cycle.shortest
    return [graph.edges[s, t] for s, t in zip(path, [*path[1:], *path[:1]], strict=True)]


def _cycle_text(ask: Ask, graph: ImportGraph, cycle: _Cycle) -> str:
    names = [graph.files[n].path for n in cycle.members]
    more = f" and {len(names) - SHOWN_MEMBERS} more" if len(names) > SHOWN_MEMBERS else ""
    lines = [f"{len(names)} files: {', '.join(names[:SHOWN_MEMBERS])}{more}"]
    for item in _edges(graph, cycle):
        source, target = graph.files[item.source].path, graph.files[item.target].path
        owner = ask.store.at_line(source, item.line)
        late = owner is not None and owner.kind in CALLABLE_KINDS
        when = f"  (only when {owner.qualname} runs)" if owner and late else ""
        lines.append(f"  {source}:{item.line}  imports {target}{when}")
    return "\n".join(lines)
