"""YAML: the keys of its mappings, nested; a list item that names itself is a key too."""

from __future__ import annotations

import re
from collections.abc import Iterator

from codeviews.core.facts import FileFacts
from codeviews.core.languages.outline import (
    Item,
    Lines,
    comment_above,
    header_comment,
    indent_of,
    outline,
)

_PLAIN = (
    r"[^\s#&*!|>'\"%@`{}\[\],:-][^#:]{0,199}?"  # may hold spaces, not colons
    r"|[^\s#:{}\[\],'\"-](?:[^\s#:]|:(?=\S)){0,199}|<<"
)
_KEY = re.compile(
    r"(?P<indent> *)(?P<dashes>(?:- +)*)"
    r"(?:\"(?P<double>[^\"]{1,200})\"|'(?P<single>[^']{1,200})'" + f"|(?P<plain>{_PLAIN}))"
    r" *:(?:[ \t]+(?P<value>.*))?$"
)
_BLOCK_SCALAR = re.compile(r"(?:[&!]\S+\s+)*[|>][-+0-9]*\s*(?:#.*)?$")
_LIST_SCALAR = re.compile(r"( *)(?:- +)+[|>][-+0-9]*$")
_NAMING_KEYS = ("name", "id", "title", "key")
TOP_LEVEL_BYTES = 1_000_000
"""Above this only keys without indentation are listed."""


def extract(path: str, source: bytes) -> FileFacts:
    """Keys with their nested span; the comment above a key is its doc."""
    lines = Lines(source)
    items = _items(lines, top_only=len(source) > TOP_LEVEL_BYTES)
    return outline("yaml", path, lines, items, header_comment(lines))


def _items(lines: Lines, top_only: bool) -> Iterator[Item]:
    scalar_indent = -1
    for number, raw in enumerate(lines.text, 1):
        text = raw.rstrip()
        if not text or (scalar_indent >= 0 and indent_of(text) > scalar_indent):
            continue
        scalar_indent = -1
        match = _KEY.match(text) if ":" in text else None
        if match is None:
            if item := _LIST_SCALAR.match(text):
                scalar_indent = len(item[1])
            continue
        value = match["value"] or ""
        if _BLOCK_SCALAR.match(value):
            scalar_indent = len(match["indent"]) + len(match["dashes"])
        if not top_only or not match["indent"]:
            yield from _key(lines, number, match, value)


def _key(lines: Lines, number: int, match: re.Match[str], value: str) -> Iterator[Item]:
    indent = len(match["indent"])
    column = indent + len(match["dashes"])
    name = match["double"] or match["single"] or match["plain"]
    signature = match[0].strip()
    if match["dashes"] and name in _NAMING_KEYS and (own := value.strip("'\" ")):
        # A list may stand as deep as the key it belongs to, so an item is half a level deeper.
        yield Item(2 * indent + 1, own[:80], "key", number, signature)
        return
    if match["dashes"]:
        yield Item(2 * indent + 1, "", "", number)
    doc = "" if match["dashes"] else comment_above(lines, number)
    yield Item(2 * column, name.strip(), "key", number, signature, doc)
