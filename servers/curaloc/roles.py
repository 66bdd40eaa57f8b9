"""Graph roles of appendix B: where a symbol stands in the call and override graph."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from codeviews.core.store import Definition
from codeviews.servers.curaloc.records import CodeGraph
from codeviews.servers.curaloc.settings import Settings


def degree(graph: CodeGraph, sid: int) -> int:
    """Call and override relations of a symbol, both ways."""
    return _out(graph, sid) + _in(graph, sid)


def _out(graph: CodeGraph, sid: int) -> int:
    return len(graph.calls.get(sid, ())) + len(graph.overrides.get(sid, ()))


def _in(graph: CodeGraph, sid: int) -> int:
    return len(graph.called_by.get(sid, ())) + len(graph.overridden.get(sid, ()))


def graph_roles(
    graph: CodeGraph, symbols: Sequence[Definition], settings: Settings
) -> dict[int, str]:
    """Role by SID; a later rule overrides an earlier one."""
    known = {definition.id: definition for definition in symbols}
    hubs = _hub_thresholds(graph, symbols, settings)
    return {sid: _role(graph, d, known, hubs[d.path], settings) for sid, d in known.items()}


def _role(
    graph: CodeGraph,
    symbol: Definition,
    known: Mapping[int, Definition],
    hub: int,
    settings: Settings,
) -> str:
    sid, role = symbol.id, "executor"
    if _out(graph, sid) == 0 and _in(graph, sid) >= 1:
        role = "leaf"
    if degree(graph, sid) >= min(hub, settings.hub_degree):
        role = "hub"
    callers = [known[other].path for other in graph.called_by.get(sid, ()) if other in known]
    if callers and symbol.path not in callers:
        role = "entry"
    spread = _spread(graph, sid, known)
    if _out(graph, sid) >= settings.dispatch_calls and spread >= settings.dispatch_spread:
        role = "dispatcher"
    if graph.overridden.get(sid):
        role = "definer"
    if graph.overrides.get(sid):
        role = "overrider"
    return role


def _spread(graph: CodeGraph, sid: int, known: Mapping[int, Definition]) -> int:
    """Distinct files of callees plus distinct classes of callees."""
    callees = [known[other] for other in graph.calls.get(sid, ()) if other in known]
    classes = {(d.path, d.qualname.rpartition(".")[0]) for d in callees if "." in d.qualname}
    return len({d.path for d in callees}) + len(classes)


def _hub_thresholds(
    graph: CodeGraph, symbols: Sequence[Definition], settings: Settings
) -> dict[str, int]:
    degrees: dict[str, list[int]] = defaultdict(list)
    for definition in symbols:
        degrees[definition.path].append(degree(graph, definition.id))
    return {path: _threshold(sorted(found), settings) for path, found in degrees.items()}


def _threshold(ordered: Sequence[int], settings: Settings) -> int:
    if len(ordered) < settings.hub_min_symbols or not ordered:
        return settings.hub_degree
    place = min(int(settings.hub_quantile * len(ordered)), len(ordered) - 1)
    return max(ordered[place], 1)
