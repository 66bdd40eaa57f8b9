"""Arguments as they are written: starred displays, attributes of made classes, ``self``."""

# Nodes and values are tuples of several shapes, told apart by their first element.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from codeviews.core.languages import python_nodes as op
from codeviews.core.resolve.python_units import Unit


def _display(unit: Unit, node: int) -> Any:
    """The display that a node is, directly or by the name of a module variable; else ()."""
    record = unit.nodes[node]
    if record[0] == op.GLOBAL:
        record = unit.nodes[unit.bindings.get(record[1], node)]
    return record if record[0] == op.LITERAL else ()


def spread(unit: Unit, arguments: tuple[Any, ...]) -> Iterator[Any]:
    """Positional arguments, those of ``*(a, b)`` one by one."""
    for argument in arguments:
        shown = _display(unit, argument[0]) if isinstance(argument, tuple) else ()
        if shown and shown[2] is None:
            yield from shown[3]
        else:
            yield argument


def spread_keywords(
    unit: Unit, keywords: tuple[tuple[str | None, int], ...]
) -> Iterator[tuple[str | None, int]]:
    """Keyword arguments, those of ``**{"a": b}`` one by one."""
    for name, argument in keywords:
        shown: Any = _display(unit, argument) if name is None else ()
        keys = [unit.nodes[key] for key in shown[2] or ()] if shown else []
        if keys and all(key[0] == op.CONST and isinstance(key[1], str) for key in keys):
            yield from zip([key[1] for key in keys], shown[3], strict=True)
        else:
            yield name, argument


def class_attributes(unit: Unit, record: Any) -> list[tuple[str, int]]:
    """(name, node) of the attributes that a ``type(name, bases, attributes)`` call gives."""
    plain = [arg for arg in record[2] if isinstance(arg, int)]
    if len(plain) != 3 or unit.nodes[plain[1]][0] != op.LITERAL:
        return []
    found: list[tuple[int, int]] = []
    display = unit.nodes[plain[2]]
    while display[0] == op.STORE:
        found.append((display[2], display[3]))
        display = unit.nodes[display[1]]
    if display[0] == op.LITERAL and display[2] is not None:
        found.extend(zip(display[2], display[3], strict=True))
    keys = [(unit.nodes[key], node) for key, node in found]
    return [(key[1], n) for key, n in keys if key[0] == op.CONST and isinstance(key[1], str)]


def is_own(unit: Unit, base: int) -> bool:
    """Whether a node is the ``self`` (or ``cls``) of a method."""
    record = unit.nodes[base]
    if record[0] != op.PARAM or record[2] != 0:
        return False
    function = unit.functions.get(record[1])
    return (
        function is not None
        and len(function) > 7
        and function[6] >= 0
        and not (function[7] & op.IS_STATIC)
    )


def is_known(unit: Unit, value: int) -> bool:
    """Whether anything is known of an assigned value."""
    return unit.nodes[value][0] != op.UNKNOWN
