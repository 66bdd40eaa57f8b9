"""Anthropic Messages: ``POST /v1/messages`` and ``/v1/messages/count_tokens``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from codeviews.harness.exchange import Usage
from codeviews.harness.wire import Body, Reply, pieces

ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


def turns(body: Body) -> int:
    """Assistant messages in the request."""
    return sum(message.get("role") == "assistant" for message in body.get("messages", []))


def tools(body: Body) -> list[str]:
    """Names of the tools offered."""
    return [str(tool.get("name", "")) for tool in body.get("tools") or []]


def usage(tokens: Usage, output: int | None = None) -> Body:
    """Token counts as the API reports them."""
    return {
        "input_tokens": tokens.fresh,
        "cache_read_input_tokens": tokens.cache_read,
        "cache_creation_input_tokens": tokens.cache_write,
        "output_tokens": tokens.output if output is None else output,
    }


def read_usage(data: Body) -> Usage:
    """Token counts out of a reply's ``usage``."""
    return Usage(
        data.get("input_tokens") or 0,
        data.get("cache_read_input_tokens") or 0,
        data.get("cache_creation_input_tokens") or 0,
        data.get("output_tokens") or 0,
    )


def reply(answer: Reply) -> Body:
    """The whole message."""
    content: list[Body] = []
    if answer.step.text:
        content.append({"type": "text", "text": answer.step.text})
    for call in answer.calls:
        content.append(
            {"type": "tool_use", "id": call.id, "name": call.name, "input": _input(call)}
        )
    return {
        "id": f"msg_{answer.turn:04d}",
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "content": content,
        "stop_reason": "tool_use" if answer.calls else "end_turn",
        "stop_sequence": None,
        "usage": usage(answer.step.usage.usage()),
    }


def _input(call: Any) -> Any:
    try:
        return json.loads(call.arguments)
    except ValueError:
        return call.arguments


def events(answer: Reply) -> Iterator[bytes]:
    """The message as server-sent events."""
    message = reply(answer)
    tokens = answer.step.usage.usage()
    start = {**message, "content": [], "stop_reason": None, "usage": usage(tokens, 1)}
    yield _event("message_start", {"message": start})
    index = 0
    if answer.step.text:
        yield from _text_block(index, answer.step.text)
        index += 1
    for call in answer.calls:
        yield from _tool_block(index, call)
        index += 1
    delta = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", {"delta": delta, "usage": {"output_tokens": tokens.output}})
    yield _event("message_stop", {})


def _text_block(index: int, text: str) -> Iterator[bytes]:
    yield _event(
        "content_block_start", {"index": index, "content_block": {"type": "text", "text": ""}}
    )
    for part in pieces(text):
        delta = {"type": "text_delta", "text": part}
        yield _event("content_block_delta", {"index": index, "delta": delta})
    yield _event("content_block_stop", {"index": index})


def _tool_block(index: int, call: Any) -> Iterator[bytes]:
    block = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
    yield _event("content_block_start", {"index": index, "content_block": block})
    for part in pieces(call.arguments):
        delta = {"type": "input_json_delta", "partial_json": part}
        yield _event("content_block_delta", {"index": index, "delta": delta})
    yield _event("content_block_stop", {"index": index})


def _event(kind: str, data: Body) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n".encode()


def error(status: int, message: str) -> Body:
    """The body of an API error."""
    return {"type": "error", "error": {"type": ERRORS.get(status, "api_error"), "message": message}}
