"""What the non-code languages share: a flat list of named lines -> nested symbols with spans.

A scanner says at which level a name stands and on which line; the section of a name ends where the
next one of its level or above begins. Nothing here knows a language.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, islice
from pathlib import PurePosixPath
from typing import NamedTuple

from codeviews.core.facts import FileFacts, Import, Symbol

MAX_SYMBOLS = 2000
"""Names kept of one file: more is data, and full text still finds it."""

MAX_DEPTH = 12
SIGNATURE_CHARS = 200
DOC_CHARS = 400
COMMENT_LINES = 20
LINE_CHARS = 1000


class Item(NamedTuple):
    """A named place. ``level`` grows inwards; ``line`` and ``end_line`` are 1-based, ``end_line`` 0
    means up to the next item of this level or above; ``span`` gives exact bytes where lines do not
    part the names (start, end). An item without ``kind`` only ends what is open at its level."""

    level: int
    name: str
    kind: str
    line: int
    signature: str = ""
    doc: str = ""
    end_line: int = 0
    span: tuple[int, int] | None = None


class Lines:
    """A file as text lines without their ends, and the byte offset of each.

    The text of a line is cut at :data:`LINE_CHARS`, so that no expression meets a megabyte; spans
    come from the offsets and stay exact.
    """

    def __init__(self, source: bytes) -> None:
        self.source = source
        text = source.decode("utf-8", "replace").removeprefix("\ufeff")
        self.text = text.split("\n")
        if "\r" in text or max(map(len, self.text)) > LINE_CHARS:
            self.text = [line[:LINE_CHARS].rstrip("\r") for line in self.text]
        ends = accumulate([len(line) + 1 for line in source.split(b"\n")])
        self.starts = [0, *ends][:-1]

    def __len__(self) -> int:
        return len(self.text)

    def is_blank(self, line: int) -> bool:
        """Whether the 1-based line holds nothing but white space."""
        return not self.text[line - 1].strip()

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Bytes of the 1-based lines ``first``..``last``, without the last line end."""
        end = self.starts[last] - 1 if last < len(self.starts) else len(self.source)
        return self.starts[first - 1], max(end, self.starts[first - 1])

    def line_of(self, offset: int) -> int:
        """The 1-based line that holds a byte offset."""
        return bisect_right(self.starts, offset)


@dataclass(slots=True)
class _Outline:
    lines: Lines
    symbols: list[Symbol]
    open: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Level and index of the symbols around the current line, outermost first."""
    ended: set[int] = field(default_factory=set[int])
    names: dict[str, int] = field(default_factory=dict[str, int])

    def add(self, item: Item) -> None:
        self.close(item.level, item.line - 1)
        if not item.kind or len(self.open) >= MAX_DEPTH:
            return
        parent = self.open[-1][1] if self.open else 0
        start, end = item.span or self.lines.span(item.line, item.end_line or item.line)
        self.symbols.append(
            Symbol(
                item.name,
                self._qualname(parent, item.name),
                item.kind,
                item.line,
                item.end_line or item.line,
                start,
                end,
                item.signature[:SIGNATURE_CHARS],
                item.doc[:DOC_CHARS],
                parent,
            )
        )
        self.open.append((item.level, len(self.symbols) - 1))
        if item.end_line:
            self.ended.add(len(self.symbols) - 1)

    def close(self, level: int, last_line: int) -> None:
        """End the open symbols of this level and deeper ones, and those that are over by now."""
        while self.open and (self.open[-1][0] >= level or self._bound() <= last_line):
            bound = min(self._bound(), last_line)
            index = self.open.pop()[1]
            if index not in self.ended:
                self._extend(index, bound)

    def _bound(self) -> int:
        """The last line that the innermost open symbol can have: where one around it ends."""
        if not self.ended:
            return len(self.lines) + 1
        ends = [self.symbols[index].end_line for _, index in self.open if index in self.ended]
        return min(ends, default=len(self.lines) + 1)

    def _extend(self, index: int, last: int) -> None:
        symbol = self.symbols[index]
        while last > symbol.end_line and self.lines.is_blank(last):
            last -= 1
        if last > symbol.end_line:
            end = self.lines.span(symbol.start_line, last)[1]
            self.symbols[index] = symbol._replace(end_line=last, end_byte=end)

    def _qualname(self, parent: int, name: str) -> str:
        above = self.symbols[parent].qualname
        wanted = f"{above}.{name}" if above else name
        count = self.names.get(wanted, 0) + 1
        self.names[wanted] = count
        return wanted if count == 1 else f"{wanted}#{count}"


def file_symbol(path: str, source: bytes, doc: str = "") -> Symbol:
    """The symbol of a file that is not code."""
    lines = source.count(b"\n") + 1
    name = PurePosixPath(path).name
    return Symbol(name, "", "file", 1, lines, 0, len(source), "", doc[:DOC_CHARS], -1)


def outline(
    language: str,
    path: str,
    lines: Lines,
    items: Iterable[Item],
    doc: str = "",
    imports: Sequence[Import] = (),
) -> FileFacts:
    """Facts of a file whose names are ``items`` in line order, at most :data:`MAX_SYMBOLS`."""
    built = _Outline(lines, [file_symbol(path, lines.source, doc)])
    source = iter(items)
    for item in islice(source, MAX_SYMBOLS):
        built.add(item)
    cut = next(source, None) is not None
    built.close(-1, built.symbols[-1].end_line if cut else len(lines))
    notes = [f"the first {MAX_SYMBOLS:,} names are listed, full text finds the rest"] if cut else []
    return FileFacts(language, built.symbols, imports=list(imports), notes=notes)


def comment_above(lines: Lines, line: int, marker: str = "#") -> str:
    """The text of the comment lines that end right above the 1-based ``line``."""
    found: list[str] = []
    for number in range(line - 1, max(line - 1 - COMMENT_LINES, 0), -1):
        text = lines.text[number - 1].strip()
        if not text.startswith(marker):
            break
        found.append(text.lstrip(marker).strip())
    return " ".join(reversed(found)).strip()


def header_comment(lines: Lines, marker: str = "#") -> str:
    """The comment a file starts with, up to its first blank or other line."""
    found: list[str] = []
    for text in lines.text[:COMMENT_LINES]:
        if not text.startswith(marker):
            break
        if not text.startswith("#!") and "SPDX-License" not in text:
            found.append(text.lstrip(marker).strip())
    return " ".join(found).strip()


def paragraph_after(lines: Lines, line: int) -> str:
    """The first prose paragraph below the 1-based ``line``, joined; "" when none is near."""
    found: list[str] = []
    for text in lines.text[line : line + COMMENT_LINES]:
        if text.strip():
            found.append(text.strip())
        elif found and _is_prose(found):
            break
        else:
            found = []
    return " ".join(found)[:DOC_CHARS] if _is_prose(found) else ""


def _is_prose(paragraph: Sequence[str]) -> bool:
    """Neither empty, nor a directive, an option, a comment, a table or a title."""
    if not paragraph or paragraph[0].startswith(
        ("..", ":", "<", "|", "+-", "#", "```", "~~~", "[!", "![")
    ):
        return False
    if re.match(r"\[[^\]]+\]:", paragraph[0]):
        return False
    return not any(len(text) > 2 and text == text[0] * len(text) for text in paragraph)


def indent_of(text: str) -> int:
    """Leading columns of white space, a tab counting as one."""
    return len(text) - len(text.lstrip())
