"""Candidate symbols and what S2 is told of them (sections 3.2, A.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from codeviews.core.facts import TEST
from codeviews.core.store import Definition, Store
from codeviews.servers.curaloc.edges import build, symbols_of
from codeviews.servers.curaloc.records import Capsule, CodeGraph, Inventory, Scope
from codeviews.servers.curaloc.roles import degree, graph_roles
from codeviews.servers.curaloc.settings import Settings
from codeviews.servers.curaloc.summaries import from_docstring


def admit(store: Store, scope: Scope, settings: Settings) -> Inventory:
    """All symbols of the first T files; of the rest up to F those connected with them, or all of
    them where one file imports the other."""
    paths = scope.paths[: settings.candidate_files]
    files = {path: symbols_of(store, path) for path in paths}
    graph = build(store, files, settings.profile)
    admitted = _admitted(files, paths[: settings.full_files], graph)
    roles = graph_roles(graph, [d for found in files.values() for d in found], settings)
    consumers = {file.path: _consumer(file.votes) for file in scope.files}
    capsules = {
        d.id: Capsule(
            d.id,
            d,
            rank,
            rank <= settings.full_files,
            roles[d.id],
            degree(graph, d.id),
            consumers[path],
            from_docstring(d, settings),
        )
        for rank, (path, found) in enumerate(files.items(), 1)
        for d in found
        if d.id in admitted
    }
    return Inventory(capsules, graph)


def _admitted(
    files: Mapping[str, Sequence[Definition]], top: Sequence[str], graph: CodeGraph
) -> set[int]:
    admitted = {d.id for path in top for d in files[path]}
    near = {other for sid in admitted for other in graph.near(sid)}
    for path, found in files.items():
        if path in top:
            continue
        whole = any(graph.imported(path, other) for other in top)
        admitted |= {d.id for d in found if whole or d.id in near}
    return admitted


def _consumer(votes: Mapping[str, object]) -> float | None:
    values = [getattr(proposal, "consumer", 0.0) for proposal in votes.values()]
    return sum(values) / len(values) if values else None


def text_of(capsule: Capsule, inventory: Inventory, settings: Settings) -> str:
    """A capsule as prompts and answers show it (appendix E)."""
    d = capsule.definition
    lines = [f"[SID={capsule.sid}] {d.address}", f"signature: {' '.join(d.signature.split())}"]
    place = "top" if capsule.top else "context"
    side = "" if capsule.consumer is None else _side(capsule.consumer)
    test = ", test" if d.marks & TEST else ""
    lines.append(
        f"{d.kind}; file rank {capsule.rank} ({place}{side}{test}); "
        f"{capsule.role}, degree {capsule.degree}"
    )
    if capsule.summary and settings.summaries:
        lines.append(f"summary: {capsule.summary}")
    return "\n".join([*lines, *_adjacency(capsule, inventory, settings)])


def _side(consumer: float) -> str:
    return ", consumer" if consumer >= 0.5 else ", mechanism"


def _adjacency(capsule: Capsule, inventory: Inventory, settings: Settings) -> list[str]:
    graph, out = inventory.graph, list[str]()
    for name, table in (
        ("calls", graph.calls),
        ("called_by", graph.called_by),
        ("inherits", graph.bases),
        ("inherited_by", graph.derived),
        ("overrides", graph.overrides),
        ("overridden_by", graph.overridden),
    ):
        found = [s for s in table.get(capsule.sid, ()) if s in inventory][: settings.adjacency]
        if found:
            out.append(f"{name}: {', '.join(map(str, found))}")
    return out
