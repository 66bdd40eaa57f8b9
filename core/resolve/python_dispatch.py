"""``singledispatch``: the functions registered for a generic one, and which a call reaches."""

# Nodes and values are tuples of several shapes, told apart by their first element.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from typing import Any

from codeviews.core.languages import python_nodes as op
from codeviews.core.resolve import python_values as v
from codeviews.core.resolve.python_state import State
from codeviews.core.resolve.python_units import Unit
from codeviews.core.resolve.python_values import Values

REGISTERING = "singledispatch"
"""The type under which ``generic.register`` is a builtin method."""

_CELL = "register()"
_EXACT = frozenset([v.INSTANCE, v.CONSTANT, v.BUILTIN])


def is_generic(state: State, value: int) -> bool:
    """Whether a function value dispatches by the type of its first argument."""
    return state.any_generic and bool(state.flags(value) & op.IS_DISPATCH)


def register(state: State, generic: int, unit: Unit, record: Any) -> None:
    """``@generic.register``, ``@generic.register(T)``, ``generic.register(T, function)``."""
    plain = [arg for arg in record[2] if isinstance(arg, int)]
    if not plain or not any(
        state.table.kinds[value] == v.FUNCTION for value in state.solver.get(unit, plain[-1])
    ):
        return
    outer = unit.nodes[record[1]]
    if len(plain) > 1:
        state.registered_types[unit.index, plain[1]] = plain[0]
    elif outer[0] == op.CALL and outer[2] and isinstance(outer[2][0], int):
        state.registered_types[unit.index, plain[0]] = outer[2][0]
    state.add_cell(generic, _CELL, (unit.index, plain[-1]))


def reached(state: State, generic: int, given: Values | None) -> dict[int, int]:
    """Function value -> tier of the registered functions that a call may reach.

    ``given`` are the values of its first argument, None or empty when nothing is known of them.
    """
    functions: Values = {}
    state.read_cells(generic, _CELL, functions)
    kinds = state.table.kinds
    types = {f: _types(state, generic, f) for f in functions if kinds[f] == v.FUNCTION}
    if not given or v.MANY in given:
        return dict.fromkeys(types, v.C)
    found: dict[int, int] = {}
    for value in given:
        lines = _lines(state, value)
        if lines is None:
            return dict.fromkeys(types, v.C)
        near = next((f for name in lines for f, known in types.items() if name in known), None)
        if near is not None:
            found[near] = v.B
        if kinds[value] == v.DECLARED:
            found.update(_below(state, value, types, found))
    return found


def _types(state: State, generic: int, function: int) -> set[int | str]:
    """Class numbers and names of builtin types that a function is registered for."""
    _, number, symbol, _ = state.table.items[function]
    unit = state.solver.units[number]
    found: set[int | str] = set()
    for index, node in state.cells.get((generic, _CELL), {}):
        source = state.solver.units[index]
        declared = state.registered_types.get((index, node))
        if declared is not None and function in state.solver.get(source, node):
            found.update(_names(state, state.solver.get(source, declared)))
    record = unit.functions[symbol]
    annotation = record[2].get(1 if record[6] >= 0 else 0)
    if not found and annotation is not None:
        found.update(_names(state, state.solver.get(unit, annotation)))
    return found


def _names(state: State, values: Values) -> set[int | str]:
    items = [state.table.items[value] for value in values]
    named = v.CLASSES | {v.DECLARED, v.BUILTIN, v.BUILTIN_NAME}
    return {item[1] for item in items if item[0] in named}


def _lines(state: State, value: int) -> list[int | str] | None:
    """The types that a value is of, nearest first; None when that is not known."""
    item = state.table.items[value]
    if item[0] in v.INSTANCES:
        return [*state.classes.mro(item[1]), "object"]
    if item[0] == v.CONTAINER:
        return [state.container_type(item) or "object", "object"]
    if item[0] not in _EXACT:
        return None
    name = item[1] if item[0] == v.BUILTIN else type(item[1]).__name__
    return [name, "int", "object"] if name == "bool" else [name, "object"]


def _below(
    state: State, value: int, types: dict[int, set[int | str]], found: dict[int, int]
) -> dict[int, int]:
    """Functions registered for classes below a declared one."""
    number = state.table.items[value][1]
    below = (
        function
        for function, known in types.items()
        if any(isinstance(k, int) and number in state.classes.mro(k) for k in known)
    )
    return {function: v.C for function in below if function not in found}
