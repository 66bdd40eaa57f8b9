"""Initialisers, struct bodies and enumerators of C."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from codeviews.core.facts import Site
from codeviews.core.languages.c_body import VALUES
from codeviews.core.languages.c_heads import declared, split_commas
from codeviews.core.languages.c_text import Text

_TOKEN = re.compile(r"[{}(),;\]]|\.\s*[A-Za-z_]\w*(?=[\s\[\].\w]*=)|\b[A-Za-z_]\w*+|\[|=")
_CANDIDATE = re.compile(r"\b[a-z_]\w*+\s*+[,})]")
_FIELD_END = re.compile(r"[;{}]")
_ENUMERATOR = re.compile(r"(?:\A|,)\s*([A-Za-z_]\w*)")
_PARENTHESES = re.compile(r"\([^()]*\)")


_LONGEST_PATH = 200


@dataclass(slots=True)
class _Level:
    """One open brace of an initialiser: its field path, the position and the field in it."""

    path: str
    index: int = 0
    field: str = ""
    is_array: bool = False


@dataclass(slots=True)
class Table:
    """An initialiser ``body:end`` of variable ``scope`` with element type ``kind``."""

    text: Text
    body: int
    end: int
    scope: int
    kind: str
    is_array: bool
    levels: list[_Level] = field(default_factory=list[_Level])
    calls: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])


def scan_table(table: Table, sites: list[Site]) -> None:
    """Append a ``registers`` site for every name that stands as a value in the initialiser."""
    code = table.text.code
    if not _CANDIDATE.search(code, table.body, table.end):
        return
    previous = ""
    for match in _TOKEN.finditer(code, table.body, table.end):
        token = match[0]
        if token == "{":
            _open(table)
        elif token == "}":
            if table.levels:
                table.levels.pop()
            _drop_calls(table)
        elif token == "(":
            table.calls.append((previous, len(table.levels)))
        elif token == ")":
            if table.calls:
                table.calls.pop()
        elif token == ",":
            _next(table)
        elif token[0] == ".":
            _designate(table, token)
        elif token[0].isalpha() or token[0] == "_":
            _value(table, match, sites)
        previous = token


def _open(table: Table) -> None:
    if not table.levels:
        table.levels.append(_Level("", is_array=table.is_array))
        return
    outer = table.levels[-1]
    path = outer.path if outer.is_array else _path(outer)
    table.levels.append(_Level(path))


def _path(level: _Level) -> str:
    name = level.field or f"#{level.index}"
    if not level.path:
        return name
    return f"{level.path}.{name}" if len(level.path) < _LONGEST_PATH else level.path


def _drop_calls(table: Table) -> None:
    while table.calls and table.calls[-1][1] > len(table.levels):
        table.calls.pop()


def _next(table: Table) -> None:
    if table.levels and (not table.calls or table.calls[-1][1] < len(table.levels)):
        level = table.levels[-1]
        level.index += 1
        level.field = ""


def _designate(table: Table, token: str) -> None:
    if table.levels:
        table.levels[-1].field = token[1:].strip()


def _value(table: Table, match: re.Match[str], sites: list[Site]) -> None:
    name = match[0]
    if name in VALUES or not table.levels or name == name.upper():
        return
    after = table.text.code[match.end() : match.end() + 80].lstrip()[:1]
    if after not in (",", "}", ")", ":", "?", ";"):
        return
    line = table.text.line(match.start())
    sites.append(Site("registers", name, line, table.scope, _where(table)))


def _where(table: Table) -> str:
    level = table.levels[-1]
    if (
        table.calls
        and table.calls[-1][1] >= len(table.levels)
        and table.calls[-1][0].isidentifier()
    ):
        return f"{table.kind}>{level.field or '*'}@{table.calls[-1][0]}"
    if level.is_array:
        return f"{table.kind}>*"
    return f"{table.kind}>{_path(level)}"


def fields(code: str, start: int, end: int) -> dict[str, str]:
    """Field name -> type name of a struct or union body, in order, inner bodies included.

    The field of an inner named body has the type ``.``: its own fields stand in the same dict.
    """
    found: dict[str, str] = {}
    last = start
    for match in _FIELD_END.finditer(code, start, end):
        piece = code[last : match.start()]
        opened = code[last - 1] == "}" and last > start
        last = match.end()
        if match[0] != ";":
            continue
        if opened:
            name, _ = declared("int " + piece)
            if name and name not in ("__packed", "int"):
                found[name] = "."
        elif piece.strip():
            _add_fields(piece, found)
    return found


def _add_fields(piece: str, found: dict[str, str]) -> None:
    first, *others = split_commas(piece)
    name, kind = declared(first)
    if name:
        found[name] = kind
    for other in others:
        name = declared("int " + other)[0]
        if name:
            found[name] = kind


def enumerators(code: str, start: int, end: int) -> list[tuple[str, int]]:
    """(name, offset) of each enumerator between the braces."""
    body = code[start:end]
    if "(" in body:
        body = _PARENTHESES.sub(lambda match: " " * len(match[0]), body)
    return [(match[1], start + match.start(1)) for match in _ENUMERATOR.finditer(body)]
