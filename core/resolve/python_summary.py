"""What one file's resolution leaves for later edits of other files.

An edit solves only the edited files; the others are loaded when a value leads there, and their
graphs are read as they are. What cannot be read from a graph is kept here, by file: the values
that calls passed to its parameters, the attributes that other code set on its classes, and the
direct subclasses of its classes. Each entry is ``(from other files, from this file)``.

Values are written as tuples of builtins; definitions by path and qualified name.
"""

# Nodes and values are tuples of several shapes, told apart by their first element.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from typing import Any

from codeviews.core.languages import python_nodes as op
from codeviews.core.resolve import python_values as v
from codeviews.core.resolve.python_state import State
from codeviews.core.resolve.python_units import Unit
from codeviews.core.resolve.python_values import EMPTY, Values, add, join

_DEFINED = frozenset([v.FUNCTION, v.GENERATOR])
_NAMED = frozenset([v.CLASS, v.SUBCLASS, v.INSTANCE, v.DECLARED])
_PLAIN = frozenset([v.GETTER, v.MODULE, v.BUILTIN, v.BUILTIN_NAME, v.EXTERNAL, v.CONSTANT])
_OUTER = frozenset([v.METHOD, v.PARTIAL, v.VIEW, v.MAPPED, v.PROPERTY])

Pair = tuple[tuple[Any, ...], tuple[Any, ...]]


def summarize(state: State, unit: Unit, before: Any) -> dict[str, Any]:
    """The summary of a solved file; after an edit ``before`` tells what others contributed."""
    old: dict[str, Any] = before if isinstance(before, dict) else {}
    return {
        "params": _parameters(state, unit, old.get("params", {})),
        "cells": _cells(state, unit, old.get("cells", {})),
        "below": _below(state, unit, old.get("below", {})),
    }


def _parameters(state: State, unit: Unit, old: dict[Any, Pair]) -> dict[tuple[str, int], Pair]:
    found: dict[tuple[str, int], Pair] = {}
    nodes = unit.param_nodes.values() if old else state.passed_to(unit)
    for node in nodes:
        _, symbol, index = unit.nodes[node]
        key = (unit.names[symbol], index)
        sources = state.solver.inputs.get(unit.base + node)
        held = state.held_by(unit, node)
        if not sources and not held and key not in old:
            continue
        others, own = _split(state, unit, list(sources or ()))
        for index_of_unit, value in held:
            join(own, state.solver.get(state.solver.units[index_of_unit], value), v.C)
        kept, given = old.get(key, ((), ()))[0], encode(state, others)
        if kept or len(given) > 1:
            given = tuple(sorted({*kept, *given}, key=repr))
        pair = (given, encode(state, own))
        if pair != ((), ()):
            found[key] = pair
    return found


def _split(state: State, unit: Unit, sources: list[int]) -> tuple[Values, Values]:
    """Values of arguments from other files and from this one."""
    others: Values = {}
    own: Values = {}
    for written in sources:
        key, mode = written >> 2, written & 3
        owner = state.solver.owner(key)
        out = own if owner is unit else others
        if v.MANY in out:
            continue
        values = state.solver.get(owner, key - owner.base)
        if not mode:
            join(out, values, v.C)
        else:
            for value in values:
                state.elements(value, mode - 1, v.C, out)
    return others, own


def _cells(state: State, unit: Unit, old: dict[Any, Pair]) -> dict[tuple[str, str], Pair]:
    found: dict[tuple[str, str], Pair] = {}
    for holder, name in sorted(state.cells_of(unit)):
        others: Values = {}
        own: Values = {}
        for index, node in state.cells[holder, name]:
            source = state.solver.units[index]
            join(own if source is unit else others, source.values[node] or EMPTY, v.B)
        found[_holder_name(state, unit, holder), name] = (encode(state, others), encode(state, own))
    for key, pair in old.items():
        written = found.get(key, ((), ()))
        found[key] = (tuple(sorted({*pair[0], *written[0]}, key=repr)), written[1])
    return {key: pair for key, pair in found.items() if pair != ((), ())}


def _holder_name(state: State, unit: Unit, holder: int) -> str:
    item = state.table.items[holder]
    if item[0] == v.MODULE:
        return ""
    if item[0] == v.FUNCTION:
        return unit.names[item[2]]
    return unit.names[state.classes.infos[item[1]].symbol]


