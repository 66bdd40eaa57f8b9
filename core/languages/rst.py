"""reStructuredText: titles with their sections, and directives that describe an object."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from codeviews.core.facts import FileFacts
from codeviews.core.languages.outline import (
    MAX_SYMBOLS,
    Item,
    Lines,
    indent_of,
    outline,
    paragraph_after,
)

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1{2,}[ \t\r]*$")
_OBJECT = re.compile(
    r"\s*\.\.\s+(?:[a-z]+:)?(function|class|method|classmethod|staticmethod|attribute|data|exception"
    r"|decorator|module|automodule|autoclass|autofunction|setting|option|envvar|confval|command"
    r"|django-admin|django-admin-option|templatetag|templatefilter|fieldlookup|macro|type|struct"
    r"|member|var|enum|property|kernel-doc|describe|object)::[ \t]+(\S.*)"
)
_NAME = re.compile(r"[\w.$*/:-]+")
OBJECT_LEVEL = 1000


def extract(path: str, source: bytes) -> FileFacts:
    """Titles as headings by the order their adornments appear; described objects as keys."""
    lines = Lines(source)
    return outline_of("rst", path, lines, list(islice(items_of(lines), MAX_SYMBOLS + 1)))


def outline_of(language: str, path: str, lines: Lines, items: list[Item]) -> FileFacts:
    """Facts from scanned items; the file's doc is its first paragraph."""
    titles = [item for item in items if item.kind == "heading"]
    return outline(language, path, lines, items, titles[0].doc if titles else "")


def items_of(lines: Lines) -> Iterator[Item]:
    """Titles and described objects in line order."""
    styles: list[str] = []
    for number, text in enumerate(lines.text, 1):
        if not text or text[0].isalnum() or (text[0] == " " and ".. " not in text):
            continue
        if found := _OBJECT.match(text):
            if not _title_follows(lines, number):
                yield _object(lines, number, text, found[1], found[2])
        elif title := _title(lines, number, text):
            style, line = title
            if style not in styles:
                styles.append(style)
            name = " ".join(lines.text[line - 1].replace("`", "").split())
            doc = paragraph_after(lines, number)
            yield Item(styles.index(style), name[:120], "heading", line, name, doc)


def _title(lines: Lines, number: int, text: str) -> tuple[str, int] | None:
    """Style and line of the title that the adornment on line ``number`` closes."""
    mark = _ADORNMENT.match(text)
    if mark is None or number < 2:
        return None
    title = lines.text[number - 2]
    above = lines.text[number - 3].rstrip() if number > 2 else ""
    length = len(text.rstrip())
    if not title.strip() or _ADORNMENT.match(title) or length + 2 < len(title.rstrip()):
        return None
    if above == text.rstrip():
        return mark[1] * 2, number - 1
    plain = title == title.lstrip() and not above.strip()
    return (mark[1], number - 1) if plain else None


def _title_follows(lines: Lines, number: int) -> bool:
    """Whether the directive on line ``number`` only labels the title right below it."""
    below = [text for text in lines.text[number : number + 6] if text.strip()][:2]
    return len(below) == 2 and _ADORNMENT.match(below[1]) is not None


def _object(lines: Lines, number: int, text: str, directive: str, argument: str) -> Item:
    name = _NAME.match(argument)
    indent = indent_of(text)
    last = _block_end(lines, number, indent)
    level = OBJECT_LEVEL + indent
    signature = f"{directive} {argument.strip()}"
    doc = paragraph_after(lines, number) if last > number else ""
    return Item(level, name[0] if name else argument[:80], "key", number, signature, doc, last)


def _block_end(lines: Lines, number: int, indent: int) -> int:
    """The last line of the block indented deeper than its directive."""
    last = number
    for below in range(number + 1, len(lines) + 1):
        if lines.is_blank(below):
            continue
        if indent_of(lines.text[below - 1]) <= indent:
            break
        last = below
    return last
