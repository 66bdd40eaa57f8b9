"""Builtin functions and methods that matter for the flow of values."""

# Nodes and values are tuples of several shapes, told apart by their first element.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from codeviews.core.languages import python_nodes as op
from codeviews.core.resolve import python_values as v
from codeviews.core.resolve.python_attributes import attribute
from codeviews.core.resolve.python_contexts import Environment
from codeviews.core.resolve.python_dispatch import REGISTERING
from codeviews.core.resolve.python_state import State
from codeviews.core.resolve.python_units import Unit
from codeviews.core.resolve.python_values import Values, add, join


class Arguments(NamedTuple):
    """The arguments of one call: nodes of ``unit`` read in ``env``. ``node`` is the call itself.

    Of a call that is not written (``unit`` is None) the values are ``given``.
    """

    unit: Unit | None
    node: int
    positional: tuple[Any, ...]
    keywords: tuple[tuple[str | None, int], ...]
    env: Environment | None
    scope: int
    given: tuple[Values, ...] = ()


NO_ARGUMENTS = Arguments(None, -1, (), (), None, 0)


def first_argument(state: State, args: Arguments, position: int = 0) -> Values:
    """The values of a positional argument; none when it is starred or missing."""
    if args.unit is None or len(args.positional) <= position:
        return v.EMPTY
    node = args.positional[position]
    if isinstance(node, tuple):
        return v.EMPTY
    return state.solver.read(args.unit, node, args.env)


_VIEWS = frozenset(["list", "tuple", "set", "frozenset", "sorted", "reversed", "iter", "filter"])
_TYPES = {
    "str": "str",
    "repr": "str",
    "format": "str",
    "chr": "str",
    "input": "str",
    "int": "int",
    "len": "int",
    "ord": "int",
    "hash": "int",
    "id": "int",
    "float": "float",
    "bool": "bool",
    "isinstance": "bool",
    "issubclass": "bool",
    "callable": "bool",
    "hasattr": "bool",
    "all": "bool",
    "any": "bool",
    "bytes": "bytes",
    "bytearray": "bytearray",
    "open": "file",
    "range": "range",
    "dir": "list",
    "object": "object",
    "complex": "complex",
    "divmod": "tuple",
    "memoryview": "memoryview",
}


def builtin_call(state: State, value: int, tier: int, args: Arguments, out: Values) -> None:
    """What a builtin function or class gives."""
    name: str = state.table.items[value][1]
    handler = _BUILTINS.get(name)
    if handler is not None:
        handler(state, args, tier, out)
    elif name in _VIEWS:
        _view(state, args, 1 if name == "filter" else 0, out)
    elif name in _TYPES:
        add(out, state.table.make((v.BUILTIN, _TYPES[name])), tier)
    elif name[:1].isupper():
        add(out, state.table.make((v.BUILTIN, name)), tier)


def _view(state: State, args: Arguments, position: int, out: Values) -> None:
    if args.unit is not None and not args.positional:
        add(out, state.table.make((v.CONTAINER, args.unit.index, args.node)), v.B)
    for value in first_argument(state, args, position):
        if state.table.kinds[value] in _ITERABLE:
            add(out, state.table.make((v.VIEW, value, 0)), v.B)
        elif state.table.kinds[value] == v.EXTERNAL:
            add(out, value, v.B)


_ITERABLE = frozenset(
    [v.CONTAINER, v.VIEW, v.MAPPED, v.GENERATOR, v.INSTANCE, v.DECLARED, v.CLASS, v.SUBCLASS]
)


def _dict(state: State, args: Arguments, tier: int, out: Values) -> None:
    if args.unit is not None:
        add(out, state.table.make((v.CONTAINER, args.unit.index, args.node)), v.B)


def _super(state: State, args: Arguments, tier: int, out: Values) -> None:
    """``super()`` takes class and receiver from the method it stands in."""
    if args.unit is None:
        return
    unit = args.unit
    symbol = args.scope
    while symbol > 0 and _method_owner(unit, symbol) < 0:
        symbol = unit.parents[symbol]
    owner = _method_owner(unit, symbol) if symbol > 0 else -1
    if owner < 0:
        return
    number = state.classes.number(unit, owner)
    for value in first_argument(state, args):
        if state.table.kinds[value] in v.CLASSES:
            number = state.table.items[value][1]
    receiver = _self_value(state, unit, symbol, owner, args.env)
    add(out, state.table.make((v.SUPER, number, receiver)), tier)


def _method_owner(unit: Unit, symbol: int) -> int:
    record = unit.functions.get(symbol)
    return record[6] if record is not None and len(record) > 6 else -1


def _self_value(state: State, unit: Unit, symbol: int, owner: int, env: Environment | None) -> int:
    node = unit.param_nodes.get((symbol, 0))
    if env is not None and node is not None:
        known = env.params.get(unit.base + node)
        if known and len(known) == 1:
            return next(iter(known))
    flags = unit.functions[symbol][7]
    kind = v.SUBCLASS if flags & (op.IS_CLASSMETHOD | op.IS_STATIC) else v.DECLARED
    return state.table.make((kind, state.classes.number(unit, owner)))


