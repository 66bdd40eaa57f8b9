"""What macros do beyond plain calls: functions built by pasting, parameters that are called."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from codeviews.core.languages.c_heads import split_commas

_DEFINED = re.compile(r"(?<![\w#])((?:\w++|\s*+##\s*+)++)\s*+\([^()]*+\)\s*+\{")
_NESTED = re.compile(r"\b([A-Z_][A-Z0-9_]*)\s*\(([^()]*)\)")
_PASTED = re.compile(r"(?:\.\s*+(\w++)\s*+=\s*+)?&?\b(\w++(?:\s*+##\s*+\w++)++)(?!\s*+\()")
_STRUCT = re.compile(r"\bstruct\s++(\w++)[^;={}]*+=\s*+\{")
_ATTRIBUTE = re.compile(r"\w*ATTR(?:IBUTE)?(?:_(R|W)[OW])?(?:_\w+)?\Z")
_PASTE = re.compile(r"\s*##\s*")
_CALL = re.compile(r"\b([A-Za-z_]\w*+)\s*+\(([^()]*+(?:\([^()]*+\)[^()]*+)*+)\)")
_MOST = 40
_LONGEST_BODY = 4000


class Paste(NamedTuple):
    """A macro that makes names of its parameters.

    ``templates``: (whether it is static, parts of the name) of the functions it defines;
    ``nested``: inner macro calls; ``values``: (where, parts) of the names it stores or hands on.
    """

    params: tuple[str, ...]
    templates: tuple[tuple[bool, tuple[str, ...]], ...]
    nested: tuple[tuple[str, tuple[str, ...]], ...]
    values: tuple[tuple[str, tuple[str, ...]], ...]


def read_paste(params: Sequence[str], body: str) -> Paste | None:
    """The functions a macro's body defines under names made of its parameters."""
    if "##" not in body and "{" not in body and "(" not in body:
        return None
    flat = body.replace("\\\n", " \n").replace("\\\r\n", " \n")
    found = (
        (_is_static(flat, m), tuple(_PASTE.split(m[1].strip()))) for m in _DEFINED.finditer(flat)
    )
    templates = tuple(t for t in found if any(part in params for part in t[1]))
    nested = tuple(
        (m[1], tuple(part.strip() for part in m[2].split(",")))
        for m in _NESTED.finditer(flat)
        if m[1] != m[1].lower()
    )
    values = tuple(_values(flat[:_LONGEST_BODY], params)) if "##" in flat else ()
    if not templates and not nested and not values:
        return None
    return Paste(tuple(params), templates, nested, values)


def _is_static(body: str, name: re.Match[str]) -> bool:
    """Whether the head before a defined name says ``static``."""
    head = body[max(body.rfind(mark, 0, name.start()) for mark in ";}") + 1 : name.start()]
    return "static" in head.split()


def _values(body: str, params: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """(where, parts) of each name that is pasted of parameters and stands as a value."""
    for match in _PASTED.finditer(body):
        parts = tuple(_PASTE.split(match[2]))
        if not any(part in params for part in parts):
            continue
        heads = [m[1] for m in _STRUCT.finditer(body, 0, match.start())] if match[1] else []
        yield (f"{heads[-1]}>{match[1]}" if heads else "value", parts)


def stored(paste: Paste, arguments: Sequence[str]) -> list[tuple[str, str]]:
    """(name, where it is kept) of what a macro call stores under names made of its arguments."""
    given = dict(zip(paste.params, arguments, strict=False))
    return [("".join(given.get(p, p) for p in parts), where) for where, parts in paste.values]


def attribute_functions(macro: str, arguments: Sequence[str]) -> list[str]:
    """Functions that ``DEVICE_ATTR_RW(name)`` and its like mean by convention."""
    match = _ATTRIBUTE.match(macro)
    if match is None:
        return []
    endings = {"R": ("show", "read"), "W": ("store", "write")}
    if match[1] is None or "_RW" in macro:
        ends = (*endings["R"], *endings["W"])
    else:
        ends = endings[match[1]]
    heads = [f"{part}_" for part in arguments[:2]] + ["".join(arguments[:2]) + "_"]
    return [head + end for head in dict.fromkeys(heads) for end in ends]


def pasted(
    pastes: Mapping[str, Paste], macro: str, arguments: Sequence[str], depth: int = 0
) -> dict[str, bool]:
    """Names of the functions that ``macro(arguments)`` defines -> whether they are static."""
    paste = pastes.get(macro)
    if paste is None or depth > 4:
        return {}
    values = dict(zip(paste.params, arguments, strict=False))
    names = {"".join(values.get(p, p) for p in parts): static for static, parts in paste.templates}
    for inner, parts in paste.nested:
        given = ["".join(values.get(p, p) for p in _PASTE.split(part)) for part in parts]
        names = {**pasted(pastes, inner, given, depth + 1), **names}
    return dict([item for item in names.items() if item[0].isidentifier()][:_MOST])


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
