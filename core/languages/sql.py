"""SQL: what ``CREATE`` statements define, and the columns of tables."""

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

_PIECE = r"(?:[A-Za-z_][\w$]*|\"[^\"\n]+\"|`[^`\n]+`|\[[^\]\n]+\])"
_CREATE = re.compile(
    r"\s*CREATE\s+(?:OR\s+\w+\s+)?(?:(?:GLOBAL|LOCAL|TEMP|TEMPORARY|UNLOGGED|UNIQUE|MATERIALIZED"
    r"|VIRTUAL|RECURSIVE|CONSTRAINT|EXTERNAL|CLUSTERED|NONCLUSTERED)\s+)*"
    r"(TABLE|VIEW|FUNCTION|PROCEDURE|PROC|TRIGGER|INDEX|TYPE|DOMAIN|SEQUENCE|SCHEMA|DATABASE"
    r"|EXTENSION|POLICY|ROLE|AGGREGATE)\s+(?:CONCURRENTLY\s+)?(?:IF\s+NOT\s+EXISTS\s+)?"
    rf"({_PIECE}(?:\s*\.\s*{_PIECE})*)",
    re.IGNORECASE,
)
_COLUMN = re.compile(rf"\s*,?\s*({_PIECE})\s+[A-Za-z]")
_NOT_A_COLUMN = re.compile(
    r"\s*,?\s*(?:CONSTRAINT|PRIMARY|FOREIGN|UNIQUE|CHECK|KEY|INDEX|EXCLUDE|LIKE|REFERENCES|ON|AS|FROM"
    r"|SELECT|WHERE|AND|OR|DEFAULT|NOT|CREATE|PARTITION|WITH)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"'(?:[^']|'')*'|--.*")
_DOLLARS = re.compile(r"\$\w*\$")
_GO = re.compile(r"\s*GO\s*$", re.IGNORECASE)


def extract(path: str, source: bytes) -> FileFacts:
    """Tables, views, routines and the like as targets spanning their statement."""
    lines = Lines(source)
    return outline("sql", path, lines, _items(lines), header_comment(lines, "--"))


def _items(lines: Lines) -> Iterator[Item]:
    last = 0
    for number, text in enumerate(lines.text, 1):
        match = _CREATE.match(text) if number > last else None
        if match is None:
            continue
        last = _end(lines, number, match[1].upper())
        name = re.sub(r"[\"`\[\]\s]", "", match[2])
        doc = comment_above(lines, number, "--")
        yield Item(0, name, "target", number, text.strip(), doc, last)
        if match[1].upper() == "TABLE":
            yield from _columns(lines, number, last)


def _columns(lines: Lines, first: int, last: int) -> Iterator[Item]:
    for number in range(first + 1, last + 1):
        text = lines.text[number - 1]
        column = _COLUMN.match(text)
        if column and not _NOT_A_COLUMN.match(text):
            yield Item(1, column[1].strip('"`[]'), "key", number, text.strip(" ,"), "", number)


def _end(lines: Lines, first: int, what: str) -> int:
    """The line of the semicolon that ends a statement, outside strings and ``$$`` bodies."""
    routine = what in ("FUNCTION", "PROCEDURE", "PROC", "TRIGGER")
    inside = ""
    blocks = 0
    for number in range(first, len(lines) + 1):
        text = lines.text[number - 1]
        if number > first and (_GO.match(text) or (not inside and _CREATE.match(text))):
            return number - 1
        for dollars in _DOLLARS.findall(text):
            inside = "" if inside == dollars else inside or dollars
        plain = _QUOTED.sub("", text)
        if routine:
            blocks += _block_balance(plain)
        if not inside and blocks <= 0 and plain.rstrip().endswith(";"):
            return number
    return len(lines)


_BEGIN = re.compile(r"\b(?:BEGIN|CASE)\b(?!\s+TRAN)", re.IGNORECASE)
_END_WORD = re.compile(r"\bEND\b(?!\s+(?:IF|LOOP|WHILE|REPEAT))", re.IGNORECASE)


def _block_balance(text: str) -> int:
    return len(_BEGIN.findall(text)) - len(_END_WORD.findall(text))
