"""gitignore patterns -> regular expressions that run in linear time on any name.

A pattern comes from the repository, so it may be built to make a backtracking matcher explode
(``*a*a*a*a*b``). Every part of a pattern but the last one behind a star may match at its earliest
place only (the usual argument for globs), so each becomes an atomic group.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

STAR = "*"
STARS = "**"
SLASH = "/"

_POSIX = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "\\x21-\\x7e",
    "lower": "a-z",
    "print": "\\x20-\\x7e",
    "punct": "\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e",
    "space": "\\s",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}


class Piece(NamedTuple):
    """One unit of a pattern: ``kind`` is ``*``, ``**``, ``/`` or ``one`` (matches one character, as
    the regular expression in ``regex``). ``literal`` is that character when it is a plain one."""

    kind: str
    regex: str = ""
    literal: str = ""


class NeverMatchesError(ValueError):
    """A pattern git reads as matching nothing (an unclosed ``[``, a final backslash)."""


def segments_of(pattern: str) -> list[list[Piece]]:
    """The pattern's pieces, split at its slashes.

    Raises:
        NeverMatchesError: for a pattern that can match no path.
    """
    segments: list[list[Piece]] = [[]]
    for piece in _pieces(pattern):
        if piece.kind == SLASH:
            segments.append([])
        else:
            segments[-1].append(piece)
    return segments


def literal_of(segment: list[Piece]) -> str | None:
    """The segment as plain text, or None when it holds a wildcard."""
    if all(piece.literal for piece in segment):
        return "".join(piece.literal for piece in segment)
    return None


def segment_regex(segment: list[Piece]) -> str:
    """A regular expression for one path component."""
    chunks: list[str] = [""]
    for piece in segment:
        if piece.kind in (STAR, STARS):
            chunks.append("")
        else:
            chunks[-1] += piece.regex
    if len(chunks) == 1:
        return chunks[0]
    middle = "".join(f"(?>[^/]*?{chunk})" for chunk in chunks[1:-1] if chunk)
    return f"{chunks[0]}{middle}[^/]*{chunks[-1]}"


def path_regex(segments: list[list[Piece]]) -> str:
    """A regular expression for a whole relative path; ``**`` matches any number of components."""
    groups: list[list[str]] = [[]]
    for segment in segments:
        if [piece.kind for piece in segment] == [STARS]:
            groups.append([])
        else:
            groups[-1].append(segment_regex(segment))
    return _join_groups(groups)


def _join_groups(groups: list[list[str]]) -> str:
    if len(groups) == 1:
        return "/".join(groups[0])
    head = "".join(part + "/" for part in groups[0])
    middle = "".join(
        "(?>(?:[^/]+/)*?" + "".join(part + "/" for part in group) + ")"
        for group in groups[1:-1]
        if group
    )
    tail = "(?:[^/]+/)*" + "/".join(groups[-1]) if groups[-1] else ".+"
    return head + middle + tail


def _pieces(pattern: str) -> Iterator[Piece]:
    i = 0
    while i < len(pattern):
        char = pattern[i]
        if char == "[":
            regex, i = _bracket(pattern, i + 1)
            yield Piece("one", regex)
            continue
        if char == "*":
            end = i + len(pattern[i:]) - len(pattern[i:].lstrip("*"))
            yield Piece(STARS if end - i > 1 else STAR)
            i = end
            continue
        if char == "\\":
            i += 1
            if i == len(pattern):
                raise NeverMatchesError(pattern)
            char = pattern[i]
            yield Piece(SLASH) if char == "/" else Piece("one", re.escape(char), char)
        elif char == "?":
            yield Piece("one", "[^/]")
        else:
            yield Piece(SLASH) if char == "/" else Piece("one", re.escape(char), char)
        i += 1


def _bracket(pattern: str, i: int) -> tuple[str, int]:
    """Translate a character class from behind its ``[``; also the index behind its ``]``."""
    negated = pattern.startswith(("!", "^"), i)
    i += negated
    items: list[str] = []
    first = True
    while first or pattern[i : i + 1] != "]":
        first = False
        item, i = _bracket_item(pattern, i)
        items.append(item)
    body = "".join(items)
    if negated:
        return f"[^/{body}]", i + 1
    return (f"(?!/)[{body}]" if body else "(?!)"), i + 1


def _bracket_item(pattern: str, i: int) -> tuple[str, int]:
    if pattern.startswith("[:", i):
        end = pattern.find("]", i + 2)
        if end > i + 2 and pattern[end - 1] == ":":
            name = pattern[i + 2 : end - 1]
            if name not in _POSIX:
                raise NeverMatchesError(pattern)
            return _POSIX[name], end + 1
    low, i = _bracket_char(pattern, i)
    if pattern[i : i + 1] != "-" or pattern[i + 1 : i + 2] in ("]", ""):
        return re.escape(low), i
    high, i = _bracket_char(pattern, i + 1)
    return (f"{re.escape(low)}-{re.escape(high)}" if low <= high else ""), i


def _bracket_char(pattern: str, i: int) -> tuple[str, int]:
    if pattern[i : i + 1] == "\\":
        i += 1
    if i >= len(pattern):
        raise NeverMatchesError(pattern)
    return pattern[i], i + 1
