"""The three decisions by a model: our prompts, its structured answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, cast

from codeviews.core.errors import MisuseError
from codeviews.servers.curaloc.capsules import text_of
from codeviews.servers.curaloc.planners import Inquiry
from codeviews.servers.curaloc.planners.client import ModelClient, Prompt
from codeviews.servers.curaloc.planners.lexical import suggested
from codeviews.servers.curaloc.prompts import filled, tagged
from codeviews.servers.curaloc.records import Evidence, Inventory, RouteMap, Scope, Spent
from codeviews.servers.curaloc.routemap import most_relevant, schema
from codeviews.servers.curaloc.scope import structure
from codeviews.servers.curaloc.settings import Settings
from codeviews.servers.curaloc.summaries import (
    Source,
    SummaryCache,
    generate,
    source_for,
)


def needs_model(planner: str, model: str) -> str:
    """The model's name.

    Raises:
        MisuseError: none was given.
    """
    if not model.strip():
        raise MisuseError(f"--planner {planner} needs --model NAME")
    return model.strip()


class ModelPlanner:
    """``client`` decides; ``helper`` writes the summaries of symbols without a docstring."""

    def __init__(self, name: str, client: ModelClient, helper: ModelClient) -> None:
        self.name = name
        self.client = client
        self.helper = helper

    def scope(self, inquiry: Inquiry) -> Mapping[str, Any]:
        """S1 over the report and the repository's structure."""
        names = inquiry.settings.perspectives
        outline = structure(inquiry.store, partial(suggested, inquiry), inquiry.settings)
        prompt = Prompt(
            "scope",
            filled("scope", inquiry.settings),
            (("user", _issue(inquiry) + tagged("structure", outline)),),
            _scope_schema(names),
        )
        return _table(self.client.ask(prompt).data)

    def describe(self, inquiry: Inquiry, inventory: Inventory) -> Mapping[int, str]:
        """Summaries for symbols whose docstring does not serve."""
        if not inquiry.settings.summaries:
            return {}
        needed = [
            source_for(c.definition, inquiry.store.text(c.definition.file_id), inquiry.settings)
            for c in inventory.capsules.values()
            if not c.summary
        ]
        cached = inquiry.folder is not None and inquiry.settings.cache_summaries
        cache = SummaryCache(inquiry.folder) if cached and inquiry.folder else None
        return generate(
            needed, lambda batch: self._summaries(inquiry, batch), inquiry.settings, cache
        )

    def _summaries(self, inquiry: Inquiry, batch: Sequence[Source]) -> dict[int, str]:
        text = "".join(tagged(f"symbol sid={s.sid} kind={s.kind}", s.text) for s in batch)
        prompt = Prompt(
            "summaries",
            filled("summarize", inquiry.settings),
            (("user", text),),
            _list_schema("summaries", {"sid": {"type": "integer"}, "summary": {"type": "string"}}),
        )
        out: dict[int, str] = {}
        for item in _items(self.helper.ask(prompt).data, "summaries"):
            entry = _table(item)
            sid = str(entry.get("sid", ""))
            if sid.isdecimal() and len(sid) < 19 and isinstance(entry.get("summary"), str):
                out[int(sid)] = entry["summary"]
        return out

    def route(
        self, inquiry: Inquiry, scope: Scope, inventory: Inventory, complaint: str
    ) -> Mapping[str, Any]:
        """S2 over capsules; no source bodies."""
        if complaint:
            self.client.ledger.abandon("route")
        capsules = "\n\n".join(
            text_of(c, inventory, inquiry.settings) for c in inventory.capsules.values()
        )
        text = _issue(inquiry) + tagged("files", _files(scope)) + tagged("capsules", capsules)
        turns = [("user", text)]
        if complaint:
            turns += [("assistant", "(an answer that could not be used)"), ("user", complaint)]
        prompt = Prompt(
            "route", filled("route", inquiry.settings), tuple(turns), schema(inquiry.settings)
        )
        return self.client.ask(prompt).data

    def fixed_tokens(self, inquiry: Inquiry, route: RouteMap, inventory: Inventory) -> int:
        """The ranking prompt without blocks."""
        empty = Evidence((), (), 0)
        return self._ranking(inquiry, route, inventory, empty).tokens

    def rank(
        self, inquiry: Inquiry, route: RouteMap, inventory: Inventory, evidence: Evidence
    ) -> Sequence[int | str]:
        """S3 over source."""
        prompt = self._ranking(inquiry, route, inventory, evidence)
        found = _items(self.client.ask(prompt).data, "symbols")
        out: list[int | str] = []
        for item in found:
            entry = _table(item)
            value = entry.get("sid", entry.get("symbol", item if not entry else ""))
            if isinstance(value, int | str):
                out.append(value)
        return out

    def usage(self) -> tuple[Spent, ...]:
        """What was recorded so far."""
        return self.client.ledger.lines()

    def _ranking(
        self, inquiry: Inquiry, route: RouteMap, inventory: Inventory, evidence: Evidence
    ) -> Prompt:
        parts = [_issue(inquiry), _diagnosis(route, inventory, inquiry.settings)]
        for title, assessed in (("assessed", True), ("adjacent", False)):
            blocks = [block.text for block in evidence.blocks if block.assessed == assessed]
            parts.append(tagged(title, "\n\n".join(blocks)))
        sid = {"sid": {"type": "integer"}, "reason": {"type": "string"}}
        return Prompt(
            "rank",
            filled("rank", inquiry.settings),
            (("user", "".join(parts)),),
            _list_schema("symbols", sid),
        )


def _issue(inquiry: Inquiry) -> str:
    return tagged("issue", inquiry.report)


def _files(scope: Scope) -> str:
    lines: list[str] = []
    for file in scope.files:
        lines.append(file.path + ("  (structural neighbour)" if file.supplement else ""))
        for name, p in file.votes.items():
            lines.append(f"  {name}: consumer {p.consumer:.2f}; {p.rationale}".rstrip("; "))
    return "\n".join(lines)


def _diagnosis(route: RouteMap, inventory: Inventory, settings: Settings) -> str:
    names = [
        f"[SID={sid}] {inventory.capsules[sid].definition.address}"
        for sid in most_relevant(route, settings)
    ]
    hypotheses = "\n".join(f"- {text}" for text in route.hypotheses)
    text = f"hypotheses:\n{hypotheses}\nmost relevant symbols: {', '.join(names)}"
    return tagged("diagnosis", text)


# --- answers --------------------------------------------------------------------------------------
def _scope_schema(names: Sequence[str]) -> dict[str, Any]:
    entry = {
        "path": {"type": "string"},
        "rationale": {"type": "string"},
        "consumer": {"type": "number", "minimum": 0, "maximum": 1},
    }
    lists = {name: _list_schema(name, entry)["properties"][name] for name in names}
    return {
        "type": "object",
        "properties": lists,
        "required": list(names),
        "additionalProperties": False,
    }


def _list_schema(name: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    item = {
        "type": "object",
        "properties": dict(entry),
        "required": list(entry),
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {name: {"type": "array", "items": item}},
        "required": [name],
        "additionalProperties": False,
    }


def _table(value: Any) -> Mapping[str, Any]:
    return cast(Mapping[str, Any], value) if isinstance(value, Mapping) else {}


def _items(value: Any, key: str) -> list[Any]:
    found = _table(value).get(key)
    return cast(list[Any], found) if isinstance(found, list) else []
