"""JSON (also with comments): the keys of its objects, nested, with exact spans on any layout."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from codeviews.core.facts import FileFacts
from codeviews.core.languages.outline import MAX_SYMBOLS, Item, Lines, outline

_TOKEN = re.compile(
    rb'"(?:[^"\\\n]++|\\.)*+(?:"(\s*+:)?)?|//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+|[{}\[\],]', re.DOTALL
)
"""Possessive throughout: a string or comment without an end takes the rest and costs no retries."""
MAX_LEVEL = 5
TOP_LEVEL_BYTES = 1_000_000
"""Above this only the keys of the outermost object are listed."""


@dataclass(slots=True)
class _Open:
    """A key whose value has not ended."""

    depth: int
    name: str
    start: int


@dataclass(slots=True)
class _Scan:
    limit: int
    depth: int = 0
    open: list[_Open] = field(default_factory=list[_Open])
    found: list[tuple[int, int, int, str]] = field(default_factory=list[tuple[int, int, int, str]])
    """(start, end, depth, name) of finished keys."""

    def end_value(self, end: int) -> None:
        if self.open and self.open[-1].depth == self.depth:
            key = self.open.pop()
            self.found.append((key.start, end, key.depth, key.name))


def extract(path: str, source: bytes) -> FileFacts:
    """Keys down to five levels; objects in arrays add to the key that holds the array."""
    lines = Lines(source)
    limit = 1 if len(source) > TOP_LEVEL_BYTES else MAX_LEVEL
    return outline("json", path, lines, _items(lines, _keys(source, limit)))


def _items(lines: Lines, keys: list[tuple[int, int, int, str]]) -> Iterator[Item]:
    for start, end, depth, name in keys:
        last = max(start, end - 1)
        text = lines.source[start : min(end, start + 200)].decode("utf-8", "replace")
        yield Item(
            depth,
            name,
            "key",
            lines.line_of(start),
            " ".join(text.split()),
            end_line=lines.line_of(last),
            span=(start, end),
        )


def _keys(source: bytes, limit: int) -> list[tuple[int, int, int, str]]:
    scan = _Scan(limit)
    end = 0
    for token in _TOKEN.finditer(source):
        text = token[0]
        if text.startswith(b'"'):
            if token[1] is not None and scan.depth <= limit:
                name = text[1 : text.rindex(b'"')].decode("utf-8", "replace")
                scan.open.append(_Open(scan.depth, name[:120], token.start()))
        elif text in b"{[":
            scan.depth += 1
        elif text in b"}]":
            scan.end_value(_end_of_value(source, token.start()))
            scan.depth -= 1
        elif text == b",":
            scan.end_value(token.start())
        if len(scan.found) > 2 * MAX_SYMBOLS:
            break
        end = token.end()
    while scan.open:
        scan.depth = scan.open[-1].depth
        scan.end_value(end)
    return sorted(scan.found)


def _end_of_value(source: bytes, bracket: int) -> int:
    """Where a value ends that is the last before its closing bracket: without white space."""
    end = bracket
    while end > 0 and source[end - 1] in b" \t\r\n":
        end -= 1
    return end
