"""The map-first gate: a PreToolUse hook that denies native reads until the map has answered once.

The study forces one map query before native reads on repair tasks (section VI). State is one folder
per trial, keyed by session, because hosts without session persistence have no transcript to read. A
map call that fails does not open the gate, but :data:`PATIENCE` attempts do, so that a broken map
cannot lock an agent out of its repository. Run as a hook this file uses the standard library only.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path
from typing import Any

NATIVE_READS = "Read|Grep|Glob|Bash"
PATIENCE = 3
REASON = "Ask the repository map first: call one of its tools, then read files."


def hooks(state: Path, map_tools: str) -> dict[str, Any]:
    """The ``hooks`` table of a settings file; ``map_tools`` is a pattern of tool names."""
    run = shlex.join([sys.executable, "-I", "-S", str(Path(__file__).resolve()), str(state)])
    hook = {"hooks": [{"type": "command", "command": run, "timeout": 10}]}
    return {
        "PreToolUse": [{"matcher": f"{NATIVE_READS}|{map_tools}", **hook}],
        "PostToolUse": [{"matcher": map_tools, **hook}],
    }


def decide(event: dict[str, Any], state: Path) -> dict[str, Any] | None:
    """The hook's answer to one event: a denial, or None to let it pass."""
    session = "".join(c for c in str(event.get("session_id", "")) if c.isalnum() or c in "-_")
    opened, attempts = state / f"{session}.open", state / f"{session}.attempts"
    tool = str(event.get("tool_name", ""))
    if event.get("hook_event_name") == "PostToolUse":
        if not _failed(event.get("tool_response")):
            opened.touch()
        return None
    if tool not in NATIVE_READS.split("|"):
        _count(attempts)
        return None
    if opened.exists() or _size(attempts) >= PATIENCE:
        return None
    return _denial()


def _failed(response: Any) -> bool:
    """Whether a tool response says of itself that it is an error."""
    return isinstance(response, dict) and bool(response.get("isError") or response.get("is_error"))


def _count(path: Path) -> None:
    """One more byte; appends of one byte are atomic, so parallel hooks do not lose counts."""
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(handle, b".")
    os.close(handle)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _denial() -> dict[str, Any]:
    answer = {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": REASON,
    }
    return {"hookSpecificOutput": answer}


def main() -> None:
    """Read one event on stdin, print the denial if there is one."""
    state = Path(sys.argv[1])
    state.mkdir(parents=True, exist_ok=True)
    answer = decide(json.load(sys.stdin), state)
    if answer:
        print(json.dumps(answer))


if __name__ == "__main__":
    main()
