"""INI, ``.cfg``, ``.conf`` and ``.properties``: sections with their keys."""

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

_SECTION = re.compile(r"\[([^\]\n]+)\]\s*(?:[#;].*)?$")
_KEY = re.compile(r"([\w.$*/@-][^=:\n#;]{0,120}?)\s*[=:](?!:)")


def extract(path: str, source: bytes) -> FileFacts:
    """Sections at the outer level, the keys of each below; the comment above is the doc."""
    lines = Lines(source)
    return outline("ini", path, lines, _items(lines), header_comment(lines))


def _items(lines: Lines) -> Iterator[Item]:
    for number, raw in enumerate(lines.text, 1):
        text = raw.rstrip()
        if section := _SECTION.match(text):
            name, level = section[1].strip(), 0
        elif key := _KEY.match(text):
            name, level = key[1].strip(), 1
        else:
            continue
        doc = comment_above(lines, number) or comment_above(lines, number, ";")
        yield Item(level, name, "key", number, text.strip(), doc)
