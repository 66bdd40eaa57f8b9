"""A bounded tool loop over the index: the model picks one action a turn until it finishes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from codeviews.harness.localization.methods.asking import (
    find,
    known_only,
    skeleton,
    source,
    texts,
)
from codeviews.servers.curaloc.failures import PlanningFailure
from codeviews.servers.curaloc.planners import Inquiry
from codeviews.servers.curaloc.planners.client import ModelClient, Prompt
from codeviews.servers.curaloc.prompts import tagged
from codeviews.servers.curaloc.ranking import normalized

FINISH = "finish"
STAGE = "search"
NAMES = 20  # answers of a search
Tool = Callable[["Loop", str], str]


@dataclass
class Loop:
    """One trajectory. ``exposed`` holds the normalized symbols whose whole source was shown."""

    inquiry: Inquiry
    exposed: set[str] = field(default_factory=set[str])

    def run(
        self, client: ModelClient, system: str, tools: Mapping[str, Tool], turns: int
    ) -> list[str]:
        """The final ranking: known addresses only.

        Raises:
            PlanningFailure: the endpoint failed, or no turn finished.
        """
        said: list[tuple[str, str]] = [("user", tagged("issue", self.inquiry.report))]
        for _ in range(turns):
            prompt = Prompt(STAGE, system, tuple(said), _schema(tools))
            data = client.ask(prompt).data
            answer: Mapping[str, Any] = data if isinstance(data, dict) else {}
            action = str(answer.get("action") or "")
            if action == FINISH:
                return known_only(self.inquiry.store, texts(answer, "symbols"))
            result = self._act(tools, action, str(answer.get("argument") or ""))
            said += [("assistant", f"{action}: {answer.get('argument')}"), ("user", result)]
        raise PlanningFailure(f"the search did not finish within {turns} turns")

    def _act(self, tools: Mapping[str, Tool], action: str, argument: str) -> str:
        tool = tools.get(action)
        if tool is None:
            return f"there is no action {action!r}; choose one of: {', '.join(tools)}, {FINISH}"
        return tool(self, argument) or "nothing found"


def _schema(tools: Mapping[str, Tool]) -> dict[str, Any]:
    text = {"type": "string"}
    return {
        "type": "object",
        "properties": {
            "action": {"type": "string", "enum": [*tools, FINISH]},
            "argument": {**text, "description": "a name, a path or path:Qualified.name"},
            "symbols": {"type": "array", "items": text, "description": "the ranking, to finish"},
        },
        "required": ["action"],
        "additionalProperties": False,
    }


# --- tools ----------------------------------------------------------------------------------------
def search_names(loop: Loop, argument: str) -> str:
    """Definitions whose name contains the argument."""
    name = argument.rpartition(".")[2].rpartition(":")[2]
    found = loop.inquiry.store.named_like(f"*{name}*", NAMES) if name else []
    return "\n".join(f"{d.address} ({d.kind}) line {d.start_line}" for d in found)


def outline(loop: Loop, argument: str) -> str:
    """A file's skeleton."""
    known = loop.inquiry.store.file(argument.strip()) is not None
    return skeleton(loop.inquiry.store, argument.strip()) if known else ""


def read(loop: Loop, argument: str) -> str:
    """A definition's source."""
    found = find(loop.inquiry.store, argument)
    if found is None:
        return ""
    text = source(loop.inquiry.store, found, loop.inquiry.settings)
    if not text.endswith("(truncated)"):
        loop.exposed.add(normalized(found.address))
    return text


def neighbours(loop: Loop, argument: str) -> str:
    """Relations of a definition, both ways."""
    store = loop.inquiry.store
    found = find(store, argument)
    if found is None:
        return ""
    edges = store.nearby([found.id], ("calls", "inherits", "overrides"), NAMES)
    known = store.definitions({e.source for e in edges} | {e.target for e in edges})
    return "\n".join(
        f"{known[e.source].address} {e.kind} {known[e.target].address}"
        for e in edges
        if e.source in known and e.target in known
    )
