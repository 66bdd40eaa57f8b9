"""The three wire formats a scripted model speaks, as pure functions of (request, step).

Each format is one module with the functions of :class:`Wire`; tool names are translated from the
behaviour's own (``Read``, ``map:explore``) to those the host offered in this request.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from codeviews.harness.behaviour import Step

Body = dict[str, Any]
SERVER = "codeviews"  # the name under which hosts mount the view


class ToolCall(NamedTuple):
    """A call as this host wants it. ``arguments`` is JSON text, malformed on purpose at times."""

    id: str
    name: str
    arguments: str
    namespace: str = ""


class Reply(NamedTuple):
    """One model reply before it is written in a wire format."""

    turn: int
    model: str
    step: Step
    calls: Sequence[ToolCall]


class Wire(Protocol):
    """What a wire format module exposes."""

    def turns(self, body: Body) -> int:
        """How many assistant messages the request holds."""
        ...

    def tools(self, body: Body) -> list[str]:
        """Names of the tools offered, ``namespace/name`` where the host nests them."""
        ...

    def reply(self, reply: Reply) -> Body:
        """The whole JSON answer."""
        ...

    def events(self, reply: Reply) -> Iterator[bytes]:
        """The answer as server-sent events."""
        ...

    def error(self, status: int, message: str) -> Body:
        """The body of an API error."""
        ...


def pieces(text: str, size: int = 24) -> Iterator[str]:
    """Text in the small parts a stream sends."""
    for start in range(0, len(text), size):
        yield text[start : start + size]
