"""S3's evidence: one hop from the starts, round robin, bounded source, a prefix that fits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codeviews.core.facts import TYPE_KINDS
from codeviews.core.store import Store
from codeviews.servers.curaloc.records import (
    Block,
    Capsule,
    Evidence,
    Inventory,
    RouteMap,
    Start,
)
from codeviews.servers.curaloc.settings import Settings
from codeviews.servers.curaloc.source import Window, window
from codeviews.servers.curaloc.tokens import tokens_of


def select(route: RouteMap, inventory: Inventory, settings: Settings) -> list[int]:
    """Starts first, then each start's neighbours in turn; first occurrence counts (A.5).

    Of a selection in source order there is nothing to expand: its starts are all that is shown.
    """
    chosen = {start.sid: None for start in route.starts}
    if settings.expand and settings.selection == "planned":
        queues = [iter(neighbours(start, route, inventory)) for start in route.starts]
        chosen |= dict.fromkeys(_round_robin(queues))
    return list(chosen)


def _round_robin(queues: Sequence[Iterator[int]]) -> Iterator[int]:
    waiting = list(queues)
    while waiting:
        for queue in list(waiting):
            sid = next(queue, None)
            if sid is None:
                waiting.remove(queue)
            else:
                yield sid


def neighbours(start: Start, route: RouteMap, inventory: Inventory) -> list[int]:
    """What the start's action reaches among the candidates, in order."""
    graph, sid = inventory.graph, start.sid
    if start.action == "follow_calls":
        found = graph.calls.get(sid, ())
    elif start.action == "follow_called_by":
        found = graph.called_by.get(sid, ())
    elif start.action == "check_override":
        found = _implementations(sid, inventory)
    else:
        found = _local(sid, route, inventory)
    return [other for other in found if other in inventory and other != sid]


def _implementations(sid: int, inventory: Inventory) -> list[int]:
    graph = inventory.graph
    tables = (graph.overrides, graph.overridden, graph.bases, graph.derived)
    return [other for table in tables for other in table.get(sid, ())]


def _local(sid: int, route: RouteMap, inventory: Inventory) -> list[int]:
    """Other methods of the class: assessed and relevant first, then connected, then by place."""
    owner = _owner(inventory.capsules[sid])
    relevance = {a.sid: a.relevance for a in route.assessments}
    near = inventory.graph.near(sid)
    found = [
        other
        for other, capsule in inventory.capsules.items()
        if owner and _owner(capsule) == owner and capsule.definition.kind not in TYPE_KINDS
    ]
    line = {other: inventory.capsules[other].definition.start_line for other in found}
    return sorted(
        found,
        key=lambda o: (o not in relevance, -relevance.get(o, 0.0), o not in near, line[o]),
    )


def _owner(capsule: Capsule) -> tuple[str, str] | None:
    """The class a capsule belongs to; a class belongs to itself; None for a function."""
    d = capsule.definition
    name = d.qualname if d.kind in TYPE_KINDS else d.qualname.rpartition(".")[0]
    return (d.path, name) if name else None


def in_priority(selected: Sequence[int], route: RouteMap) -> list[tuple[int, bool]]:
    """(SID, assessed): assessed candidates by shortlist position, else by relevance; then the
    adjacent evidence in the order of retrieval."""
    place = {start.sid: i for i, start in enumerate(route.starts)}
    relevance = {a.sid: a.relevance for a in route.assessments}
    assessed = [sid for sid in selected if sid in place or sid in relevance]
    assessed.sort(key=lambda sid: (place.get(sid, len(place)), -relevance.get(sid, 0.0)))
    known = set(assessed)
    return [(s, True) for s in assessed] + [(s, False) for s in selected if s not in known]


def gather(
    store: Store, route: RouteMap, inventory: Inventory, settings: Settings, fixed_tokens: int
) -> Evidence:
    """Blocks of the selected symbols: the longest complete prefix within the input budget.

    ``fixed_tokens`` is what the rest of the prompt takes. The budget goes in order of retrieval,
    starts before neighbours; a block that does not fit ends it, and shorter later ones are not
    pulled forward (A.7). What fits is then put in the prompt's order (A.5).
    """
    selected = select(route, inventory, settings)
    assessed = dict(in_priority(selected, route))
    texts: dict[int, bytes] = {}
    room = settings.input_budget - settings.budget_margin - fixed_tokens
    blocks: dict[int, Block] = {}
    used = 0
    for sid in selected:
        capsule = inventory.capsules[sid]
        file_id = capsule.definition.file_id
        if file_id not in texts:
            texts[file_id] = store.text(file_id)
        shown = window(store, capsule.definition, texts[file_id], settings)
        block = _block(capsule, shown, assessed[sid], route, settings)
        if used + tokens_of(block.text) > room:
            break
        used += tokens_of(block.text)
        blocks[sid] = block
    kept = tuple(blocks[sid] for sid in assessed if sid in blocks)
    return Evidence(tuple(selected), kept, fixed_tokens + used, len(selected) - len(kept))


def _block(
    capsule: Capsule, shown: Window, assessed: bool, route: RouteMap, settings: Settings
) -> Block:
    d = capsule.definition
    lines = [f"### [SID={capsule.sid}] {d.address} ({d.kind})", *_notes(capsule, route, settings)]
    lines.append(shown.text)
    if shown.truncated:
        lines.append(f"(source truncated: {d.address} goes on to line {d.end_line})")
    if shown.warning:
        lines.append(f"(warning: {shown.warning})")
    return Block(capsule.sid, "\n".join(lines), assessed, shown.truncated, shown.warning)


def _notes(capsule: Capsule, route: RouteMap, settings: Settings) -> list[str]:
    out: list[str] = []
    for found in route.assessments:
        if found.sid == capsule.sid:
            role = f", {found.role}" if found.role else ""
            out.append(f"relevance {found.relevance:.2f}{role}: {found.rationale}".rstrip(": "))
    for start in route.starts:
        if start.sid == capsule.sid and start.hypothesis:
            out.append(f"hypothesis: {start.hypothesis}")
    if capsule.summary and settings.summaries:
        out.append(f"summary: {capsule.summary}")
    return out
