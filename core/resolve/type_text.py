"""Types as written, in any language: ``&mut Vec<a::B>``, ``[K: V]``, ``List[_ <: T]``, ``A?``."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

ARRAY = "[]"
TUPLE = "()"
FUNCTION = "->"
UNION = "|"
MAX_DEPTH = 12

_NOISE = re.compile(
    r"'\w+\b(?!')|@[\w.]+(?:\([^()]*\))?|\b(?:mut|dyn|impl|const|ref|final|in|out|inout|some|any"
    r"|typename|readonly|params|this|vararg|lazy|implicit|using|extends|where|for\s*<[^>]*>)\b\s|[&*?!]|=>\s*(?=\w)"
)
_NAME = re.compile(r"[\w$]+(?:\s*(?:::|\.|\\)\s*[\w$]+)*|\\[\w$\\]+")


class Written(NamedTuple):
    """A parsed type: a dotted name (or one of the marks above) and its arguments."""

    name: str
    args: tuple[Written, ...] = ()


NOTHING = Written("")


@lru_cache(maxsize=65_536)
def parse_type(text: str) -> Written:
    """Parse loosely; what is not understood is dropped, never an error."""
    if not text or len(text) > 400:
        return NOTHING
    return _Parser(_NOISE.sub(" ", text.replace("?", "").replace("!", "") + " ")).union(0)


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def peek(self) -> str:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        return self.text[self.at : self.at + 1]

    def take(self, token: str) -> bool:
        if self.peek() and self.text.startswith(token, self.at):
            self.at += len(token)
            return True
        return False

    def union(self, depth: int) -> Written:
        parts = [self.single(depth)]
        while self.take("|") or self.take("+") or self.take("&"):
            parts.append(self.single(depth))
        parts = [
            part for part in parts if part.name not in ("", "null", "false", "static lifetime")
        ]
        if not parts:
            return NOTHING
        return parts[0] if len(parts) == 1 else Written(UNION, tuple(parts))

    def single(self, depth: int) -> Written:
        if depth > MAX_DEPTH:
            self.at = len(self.text)
            return NOTHING
        found = self.atom(depth)
        while self.take("[]"):
            found = Written(ARRAY, (found,))
        if self.take("->"):
            return Written(FUNCTION, (found, self.union(depth + 1)))
        return found

    def atom(self, depth: int) -> Written:
        if self.take("("):
            inside = self.items(")", depth)
            return inside[0] if len(inside) == 1 else Written(TUPLE, inside)
        if self.take("["):
            return Written(ARRAY, self.items("]", depth))
        match = _NAME.match(self.text, self.at) if self.peek() else None
        if match is None:
            self.at += 1
            return NOTHING
        self.at = match.end()
        name = re.sub(r"\s*(?:::|\.|\\)\s*", ".", match[0]).lstrip(".")
        return Written(name, self.arguments(depth))

    def arguments(self, depth: int) -> tuple[Written, ...]:
        self.take("::")
        if self.take("<"):
            return self.items(">", depth)
        if self.peek() == "[" and not self.text.startswith("[]", self.at):
            self.at += 1
            return self.items("]", depth)
        if self.take("("):
            inside = self.items(")", depth)
            return (Written(TUPLE, inside), self.union(depth + 1) if self.take("->") else NOTHING)
        return ()

    def items(self, close: str, depth: int) -> tuple[Written, ...]:
        found: list[Written] = []
        while self.peek() and not self.take(close):
            before = self.at
            item = self.union(depth + 1)
            if item is not NOTHING:
                found.append(item)
            if self.take(":") or self.take("=") or self.take(";") or self.take(","):
                continue
            if self.at == before:
                self.at += 1
        return tuple(found)
