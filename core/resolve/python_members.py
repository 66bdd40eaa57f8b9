"""Attributes of classes as an instance or the class itself has them: bound methods, descriptors."""

# Nodes and values are tuples of several shapes, told apart by their first element.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from codeviews.core.languages import python_nodes as op
from codeviews.core.resolve import python_values as v
from codeviews.core.resolve.python_state import State
from codeviews.core.resolve.python_values import Values, add

_ENUMS = ("Enum", "Flag", "IntEnum", "StrEnum", "IntFlag")
_PLAIN_VALUES = frozenset([op.CONST, op.BUILTIN, op.LITERAL, op.CALL, op.OPERATOR])


def class_values(state: State, owner: int, node: int) -> Values:
    """The values of a node that a class body binds; the members of an enum are its instances."""
    unit = state.classes.infos[owner].unit
    values = state.solver.get(unit, node)
    if unit.nodes[node][0] in _PLAIN_VALUES and is_enum(state, owner):
        return {state.table.make((v.INSTANCE, owner)): v.B}
    return values


def is_enum(state: State, number: int) -> bool:
    """Whether the members of a class are its instances."""
    outside = state.classes.outside(number)
    return any(name.rpartition(".")[2] in _ENUMS for name in outside)


def bind_values(state: State, values: Values, receiver: int, tier: int, out: Values) -> None:
    """Values of a class attribute as seen through an instance: functions become methods."""
    for value, own in values.items():
        kind = state.table.kinds[value]
        level = max(tier, own)
        if kind == v.FUNCTION:
            _bind_function(state, value, receiver, level, out)
        elif kind == v.PROPERTY:
            getter = state.table.items[value][1]
            state.call_value(state.table.make((v.METHOD, getter, receiver)), level, out)
        elif kind != v.INSTANCE or not _descriptor(state, value, receiver, level, out):
            add(out, value, level)


def _descriptor(state: State, value: int, receiver: int, tier: int, out: Values) -> bool:
    """What the ``__get__`` of a class attribute gives; False when that is not known."""
    member = state.classes.member(state.table.items[value][1], "__get__")
    if member.owner < 0:
        return False
    given: Values = {}
    passed: tuple[Values, ...] = ({receiver: v.B}, {state.class_of(receiver): v.B})
    for method in state.member_values(member):
        if state.table.kinds[method] == v.FUNCTION:
            bound = state.table.make((v.METHOD, method, value))
            state.call_value(bound, tier, given, passed)
    given.pop(value, None)  # on the class itself it gives itself
    functions = [item for item in given if state.table.kinds[item] in v.CALLABLE]
    for item, own in given.items():
        if len(functions) == 1 or item not in functions:  # more: of all descriptors of its kind
            add(out, item, v.C if item in functions else max(own, v.B))
    return len(functions) == 1 or len(functions) < len(given)


def _bind_function(state: State, value: int, receiver: int, tier: int, out: Values) -> None:
    flags = state.flags(value)
    if flags & op.IS_STATIC:
        add(out, value, tier)
    elif flags & op.IS_CLASSMETHOD:
        add(out, state.table.make((v.METHOD, value, state.class_of(receiver))), tier)
    elif flags & op.IS_PROPERTY:
        state.call_value(state.table.make((v.METHOD, value, receiver)), tier, out)
    else:
        add(out, state.table.make((v.METHOD, value, receiver)), tier)


def bind_to_class(state: State, values: Values, value: int, tier: int, out: Values) -> None:
    """Values of a class attribute as seen through the class itself."""
    for item, own in values.items():
        if state.table.kinds[item] == v.FUNCTION and state.flags(item) & op.IS_CLASSMETHOD:
            add(out, state.table.make((v.METHOD, item, value)), max(tier, own))
        else:
            add(out, item, max(tier, own))
