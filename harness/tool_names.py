"""Tool names and arguments across hosts.

Behaviours and records use Claude Code's names. ``to_host`` writes a call as the host offered it;
``kind`` and ``map_tool`` read names from any host's stream.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from codeviews.harness.wire import SERVER, ToolCall

Arguments = Mapping[str, Any]

NATIVE = ("Read", "Edit", "Write", "Bash", "Grep", "Glob")
"""The pinned built-in tools of the study (section IV-C)."""

_KINDS = {
    "read": "read",
    "edit": "edit",
    "multiedit": "edit",
    "apply_patch": "edit",
    "patch": "edit",
    "write": "write",
    "bash": "bash",
    "exec_command": "bash",
    "command_execution": "bash",
    "shell": "bash",
    "grep": "grep",
    "glob": "glob",
    "list": "glob",
}

_OPENCODE_ARGUMENTS = {
    "file_path": "filePath",
    "old_string": "oldString",
    "new_string": "newString",
}

# curaloc has no explore: its entry takes a report
_ENTRY = {"query": "report"}

_SHELL: dict[str, Callable[[Arguments], str]] = {
    "Bash": lambda a: str(a.get("command", "")),
    "Read": lambda a: f"cat {shlex.quote(str(a.get('file_path', '')))}",
    "Grep": lambda a: f"grep -rn {shlex.quote(str(a.get('pattern', '')))} .",
    "Glob": lambda a: f"find . -name {shlex.quote(str(a.get('pattern', '')))}",
    "Write": lambda a: _write_command(a),
    "Edit": lambda a: _edit_command(a),
}


def _write_command(arguments: Arguments) -> str:
    content = shlex.quote(str(arguments.get("content", "")))
    return f"printf %s {content} > {shlex.quote(str(arguments.get('file_path', '')))}"


def _edit_command(arguments: Arguments) -> str:
    script = (
        "import pathlib,sys;p=pathlib.Path(sys.argv[1]);"
        "p.write_text(p.read_text().replace(sys.argv[2],sys.argv[3],1))"
    )
    keys = ("file_path", "old_string", "new_string")
    return shlex.join(["python3", "-c", script, *(str(arguments.get(key, "")) for key in keys)])


def kind(name: str) -> str:
    """``map``, a native kind (read, edit, write, bash, grep, glob) or ``other``."""
    return "map" if map_tool(name) else _KINDS.get(name.lower(), "other")


def map_tool(name: str) -> str:
    """The view's own name of a mounted tool (``callers_of``), or "" for any other tool."""
    for prefix in (f"mcp__{SERVER}__", f"mcp__{SERVER}/", f"{SERVER}_", f"{SERVER}/"):
        if name.startswith(prefix):
            return name[len(prefix) :]
    return ""


def offered_map(tools: Sequence[str]) -> list[str]:
    """Those of the offered tools that belong to the mounted view."""
    return [name for name in tools if map_tool(name)]


def to_host(id: str, tool: str, arguments: Arguments, offered: Sequence[str]) -> ToolCall:
    """A behaviour's call as the host that offered these tools understands it."""
    if tool.startswith("map:"):
        return _to_map(id, tool[4:], arguments, offered)
    if "exec_command" in offered:
        command = _SHELL[tool](arguments) if tool in _SHELL else tool
        return ToolCall(id, "exec_command", json.dumps({"cmd": command}))
    if tool.lower() in offered and tool not in offered:
        renamed = {_OPENCODE_ARGUMENTS.get(key, key): value for key, value in arguments.items()}
        if tool == "Bash":
            renamed.setdefault("description", "run a command")
        return ToolCall(id, tool.lower(), json.dumps(renamed))
    return ToolCall(id, tool, json.dumps(dict(arguments)))


def _to_map(id: str, name: str, arguments: Arguments, offered: Sequence[str]) -> ToolCall:
    names = offered_map(offered)
    if name == "explore" and not any(_is(map_tool(t), name) for t in names):
        name, arguments = "localize", {_ENTRY.get(key, key): v for key, v in arguments.items()}
    found = next((t for t in names if _is(map_tool(t), name)), "")
    namespace, _, bare = (found or f"mcp__{SERVER}__{name}").rpartition("/")
    return ToolCall(id, bare, json.dumps(dict(arguments)), namespace)


def _is(tool: str, name: str) -> bool:
    return tool == name or tool.endswith(f"_{name}")
