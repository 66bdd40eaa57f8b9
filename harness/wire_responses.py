"""OpenAI Responses: ``POST /v1/responses``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from codeviews.harness.exchange import Usage
from codeviews.harness.wire import Body, Reply, ToolCall, pieces

_TURN = re.compile(r"_(\d+)_\d+$")


def turns(body: Body) -> int:
    """Replies already in the request: call ids carry their turn, other messages count one each."""
    items = body.get("input")
    if not isinstance(items, list):
        return 0
    calls = {_turn(item) for item in items if str(item.get("type", "")).endswith("_call")}
    if calls:
        return max(calls) + 1
    return sum(item.get("role") == "assistant" for item in items)


def _turn(item: Body) -> int:
    found = _TURN.search(str(item.get("call_id", "")))
    return int(found[1]) if found else 0


def tools(body: Body) -> list[str]:
    """Names of the tools offered; those of a namespace as ``namespace/name``."""
    found: list[str] = []
    for tool in body.get("tools") or []:
        name = str(tool.get("name") or tool.get("type") or "")
        if tool.get("type") == "namespace":
            found.extend(f"{name}/{inner.get('name', '')}" for inner in tool.get("tools", []))
        else:
            found.append(name)
    return found


def usage(tokens: Usage) -> Body:
    """Token counts as the API reports them: cached input is part of the input."""
    return {
        "input_tokens": tokens.input,
        "input_tokens_details": {"cached_tokens": tokens.cache_read},
        "output_tokens": tokens.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": tokens.total,
    }


def read_usage(data: Body) -> Usage:
    """Token counts out of a reply's ``usage``; cache writes are not told apart here."""
    cached = (data.get("input_tokens_details") or {}).get("cached_tokens") or 0
    fresh = (data.get("input_tokens") or 0) - cached
    return Usage(fresh, cached, 0, data.get("output_tokens") or 0)


def reply(answer: Reply) -> Body:
    """The whole response."""
    return {
        "id": f"resp_{answer.turn:04d}",
        "object": "response",
        "created_at": 0,
        "status": "completed",
        "model": answer.model,
        "output": _items(answer),
        "usage": usage(answer.step.usage.usage()),
    }


def _items(answer: Reply) -> list[Body]:
    items = [_message(answer)] if answer.step.text else []
    return [*items, *(_call(call) for call in answer.calls)]


def _message(answer: Reply) -> Body:
    part = {"type": "output_text", "text": answer.step.text, "annotations": []}
    return {
        "type": "message",
        "id": f"msg_{answer.turn:04d}",
        "role": "assistant",
        "status": "completed",
        "content": [part],
    }


def _call(call: ToolCall) -> Body:
    item = {
        "type": "function_call",
        "id": f"fc{call.id}",
        "call_id": call.id,
        "name": call.name,
        "arguments": call.arguments,
        "status": "completed",
    }
    return {**item, "namespace": call.namespace} if call.namespace else item


def events(answer: Reply) -> Iterator[bytes]:
    """The response as server-sent events."""
    whole = reply(answer)
    yield _event("response.created", {"response": {**whole, "status": "in_progress", "output": []}})
    for index, item in enumerate(whole["output"]):
        place = {"output_index": index}
        yield _event("response.output_item.added", {**place, "item": item})
        if item["type"] == "message":
            for part in pieces(answer.step.text):
                delta = {"item_id": item["id"], "content_index": 0, "delta": part}
                yield _event("response.output_text.delta", {**place, **delta})
        yield _event("response.output_item.done", {**place, "item": item})
    yield _event("response.completed", {"response": whole})


def _event(kind: str, data: Body) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n".encode()


def error(status: int, message: str) -> Body:
    """The body of an API error."""
    return {"error": {"message": message, "type": "api_error", "code": str(status)}}
