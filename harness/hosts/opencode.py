"""opencode in ``run`` mode, with its configuration in the environment, not in the repository."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from codeviews.harness.exchange import Usage
from codeviews.harness.hosts import Command, Launch, Outcome, SeenCall, SeenStep
from codeviews.harness.hosts.process import base_environment, events
from codeviews.harness.wire import SERVER

NAME = "opencode"
BINARY = "opencode"
PACKAGE = "opencode-ai"
VERSION = "1.18.33"
KEY = "OPENAI_API_KEY"
UPSTREAM = "https://api.openai.com"
LIMITS = False

FOLDERS = ("config", "data", "cache", "state")
SWITCHES = {
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
    "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
}


def command(launch: Launch) -> Command:
    """Write ``opencode.json`` outside the repository and give the command line."""
    env = {**base_environment(launch), **SWITCHES, "HOME": str(launch.scratch)}
    for name in FOLDERS:
        folder = launch.scratch / name
        folder.mkdir(parents=True, exist_ok=True)
        env[f"XDG_{name.upper()}_HOME"] = str(folder)
    path = launch.scratch / "opencode.json"
    path.write_text(json.dumps(config(launch), indent=1))
    env["OPENCODE_CONFIG"] = str(path)
    argv = [str(launch.binary), "run", "--format", "json", launch.prompt]
    return Command(argv, env, launch.workdir)


def config(launch: Launch) -> dict[str, Any]:
    """The configuration file."""
    limit = {"context": 200_000, "output": 32_000}
    options = {"baseURL": f"{launch.base_url}/v1", "apiKey": launch.key}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "harness",
        "options": options,
        "models": {launch.model: {"tool_call": True, "limit": limit}},
    }
    data: dict[str, Any] = {
        "provider": {"harness": provider},
        "model": f"harness/{launch.model}",
        "small_model": f"harness/{launch.model}",
        "autoupdate": False,
        "share": "disabled",
        "permission": {"*": "allow"},
    }
    if launch.steer:
        steer = launch.scratch / "steer.md"
        steer.write_text(launch.steer)
        data["instructions"] = [str(steer)]
    if launch.mount:
        data["mcp"] = {
            SERVER: {
                "type": "local",
                "command": list(launch.mount.command),
                "environment": dict(launch.mount.env),
                "enabled": True,
                "timeout": 60_000,
            }
        }
    return data


def read(lines: Iterable[str]) -> Outcome:
    """Read the event stream of ``run --format json``."""
    outcome = Outcome()
    open_step = False
    for event in events(lines):
        kind, part = event.get("type"), event.get("part") or {}
        outcome.session = event.get("sessionID", "") or outcome.session
        if kind == "step_start" or not open_step:
            outcome.steps.append(SeenStep(part.get("messageID", "")))
            open_step = True
        if kind == "text":
            outcome.text = part.get("text", "")
            outcome.steps[-1].text += outcome.text
        elif kind == "tool_use":
            outcome.steps[-1].calls.append(_call(part))
        elif kind == "step_finish":
            _finish(outcome, part)
            open_step = False
        elif kind == "error":
            outcome.error = json.dumps(event.get("error") or part)[:300]
    outcome.steps = [step for step in outcome.steps if step.text or step.calls]
    return outcome


def _call(part: dict[str, Any]) -> SeenCall:
    state = part.get("state") or {}
    given = state.get("input")
    failed = state.get("status") == "error"
    output = str(state.get("output") or state.get("error") or "")
    arguments = given if isinstance(given, dict) else {}
    return SeenCall(
        part.get("callID", ""), part.get("tool", ""), arguments, output, failed, answered=True
    )


def _finish(outcome: Outcome, part: dict[str, Any]) -> None:
    """The last step's reason tells whether the run is over; tokens add up."""
    tokens = part.get("tokens") or {}
    cache = tokens.get("cache") or {}
    usage = Usage(
        tokens.get("input") or 0,
        cache.get("read") or 0,
        cache.get("write") or 0,
        (tokens.get("output") or 0) + (tokens.get("reasoning") or 0),
    )
    outcome.steps[-1].usage = usage
    outcome.usage = outcome.usage + usage
    if part.get("reason") not in ("tool-calls", "tool_calls"):
        outcome.finished, outcome.reason = True, "completed"