def _type(state: State, args: Arguments, tier: int, out: Values) -> None:
    if len(args.positional) == 3:
        _made_class(state, args, out)
        return
    for value, own in first_argument(state, args).items():
        if state.table.kinds[value] in v.INSTANCES:
            add(out, state.class_of(value), max(own, tier))
        elif state.table.kinds[value] in v.CLASSES:
            add(out, state.table.make((v.BUILTIN_NAME, "type")), v.B)


def _made_class(state: State, args: Arguments, out: Values) -> None:
    """``type(name, bases, attributes)``: some class below the bases."""
    unit, bases = args.unit, args.positional[1]
    if unit is None or isinstance(bases, tuple) or unit.nodes[bases][0] != op.LITERAL:
        return
    for node in unit.nodes[bases][3]:
        if isinstance(node, int):
            for value, own in state.solver.read(unit, node, args.env).items():
                if state.table.kinds[value] in v.CLASSES:
                    number = state.table.items[value][1]
                    add(out, state.table.make((v.SUBCLASS, number)), max(own, v.B))
                elif value == v.MANY:
                    add(out, v.MANY, v.C)


def _getattr(state: State, args: Arguments, tier: int, out: Values) -> None:
    names = [
        state.table.items[value][1]
        for value in first_argument(state, args, 1)
        if state.table.kinds[value] == v.CONSTANT
    ]
    for value, own in first_argument(state, args).items():
        for name in names:
            if isinstance(name, str):
                attribute(state, value, name, max(own, v.C), out)
    join(out, first_argument(state, args, 2), v.C)


def _next(state: State, args: Arguments, tier: int, out: Values) -> None:
    for value, own in first_argument(state, args).items():
        state.elements(value, 0, max(own, v.B), out)
    join(out, first_argument(state, args, 1), v.B)


def _map(state: State, args: Arguments, tier: int, out: Values) -> None:
    for position in range(min(len(args.positional), 2)):
        for value in first_argument(state, args, position):
            if state.table.kinds[value] in v.CALLABLE:
                add(out, state.table.make((v.MAPPED, value)), v.B)


def _property(state: State, args: Arguments, tier: int, out: Values) -> None:
    for value in first_argument(state, args):
        if state.table.kinds[value] == v.FUNCTION:
            add(out, state.table.make((v.PROPERTY, value)), tier)


def _pass_first(state: State, args: Arguments, tier: int, out: Values) -> None:
    join(out, first_argument(state, args), tier)


def _extreme(state: State, args: Arguments, tier: int, out: Values) -> None:
    if len(args.positional) == 1:
        _next(state, args, tier, out)
    for position in range(min(len(args.positional), 4) if len(args.positional) > 1 else 0):
        join(out, first_argument(state, args, position), v.B)


_BUILTINS: dict[str, Callable[[State, Arguments, int, Values], None]] = {
    "super": _super,
    "type": _type,
    "getattr": _getattr,
    "next": _next,
    "anext": _next,
    "map": _map,
    "dict": _dict,
    "property": _property,
    "staticmethod": _pass_first,
    "classmethod": _pass_first,
    "max": _extreme,
    "min": _extreme,
}


def builtin_method_call(state: State, value: int, tier: int, args: Arguments, out: Values) -> None:
    """What a method of a builtin type gives."""
    _, type_name, name, receiver = state.table.items[value]
    if type_name == REGISTERING:
        _registered(state, value, args, out)
    elif receiver >= 0:
        if name in ("get", "pop", "setdefault", "popitem", "popleft", "__getitem__"):
            key = first_argument(state, args)
            if name == "pop" and not args.positional and state.is_list(receiver):
                key = {state.table.constant(-1): v.A}
            state.items(receiver, key, v.B, out)
            join(out, first_argument(state, args, 1), v.B)
        elif name in ("values", "keys", "items"):
            mode = {"values": 1, "keys": 2}.get(name, 3)
            add(out, state.table.make((v.VIEW, receiver, mode)), v.B)
        elif name in ("copy", "union", "__iter__", "__aiter__"):
            add(out, receiver, v.B)
        elif name in ("__next__", "send", "__anext__"):
            state.elements(receiver, 0, v.B, out)
    elif name == "fromkeys" and args.unit is not None:
        add(out, state.table.make((v.CONTAINER, args.unit.index, args.node)), v.B)
    elif type_name == "str":
        kind = "list" if name in ("split", "rsplit", "splitlines", "partition") else "str"
        add(out, state.table.make((v.BUILTIN, kind)), tier)
    elif name == "copy":
        add(out, state.table.make((v.BUILTIN, type_name)), tier)
    elif name == "__new__":
        for item, own in first_argument(state, args).items():
            if state.table.kinds[item] in v.CLASSES:
                add(out, state.table.make((v.INSTANCE, state.table.items[item][1])), max(own, v.B))


def _registered(state: State, value: int, args: Arguments, out: Values) -> None:
    """``register(T)`` waits for a function; with one it gives it back."""
    for item, tier in first_argument(state, args, max(len(args.positional) - 1, 0)).items():
        add(out, item if state.table.kinds[item] == v.FUNCTION else value, tier)
