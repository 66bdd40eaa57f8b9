"""Codex CLI in ``exec`` mode, with its configuration in a folder of the trial.

``required = true`` makes it wait for the map server; without it the tools may be missing from the
whole run. Its shell tool stands for all native tools, so kinds of native calls are not told apart.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from codeviews.harness.exchange import Usage
from codeviews.harness.hosts import Command, Launch, Mount, Outcome, SeenCall, SeenStep
from codeviews.harness.hosts.process import base_environment, events
from codeviews.harness.wire import SERVER

NAME = "codex"
BINARY = "codex"
PACKAGE = "@openai/codex"
VERSION = "0.171.0"
KEY = "OPENAI_API_KEY"
UPSTREAM = "https://api.openai.com"
LIMITS = False

CONFIG = """\
model = {model}
model_provider = "harness"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
web_search = "disabled"
{effort}{steer}
[model_providers.harness]
name = "harness"
base_url = {base_url}
wire_api = "responses"
env_key = "HARNESS_KEY"
request_max_retries = 2
stream_max_retries = 2
supports_websockets = false
[analytics]
enabled = false
[feedback]
enabled = false
"""


def command(launch: Launch) -> Command:
    """Write ``config.toml`` and give the command line."""
    home = launch.scratch / "codex"
    home.mkdir(parents=True, exist_ok=True)
    (home / "config.toml").write_text(config(launch))
    env = {
        **base_environment(launch),
        "CODEX_HOME": str(home),
        "HOME": str(launch.scratch),
        "HARNESS_KEY": launch.key,
    }
    argv = [str(launch.binary), "exec", "--json", "--skip-git-repo-check", "--ephemeral"]
    argv += ["-C", str(launch.workdir), "--disable", "plugins", "--disable", "apps", launch.prompt]
    return Command(argv, env, launch.workdir)


def config(launch: Launch) -> str:
    """The configuration file; JSON strings are TOML strings."""
    text = CONFIG.format(
        model=json.dumps(launch.model),
        base_url=json.dumps(f"{launch.base_url}/v1"),
        effort=f"model_reasoning_effort = {json.dumps(launch.effort)}\n" if launch.effort else "",
        steer=f"developer_instructions = {json.dumps(launch.steer)}\n" if launch.steer else "",
    )
    return text + (_server(launch.mount) if launch.mount else "")


def _server(mount: Mount) -> str:
    env = "".join(f"{key} = {json.dumps(value)}\n" for key, value in mount.env.items())
    return (
        f"[mcp_servers.{SERVER}]\n"
        f"command = {json.dumps(mount.command[0])}\n"
        f"args = {json.dumps(list(mount.command[1:]))}\n"
        "required = true\nstartup_timeout_sec = 60\ntool_timeout_sec = 120\n"
        'default_tools_approval_mode = "approve"\n'
        f"[mcp_servers.{SERVER}.env]\n{env}"
    )


def read(lines: Iterable[str]) -> Outcome:
    """Read the event stream of ``exec --json``."""
    outcome = Outcome()
    for event in events(lines):
        kind = event.get("type")
        if kind == "thread.started":
            outcome.session = event.get("thread_id", "")
        elif kind == "item.completed":
            _item(outcome, event.get("item") or {})
        elif kind == "turn.completed":
            outcome.finished, outcome.reason = True, "completed"
            outcome.usage = _usage(event.get("usage") or {})
        elif kind in ("turn.failed", "error"):
            error = event.get("error") or event
            outcome.error = str(error.get("message", "")) or "the turn failed"
            outcome.reason = "error"
    return outcome


def _item(outcome: Outcome, item: dict[str, Any]) -> None:
    kind = item.get("type")
    if kind == "agent_message":
        outcome.text = item.get("text", "")
        outcome.steps.append(SeenStep(item.get("id", ""), text=outcome.text))
    elif kind == "mcp_tool_call":
        _add(outcome, _map_call(item))
    elif kind == "command_execution":
        arguments = {"command": item.get("command", "")}
        failed = item.get("exit_code") not in (0, None)
        output = item.get("aggregated_output") or ""
        _add(outcome, SeenCall(item["id"], kind, arguments, output, failed, answered=True))
    elif kind == "file_change":
        _add(outcome, SeenCall(item["id"], "apply_patch", {"changes": item.get("changes")}))


def _add(outcome: Outcome, call: SeenCall) -> None:
    """Codex does not tell which calls came in one reply: each is a step of its own, joined to the
    text just before it."""
    if outcome.steps and not outcome.steps[-1].calls:
        outcome.steps[-1].calls.append(call)
    else:
        outcome.steps.append(SeenStep(call.id, calls=[call]))


def _map_call(item: dict[str, Any]) -> SeenCall:
    name = f"{item.get('server', '')}/{item.get('tool', '')}"
    content = (item.get("result") or {}).get("content") or []
    output = "\n".join(part.get("text", "") for part in content if isinstance(part, dict))
    error = (item.get("error") or {}).get("message", "")
    arguments = item.get("arguments")
    given = arguments if isinstance(arguments, dict) else {}
    failed = item.get("status") == "failed"
    return SeenCall(item["id"], name, given, output or error, failed, answered=True)


def _usage(data: dict[str, Any]) -> Usage:
    cached = data.get("cached_input_tokens") or 0
    written = data.get("cache_write_input_tokens") or 0
    fresh = (data.get("input_tokens") or 0) - cached - written
    return Usage(fresh, cached, written, data.get("output_tokens") or 0)
