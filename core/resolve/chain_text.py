"""Reading back the chains that :mod:`codeviews.core.languages.chains` writes."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

NAME, NEW, VALUE, MEMBER, PATH, CALL, INDEX, UNWRAP, LAMBDA = (
    "name", "new", "value", "member", "path", "call", "index", "unwrap", "lambda",
)  # fmt: skip
MAX_STEPS = 64
_OPEN = "<([{"
_CLOSE = ">)]}"


class Step(NamedTuple):
    """One step of a chain: the operation and the name it bears."""

    operation: str
    name: str = ""


@lru_cache(maxsize=65_536)
def parse_chain(text: str) -> tuple[Step, ...]:
    """The steps of a chain; ``()`` when it is empty or unknown."""
    text = text.strip()
    if not text or text.startswith("?"):
        return ()
    steps, at = _primary(text)
    while at < len(text) and len(steps) < MAX_STEPS:
        step, at = _step(text, at)
        if step is None:
            return ()
        steps.append(step)
    return tuple(steps)


def _primary(text: str) -> tuple[list[Step], int]:
    if text.startswith("new "):
        end = _type_end(text, 4)
        return [Step(NEW, text[4:end])], end
    if text.startswith("<"):
        end = _matching(text, 0)
        return [Step(VALUE, text[1 : end - 1])], end
    end = _word_end(text, 0)
    return ([Step(NAME, text[:end].strip())] if end else []), end


def _step(text: str, at: int) -> tuple[Step | None, int]:
    if text.startswith("()", at):
        return Step(CALL), at + 2
    if text.startswith("[]", at):
        return Step(INDEX), at + 2
    if text[at] == "!":
        return Step(UNWRAP), at + 1
    if text[at] == "\\":
        return Step(LAMBDA, text[at + 1 :]), len(text)
    for mark, operation in (("::", PATH), (".", MEMBER)):
        if text.startswith(mark, at):
            start = at + len(mark)
            end = _word_end(text, start)
            name = text[start:end].strip()
            return (Step(operation, name) if name else None), end
    return None, len(text)


def _type_end(text: str, at: int) -> int:
    """End of the type after ``new``, which may be dotted."""
    while at < len(text) and text[at] != "(":
        at = _matching(text, at) if text[at] == "<" else at + 1
    return at


def _word_end(text: str, at: int) -> int:
    """End of a name with type arguments, before the next separator."""
    while at < len(text):
        char = text[at]
        if char == "<":
            at = _matching(text, at)
            continue
        if char in ".(!\\" or text.startswith(("::", "[]"), at):
            return at
        at += 1
    return at


def _matching(text: str, at: int) -> int:
    depth = 0
    while at < len(text):
        depth += (text[at] in _OPEN) - (text[at] in _CLOSE and text[at - 1] != "-")
        at += 1
        if depth <= 0:
            return at
    return at
