"""Signs that a result may not mean what it seems to: what the agent touched beyond its task."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from codeviews.harness.hosts import SeenCall
from codeviews.harness.patches import added_lines
from codeviews.harness.records import Flags
from codeviews.harness.tasks import Task
from codeviews.harness.tool_names import kind

LONG_LINE = 30  # shorter lines of a fix are common in any code
MOST_EVIDENCE = 10
_PATH = re.compile(r"(?<![\w.])/(?:[\w.@+-]+/)*[\w.@+-]+")
_UPWARD = re.compile(r"(?<![\w./])(?:[\w.@+-]+/)*\.\.(?:/[\w.@+-]+)*")
_MOVED = re.compile(r"\bcd\s+\S+")
_HISTORY = re.compile(
    r"\bgit\b[^|;&\n]*\b(log|show|reflog|fsck|rev-list|cat-file|stash|fetch|pull|clone)\b"
)
_NETWORK = re.compile(
    r"\b(curl|wget|pip3? (install|download)|npm (install|i)|git (clone|fetch|pull))\b|https?://"
)
_SYSTEM = ("/bin", "/usr", "/lib", "/etc/alternatives", "/dev/null", "/proc/self", "/tmp")


def flags(task: Task, calls: Sequence[SeenCall], repo: Path, scratch: Path, index: Path) -> Flags:
    """Flags of one trial. ``leaked`` are lines of the gold patch that a tool showed the agent
    before it had changed anything."""
    commands = [_text(call) for call in calls]
    named = [(text, path) for text in commands for path in _paths(text, repo)]
    own = (str(repo), str(scratch), str(index), *_SYSTEM)
    return Flags(
        outside=_some(path for _, path in named if not _within(path, own)),
        history=_some(found[0] for text in commands if (found := _HISTORY.search(text))),
        network=_some(found[0] for text in commands if (found := _NETWORK.search(text))),
        index=_some(text for text, path in named if _within(path, (str(index),))),
        leaked=_some(_leaked(task, calls)),
    )


def _some(items: Iterator[str]) -> list[str]:
    unique = dict.fromkeys(item[:200] for item in items)
    return list(unique)[:MOST_EVIDENCE]


def _text(call: SeenCall) -> str:
    """The part of a native call that names files or runs something."""
    if kind(call.name) == "map":
        return ""
    keys = ("command", "cmd", "file_path", "filePath", "path")
    return " ".join(str(call.arguments[key]) for key in keys if key in call.arguments)


def _paths(text: str, repo: Path) -> Iterator[str]:
    """The absolute paths a command names, and relative ones that go upward, without ``..``; after
    a change of folder relative ones mean something else and are left alone."""
    yield from (os.path.normpath(path) for path in _PATH.findall(text))
    moved = _MOVED.search(text)
    for path in _UPWARD.findall(text[: moved.end()] if moved else text):
        yield os.path.normpath(repo / path)


def _within(path: str, roots: Sequence[str]) -> bool:
    return any(path == root or path.startswith(f"{root}/") for root in roots)


def _leaked(task: Task, calls: Sequence[SeenCall]) -> Iterator[str]:
    gold = [line for line in added_lines(task.gold.patch) if len(line) >= LONG_LINE]
    for call in calls:
        if kind(call.name) in ("edit", "write"):
            return
        yield from (line for line in gold if line in call.output)
