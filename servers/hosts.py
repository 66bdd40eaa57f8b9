"""MCP configuration of agent hosts; the files in ``mcp-configs/`` are its output."""

from __future__ import annotations

import difflib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from codeviews.core.errors import MisuseError
from codeviews.core.repository import find_root, safe_join
from codeviews.servers.views import VIEWS


class HostFile(NamedTuple):
    """Where a host reads its configuration, relative to the repository, and how it is made."""

    path: str
    make: Callable[[str, list[str], str], str]


def server_command(repo: str) -> list[str]:
    """The command that serves a view; ``{view}`` is filled in by the caller.

    ``-P`` keeps the folder it is started in, the repository, off Python's module path.
    """
    return [sys.executable, "-P", "-m", "codeviews.servers.cli", "serve", "{view}", "--repo", repo]


PORTABLE_COMMAND = ["codeviews", "serve", "{view}"]
"""Serves the folder the host is started in; what ``mcp-configs/`` holds."""


def _json(value: Any) -> str:
    return json.dumps(value, indent=2) + "\n"


def _mcp_servers(name: str, command: list[str], extra: str) -> str:
    entry: dict[str, Any] = {"command": command[0], "args": command[1:]}
    if extra == "claude-code":
        entry |= {"timeout": 60000, "alwaysLoad": True}
    return _json({"mcpServers": {name: entry}})


def _vscode(name: str, command: list[str], extra: str) -> str:
    return _json({"servers": {name: {"type": "stdio", "command": command[0], "args": command[1:]}}})


def _codex(name: str, command: list[str], extra: str) -> str:
    quoted = ", ".join(json.dumps(part) for part in command[1:])
    return (
        f"[mcp_servers.{name}]\ncommand = {json.dumps(command[0])}\nargs = [{quoted}]\n"
        "required = true\nstartup_timeout_sec = 30\ntool_timeout_sec = 60\n"
        'default_tools_approval_mode = "approve"\n'
    )


def _opencode(name: str, command: list[str], extra: str) -> str:
    entry = {"type": "local", "command": command, "enabled": True, "timeout": 30000}
    return _json({"$schema": "https://opencode.ai/config.json", "mcp": {name: entry}})


HOSTS: dict[str, HostFile] = {
    "claude-code": HostFile(".mcp.json", _mcp_servers),
    "cursor": HostFile(".cursor/mcp.json", _mcp_servers),
    "vscode": HostFile(".vscode/mcp.json", _vscode),
    "codex": HostFile(".codex/config.toml", _codex),
    "opencode": HostFile("opencode.json", _opencode),
}


def render(host: str, view: str, command: list[str]) -> str:
    """The configuration text of a host for one view.

    Raises:
        MisuseError: unknown host or view; the sentence lists the choices.
    """
    if host not in HOSTS:
        raise MisuseError(f"there is no host {host!r}; choose one of: {', '.join(HOSTS)}")
    if view not in VIEWS:
        raise MisuseError(f"there is no view {view!r}; choose one of: {', '.join(VIEWS)}")
    filled = [part.replace("{view}", view) for part in command]
    return HOSTS[host].make(f"codeviews-{view}", filled, host)


def configure(host: str, view: str, repo: Path, write: bool) -> str:
    """The configuration, or with ``write`` the change that was made to the host's file.

    A file that exists is never merged by guesswork: the old one is kept beside it, byte for byte.
    """
    root = find_root(repo)
    text = render(host, view, server_command(str(root)))
    if not write:
        return text.rstrip("\n")
    target = safe_join(root, HOSTS[host].path)
    if target.is_symlink():
        raise MisuseError(f"{target} is a symbolic link; write the file it points to yourself")
    old = target.read_text("utf-8", "replace") if target.exists() else ""
    if old == text:
        return f"{target} already says this"
    if old:
        backup = target.with_name(target.name + ".before-codeviews")
        if backup.exists():
            raise MisuseError(f"{backup} exists: restore or remove it first, nothing was changed")
        backup.write_bytes(target.read_bytes())
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, "utf-8")
    diff = difflib.unified_diff(old.splitlines(), text.splitlines(), "before", "after", lineterm="")
    undo = f"undo: move {target.name}.before-codeviews back" if old else f"undo: delete {target}"
    return "\n".join([f"wrote {target}", *diff, undo])
