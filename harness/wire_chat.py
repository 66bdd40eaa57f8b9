"""OpenAI chat completions: ``POST /v1/chat/completions``."""

from __future__ import annotations

import json
from collections.abc import Iterator

from codeviews.harness.exchange import Usage
from codeviews.harness.wire import Body, Reply, pieces


def turns(body: Body) -> int:
    """Assistant messages in the request."""
    return sum(message.get("role") == "assistant" for message in body.get("messages", []))


def tools(body: Body) -> list[str]:
    """Names of the functions offered."""
    return [str(tool.get("function", {}).get("name", "")) for tool in body.get("tools") or []]


def usage(tokens: Usage) -> Body:
    """Token counts as the API reports them: cached input is part of the prompt."""
    return {
        "prompt_tokens": tokens.input,
        "completion_tokens": tokens.output,
        "total_tokens": tokens.total,
        "prompt_tokens_details": {"cached_tokens": tokens.cache_read},
    }


def read_usage(data: Body) -> Usage:
    """Token counts out of a reply's ``usage``; cache writes are not told apart here."""
    cached = (data.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
    fresh = (data.get("prompt_tokens") or 0) - cached
    return Usage(fresh, cached, 0, data.get("completion_tokens") or 0)


def reply(answer: Reply) -> Body:
    """The whole completion."""
    message: Body = {"role": "assistant", "content": answer.step.text or None}
    if answer.calls:
        message["tool_calls"] = [_call(call) for call in answer.calls]
    return {
        **_head(answer, "chat.completion"),
        "choices": [{"index": 0, "message": message, "finish_reason": _reason(answer)}],
        "usage": usage(answer.step.usage.usage()),
    }


def events(answer: Reply) -> Iterator[bytes]:
    """The completion as chunks."""
    yield _chunk(answer, {"role": "assistant", "content": ""})
    for part in pieces(answer.step.text):
        yield _chunk(answer, {"content": part})
    for index, call in enumerate(answer.calls):
        yield _chunk(answer, {"tool_calls": [{"index": index, **_call(call)}]})
    yield _chunk(answer, {}, _reason(answer))
    last = {
        **_head(answer, "chat.completion.chunk"),
        "choices": [],
        "usage": usage(answer.step.usage.usage()),
    }
    yield _data(last)
    yield b"data: [DONE]\n\n"


def _head(answer: Reply, kind: str) -> Body:
    return {
        "id": f"chatcmpl-{answer.turn:04d}",
        "object": kind,
        "created": 0,
        "model": answer.model,
    }


def _reason(answer: Reply) -> str:
    return "tool_calls" if answer.calls else "stop"


def _call(call: object) -> Body:
    name, arguments = getattr(call, "name", ""), getattr(call, "arguments", "")
    function = {"name": name, "arguments": arguments}
    return {"id": getattr(call, "id", ""), "type": "function", "function": function}


def _chunk(answer: Reply, delta: Body, reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return _data({**_head(answer, "chat.completion.chunk"), "choices": [choice]})


def _data(data: Body) -> bytes:
    return f"data: {json.dumps(data)}\n\n".encode()


def error(status: int, message: str) -> Body:
    """The body of an API error."""
    return {"error": {"message": message, "type": "api_error", "code": status}}
