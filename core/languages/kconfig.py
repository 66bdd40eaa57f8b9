"""Kconfig: options as ``CONFIG_X`` with their help as doc, menus around them, ``source`` lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from codeviews.core.facts import FileFacts, Import
from codeviews.core.languages.outline import Item, Lines, header_comment, indent_of, outline

_OPTION = re.compile(r"\s*(?:menu)?config\s+(\w+)")
_MENU = re.compile(r"\s*(menu|choice)\b\s*(?:\"([^\"]*)\")?")
_END = re.compile(r"\s*end(?:menu|choice)\b")
_PROMPT = re.compile(
    r"\s*(?:(bool|tristate|string|hex|int|def_bool|def_tristate)\b\s*|prompt\s+)(.*)"
)
_HELP = re.compile(r"\s*(?:---)?help(?:---)?\s*$")
_SOURCE = re.compile(r"\s*[ro]?source\s+\"?([^\"\s]+)")
_OTHER_ENTRY = re.compile(r"(?:if|endif|comment|mainmenu|source)\b")
ENTRY_LINES = 200


def extract(path: str, source: bytes) -> FileFacts:
    """Options named as the code sees them (``CONFIG_X``), nested in their menus."""
    lines = Lines(source)
    doc = header_comment(lines)
    return outline("kconfig", path, lines, _items(lines), doc, _sources(lines))


def _items(lines: Lines) -> Iterator[Item]:
    depth = 0
    help_until = 0
    for number, text in enumerate(lines.text, 1):
        if number <= help_until or not text.strip():
            continue
        if _HELP.match(text):
            help_until = _end_of_help(lines, number)
        elif option := _OPTION.match(text):
            yield _option(lines, depth, option[1], number)
        elif menu := _MENU.match(text):
            name = menu[2] or _prompt(lines, number) or menu[1]
            yield Item(depth, name, "heading", number, text.strip())
            depth += 1
        elif _END.match(text):
            depth = max(0, depth - 1)


def _option(lines: Lines, depth: int, name: str, number: int) -> Item:
    last = _end_of_option(lines, number)
    signature = f"config {name}"
    if prompt := _prompt(lines, number):
        signature += f": {prompt}"
    doc = " ".join(" ".join(lines.text[i - 1].split()) for i in _help_lines(lines, number, last))
    return Item(depth, f"CONFIG_{name}", "key", number, signature, doc, last)


def _prompt(lines: Lines, number: int) -> str:
    """Type and prompt as written below an entry's first line."""
    for text in lines.text[number : number + 5]:
        if match := _PROMPT.match(text):
            return " ".join(f"{match[1] or ''} {match[2]}".replace('"', "").split())
    return ""


def _end_of_option(lines: Lines, number: int) -> int:
    last = number
    for below in range(number + 1, min(len(lines), number + ENTRY_LINES) + 1):
        text = lines.text[below - 1]
        if not text.strip():
            continue
        if not text[0].isspace() and (text[0] != "#" or _starts_entry(text)):
            break
        last = below
    return last


def _starts_entry(text: str) -> bool:
    return bool(_OPTION.match(text) or _MENU.match(text) or _OTHER_ENTRY.match(text))


def _help_lines(lines: Lines, first: int, last: int) -> range:
    for number in range(first + 1, last + 1):
        if _HELP.match(lines.text[number - 1]):
            return range(number + 1, min(_end_of_help(lines, number), last) + 1)
    return range(0)


def _end_of_help(lines: Lines, number: int) -> int:
    """Help text is what stands deeper than its first line's indentation, or as deep."""
    indent = -1
    last = number
    for below in range(number + 1, len(lines) + 1):
        text = lines.text[below - 1].expandtabs()
        if not text.strip():
            continue
        if indent < 0:
            indent = max(1, indent_of(text))
        if indent_of(text) < indent:
            break
        last = below
    return last


def _sources(lines: Lines) -> list[Import]:
    return [
        Import(match[1], "", "", number)
        for number, text in enumerate(lines.text, 1)
        if (match := _SOURCE.match(text))
    ]
