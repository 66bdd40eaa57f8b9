"""Agentless-style hierarchical localization: files, related symbols, edit locations in 4 samples.

A re-implementation of the published procedure (Xia et al., 2025). What differs: the structure is
our outline instead of a directory tree, embedding retrieval is left out, edit locations are symbols
instead of line numbers, and the four samples are merged into one ranking by votes.
"""

from __future__ import annotations

from functools import partial

from codeviews.harness.localization.methods import Found
from codeviews.harness.localization.methods.asking import (
    find,
    fused,
    known_only,
    list_schema,
    prompt_text,
    skeleton,
    source,
    texts,
)
from codeviews.servers.curaloc.failures import PlanningFailure
from codeviews.servers.curaloc.planners import Inquiry
from codeviews.servers.curaloc.planners.client import ModelClient, Prompt
from codeviews.servers.curaloc.planners.lexical import suggested
from codeviews.servers.curaloc.prompts import tagged
from codeviews.servers.curaloc.scope import structure

FILES = 5
SAMPLES = 4


def localize(inquiry: Inquiry, client: ModelClient | None, helper: ModelClient | None) -> Found:
    """Three levels, one request each, the last one sampled."""
    assert client is not None
    files: list[str] = []
    try:
        files = _files(inquiry, client)
        related = _ask(inquiry, client, "related", "symbols", _skeletons(inquiry, files))
        code = _sources(inquiry, related)
        samples = [_ask(inquiry, client, "edits", "symbols", code) for _ in range(SAMPLES)]
    except PlanningFailure as error:
        return Found([], client.ledger.lines(), str(error), files=files)
    ranked = fused([known_only(inquiry.store, sample) for sample in samples], constant=1.0)
    return Found(ranked[: inquiry.settings.predictions], client.ledger.lines(), files=files)


def _files(inquiry: Inquiry, client: ModelClient) -> list[str]:
    found = _ask(
        inquiry,
        client,
        "files",
        "files",
        structure(inquiry.store, partial(suggested, inquiry), inquiry.settings),
    )
    known = [path for path in found if inquiry.store.file(path) is not None]
    if not known:
        raise PlanningFailure("none of the named files is in the index")
    return known[:FILES]


def _ask(inquiry: Inquiry, client: ModelClient, stage: str, key: str, text: str) -> list[str]:
    turn = tagged("issue", inquiry.report) + tagged("code", text)
    prompt = Prompt(stage, prompt_text(stage), (("user", turn),), list_schema(key))
    return texts(client.ask(prompt).data, key)


def _skeletons(inquiry: Inquiry, files: list[str]) -> str:
    return "\n\n".join(skeleton(inquiry.store, path) for path in files)


def _sources(inquiry: Inquiry, related: list[str]) -> str:
    found = [d for name in related if (d := find(inquiry.store, name)) is not None]
    return "\n\n".join(source(inquiry.store, d, inquiry.settings) for d in found)
