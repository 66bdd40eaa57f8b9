"""The record of one trial: what was run, what came out, what it cost. Versioned JSON.

A record is written once, whole, when its trial is over (``results.py``); everything a report says
is computed from records alone.
"""

from __future__ import annotations

import json
import re
from typing import Any

from pydantic import BaseModel, ConfigDict

from codeviews.harness.exchange import Usage

RECORD_VERSION = 1
VOLATILE = frozenset(["started_at", "wall", "index", "session", "context_left"])
_TREE = re.compile(r"/[^\s\"']*@[0-9a-f]{12}/\d+(?=/)")  # a slot of some cache, taken by chance


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Tokens(_Record):
    """Tokens by kind; ``fresh`` input was neither read from nor written to the cache."""

    fresh: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0

    @property
    def total(self) -> int:
        """The study's cost measure: all input and output."""
        return self.fresh + self.cache_read + self.cache_write + self.output

    @classmethod
    def of(cls, usage: Usage) -> Tokens:
        """From what a model endpoint reported."""
        return cls(
            fresh=usage.fresh,
            cache_read=usage.cache_read,
            cache_write=usage.cache_write,
            output=usage.output,
        )


class ModelCall(_Record):
    """One answered model call. ``seconds`` is the endpoint's time."""

    usage: Tokens
    seconds: float
    requested: list[str] = []
    stop_reason: str = ""


class ToolCall(_Record):
    """One tool call. ``kind`` is map, read, edit, write, bash, grep, glob or other; ``tool`` is the
    view's own name for map calls."""

    turn: int
    tool: str
    kind: str
    arguments: dict[str, Any] = {}
    output_chars: int = 0
    is_error: bool = False
    denied: bool = False


class Wall(_Record):
    """Seconds. ``start`` is host start to first request, ``model`` the endpoint's time, ``tool``
    the rest of the host's time; ``harness`` is our own work outside the host and the index."""

    total: float = 0.0
    start: float = 0.0
    model: float = 0.0
    tool: float = 0.0
    harness: float = 0.0


class IndexCost(_Record):
    """What ``codeviews index`` cost, outside the trial's clock. ``reused``: built for an earlier
    trial on the same tree and restored unchanged."""

    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_rss_mb: float = 0.0
    db_mb: float = 0.0
    files: int = 0
    symbols: int = 0
    edges: int = 0
    reused: bool = False


class HostInfo(_Record):
    """The host that ran, as it told of itself. ``snapshot`` is the model that answered."""

    name: str
    version: str = ""
    model: str = ""
    snapshot: str = ""
    effort: str = ""
    command: list[str] = []


class Prediction(_Record):
    """The trial's artifact: ranked files or symbols, or a patch. ``note`` says what was odd."""

    files: list[str] = []
    symbols: list[str] = []
    patch: str = ""
    note: str = ""


class Verdict(_Record):
    """What the grader said. ``success`` is None until graded."""

    success: bool | None = None
    metrics: dict[str, float] = {}
    grader: str = ""
    note: str = ""


class Failure(_Record):
    """Why a trial did not end by itself; ``kind`` is a line of ``policy.POLICIES``."""

    kind: str
    message: str


class Flags(_Record):
    """Signs that a result may not mean what it seems to: each list holds the evidence."""

    outside: list[str] = []
    history: list[str] = []
    network: list[str] = []
    index: list[str] = []
    leaked: list[str] = []

    @property
    def any(self) -> bool:
        """Whether anything was flagged."""
        return bool(self.outside or self.history or self.network or self.index or self.leaked)


class TrialId(BaseModel, frozen=True, extra="forbid"):
    """What makes a trial: (host, model) come from the run's configuration."""

    benchmark: str
    task: str
    workflow: str
    run: int = 0

    @property
    def slug(self) -> str:
        """Unique file name stem."""
        return f"{self.workflow}.{self.run}"


class TrialRecord(_Record):
    """Everything about one finished trial."""

    version: int = RECORD_VERSION
    id: TrialId
    config: str
    started_at: str = ""
    session: str = ""
    attempts: int = 1
    earlier: list[Failure] = []
    host: HostInfo
    failure: Failure | None = None
    prediction: Prediction = Prediction()
    verdict: Verdict = Verdict()
    calls: list[ModelCall] = []
    tools: list[ToolCall] = []
    usage: Tokens = Tokens()
    cost_usd: float | None = None
    context_left: int | None = None
    wall: Wall = Wall()
    index: IndexCost | None = None
    flags: Flags = Flags()
    repo: str = ""

    def count(self, *kinds: str) -> int:
        """Tool calls of these kinds that were not denied."""
        return sum(tool.kind in kinds and not tool.denied for tool in self.tools)

    def stable(self) -> dict[str, Any]:
        """The record without what differs from run to run by nature (times, sessions, paths)."""
        data = self.model_dump(mode="json", exclude=set(VOLATILE))
        data["host"].pop("command")
        for call in data["calls"]:
            call.pop("seconds")
        return json.loads(_TREE.sub("TREE", json.dumps(data)))
