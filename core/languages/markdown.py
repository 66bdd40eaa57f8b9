"""Markdown: headings with their sections; code blocks belong to the section that holds them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from codeviews.core.facts import FileFacts
from codeviews.core.languages.outline import MAX_SYMBOLS, Item, Lines, outline, paragraph_after

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t\r]*$")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t\r]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_NOT_A_TITLE = re.compile(r"\s*(?:[-*+>|#]|\d+[.)]\s|```|~~~|\||<|$)|    ")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")


def extract(path: str, source: bytes) -> FileFacts:
    """Headings (``#`` and underlined ones) as symbols whose span is their section."""
    lines = Lines(source)
    items = list(islice(_items(lines), MAX_SYMBOLS + 1))
    doc = paragraph_after(lines, items[0].line) if items else paragraph_after(lines, 0)
    return outline("markdown", path, lines, items, doc)


def _items(lines: Lines) -> Iterator[Item]:
    fence = ""
    start = _front_matter_end(lines)
    for number, text in enumerate(lines.text[start:], start + 1):
        opened = _FENCE.match(text)
        if fence or opened:
            fence = _next_fence(fence, text, opened[1] if opened else "")
            continue
        if atx := _ATX.match(text):
            yield _heading(lines, len(atx[1]), atx[2] or "", number, number)
        elif number > start + 1 and (setext := _SETEXT.match(text)):
            above = lines.text[number - 2]
            if not _NOT_A_TITLE.match(above):
                level = 1 if setext[1].startswith("=") else 2
                yield _heading(lines, level, above, number - 1, number)


def _heading(lines: Lines, level: int, title: str, line: int, last: int) -> Item:
    name = " ".join(_LINK.sub(r"\1", title).replace("`", "").strip("*_ \t\r").split())
    return Item(
        level, name[:120] or "-", "heading", line, title.strip(), paragraph_after(lines, last)
    )


def _next_fence(fence: str, text: str, mark: str) -> str:
    """The fence that is open behind this line, "" for none."""
    if not fence:
        return mark
    closes = mark.startswith(fence[0]) and len(mark) >= len(fence) and not text.strip(" \t\r`~")
    return "" if closes else fence


def _front_matter_end(lines: Lines) -> int:
    """How many lines a YAML or TOML header between ``---`` or ``+++`` lines takes."""
    mark = lines.text[0].strip()
    if mark not in ("---", "+++"):
        return 0
    for number, text in enumerate(lines.text[1:200], 2):
        if text.strip() == mark:
            return number
    return 0