def _below(state: State, unit: Unit, old: dict[str, Any]) -> dict[str, tuple[Any, ...]]:
    """Class -> its direct subclasses as (path, qualified name, names they bind)."""
    found: dict[str, tuple[Any, ...]] = {}
    for symbol in unit.classes:
        name = unit.names[symbol]
        info = state.classes.infos[state.classes.number(unit, symbol)]
        entries = {entry[:2]: entry for entry in old.get(name, ())}
        for number in info.subclasses:
            below = state.classes.infos[number]
            bound = tuple(sorted(below.unit.classes[below.symbol][1]))
            entry = (below.unit.path, below.unit.names[below.symbol], bound)
            entries[entry[:2]] = entry
        if entries:
            found[name] = tuple(sorted(entries.values()))
    return found


def encode(state: State, values: Values) -> tuple[Any, ...]:
    """Values with their tiers as builtins, in a fixed order."""
    pairs = [(_encode(state, value), tier) for value, tier in values.items()]
    found = [pair for pair in pairs if pair[0] is not None]
    return tuple(sorted(found, key=repr)) if len(found) > 1 else tuple(found)


def _encode(state: State, value: int) -> tuple[Any, ...] | None:
    item = state.table.items[value]
    kind = item[0]
    if kind in _PLAIN:
        return item
    if kind in _DEFINED:
        unit = state.solver.units[item[1]]
        return (kind, unit.path, unit.names[item[2]])
    if kind in _NAMED:
        info = state.classes.infos[item[1]]
        return (kind, info.unit.path, info.unit.names[info.symbol])
    if kind == v.CONTAINER:
        unit = state.solver.units[item[1]]
        return (kind, unit.path, item[2])
    if kind == v.MANY_VALUE:
        return (kind,)
    if kind == v.BUILTIN_METHOD:
        return (*item[:3], -1)
    if kind in _OUTER:
        inner = [_encode(state, item[1])]
        inner += [_encode(state, item[2])] if kind == v.METHOD else []
        rest = item[2:] if kind != v.METHOD else ()
        return None if None in inner else (kind, *inner, *rest)
    return None


def decode(state: State, written: tuple[Any, ...], out: Values) -> None:
    """Add written values to ``out``; what no longer exists is left out."""
    for item, tier in written:
        value = _decode(state, item)
        if value is not None:
            add(out, value, tier)


def _decode(state: State, item: tuple[Any, ...]) -> int | None:
    kind = item[0]
    if kind in _PLAIN or kind == v.BUILTIN_METHOD or kind == v.MANY_VALUE:
        return state.table.make(item)
    if kind in _OUTER:
        inner = [_decode(state, part) for part in item[1:] if isinstance(part, tuple)]
        rest = [part for part in item[1:] if not isinstance(part, tuple)]
        return None if None in inner else state.table.make((kind, *inner, *rest))
    unit = state.solver.unit(item[1])
    if unit is None:
        return None
    if kind == v.CONTAINER:
        known = item[2] < len(unit.nodes) and unit.nodes[item[2]][0] in _ALLOCATING
        return state.table.make((kind, unit.index, item[2])) if known and not unit.live else None
    symbol = unit.symbol(item[2])
    if symbol is None:
        return None
    if kind in _NAMED:
        return state.table.make((kind, state.classes.number(unit, symbol)))
    return state.table.make((kind, unit.index, symbol, 0))


_ALLOCATING = frozenset(
    [op.LITERAL, op.ANY, op.STORE, op.MERGE, op.SLICE, op.CALL, op.ELEMENTS, op.PARAM]
)


class Frozen:
    """Summaries of the files that are not being solved, read on demand."""

    def __init__(self, state: State) -> None:
        self.state = state
        self._summaries: dict[str, dict[str, Any]] = {}
        self._reading: set[tuple[str, Any]] = set()

    def of(self, unit: Unit) -> dict[str, Any]:
        """The stored summary of a file, {} when there is none."""
        found = self._summaries.get(unit.path)
        if found is None:
            stored = self.state.solver.repo.summary(unit.path)
            found = self._summaries[unit.path] = stored if isinstance(stored, dict) else {}
        return found

    def parameter(self, unit: Unit, symbol: int, index: int, out: Values) -> None:
        """Join what an earlier resolution saw passed to a parameter."""
        pair = self.of(unit).get("params", {}).get((unit.names[symbol], index))
        self._join(unit, pair, out)

    def cell(self, unit: Unit, holder: str, name: str, out: Values) -> bool:
        """Join what an earlier resolution saw assigned to ``holder.name``."""
        pair = self.of(unit).get("cells", {}).get((holder, name))
        self._join(unit, pair, out)
        return pair is not None

    def _join(self, unit: Unit, pair: Pair | None, out: Values) -> None:
        if pair is not None:
            decode(self.state, pair[0], out)
            if not unit.live:
                decode(self.state, pair[1], out)

    def subclasses(self, unit: Unit, symbol: int) -> tuple[Any, ...]:
        """(path, qualified name, names bound) of the direct subclasses of a class."""
        return self.of(unit).get("below", {}).get(unit.names[symbol], ())
