"""Which names of class bodies may be bound to descriptors, by how the bodies are written."""

# Nodes and values are tuples of several shapes, told apart by their first element.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from codeviews.core.languages import python_nodes as op
from codeviews.core.resolve.python_names import AllNames
from codeviews.core.resolve.python_state import State
from codeviews.core.resolve.python_units import Unit

_METHODS = ("__get__", "__set__", "__set_name__")
_CALLS = 4  # calls of the result of a call looked through


def note_descriptors(state: State, units: list[Unit], whole: bool) -> None:
    """Fill ``described`` and ``setter_names`` of a state; subclasses are linked by now.

    Of files that are not loaded the descriptors are not known: any call may make one.
    """
    makers = _makers(state) if whole else AllNames()
    for unit in units:
        for symbol, record in unit.classes.items():
            for name, node in record[1].items():
                if _is_made_by(unit, node, makers):
                    state.described.setdefault((unit.index, symbol), []).append((name, node))
                    state.described_names.add(name)
                    state.setter_names.add(name)
                elif _is_made_by(unit, node, _PROPERTY):
                    state.setter_names.add(name)


_PROPERTY = frozenset(["property"])


def _makers(state: State) -> set[str]:
    """Names of the classes that are descriptors, and of those below them."""
    infos = state.classes.infos
    waiting = [
        n.number for n in infos if any(m in state.classes.record(n.number)[1] for m in _METHODS)
    ]
    seen = set(waiting)
    while waiting:
        for number in infos[waiting.pop()].subclasses:
            if number not in seen:
                seen.add(number)
                waiting.append(number)
    return {_class_name(infos[n].unit, infos[n].symbol) for n in seen}


def _class_name(unit: Unit, symbol: int) -> str:
    return unit.names[symbol].rpartition(".")[2].partition("#")[0]


def _is_made_by(unit: Unit, node: int, makers: set[str] | frozenset[str]) -> bool:
    """Whether a node is a call of a class of one of these names, or decorated by one."""
    record = unit.nodes[node]
    if record[0] == op.DECORATED:
        record = unit.nodes[record[2]]
    if record[0] != op.CALL:
        return False
    for _ in range(_CALLS):
        record = unit.nodes[record[1]]
        if record[0] != op.CALL:
            break
    if record[0] == op.GLOBAL:
        if record[1] in makers:
            return True
        record = unit.nodes[unit.bindings.get(record[1], node)]
    if record[0] == op.IMPORT:
        item = unit.imports[record[1]]
        return (item.name or item.module.rpartition(".")[2]) in makers
    if record[0] == op.CLASS:
        return _class_name(unit, record[1]) in makers
    return record[0] == op.ATTR and record[2] in makers
