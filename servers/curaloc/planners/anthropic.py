"""The official Anthropic SDK as a model client: forced tool call, prompt caching, exact usage."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from codeviews.core.errors import MisuseError
from codeviews.servers.curaloc.planners.client import CutAnswer, Prompt, Reply
from codeviews.servers.curaloc.planners.modelled import ModelPlanner
from codeviews.servers.curaloc.planners.sdk_client import SdkClient, planner_over


class AnthropicClient(SdkClient):
    """``base_url`` "" is the SDK's own choice (``ANTHROPIC_BASE_URL`` or the public endpoint)."""

    KEY = "ANTHROPIC_API_KEY"

    def _sdk(self) -> tuple[Callable[..., Any], type[Exception], str]:
        sdk = _sdk()
        return sdk.Anthropic, sdk.APIError, _key(self.KEY)

    def _send(self, client: Any, request: dict[str, Any]) -> Any:
        return client.messages.create(**request)

    def _read(self, answer: Any) -> Reply:
        return _read(answer)

    def _request(self, prompt: Prompt) -> dict[str, Any]:
        request: dict[str, Any] = {
            "model": self.model,
            "max_tokens": self.settings.output_tokens,
            "system": prompt.system,
            "messages": [_message(*turn, first=i == 0) for i, turn in enumerate(prompt.turns)],
            "tools": [
                {
                    "name": prompt.stage,
                    "description": "Give the answer in this form.",
                    "input_schema": prompt.schema,
                }
            ],
            "tool_choice": {"type": "tool", "name": prompt.stage},
        }
        if self.temperature is not None:
            request["extra_body"] = {"temperature": self.temperature}
        return request


def _message(role: str, text: str, first: bool) -> dict[str, Any]:
    """The first turn is the long one; a complaint after it reads it from the cache."""
    block: dict[str, Any] = {"type": "text", "text": text}
    if first:
        block["cache_control"] = {"type": "ephemeral"}
    return {"role": role, "content": [block]}


def _read(message: Any) -> Reply:
    if message.stop_reason == "max_tokens":
        raise CutAnswer
    blocks = list(message.content or [])
    data = next((b.input for b in blocks if b.type == "tool_use"), None)
    text = "".join(b.text for b in blocks if b.type == "text")
    usage = message.usage
    cached = getattr(usage, "cache_read_input_tokens", 0) or 0
    written = getattr(usage, "cache_creation_input_tokens", 0) or 0
    total = usage.input_tokens + cached + written
    return Reply(data, text, total, usage.output_tokens, cached)


def _sdk() -> Any:
    try:
        import anthropic
    except ImportError as error:
        raise MisuseError(
            "the anthropic planner needs its package: pip install 'codeviews[llm]', "
            "or use --planner lexical"
        ) from error
    return anthropic


def _key(name: str) -> str:
    key = os.environ.get(name, "")
    if not key:
        raise MisuseError(f"set {name} to use the anthropic planner, or use --planner lexical")
    return key


def make(model: str, options: Mapping[str, Any]) -> ModelPlanner:
    """A planner over Anthropic models; options as for :func:`planner_over`."""
    return planner_over(AnthropicClient, "anthropic", model, options)
