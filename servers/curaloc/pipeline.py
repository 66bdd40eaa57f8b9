"""The whole method in one call: three decisions of a planner, everything else deterministic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from codeviews.core.config import MAX_QUERY_CHARS
from codeviews.core.store import Store
from codeviews.servers.curaloc.capsules import admit
from codeviews.servers.curaloc.evidence import gather, select
from codeviews.servers.curaloc.failures import PlanningFailure, RejectedRouteMap
from codeviews.servers.curaloc.planners import Inquiry, Planner
from codeviews.servers.curaloc.ranking import normalized, predictions
from codeviews.servers.curaloc.records import (
    Evidence,
    Inventory,
    Localization,
    RouteMap,
    Scope,
    Start,
)
from codeviews.servers.curaloc.routemap import most_relevant, validate
from codeviews.servers.curaloc.scope import merge, proposals
from codeviews.servers.curaloc.settings import DEFAULT, Settings
from codeviews.servers.curaloc.sids import NOTHING_OFFERED, Sids

REPORT_CUT = "report characters cut"


@dataclass
class _Run:
    """What is known so far, so that a failure keeps the stages before it."""

    scope: Scope = field(default_factory=lambda: Scope(()))
    inventory: Inventory | None = None
    route: RouteMap | None = None
    evidence: Evidence | None = None
    diagnostics: dict[str, int] = field(default_factory=dict[str, int])


def localize(
    store: Store,
    report: str,
    planner: Planner,
    settings: Settings = DEFAULT,
    folder: Path | None = None,
    scope: Scope | None = None,
) -> Localization:
    """Rank the symbols that an issue's fix should edit.

    Args:
        store: the repository's index.
        report: the issue, as it was written; more than a query may be is cut and counted.
        planner: makes the three decisions.
        settings: constants and ablations.
        folder: where the summary cache of this repository lives; None: no cache.
        scope: a ready S1 outcome, for ablations that keep it fixed.
    """
    inquiry = Inquiry(report[:MAX_QUERY_CHARS], store, settings, folder)
    run = _Run()
    if len(report) > MAX_QUERY_CHARS:
        run.diagnostics[REPORT_CUT] = len(report) - MAX_QUERY_CHARS
    try:
        found = _decide(inquiry, planner, run, scope)
    except PlanningFailure as error:
        return _outcome(run, planner, (), str(error))
    return _outcome(run, planner, found, "")


def _outcome(run: _Run, planner: Planner, sids: Sequence[int], failure: str) -> Localization:
    inventory = run.inventory
    limit = len(sids)
    ranked = predictions(sids, inventory, limit) if inventory else ()
    return Localization(
        ranked,
        run.scope,
        run.route,
        inventory,
        run.evidence,
        planner.usage(),
        failure,
        run.diagnostics,
    )


def _decide(inquiry: Inquiry, planner: Planner, run: _Run, scope: Scope | None) -> list[int]:
    settings = inquiry.settings
    if not inquiry.report.strip():
        raise PlanningFailure("the report is empty: give the text of the issue")
    run.scope = scope or scoped(inquiry, planner.scope(inquiry))
    run.diagnostics.update(run.scope.faults)
    run.inventory = prepared(inquiry, run.scope)
    run.inventory = described(run.inventory, planner.describe(inquiry, run.inventory))
    run.route = _routed(inquiry, planner, run)
    fixed = planner.fixed_tokens(inquiry, run.route, run.inventory)
    run.evidence = gather(inquiry.store, run.route, run.inventory, settings, fixed)
    answer = planner.rank(inquiry, run.route, run.inventory, run.evidence)
    found = represented(answer, run.inventory, run.route, run.evidence, settings, run.diagnostics)
    if not found:
        raise PlanningFailure("the final answer ranks none of the symbols that were shown")
    return _first(found, run.inventory, settings.predictions)


def scoped(inquiry: Inquiry, raw: Mapping[str, object]) -> Scope:
    """S1's answer as a scope.

    Raises:
        PlanningFailure: no proposed file is in the index.
    """
    proposed = proposals(raw, inquiry.settings.perspectives)
    scope = merge(proposed, inquiry.store, inquiry.settings)
    if not scope.files:
        raise PlanningFailure(_no_files(inquiry, sum(map(len, proposed.lists.values()))))
    return scope


def _no_files(inquiry: Inquiry, proposed: int) -> str:
    if not inquiry.store.counts()["files"]:
        return "the index holds no file: wait until it is built, or give a folder with code"
    if proposed:
        return f"none of the {proposed} proposed files is in the index"
    names = ", ".join(inquiry.settings.perspectives)
    return f"no file was proposed: the answer has no list of paths named {names}"


def prepared(inquiry: Inquiry, scope: Scope) -> Inventory:
    """The candidate symbols of a scope.

    Raises:
        PlanningFailure: the candidate files define no function, method or class.
    """
    inventory = admit(inquiry.store, scope, inquiry.settings)
    if not inventory.capsules:
        raise PlanningFailure("the candidate files define no function, method or class")
    return inventory


def described(inventory: Inventory, summaries: Mapping[int, str]) -> Inventory:
    """The inventory with generated summaries filled in."""
    if not summaries:
        return inventory
    capsules = {
        sid: capsule if capsule.summary else capsule._replace(summary=summaries.get(sid, ""))
        for sid, capsule in inventory.capsules.items()
    }
    return replace(inventory, capsules=capsules)


def _routed(inquiry: Inquiry, planner: Planner, run: _Run) -> RouteMap:
    """A valid RouteMap; a rejected one is asked for once more."""
    assert run.inventory is not None
    complaint = ""
    for attempt in range(2):
        raw = planner.route(inquiry, run.scope, run.inventory, complaint)
        try:
            route = validate(raw, run.inventory, inquiry.settings)
        except RejectedRouteMap as error:
            run.diagnostics["rejected RouteMaps"] = attempt + 1
            complaint = str(error)
            continue
        if inquiry.settings.selection == "source-order":
            return in_source_order(route, run.inventory, inquiry.settings)
        return route
    raise RejectedRouteMap(complaint)


def in_source_order(route: RouteMap, inventory: Inventory, settings: Settings) -> RouteMap:
    """The ablation of H.4: as many symbols as a plan selects, by file rank and source order, with
    none of the plan's annotations."""
    count = len(select(route, inventory, replace(settings, selection="planned")))
    starts = [Start(sid, "follow_calls") for sid in list(inventory.capsules)[:count]]
    return RouteMap((), tuple(starts))


