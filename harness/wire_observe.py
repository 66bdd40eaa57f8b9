"""What a reply of a model endpoint said, read from the outside: any of the three formats, whole or
streamed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from codeviews.harness import wire_anthropic, wire_chat, wire_responses
from codeviews.harness.exchange import NO_USAGE, Usage

Event = dict[str, Any]


@dataclass(slots=True)
class Seen:
    """What was read; empty fields were not said."""

    model: str = ""
    usage: Usage = NO_USAGE
    requested: list[str] = field(default_factory=list[str])
    stop_reason: str = ""
    error: str = ""


def observe(reply: bytes) -> Seen:
    """Read a reply; bytes that are no reply give an empty answer."""
    seen = Seen()
    for event in _events(reply.decode(errors="replace")):
        if event.get("error"):
            seen.error = str(event["error"])[:500]
        elif "choices" in event:
            _chat(seen, event)
        elif "response" in event or event.get("object") == "response":
            _responses(seen, event.get("response") or event)
        else:
            _anthropic(seen, event)
    return seen


def _events(text: str) -> Iterator[Event]:
    streamed = "data:" in text[:4096] and not text.lstrip().startswith("{")
    lines = text.splitlines() if streamed else [text]
    for line in lines:
        if streamed and not line.startswith("data:"):
            continue
        try:
            data = json.loads(line[5:] if streamed else line)
        except ValueError:
            continue
        if isinstance(data, dict):
            yield data


def _anthropic(seen: Seen, event: Event) -> None:
    message = event.get("message") or (event if event.get("type") == "message" else {})
    if message:
        seen.model = str(message.get("model", ""))
        seen.usage = wire_anthropic.read_usage(message.get("usage") or {})
        seen.stop_reason = message.get("stop_reason") or seen.stop_reason
        _tool_uses(seen, message.get("content") or [])
    _tool_uses(seen, [event.get("content_block") or {}])
    if event.get("type") == "message_delta":
        latest = {k: v for k, v in (event.get("usage") or {}).items() if v is not None}
        seen.usage = wire_anthropic.read_usage({**wire_anthropic.usage(seen.usage), **latest})
        seen.stop_reason = (event.get("delta") or {}).get("stop_reason") or seen.stop_reason


def _tool_uses(seen: Seen, blocks: list[Event]) -> None:
    seen.requested += [str(b.get("name", "")) for b in blocks if b.get("type") == "tool_use"]


def _chat(seen: Seen, event: Event) -> None:
    seen.model = str(event.get("model", "")) or seen.model
    if event.get("usage"):
        seen.usage = wire_chat.read_usage(event["usage"])
    for choice in event["choices"]:
        part = choice.get("message") or choice.get("delta") or {}
        names = [(c.get("function") or {}).get("name") for c in part.get("tool_calls") or []]
        seen.requested += [str(name) for name in names if name]
        seen.stop_reason = choice.get("finish_reason") or seen.stop_reason


def _responses(seen: Seen, response: Event) -> None:
    seen.model = str(response.get("model", "")) or seen.model
    if response.get("status") != "completed":
        return
    seen.usage = wire_responses.read_usage(response.get("usage") or {})
    calls = [item for item in response.get("output") or [] if item.get("type") == "function_call"]
    seen.requested = [str(call.get("name", "")) for call in calls]
    seen.stop_reason = "tool_calls" if calls else "stop"
