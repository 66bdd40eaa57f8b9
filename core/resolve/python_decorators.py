"""Decorated definitions: the definition and what its decorators made of it."""

# Nodes and values are tuples of several shapes, told apart by their first element.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from typing import Any

from codeviews.core.languages import python_nodes as op
from codeviews.core.resolve import python_values as v
from codeviews.core.resolve.python_contexts import Environment
from codeviews.core.resolve.python_state import State
from codeviews.core.resolve.python_units import Unit, operands
from codeviews.core.resolve.python_values import Values, add, join


def decorated(state: State, unit: Unit, record: Any, node: int, env: Environment | None) -> Values:
    """The definition itself and what its decorators made of it."""
    out: Values = {}
    join(out, state.solver.read(unit, record[1], env))
    made = state.solver.read(unit, record[2], env)
    if v.MANY in made or any(value in out for value in made):
        return out  # it gives back what it got: other results are of its other uses
    if made and all(_forgets(state, value) for value in made):
        out.clear()
    outer = _enclosing(state, made) | _unapplied(state, unit, record[2], env, made)
    for value, tier in made.items():
        kind = state.table.kinds[value]
        if (kind in v.CALLABLE or kind in v.INSTANCES) and value not in outer:
            add(out, value, max(tier, v.B))
    return out


def _forgets(state: State, value: int) -> bool:
    """Whether what a decorator gives is a function that has nothing of its arguments."""
    item = state.table.items[value]
    if item[0] != v.FUNCTION or item[3]:
        return False
    unit = state.solver.units[item[1]]
    outer = unit.parents[item[2]]
    if outer not in unit.functions:
        return True
    found = state.forgetting.get(item[1:3])
    if found is None:
        found = state.forgetting[item[1:3]] = not _mentions(unit, item[2], outer)
    return found


def _mentions(unit: Unit, symbol: int, outer: int) -> bool:
    """Whether a call inside a function, or its result, has to do with a variable of ``outer``."""
    record = unit.functions[symbol]
    waiting = [node for node in record[3:5] if node >= 0]
    for site, node in zip(unit.late()[0], unit.calls, strict=True):
        scope = site.scope
        while scope > outer and scope != symbol:
            scope = unit.parents[scope]
        if scope == symbol:
            waiting.append(node)
    seen: set[int] = set()
    while waiting:
        node = waiting.pop()
        if node in seen or node < 0:
            continue
        seen.add(node)
        if unit.nodes[node][0] in (op.PARAM, op.CLOSURE) and unit.nodes[node][1] == outer:
            return True
        waiting.extend(operands(unit.nodes[node]))
    return False


def _unapplied(
    state: State, unit: Unit, node: int, env: Environment | None, made: Values
) -> set[int]:
    """Decorators among what was made: they are given back where their argument is still to come.

    ``@dec`` may call its inner function or give it back (``@dec()``), and a maker of decorators may
    be called by the decorator it made.
    """
    record = unit.nodes[node]
    if record[0] != op.CALL:
        return set()
    items, kinds = state.table.items, state.table.kinds
    applied = {items[value][1:3] for value in state.solver.read(unit, record[1], env)}
    functions = (value for value in made if kinds[value] == v.FUNCTION)
    return {value for value in functions if _waits(state, items[value], applied)}


def _waits(state: State, item: tuple[Any, ...], applied: set[tuple[Any, ...]]) -> bool:
    """Whether a function is one of the applied decorators, or is called by the one it stands in."""
    _, number, symbol, _ = item
    unit = state.solver.units[number]
    above = unit.parents[symbol]
    if (number, above) in applied:
        return symbol in _called_by_return(unit, above)
    return (number, symbol) in applied


def _called_by_return(unit: Unit, symbol: int) -> set[int]:
    """Functions whose call a function may return: ``return inner(given)``."""
    record = unit.functions.get(symbol)
    waiting = [record[3]] if record is not None and len(record) > 3 else []
    seen: set[int] = set()
    found: set[int] = set()
    while waiting:
        node = waiting.pop()
        if node < 0 or node in seen:
            continue
        seen.add(node)
        returned = unit.nodes[node]
        if returned[0] == op.PHI:
            waiting.extend(returned[1])
        elif returned[0] == op.CALL and unit.nodes[returned[1]][0] == op.FUNC:
            found.add(unit.nodes[returned[1]][1])
    return found


def _enclosing(state: State, values: Values) -> set[int]:
    """Functions that enclose another of the values: decorators seen without their argument."""
    items = {value: state.table.items[value] for value in values}
    functions = {item[1:3]: value for value, item in items.items() if item[0] == v.FUNCTION}
    found: set[int] = set()
    for number, symbol in functions:
        parents = state.solver.units[number].parents
        above = parents[symbol]
        while above > 0:
            if (number, above) in functions:
                found.add(functions[number, above])
            above = parents[above]
    return found
