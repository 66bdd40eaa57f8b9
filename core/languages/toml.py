"""TOML: tables with their keys."""

from __future__ import annotations

import re
from collections.abc import Iterator

from codeviews.core.facts import FileFacts
from codeviews.core.languages.outline import (
    Item,
    Lines,
    comment_above,
    header_comment,
    outline,
)

_TABLE = re.compile(r"\s*\[{1,2}\s*([^\[\]]+?)\s*\]{1,2}\s*(?:#.*)?$")
_PART = r"(?:[A-Za-z0-9_-]+|\"[^\"\n]*\"|'[^'\n]*')"
_KEY = re.compile(rf"\s*({_PART}(?:\s*\.\s*{_PART})*)\s*=\s*(.*)$")
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|' + r"'[^'\n]*'")


def extract(path: str, source: bytes) -> FileFacts:
    """Tables at the outer level, the keys of each below; the comment above is the doc."""
    lines = Lines(source)
    return outline("toml", path, lines, _items(lines), header_comment(lines))


def _items(lines: Lines) -> Iterator[Item]:
    inside = ""  # the quotes of an open multi-line string
    depth = 0  # open brackets of a value that spans lines
    for number, text in enumerate(lines.text, 1):
        if inside:
            inside = "" if inside in text else inside
            continue
        if depth > 0:
            depth += _brackets(text)
            continue
        if table := _TABLE.match(text):
            yield _item(lines, 0, table[1], number, text)
        elif key := _KEY.match(text):
            yield _item(lines, 1, key[1], number, text)
            inside = _open_quotes(key[2])
            depth = 0 if inside else max(0, _brackets(key[2]))


def _item(lines: Lines, level: int, name: str, number: int, text: str) -> Item:
    plain = re.sub(r"[\"'\s]", "", name)
    return Item(level, plain, "key", number, text.strip(), comment_above(lines, number))


def _open_quotes(value: str) -> str:
    for quotes in ('"""', "'''"):
        if value.startswith(quotes) and quotes not in value[3:]:
            return quotes
    return ""


def _brackets(text: str) -> int:
    """Opened minus closed brackets, without those in strings and comments."""
    plain = _STRING.sub("", text).partition("#")[0]
    return plain.count("[") + plain.count("{") - plain.count("]") - plain.count("}")
