"""What a model endpoint saw: one :class:`Exchange` per request, whoever answered it.

The scripted model and the relay in front of a real endpoint both keep this log, so the harness
reads the tools of the first request, tokens per call and model time in one way.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model call. ``fresh`` input was neither read from nor written to the cache."""

    fresh: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0

    @property
    def input(self) -> int:
        """All input tokens, cached or not."""
        return self.fresh + self.cache_read + self.cache_write

    @property
    def total(self) -> int:
        """Input and output; the study's cost measure (section IV-D b)."""
        return self.input + self.output

    def __add__(self, other: Usage) -> Usage:
        """Sum per kind of token."""
        return Usage(
            self.fresh + other.fresh,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
            self.output + other.output,
        )


NO_USAGE = Usage()


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request to a model endpoint and its reply.

    ``started`` and ``ended`` are ``time.monotonic`` seconds; ``tools`` are the names offered to the
    model, ``requested`` those it called; ``side`` marks requests that carry no tools (titles, token
    counts), which are no turn of the agent.
    """

    started: float
    ended: float
    status: int
    model: str = ""
    tools: tuple[str, ...] = ()
    requested: tuple[str, ...] = ()
    usage: Usage = NO_USAGE
    stop_reason: str = ""
    step: int = 0
    side: bool = False
    error: str = ""


@dataclass(slots=True)
class ExchangeLog:
    """A thread-safe list of exchanges, and the whole body of the first request that had tools."""

    exchanges: list[Exchange] = field(default_factory=list[Exchange])
    first_body: dict[str, Any] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, exchange: Exchange, body: dict[str, Any] | None = None) -> None:
        """Append one exchange; the first body with tools is kept."""
        with self._lock:
            self.exchanges.append(exchange)
            if self.first_body is None and body is not None and exchange.tools:
                self.first_body = body

    def turns(self) -> list[Exchange]:
        """The agent's own model calls that were answered, in order."""
        with self._lock:
            return [e for e in self.exchanges if not e.side and e.status == 200]

    def first_tools(self) -> tuple[str, ...]:
        """Names offered to the model in the first request of the agent."""
        with self._lock:
            return next((e.tools for e in self.exchanges if not e.side), ())

    def seen(self, step: int) -> int:
        """How many requests for this step came before (errors included)."""
        with self._lock:
            return sum(1 for e in self.exchanges if e.step == step and not e.side)
