"""Claude Code in print mode with pinned tools, one MCP server or none, and no outbound traffic.

Every flag is there for a reason: ``--tools`` fixes the built-in tools in all workflows (and turns
deferred MCP tools off), ``--strict-mcp-config`` shuts out servers of the machine and an empty
``--setting-sources`` its settings; ``dontAsk`` with ``--allowedTools`` works as root.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from codeviews.harness import gate
from codeviews.harness.exchange import Usage
from codeviews.harness.hosts import Command, Launch, Mount, Outcome, SeenCall, SeenStep
from codeviews.harness.hosts.process import base_environment, events
from codeviews.harness.tool_names import NATIVE
from codeviews.harness.wire import SERVER
from codeviews.harness.wire_anthropic import read_usage

NAME = "claude-code"
BINARY = "claude"
PACKAGE = "@anthropic-ai/claude-code"
VERSION = "2.1.332"
KEY = "ANTHROPIC_API_KEY"
UPSTREAM = "https://api.anthropic.com"
LIMITS = True

SWITCHES = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_UPDATES": "1",
    "DISABLE_GROWTHBOOK": "1",
    "DO_NOT_TRACK": "1",
    "ENABLE_CLAUDEAI_MCP_SERVERS": "0",
    # one protocol era whatever the machine's load: a slow start must not change the treatment
    "MCP_PROTOCOL_NEGOTIATION": "legacy",
    "CLAUDE_CODE_MAX_RETRIES": "2",
}
MASKED = ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "CLAUDE_CODE_MESSAGING_TOKEN")


def command(launch: Launch) -> Command:
    """Write ``mcp.json`` and ``settings.json`` and give the command line."""
    scratch = launch.scratch
    for name in ("home", "config", "tmp"):
        (scratch / name).mkdir(parents=True, exist_ok=True)
    mcp, settings = scratch / "mcp.json", scratch / "settings.json"
    mcp.write_text(json.dumps(mcp_config(launch.mount), indent=1))
    settings.write_text(json.dumps(_settings(launch), indent=1))
    return Command([*_argv(launch, mcp, settings)], _environment(launch), launch.workdir)


def mcp_config(mount: Mount | None) -> dict[str, Any]:
    """The MCP configuration file: one server, or none for the baseline."""
    if mount is None:
        return {"mcpServers": {}}
    server = {
        "command": mount.command[0],
        "args": list(mount.command[1:]),
        "env": {**dict.fromkeys(MASKED, ""), **mount.env},
        "timeout": 120_000,
        "alwaysLoad": True,
    }
    return {"mcpServers": {SERVER: server}}


def _argv(launch: Launch, mcp: Path, settings: Path) -> Iterable[str]:
    yield from (str(launch.binary), "-p", launch.prompt, "--model", launch.model)
    yield from ("--output-format", "stream-json", "--verbose", "--setting-sources", "")
    yield from ("--no-session-persistence", "--strict-mcp-config", "--mcp-config", str(mcp))
    yield from ("--tools", ",".join(NATIVE), "--permission-mode", "dontAsk", "--allowedTools")
    yield from (*([f"mcp__{SERVER}"] if launch.mount else []), *NATIVE)
    yield from ("--settings", str(settings))
    if launch.steer:
        yield from ("--append-system-prompt", launch.steer)
    if launch.effort:
        yield from ("--effort", launch.effort)
    if launch.max_turns:
        yield from ("--max-turns", str(launch.max_turns))
    if launch.budget_usd:
        yield from ("--max-budget-usd", str(launch.budget_usd))


def _environment(launch: Launch) -> dict[str, str]:
    scratch = launch.scratch
    return {
        **base_environment(launch),
        **SWITCHES,
        "HOME": str(scratch / "home"),
        "CLAUDE_CONFIG_DIR": str(scratch / "config"),
        "CLAUDE_CODE_TMPDIR": str(scratch / "tmp"),
        "ANTHROPIC_BASE_URL": launch.base_url,
        "ANTHROPIC_API_KEY": launch.key,
    }


def _settings(launch: Launch) -> dict[str, Any]:
    if not (launch.gate and launch.mount):
        return {}
    return {"hooks": gate.hooks(launch.scratch / "gate", f"mcp__{SERVER}__.*")}


def read(lines: Iterable[str]) -> Outcome:
    """Read a ``stream-json`` stream."""
    outcome = Outcome()
    calls: dict[str, SeenCall] = {}
    for event in events(lines):
        kind = event.get("type")
        if kind == "system":
            _system(outcome, event, calls)
        elif kind == "assistant":
            _assistant(outcome, event.get("message") or {}, calls)
        elif kind == "user":
            _results(event, calls)
        elif kind == "result":
            _result(outcome, event, calls)
    if not outcome.finished:
        outcome.usage = sum((step.usage for step in outcome.steps), Usage())
    return outcome


def _system(outcome: Outcome, event: dict[str, Any], calls: dict[str, SeenCall]) -> None:
    if event.get("subtype") == "init":
        outcome.session = event.get("session_id", "")
        outcome.version = event.get("claude_code_version", "")
        outcome.model = event.get("model", "")
        servers = {s.get("name"): s.get("status", "") for s in event.get("mcp_servers") or []}
        outcome.mcp = servers.get(SERVER, "")
    elif event.get("subtype") == "permission_denied" and event.get("tool_use_id") in calls:
        calls[event["tool_use_id"]].denied = True


def _assistant(outcome: Outcome, message: dict[str, Any], calls: dict[str, SeenCall]) -> None:
    """One line holds one block; lines of the same message id are one model reply."""
    id = message.get("id", "")
    if not outcome.steps or outcome.steps[-1].id != id:
        outcome.steps.append(SeenStep(id, usage=read_usage(message.get("usage") or {})))
    step = outcome.steps[-1]
    for block in message.get("content") or []:
        if block.get("type") == "text":
            step.text += block.get("text", "")
        elif block.get("type") == "tool_use":
            arguments = block.get("input")
            call = SeenCall(block["id"], block["name"], arguments if _is_dict(arguments) else {})
            step.calls.append(call)
            calls[call.id] = call


def _is_dict(value: Any) -> bool:
    return isinstance(value, dict)


def _results(event: dict[str, Any], calls: dict[str, SeenCall]) -> None:
    content = (event.get("message") or {}).get("content")
    for block in content if isinstance(content, list) else []:
        call = calls.get(block.get("tool_use_id", ""))
        if call is None or block.get("type") != "tool_result":
            continue
        call.answered = True
        call.output = _text(block.get("content"))
        call.is_error = bool(block.get("is_error"))
        call.denied = call.denied or gate.REASON in call.output


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content or [] if _is_dict(part))


def _result(outcome: Outcome, event: dict[str, Any], calls: dict[str, SeenCall]) -> None:
    outcome.finished = True
    outcome.text = event.get("result") or ""
    outcome.api_status = event.get("api_error_status") or 0
    outcome.reason = event.get("terminal_reason") or event.get("subtype", "")
    if outcome.api_status >= 400:  # some versions call this "completed"
        outcome.reason = "api_error"
    if event.get("is_error"):
        outcome.error = outcome.text or "; ".join(event.get("errors") or []) or outcome.reason
    outcome.cost_usd = event.get("total_cost_usd")
    outcome.usage = read_usage(event.get("usage") or {})
    for denial in event.get("permission_denials") or []:
        if denial.get("tool_use_id") in calls:
            calls[denial["tool_use_id"]].denied = True
    for model, usage in (event.get("modelUsage") or {}).items():
        outcome.model = outcome.model or model
        outcome.context_window = usage.get("contextWindow") or outcome.context_window
