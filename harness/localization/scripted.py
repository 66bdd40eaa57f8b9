"""A scripted model for structured requests: it plays CuraLoc and every compared method.

A step answers requests that force the tool named by its ``when``; several steps of one name answer
one after the other, by the number of assistant messages in the request, the last one for ever.
Arguments may hold ``{sid:path:Qualified.name}``, looked up in the prompt. In a list of summaries,
``{"sid": "*", "every": n}`` stands for every n-th symbol of the prompt.
"""

from __future__ import annotations

import json
import re
from typing import Any

from codeviews.harness.behaviour import Step, fill
from codeviews.harness.scripted_model import ScriptedModel
from codeviews.harness.wire import Body, Reply, ToolCall

_CAPSULE = re.compile(r"\[SID=(\d+)\] (\S+)")
_SYMBOL = re.compile(r"<symbol sid=(\d+) ")


class ScriptedLocalizer(ScriptedModel):
    """See the module. Use it as a context manager; ``url`` is its base without ``/v1``."""

    def answer(self, body: Body, turn: int, tools: list[str]) -> Reply:
        """The step for the forced tool; a request without one gets plain text."""
        stage = tools[0] if tools else ""
        places = [i for i, step in enumerate(self.behaviour.steps) if step.when == stage]
        model = str(body.get("model") or "scripted")
        if not places:
            return Reply(-1, model, Step(text=f"no step for {stage!r}"), ())
        place = places[min(turn, len(places) - 1)]
        step = self.behaviour.steps[place]
        calls = [
            ToolCall(f"call_{place}_{i}", stage, _written(call.arguments, body, step))
            for i, call in enumerate(step.calls)
        ]
        return Reply(place, model, step, calls)


def _written(arguments: Any, body: Body, step: Step) -> str:
    prompt = _prompt(body)
    sids = {f"sid:{address}": sid for sid, address in _CAPSULE.findall(prompt)}
    filled = _numbers(fill(_summaries(arguments, prompt), sids), sids)
    text = json.dumps(filled)
    return text[: len(text) // 2] if step.fault == "malformed" else text


def _prompt(body: Body) -> str:
    texts: list[str] = []
    for message in body.get("messages", []):
        content = message.get("content")
        parts = content if isinstance(content, list) else [{"text": content or ""}]
        texts += [str(part.get("text") or "") for part in parts]
    return "\n".join(texts)


def _summaries(arguments: Any, prompt: str) -> Any:
    entries = arguments.get("summaries") if isinstance(arguments, dict) else None
    if not entries or entries[0].get("sid") != "*":
        return arguments
    shown = _SYMBOL.findall(prompt)[:: int(entries[0].get("every", 1))]
    return {"summaries": [{"sid": int(s), "summary": entries[0]["summary"]} for s in shown]}


def _numbers(value: Any, sids: dict[str, str]) -> Any:
    """SIDs that came from placeholders as integers; ``"sid"`` written as text stays text."""
    if isinstance(value, list):
        return [_numbers(item, sids) for item in value]
    if isinstance(value, dict):
        return {
            key: int(item) if key == "sid" and item in sids.values() else _numbers(item, sids)
            for key, item in value.items()
        }
    return value
