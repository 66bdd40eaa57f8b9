"""One file = one agent host: how to start it, and how to read the stream it writes.

A host is a module with the names of :class:`Host` and one line in :data:`HOSTS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

from codeviews.harness.errors import UnknownName
from codeviews.harness.exchange import NO_USAGE, Usage

HOSTS: dict[str, str] = {
    "claude-code": "claude_code",
    "codex": "codex",
    "opencode": "opencode",
    "replay": "replay",
}


@dataclass(frozen=True, slots=True)
class Mount:
    """The MCP server of a view: its command, environment and the tools it must offer."""

    view: str
    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Launch:
    """Everything a host needs for one trial. ``scratch`` is the trial's own folder, outside
    ``workdir``; ``timeout`` is in seconds and ``budget_usd`` 0 means no budget."""

    binary: Path
    workdir: Path
    scratch: Path
    prompt: str
    base_url: str
    key: str
    model: str
    effort: str = ""
    steer: str = ""
    mount: Mount | None = None
    gate: bool = False
    max_turns: int = 0
    budget_usd: float = 0.0
    timeout: float = 1800.0
    path_prefix: str = ""


class Command(NamedTuple):
    """A child process to be: nothing is inherited but what ``env`` says."""

    argv: list[str]
    env: dict[str, str]
    cwd: Path


@dataclass(slots=True)
class SeenCall:
    """A tool call as the stream shows it, with its result."""

    id: str
    name: str
    arguments: dict[str, Any]
    output: str = ""
    is_error: bool = False
    denied: bool = False
    answered: bool = False


@dataclass(slots=True)
class SeenStep:
    """One model reply of the agent: text, calls and the tokens the host reports for it."""

    id: str
    text: str = ""
    calls: list[SeenCall] = field(default_factory=list[SeenCall])
    usage: Usage = NO_USAGE


@dataclass(slots=True)
class Outcome:
    """What a host's stream says. ``finished`` is false when the stream has no result line;
    ``mcp`` is the mounted server's status, "" when the host does not tell."""

    session: str = ""
    version: str = ""
    model: str = ""
    mcp: str = ""
    steps: list[SeenStep] = field(default_factory=list[SeenStep])
    text: str = ""
    finished: bool = False
    reason: str = ""
    api_status: int = 0
    error: str = ""
    usage: Usage = NO_USAGE
    cost_usd: float | None = None
    context_window: int = 0

    def calls(self) -> list[SeenCall]:
        """All tool calls in order."""
        return [call for step in self.steps for call in step.calls]


class Host(Protocol):
    """What a host module exposes. ``BINARY`` is "" for a host without a program; ``LIMITS`` says
    whether it obeys limits of turns and dollars."""

    NAME: str
    BINARY: str
    PACKAGE: str
    VERSION: str
    KEY: str
    UPSTREAM: str
    LIMITS: bool

    def command(self, launch: Launch) -> Command:
        """Write the host's configuration under ``launch.scratch`` and say how to start it."""
        ...

    def read(self, lines: Iterable[str]) -> Outcome:
        """Read the host's output; lines that are no events are skipped."""
        ...


def host(name: str) -> Host:
    """A host by name.

    Raises:
        UnknownName: the choices are listed.
    """
    if name not in HOSTS:
        raise UnknownName("host", name, HOSTS)
    return cast(Host, import_module(f"codeviews.harness.hosts.{HOSTS[name]}"))
