"""LocAgent-style navigation of the code graph: two trajectories, fused by reciprocal rank.

A re-implementation of the published procedure (Chen et al., 2025). What differs: entities are
searched by name only, one hop of relations is shown a turn, and a symbol is read instead of a range
of lines. Its published temperature is 1.0.
"""

from __future__ import annotations

from codeviews.harness.localization.methods import Found
from codeviews.harness.localization.methods.asking import fused, prompt_text
from codeviews.harness.localization.methods.loop import (
    STAGE,
    Loop,
    neighbours,
    outline,
    read,
    search_names,
)
from codeviews.servers.curaloc.failures import PlanningFailure
from codeviews.servers.curaloc.planners import Inquiry
from codeviews.servers.curaloc.planners.client import ModelClient

SAMPLES = 2
TURNS = 20
_TOOLS = {"find": search_names, "neighbours": neighbours, "outline": outline, "read": read}


def localize(inquiry: Inquiry, client: ModelClient | None, helper: ModelClient | None) -> Found:
    """Two trajectories; a failed one is discarded with its tokens, two are a failure."""
    assert client is not None
    rankings: list[list[str]] = []
    exposed: set[str] = set()
    failure = ""
    for _ in range(SAMPLES):
        loop, before = Loop(inquiry), client.ledger.of(STAGE)
        try:
            rankings.append(loop.run(client, prompt_text("locagent"), _TOOLS, TURNS))
        except PlanningFailure as error:
            failure = str(error)
            client.ledger.abandon(STAGE, before)
        else:
            exposed |= loop.exposed
    ranked = fused(rankings)[: inquiry.settings.predictions]
    failed = failure if not rankings else ""
    return Found(ranked, client.ledger.lines(), failed, exposed=frozenset(exposed))
