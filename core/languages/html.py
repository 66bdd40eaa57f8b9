"""HTML and the templates written in it (Django, Jinja): headings, ids, blocks, macros, includes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from codeviews.core.facts import FileFacts, Import
from codeviews.core.languages.outline import Item, Lines, outline

_NAMED = re.compile(
    r"<h(?P<level>[1-6])\b[^<>]{0,300}>(?P<title>.{0,300}?)</h[1-6]\s*>"
    r"|\{%[-+]?\s*(?:block|macro|define|partialdef)\s+(?P<block>[\w.-]+)(?P<arguments>\([^)]{0,200}\))?"
    r"|\{%[-+]?\s*(?P<end>end(?:block|macro|define|partialdef))\b"
    r"|<[a-z][\w-]{0,40}\b[^<>]{0,400}?\sid\s*=\s*[\"']?(?P<id>[\w:.-]{1,100})"
    r"|<title>(?P<page>[^<]{0,300})",
    re.IGNORECASE,
)
_INCLUDE = re.compile(
    r"\{%[-+]?\s*(?:extends|include|import|from)\s+[\"']([^\"']{1,300})[\"']"
    r"|\{\{\s*(?:template|>)\s*[\"']?([\w./-]{1,300})"
    r"|<script\b[^<>]{0,300}?\ssrc\s*=\s*[\"']([^\"'{}]{1,300})[\"']",
    re.IGNORECASE,
)
_TAG = re.compile(r"<[^<>]{0,300}>|\{[{%].{0,300}?[%}]\}")
HEADING_LEVEL = 500
"""Headings and ids stand inside whatever block they are in."""


def extract(path: str, source: bytes) -> FileFacts:
    """Blocks and macros as targets, headings and ids inside them; included templates as imports."""
    lines = Lines(source)
    return outline("html", path, lines, _items(lines), _page_title(lines), _includes(lines))


def _items(lines: Lines) -> Iterator[Item]:
    depth = 0
    ends = _block_ends(lines)
    for number, text in enumerate(lines.text, 1):
        if "<" not in text and "{%" not in text:
            continue
        for match in _NAMED.finditer(text):
            if match["end"]:
                depth = max(0, depth - 1)
            elif match["block"]:
                last = ends.get((number, match.end()), 0)
                signature = match[0].lstrip("{%-+ ")
                yield Item(depth, match["block"], "target", number, signature, "", last)
                depth += 1
            else:
                yield from _element(number, match)


def _element(number: int, match: re.Match[str]) -> Iterator[Item]:
    if match["level"]:
        title = " ".join(_TAG.sub("", match["title"]).split())
        if title:
            level = HEADING_LEVEL + int(match["level"])
            yield Item(level, title[:120], "heading", number, title)
    elif match["id"]:
        yield Item(HEADING_LEVEL + 9, match["id"], "key", number, match[0], "", number)


def _block_ends(lines: Lines) -> dict[tuple[int, int], int]:
    """The closing line of every block, by the line and column behind its opening words."""
    ends: dict[tuple[int, int], int] = {}
    open_blocks: list[tuple[int, int]] = []
    for number, text in enumerate(lines.text, 1):
        if "{%" not in text:
            continue
        for match in _NAMED.finditer(text):
            if match["block"]:
                open_blocks.append((number, match.end()))
            elif match["end"] and open_blocks:
                ends[open_blocks.pop()] = number
    return ends


def _page_title(lines: Lines) -> str:
    for text in lines.text[:200]:
        for match in _NAMED.finditer(text):
            if match["page"]:
                return " ".join(_TAG.sub("", match["page"]).split())
    return ""


def _includes(lines: Lines) -> list[Import]:
    return [
        Import(match[1] or match[2] or match[3], "", "", number)
        for number, text in enumerate(lines.text, 1)
        for match in _INCLUDE.finditer(text)
    ]
