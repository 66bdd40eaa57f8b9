"""CuraLoc itself: without a model, and with one."""

from __future__ import annotations

from collections.abc import Sequence

from codeviews.harness.localization.artifacts import Replaying, Shelf, kept_stages, made_of
from codeviews.harness.localization.methods import Found
from codeviews.harness.localization.selection import OURS, REFERENCE
from codeviews.servers.curaloc.pipeline import localize
from codeviews.servers.curaloc.planners import Inquiry, Planner
from codeviews.servers.curaloc.planners.client import ModelClient
from codeviews.servers.curaloc.planners.lexical import LexicalPlanner
from codeviews.servers.curaloc.planners.modelled import ModelPlanner
from codeviews.servers.curaloc.records import Scope


def lexical(inquiry: Inquiry, client: ModelClient | None, helper: ModelClient | None) -> Found:
    """The deterministic planner."""
    return _run(inquiry, LexicalPlanner())


def modelled(inquiry: Inquiry, client: ModelClient | None, helper: ModelClient | None) -> Found:
    """A model plans; a smaller one may summarize."""
    assert client is not None
    return _run(inquiry, ModelPlanner("curaloc", client, helper or client))


def intervened(
    inquiry: Inquiry,
    client: ModelClient,
    helper: ModelClient | None,
    shelf: Shelf,
    trial: Sequence[object],
    configuration: str,
) -> Found:
    """The same; the reference leaves its stages on the shelf, other configurations keep them."""
    planner = ModelPlanner(OURS, client, helper or client)
    if configuration == REFERENCE:
        found = _run(inquiry, planner)
        made = made_of(found.localization) if found.localization else None
        if made is not None:
            shelf.put(trial, made)
        return found
    kept, stages = shelf.get(trial), kept_stages(inquiry.settings)
    if kept is None or not stages:
        return _run(inquiry, planner)
    scope = kept.scope() if "scope" in stages else None
    return _run(inquiry, Replaying(planner, kept, stages), scope)._replace(reused=stages)


def _run(inquiry: Inquiry, planner: Planner, scope: Scope | None = None) -> Found:
    found = localize(
        inquiry.store, inquiry.report, planner, inquiry.settings, inquiry.folder, scope
    )
    ranked = [p.symbol for p in found.predictions]
    return Found(ranked, found.usage, found.failure, found, found.scope.paths)
