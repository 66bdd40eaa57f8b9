"""What a class definition says by itself: methods it replaces, bases that are told of it."""

# Nodes and values are tuples of several shapes, told apart by their first element.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Iterator

from codeviews.core.languages import python_nodes as op
from codeviews.core.resolve.python_state import State
from codeviews.core.resolve.python_units import Unit

Target = tuple[int, int]


def overrides(state: State, unit: Unit) -> Iterator[tuple[int, Target, int]]:
    """(method, method of a base that it replaces, line) for every class of a file."""
    for symbol, record in unit.classes.items():
        line = state.classes.mro(state.classes.number(unit, symbol))[1:]
        for name, node in record[1].items() if line else ():
            own = _function(unit, node)
            base = _member(state, line, name) if own is not None else None
            if own is not None and base is not None:
                yield own, base, unit.lines[own]


def told_bases(state: State, unit: Unit) -> Iterator[tuple[int, list[Target], int]]:
    """(scope of a class, ``__init_subclass__`` of its nearest base, line)."""
    for symbol in unit.classes:
        line = state.classes.mro(state.classes.number(unit, symbol))[1:]
        base = _member(state, line, "__init_subclass__") if line else None
        if base is not None:
            yield unit.parents[symbol], [base], unit.lines[symbol]


def _member(state: State, line: list[int], name: str) -> Target | None:
    member = state.classes.member_of(line, name)
    if member.owner < 0:
        return None
    unit = state.classes.infos[member.owner].unit
    symbol = _function(unit, member.node)
    return None if symbol is None else (unit.index, symbol)


def _function(unit: Unit, node: int) -> int | None:
    record = unit.nodes[node]
    while record[0] == op.DECORATED:
        record = unit.nodes[record[1]]
    return record[1] if record[0] == op.FUNC else None
