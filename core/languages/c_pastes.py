"""What macros do beyond plain calls: functions built by pasting, parameters that are called."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from codeviews.core.languages.c_heads import split_commas

_DEFINED = re.compile(r"(?<![\w#])((?:\w++|\s*+##\s*+)++)\s*+\([^()]*+\)\s*+\{")
_NESTED = re.compile(r"\b([A-Z_][A-Z0-9_]*)\s*\(([^()]*)\)")
_PASTE = re.compile(r"\s*##\s*")
_CALL = re.compile(r"\b([A-Za-z_]\w*+)\s*+\(([^()]*+(?:\([^()]*+\)[^()]*+)*+)\)")
_MOST = 40
_LONGEST_BODY = 4000


class Paste(NamedTuple):
    """A macro that defines functions: its parameters, name templates and inner macro calls."""

    params: tuple[str, ...]
    templates: tuple[tuple[str, ...], ...]
    nested: tuple[tuple[str, tuple[str, ...]], ...]


def read_paste(params: Sequence[str], body: str) -> Paste | None:
    """The functions a macro's body defines under names made of its parameters."""
    if "##" not in body and "{" not in body and "(" not in body:
        return None
    flat = body.replace("\\\n", " \n").replace("\\\r\n", " \n")
    templates = tuple(
        parts
        for parts in (tuple(_PASTE.split(m[1].strip())) for m in _DEFINED.finditer(flat))
        if any(part in params for part in parts)
    )
    nested = tuple(
        (m[1], tuple(part.strip() for part in m[2].split(",")))
        for m in _NESTED.finditer(flat)
        if m[1] != m[1].lower()
    )
    if not templates and not nested:
        return None
    return Paste(tuple(params), templates, nested)


def pasted(
    pastes: Mapping[str, Paste], macro: str, arguments: Sequence[str], depth: int = 0
) -> list[str]:
    """Names of the functions that ``macro(arguments)`` defines, inner macros included."""
    paste = pastes.get(macro)
    if paste is None or depth > 4:
        return []
    values = dict(zip(paste.params, arguments, strict=False))
    names = ["".join(values.get(part, part) for part in parts) for parts in paste.templates]
    for inner, parts in paste.nested:
        given = ["".join(values.get(p, p) for p in _PASTE.split(part)) for part in parts]
        names += pasted(pastes, inner, given, depth + 1)
    return [name for name in dict.fromkeys(names) if name.isidentifier()][:_MOST]


def hooks(params: Sequence[str], body: str) -> tuple[list[int], list[tuple[int, str, int]]]:
    """(parameters a macro calls, (parameter, macro or function, position) of those it hands on)."""
    called: list[int] = []
    handed: list[tuple[int, str, int]] = []
    for match in _CALL.finditer(body[:_LONGEST_BODY]):
        if match[1] in params:
            called.append(params.index(match[1]))
            continue
        for position, part in enumerate(split_commas(match[2])):
            if part.strip() in params:
                handed.append((params.index(part.strip()), match[1], position))
    return sorted(set(called)), handed
