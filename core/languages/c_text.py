"""C source as text that can be searched: comments, strings and directives out of the way.

Every offset is a byte offset of the file, because the bytes are read as Latin-1 (one byte, one
character) and whatever is blanked keeps its length.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from itertools import accumulate, chain
from typing import NamedTuple

_TRIVIA_PATTERN = (
    r"/(?:\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/)?|/[^\n]*+)"
    r'|"[^"\\\n]*+(?:\\\r?.[^"\\\n]*+)*+"?'
)
_CHARACTER = r"|'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'?"
_TRIVIA = re.compile(_TRIVIA_PATTERN + _CHARACTER, re.S)
_RAW_STRING = r"""|R"([^()\\\s]{0,16})\(.*?\)\1\""""
_NO_DIGIT_BEFORE = r"|(?<![0-9a-fA-F])'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'?"
_CPP_TRIVIA = re.compile(_TRIVIA_PATTERN + _RAW_STRING + _NO_DIGIT_BEFORE, re.S)
_DIRECTIVE = re.compile(r"\n[ \t]*+(#)[ \t]*+(\w++)([^\\\n]*+(?:\\\r?.[^\\\n]*+)*+)", re.S)
_FIRST_DIRECTIVE = re.compile(_DIRECTIVE.pattern.removeprefix(r"\n"), re.S)


class Directive(NamedTuple):
    """One preprocessor line: ``body`` is what follows the word, continuation lines included."""

    word: str
    start: int
    body: int
    end: int


@dataclass(slots=True)
class Text:
    """A file prepared for scanning.

    ``raw`` is the file, ``plain`` has comments and the inside of literals blanked, ``code`` has the
    directives blanked too.
    """

    raw: str
    plain: str = ""
    code: str = ""
    directives: list[Directive] = field(default_factory=list[Directive])
    branches: list[int] = field(default_factory=list[int])
    ends: list[int] = field(default_factory=list[int])  # one past the end of each line
    comments: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    comment_starts: list[int] = field(default_factory=list[int])
    column_end: int = -2  # the last "\n}" found, -1 when there is none further on
    budget: int = 0  # characters that bracket matching may still look at again

    def line(self, offset: int) -> int:
        """1-based line of a byte offset."""
        return bisect_right(self.ends, offset) + 1

    def doc(self, start: int) -> str:
        """The comment block that ends right before ``start``, without its decoration."""
        at = bisect_right(self.comment_starts, start) - 1
        if at < 0:
            return ""
        begin, end = self.comments[at]
        between = self.raw[end:start]
        if between.strip() or between.count("\n") > 1:
            return ""
        if self.raw.startswith("//", begin):
            begin = self._first_of_run(at)
        return comment_words(self.raw[begin:end])

    def _first_of_run(self, at: int) -> int:
        while at and self.raw.startswith("//", self.comments[at - 1][0]):
            if self.raw[self.comments[at - 1][1] : self.comments[at][0]].strip(" \t\r\n"):
                break
            if self.raw.count("\n", self.comments[at - 1][1], self.comments[at][0]) > 1:
                break
            at -= 1
        return self.comments[at][0]

    def branch_between(self, start: int, end: int) -> bool:
        """Whether an ``#else`` or ``#elif`` stands in the span: then braces may not balance."""
        at = bisect_left(self.branches, start)
        return at < len(self.branches) and self.branches[at] < end


def read(source: bytes, is_cpp: bool = False) -> Text:
    """Prepare a file; linear in its size, whatever the bytes."""
    text = Text(source.decode("latin-1"), budget=8 * len(source) + 100_000)
    text.ends = list(accumulate([len(line) + 1 for line in source.split(b"\n")]))
    _blank_trivia(text, _CPP_TRIVIA if is_cpp else _TRIVIA)
    _blank_directives(text)
    text.comment_starts = [start for start, _ in text.comments]
    return text


def _blank_trivia(text: Text, trivia: re.Pattern[str]) -> None:
    raw = text.raw
    parts: list[str] = []
    last = 0
    for match in trivia.finditer(raw):
        start, end = match.span()
        parts.append(raw[last:start])
        last = end
        if raw[start] == "/":
            parts.append(" " * (end - start))
            text.comments.append((start, end))
        else:
            quote = '"' if raw[start] == "R" else raw[start]
            parts.append(quote + " " * (end - start - 2) + quote * (end - start > 1))
    parts.append(raw[last:])
    text.plain = "".join(parts)


def _blank_directives(text: Text) -> None:
    plain = text.plain
    parts: list[str] = []
    last = 0
    first = _FIRST_DIRECTIVE.match(plain)
    found = _DIRECTIVE.finditer(plain, first.end() if first else 0)
    for match in chain((first,), found) if first else found:
        start, end = match.start(1), match.end()
        parts.append(plain[last:start])
        parts.append(" " * (end - start))
        last = end
        word = match[2]
        text.directives.append(Directive(word, start, match.start(3), end))
        if word.startswith("el"):
            text.branches.append(start)
    parts.append(plain[last:])
    text.code = "".join(parts)


_DECORATION = re.compile(r"^[ \t]*(?:/\*+!?|\*+/|\*+|//+[!/]?)[ \t]?|\*+/[ \t]*$", re.M)


def comment_words(comment: str) -> str:
    """A comment's text as UTF-8 without stars and slashes; at most 2,000 characters."""
    words = _DECORATION.sub("", comment[:4000]).strip()
    return words[:2000].encode("latin-1").decode("utf-8", "replace")


def words(text: str, limit: int = 300) -> str:
    """Text on one line, at most ``limit`` characters, as UTF-8."""
    if len(text) > 4 * limit:
        text = text[: 4 * limit]
    if "\n" in text or "\t" in text or "  " in text:
        text = " ".join(text.split())
    flat = text.strip()[:limit]
    return flat if flat.isascii() else flat.encode("latin-1").decode("utf-8", "replace")