def represented(
    answer: Sequence[int | str],
    inventory: Inventory,
    route: RouteMap,
    evidence: Evidence,
    settings: Settings,
    counts: dict[str, int],
    offered: Mapping[str, str] = NOTHING_OFFERED,
) -> list[int]:
    """SIDs of the answered symbols that the prompt showed; others are dropped and counted.

    Shown are the blocks, the names of the most relevant symbols, and the classes whose first lines
    stand before a method.
    """
    shown = dict.fromkeys(
        [*(block.sid for block in evidence.blocks), *most_relevant(route, settings)]
    )
    parents = [inventory.capsules[sid].definition.parent or -1 for sid in shown]
    shown |= dict.fromkeys(parent for parent in parents if parent in inventory.capsules)
    sids, names = Sids(inventory, offered), _names(shown, inventory)
    out: list[int] = []
    for item in answer:
        known = sids.find(item) or names.get(normalized(str(item)))
        if known not in shown:
            counts["predictions dropped"] = counts.get("predictions dropped", 0) + 1
        else:
            out.append(known)
    return out


def _names(shown: Iterable[int], inventory: Inventory) -> dict[str, int]:
    """Qualified names that only one shown symbol has."""
    named = [(inventory.capsules[sid].definition.qualname, sid) for sid in shown]
    often = Counter(name for name, _ in named)
    return {name: sid for name, sid in named if often[name] == 1}


def _first(sids: Sequence[int], inventory: Inventory, limit: int) -> list[int]:
    """The first ``limit`` distinct ones after normalization."""
    kept: dict[str, int] = {}
    for sid in sids:
        kept.setdefault(normalized(inventory.capsules[sid].definition.address), sid)
    return list(kept.values())[:limit]
