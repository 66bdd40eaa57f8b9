"""CuraLoc itself: without a model, and with one."""

from __future__ import annotations

from codeviews.harness.localization.methods import Found
from codeviews.servers.curaloc.pipeline import localize
from codeviews.servers.curaloc.planners import Inquiry, Planner
from codeviews.servers.curaloc.planners.client import ModelClient
from codeviews.servers.curaloc.planners.lexical import LexicalPlanner
from codeviews.servers.curaloc.planners.modelled import ModelPlanner


def lexical(inquiry: Inquiry, client: ModelClient | None, helper: ModelClient | None) -> Found:
    """The deterministic planner."""
    return _run(inquiry, LexicalPlanner())


def modelled(inquiry: Inquiry, client: ModelClient | None, helper: ModelClient | None) -> Found:
    """A model plans; a smaller one may summarize."""
    assert client is not None
    return _run(inquiry, ModelPlanner("curaloc", client, helper or client))


def _run(inquiry: Inquiry, planner: Planner) -> Found:
    found = localize(inquiry.store, inquiry.report, planner, inquiry.settings, inquiry.folder)
    ranked = [p.symbol for p in found.predictions]
    return Found(ranked, found.usage, found.failure, found, found.scope.paths)
