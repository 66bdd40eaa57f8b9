"""RepoSearcher-style search: reasoning and retrieval alternate; at most five symbols come out.

A re-implementation of the published procedure (Ma et al., 2025) with any model, not the
tool-trained checkpoints. What differs: one loop finds files and functions instead of two phases,
and its tools read our index.
"""

from __future__ import annotations

from functools import partial

from codeviews.harness.localization.methods import Found
from codeviews.harness.localization.methods.asking import prompt_text
from codeviews.harness.localization.methods.loop import Loop, outline, read, search_names
from codeviews.servers.curaloc.failures import PlanningFailure
from codeviews.servers.curaloc.planners import Inquiry
from codeviews.servers.curaloc.planners.client import ModelClient
from codeviews.servers.curaloc.planners.lexical import suggested
from codeviews.servers.curaloc.prompts import tagged
from codeviews.servers.curaloc.scope import structure

SYMBOLS = 5
TURNS = 12
_TOOLS = {"find": search_names, "outline": outline, "read": read}


def localize(inquiry: Inquiry, client: ModelClient | None, helper: ModelClient | None) -> Found:
    """One trajectory."""
    assert client is not None
    loop = Loop(inquiry)
    outline = structure(inquiry.store, partial(suggested, inquiry), inquiry.settings)
    system = prompt_text("reposearcher") + "\n" + tagged("structure", outline)
    try:
        ranked = loop.run(client, system, _TOOLS, TURNS)
    except PlanningFailure as error:
        return Found([], client.ledger.lines(), str(error), exposed=frozenset(loop.exposed))
    return Found(ranked[:SYMBOLS], client.ledger.lines(), exposed=frozenset(loop.exposed))
