"""Makefiles: targets with their recipes, variables, ``define`` blocks; ``include`` as imports."""

from __future__ import annotations

import re
from collections.abc import Iterator

from codeviews.core.facts import FileFacts, Import
from codeviews.core.languages.outline import (
    Item,
    Lines,
    comment_above,
    header_comment,
    outline,
)

_VARIABLE = re.compile(
    r"(?:(?:export|override|private)\s+)*([^\s:#=+?!][^\s:#=+?!]{0,120})\s*(?:::?:?|\+|\?|!)?=(?!=)"
)
_TARGET = re.compile(r"([^\s:=#][^:=#]{0,300}?)\s*&?::?(?!=)")
_NOT_A_TARGET = re.compile(
    r"(?:ifn?eq|ifn?def|else|endif|[-s]?include|export|unexport|vpath)\b|\$\([a-z-]+ "
)
_DEFINE = re.compile(r"(?:override\s+)?define\s+(\S+)")
_INCLUDE = re.compile(r"[-s]?include\s+(.+)")


def extract(path: str, source: bytes) -> FileFacts:
    """Targets span their recipe, variables their continued lines; the comment above is the doc."""
    lines = Lines(source)
    doc = header_comment(lines)
    return outline("makefile", path, lines, _items(lines), doc, _includes(lines))


def _items(lines: Lines) -> Iterator[Item]:
    skip_to = 0
    known: set[str] = set()
    for number, text in enumerate(lines.text, 1):
        if number <= skip_to or not text or text[0] in "\t#":
            continue
        if define := _DEFINE.match(text):
            skip_to = _end_of_define(lines, number)
            yield _item(lines, "key", define[1], number, skip_to)
            continue
        plain = text.lstrip(" ")
        skip_to = _end_of_continuation(lines, number)
        if variable := _VARIABLE.match(plain):
            if variable[1] not in known:  # what is appended later is full text only
                yield _item(lines, "key", variable[1], number, skip_to)
            known.add(variable[1])
        elif (target := _TARGET.match(plain)) and not _NOT_A_TARGET.match(plain):
            skip_to = _end_of_recipe(lines, skip_to)
            yield _item(lines, "target", " ".join(target[1].split())[:120], number, skip_to)


def _item(lines: Lines, kind: str, name: str, number: int, last: int) -> Item:
    signature = lines.text[number - 1].strip()
    return Item(0, name, kind, number, signature, comment_above(lines, number), last)


def _end_of_continuation(lines: Lines, number: int) -> int:
    while number < len(lines) and lines.text[number - 1].endswith("\\"):
        number += 1
    return number


def _end_of_define(lines: Lines, number: int) -> int:
    for below in range(number + 1, len(lines) + 1):
        if lines.text[below - 1].strip() == "endef":
            return below
    return len(lines)


def _end_of_recipe(lines: Lines, number: int) -> int:
    """The last recipe line below a rule; blank lines and conditionals may stand between."""
    last = number
    for below in range(number + 1, len(lines) + 1):
        text = lines.text[below - 1]
        if text.startswith("\t") or lines.text[below - 2].endswith("\\"):
            last = below
        elif text.strip() and not text.startswith(
            ("ifeq", "ifneq", "ifdef", "ifndef", "else", "endif")
        ):
            break
    return last


def _includes(lines: Lines) -> list[Import]:
    found: list[Import] = []
    for number, text in enumerate(lines.text, 1):
        if match := _INCLUDE.match(text):
            found.extend(Import(name, "", "", number) for name in match[1].split("#")[0].split())
    return found
