"""Any OpenAI-compatible endpoint as a model client: forced function call, exact usage."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import Any

from codeviews.core.errors import MisuseError
from codeviews.servers.curaloc.planners.client import CutAnswer, Prompt, Reply
from codeviews.servers.curaloc.planners.modelled import ModelPlanner
from codeviews.servers.curaloc.planners.sdk_client import SdkClient, planner_over


class OpenAIClient(SdkClient):
    """``base_url`` "" is the SDK's own choice (``OPENAI_BASE_URL`` or the public endpoint)."""

    KEY = "OPENAI_API_KEY"

    def _sdk(self) -> tuple[Callable[..., Any], type[Exception], str]:
        sdk = _sdk()
        return sdk.OpenAI, sdk.APIError, _key(self.KEY)

    def _send(self, client: Any, request: dict[str, Any]) -> Any:
        return client.chat.completions.create(**request)

    def _read(self, answer: Any) -> Reply:
        return _read(answer)

    def _request(self, prompt: Prompt) -> dict[str, Any]:
        turns = [{"role": role, "content": text} for role, text in prompt.turns]
        function = {
            "name": prompt.stage,
            "description": "Give the answer in this form.",
            "parameters": prompt.schema,
        }
        request: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": "system", "content": prompt.system}, *turns],
            "tools": [{"type": "function", "function": function}],
            "tool_choice": {"type": "function", "function": {"name": prompt.stage}},
        }
        if self.temperature is not None:
            request["temperature"] = self.temperature
        return request


def _read(completion: Any) -> Reply:
    if not completion.choices:
        raise ValueError("the completion holds no choice")
    if completion.choices[0].finish_reason == "length":
        raise CutAnswer
    message = completion.choices[0].message
    calls: Any = message.tool_calls or []
    written: str = calls[0].function.arguments if calls else message.content or ""
    usage = completion.usage
    details = getattr(usage, "prompt_tokens_details", None)
    cached = getattr(details, "cached_tokens", 0) or 0
    counts = (usage.prompt_tokens, usage.completion_tokens, cached) if usage else (0, 0, 0)
    return Reply(_parsed(written), message.content or "", *counts, reported=usage is not None)


def _parsed(written: str) -> Any:
    """The answer as JSON; text that is none stays text and is rejected where it is used."""
    try:
        return json.loads(written)
    except ValueError:
        return written or None


def _sdk() -> Any:
    try:
        import openai
    except ImportError as error:
        raise MisuseError(
            "the openai planner needs its package: pip install 'codeviews[llm]', "
            "or use --planner lexical"
        ) from error
    return openai


def _key(name: str) -> str:
    key = os.environ.get(name, "")
    if not key:
        raise MisuseError(
            f"set {name} (and OPENAI_BASE_URL for another endpoint) to use the openai planner, "
            "or use --planner lexical"
        )
    return key


def make(model: str, options: Mapping[str, Any]) -> ModelPlanner:
    """A planner over an OpenAI-compatible endpoint; options as for :func:`planner_over`."""
    return planner_over(OpenAIClient, "openai", model, options)
