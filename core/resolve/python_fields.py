"""Fields that a generated ``__init__`` fills: dataclasses, attrs, named tuples, models."""

# Nodes and values are tuples of several shapes, told apart by their first element.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from codeviews.core.languages import python_nodes as op
from codeviews.core.languages.python_fields import INIT_ONLY, NOT_PASSED
from codeviews.core.resolve import python_values as v
from codeviews.core.resolve.python_classes import Classes
from codeviews.core.resolve.python_contexts import Environment
from codeviews.core.resolve.python_state import State
from codeviews.core.resolve.python_units import Unit

AFTER = ("__post_init__", "__attrs_post_init__")
_FACTORIES = ("default_factory", "factory")
_DEFAULTS = ("default", *_FACTORIES)


class Field(NamedTuple):
    """A field of a class, and the number of the class that declares it."""

    name: str
    special: int
    owner: int


def fields_of(classes: Classes, number: int) -> tuple[Field, ...] | None:
    """The fields that a call of a class fills, in order; None when it has an own ``__init__``."""
    known = classes.fields.get(number, ())
    if known != ():
        return known
    found = classes.fields[number] = _fields_of(classes, number)
    return found


def _fields_of(classes: Classes, number: int) -> tuple[Field, ...] | None:
    for item in classes.mro(number):
        record = classes.record(item)
        if "__init__" in record[1]:
            return None
        if record[4] is not None:
            return _collected(classes, item)
    return None


def _collected(classes: Classes, number: int) -> tuple[Field, ...]:
    found: dict[str, Field] = {}
    for item in reversed(classes.mro(number)):
        for name, special in classes.record(item)[4] or ():
            found[name] = Field(name, special, item)
    return tuple(found.values())


def passed_fields(
    fields: tuple[Field, ...], positional: tuple[Any, ...], keywords: Any
) -> Iterator[tuple[Field, int]]:
    """(field, argument node) of a call; nothing is known of what starred arguments hide."""
    taken = [field for field in fields if not field.special & NOT_PASSED]
    for field, argument in zip(taken, positional, strict=False):
        if isinstance(argument, tuple):
            break
        yield field, argument
    names = {field.name.lstrip("_"): field for field in taken}
    names.update((field.name, field) for field in taken)
    for name, argument in keywords:
        if name in names:
            yield names[name], argument


def init_only(fields: tuple[Field, ...]) -> list[str]:
    """Names of the fields that are passed on to ``__post_init__``, in order."""
    return [field.name for field in fields if field.special & INIT_ONLY]


def cell_name(name: str) -> str:
    """The cell of what constructors put into a field, apart from what is assigned to it."""
    return f"{name}="


def matched_name(state: State, number: int, name: str) -> str:
    """The attribute that the position in a class pattern means; "" when that is not known."""
    place = int(name[len(op.MATCHED) :])
    classes = state.classes
    member = classes.member(number, "__match_args__")
    if member.owner >= 0:
        unit = classes.infos[member.owner].unit
        display = unit.nodes[member.node]
        keys = [unit.nodes[node] for node in display[3]] if display[0] == op.LITERAL else []
        named = keys[place][1] if place < len(keys) and keys[place][0] == op.CONST else ""
        return named if isinstance(named, str) else ""
    fields = fields_of(classes, number) or ()
    return fields[place].name if place < len(fields) else ""


def is_tuple(state: State, number: int) -> bool:
    """Whether the instances of a class are tuples of its fields."""
    return any(name.rpartition(".")[2] == "NamedTuple" for name in state.classes.outside(number))


def factories(state: State, number: int, call: Any) -> Iterator[tuple[int, int]]:
    """(value, tier) of the functions that make what a call leaves out of its fields."""
    fields = fields_of(state.classes, number)
    if not fields or any(isinstance(arg, tuple) for arg in call[2]):
        return
    given = {field.name for field, _ in passed_fields(fields, call[2], call[3])}
    for field in fields:
        info = state.classes.infos[field.owner]
        node = info.unit.classes[info.symbol][1].get(field.name, op.NO_NODE)
        for maker in _makers(info.unit.nodes, node) if field.name not in given else ():
            yield from state.solver.get(info.unit, maker).items()


def _makers(nodes: Any, node: int) -> list[int]:
    waiting = [node] if node >= 0 else []
    found: list[int] = []
    for item in waiting:
        record = nodes[item]
        if record[0] == op.PHI:
            waiting.extend(record[1])
        elif record[0] == op.CALL:
            found.extend(value for name, value in record[3] if name in _FACTORIES)
    return found


def default_values(
    state: State, unit: Unit, keywords: Any, env: Environment | None, out: v.Values
) -> None:
    """``field(default=x)``, ``field(default_factory=f)``, ``attr.ib(factory=f)``."""
    for name, node in keywords:
        values = state.solver.read(unit, node, env) if name in _DEFAULTS else v.EMPTY
        for value, tier in values.items():
            if name == "default":
                v.add(out, value, max(tier, v.B))
            else:
                state.call_value(value, max(tier, v.B), out)


def member_function(state: State, number: int, name: str) -> tuple[Unit, int] | None:
    """The method of that name of a class: its file and symbol."""
    member = state.classes.member(number, name)
    if member.owner < 0:
        return None
    for value in state.solver.get(state.classes.infos[member.owner].unit, member.node):
        item = state.table.items[value]
        if item[0] == v.FUNCTION:
            return state.solver.units[item[1]], item[2]
    return None
