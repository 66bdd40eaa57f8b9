"""One way to ask a model for structured output, with retries and exact usage."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from codeviews.servers.curaloc.failures import PlanningFailure
from codeviews.servers.curaloc.records import Spent
from codeviews.servers.curaloc.settings import Settings
from codeviews.servers.curaloc.tokens import tokens_of

RETRIED = frozenset([408, 409, 425, 429, 500, 502, 503, 504, 529])
LONGEST_PAUSE_S = 60.0


class Prompt(NamedTuple):
    """A request: ``turns`` are (role, text) pairs; the answer has to fit ``schema``."""

    stage: str
    system: str
    turns: tuple[tuple[str, str], ...]
    schema: dict[str, Any]

    @property
    def tokens(self) -> int:
        """Estimated input tokens of the whole request."""
        texts = [self.system, str(self.schema), *(text for _, text in self.turns)]
        return sum(map(tokens_of, texts))


class Reply(NamedTuple):
    """``data`` is the structured answer as it came, None when there was none.

    ``reported`` False: the endpoint told no usage.
    """

    data: Any
    text: str = ""
    input: int = 0
    output: int = 0
    cached_input: int = 0
    reported: bool = True


class Refused(PlanningFailure):
    """The endpoint will not answer this request, however often it is sent."""

    def __init__(self, status: int, said: str) -> None:
        super().__init__(f"the model endpoint refused ({status}): {said}")
        self.status = status


class OddAnswer(ValueError):
    """The endpoint answered with something else than a message of its protocol."""

    def __init__(self) -> None:
        super().__init__("the answer is no message of a model")


class CutAnswer(ValueError):
    """The model reached its output limit before the answer was whole."""

    def __init__(self) -> None:
        super().__init__("the answer was cut at the model's output limit")


class ModelClient(Protocol):
    """A model endpoint."""

    model: str
    ledger: Ledger

    def ask(self, prompt: Prompt) -> Reply:
        """Ask once, retrying what can be retried.

        Raises:
            PlanningFailure: the endpoint refuses or stays out of reach.
        """
        ...


@dataclass
class Ledger:
    """Tokens by stage. ``estimated`` is our own count of the same inputs, to compare."""

    spent: dict[str, Spent] = field(default_factory=dict[str, Spent])
    estimated: int = 0

    def add(self, prompt: Prompt, reply: Reply) -> None:
        """Count an answered request."""
        self.estimated += prompt.tokens
        counts = (reply.input, reply.output, reply.cached_input, 1)
        self._more(Spent(prompt.stage, *counts, unreported=int(not reply.reported)))

    def fail(self, stage: str) -> None:
        """Count a failed request; what it used is unknown, not zero."""
        self._more(Spent(stage, failed=1))

    def of(self, stage: str) -> Spent:
        """What a stage spent so far, without what was abandoned."""
        return self.spent.get(stage, Spent(stage))

    def abandon(self, stage: str, kept: Spent | None = None) -> None:
        """Move what a stage spent since ``kept`` (or at all) to its abandoned line (H.2)."""
        old, kept = self.of(stage), kept or Spent(stage)
        key = f"{stage} (abandoned)"
        more = self.spent.pop(key, Spent(stage, retained=False))
        self.spent.pop(stage, None)
        if kept != Spent(stage):
            self.spent[stage] = kept
        self.spent[key] = more.plus(old).plus(kept, -1)

    def _more(self, spent: Spent) -> None:
        self.spent[spent.stage] = self.of(spent.stage).plus(spent)

    def lines(self) -> tuple[Spent, ...]:
        """All stages in order of first use."""
        return tuple(self.spent.values())


def retrying(
    send: Callable[[], Reply],
    prompt: Prompt,
    ledger: Ledger,
    settings: Settings,
    errors: tuple[type[Exception], ...],
) -> Reply:
    """Send until answered; overload, time-outs and cut answers are tried again with back-off.

    Raises:
        Refused: a status that another attempt does not change.
        PlanningFailure: ``settings.attempts`` attempts failed.
    """
    for attempt in range(1, settings.attempts + 1):
        try:
            reply = send()
        except errors as error:
            ledger.fail(prompt.stage)
            status = getattr(error, "status_code", None)
            if status is not None and status not in RETRIED:
                raise Refused(status, str(error)) from error
            if attempt == settings.attempts:
                raise PlanningFailure(
                    f"the model endpoint failed {attempt} times, last with "
                    f"{type(error).__name__}: {error}"
                ) from error
            time.sleep(_pause(error, attempt, settings))
        else:
            ledger.add(prompt, reply)
            return reply
    raise PlanningFailure("no attempt is allowed: settings.attempts is 0")


def _pause(error: Exception, attempt: int, settings: Settings) -> float:
    """The endpoint's own ``retry-after``, else exponential with jitter."""
    response = getattr(error, "response", None)
    asked = getattr(response, "headers", {}).get("retry-after", "") if response is not None else ""
    if str(asked).replace(".", "", 1).isdigit():
        return min(float(asked), LONGEST_PAUSE_S)
    wait = settings.pause_s * 2 ** (attempt - 1)
    return min(wait * (0.5 + random.random() / 2), LONGEST_PAUSE_S)
