"""What a call gives: results of functions, instances of classes, builtins that matter for flow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from codeviews.core.languages import python_nodes as op
from codeviews.core.resolve import python_values as v
from codeviews.core.resolve.python_attributes import attribute
from codeviews.core.resolve.python_solver import CONTEXT_DEPTH, Environment
from codeviews.core.resolve.python_state import State
from codeviews.core.resolve.python_units import Unit
from codeviews.core.resolve.python_values import Values, add, join


class Arguments(NamedTuple):
    """The arguments of one call: nodes of ``unit`` read in ``env``. ``node`` is the call itself."""

    unit: Unit | None
    node: int
    positional: tuple[Any, ...]
    keywords: tuple[tuple[str | None, int], ...]
    env: Environment | None
    scope: int


NO_ARGUMENTS = Arguments(None, -1, (), (), None, 0)


def call_node(state: State, unit: Unit, record: Any, node: int, env: Environment | None) -> Values:
    """The values of a CALL node."""
    args = Arguments(unit, node, record[2], record[3], env, record[4])
    callees = state.solver.read(unit, record[1], env)
    out: Values = {}
    later: list[tuple[int, int]] = []
    for value, tier in callees.items():
        if tier == v.C and state.table.kinds[value] == v.METHOD:
            later.append((value, tier))
        else:
            call(state, value, tier, args, out)
    if not any(state.table.kinds[value] != v.BUILTIN for value in out):
        for value, tier in later:
            call(state, value, tier, args, out)
    return out


def call(state: State, value: int, tier: int, args: Arguments, out: Values) -> None:
    """Add what calling ``value`` gives."""
    handler = _CALLS.get(state.table.kinds[value])
    if handler is not None:
        handler(state, value, tier, args, out)


def call_value(state: State, value: int, tier: int, out: Values) -> None:
    """Add what calling ``value`` without arguments gives (properties, ``__enter__``...)."""
    call(state, value, tier, NO_ARGUMENTS, out)


def _function(state: State, value: int, tier: int, args: Arguments, out: Values) -> None:
    function_result(state, value, None, tier, args, out)


def _method(state: State, value: int, tier: int, args: Arguments, out: Values) -> None:
    _, function, receiver = state.table.items[value]
    if state.table.kinds[function] == v.FUNCTION:
        function_result(state, function, receiver, tier, args, out)
    else:
        call(state, function, tier, args, out)


def function_result(
    state: State, value: int, receiver: int | None, tier: int, args: Arguments, out: Values
) -> None:
    """What a function returns, told apart by call when its result depends on its parameters."""
    _, number, symbol, closure = state.table.items[value]
    unit = state.solver.units[number]
    record = unit.functions.get(symbol)
    if record is None or len(record) < 9:
        return
    if record[7] & op.IS_GENERATOR:
        env = _environment(state, unit, symbol, record, record[4], closure, receiver, args)
        add(out, state.table.make((v.GENERATOR, number, symbol, env)), max(tier, v.B))
        return
    found: Values = v.EMPTY
    if record[3] >= 0:
        env = _environment(state, unit, symbol, record, record[3], closure, receiver, args)
        if env:
            found = state.solver.in_context(unit, record[3], state.solver.environments[env])
        else:
            found = state.solver.get(unit, record[3])
    join(out, found, max(tier, v.B))
    if record[5] >= 0 and not _says_something(state, found):
        join(out, state.solver.get(unit, record[5]), max(tier, v.B))


def _says_something(state: State, values: Values) -> bool:
    return any(state.table.kinds[value] not in (v.BUILTIN, v.EXTERNAL) for value in values)


def _environment(
    state: State,
    unit: Unit,
    symbol: int,
    record: Any,
    node: int,
    closure: int,
    receiver: int | None,
    args: Arguments,
) -> int:
    """The number of the environment a result must be read in; 0 when it needs none."""
    solver = state.solver
    outer = solver.environments[closure]
    depth = max(outer.depth, args.env.depth if args.env is not None else 0) + 1
    needed = solver.depends(unit, node) if node >= 0 else frozenset[int]()
    if not needed or depth > CONTEXT_DEPTH:
        return 0
    params: dict[int, Values] = {}
    for key in sorted(needed):
        param = unit.nodes[key - unit.base]
        if param[1] != symbol:
            if key in outer.params:
                params[key] = outer.params[key]
            continue
        found = _argument(state, unit, record, param[2], receiver, args)
        if found is not None:
            params[key] = found
    return solver.environment(params, depth).number if params else 0


def _argument(
    state: State, unit: Unit, record: Any, index: int, receiver: int | None, args: Arguments
) -> Values | None:
    """The values a call passes to parameter ``index``; None when it cannot be told."""
    names, plain, vararg, kwarg = record[0]
    if receiver is not None:
        if index == 0:
            owner = record[6]
            is_own = state.table.items[receiver] == (v.DECLARED, _owner(state, unit, owner))
            return None if is_own else {receiver: v.B}
        position = index - 1
    else:
        position = index
    if args.unit is None or index in (vararg, kwarg) or _is_starred(args, position):
        return None
    found: int | None = None
    if index < plain and position < len(args.positional):
        found = args.positional[position]
    else:
        found = next((node for name, node in args.keywords if name == names[index]), None)
    if found is not None:
        values = state.solver.read(args.unit, found, args.env)
        return {value: max(tier, v.B) for value, tier in values.items()}
    default = record[1].get(index)
    return state.solver.get(unit, default) if default is not None else None


def _owner(state: State, unit: Unit, owner: int) -> int:
    return state.classes.number(unit, owner) if owner >= 0 else -1


def _is_starred(args: Arguments, position: int) -> bool:
    before = args.positional[: position + 1]
    return any(isinstance(item, tuple) for item in before) or any(
        name is None for name, _ in args.keywords
    )


def _class(state: State, value: int, tier: int, args: Arguments, out: Values) -> None:
    kind, number = state.table.items[value]
    made = v.INSTANCE if kind == v.CLASS else v.DECLARED
    if any(name.rpartition(".")[2] == "type" for name in state.classes.outside(number)):
        return
    add(out, state.table.make((made, number)), max(tier, v.B))


def _instance(state: State, value: int, tier: int, args: Arguments, out: Values) -> None:
    found: Values = {}
    attribute(state, value, "__call__", tier, found)
    for item, own in found.items():
        if state.table.kinds[item] in (v.METHOD, v.EXTERNAL):
            call(state, item, max(own, v.B), args, out)


def _partial(state: State, value: int, tier: int, args: Arguments, out: Values) -> None:
    call(state, state.table.items[value][1], tier, NO_ARGUMENTS, out)


_SAME = frozenset(
    "copy.copy copy.deepcopy weakref.proxy functools.lru_cache functools.cache "
    "functools.singledispatch contextlib.contextmanager contextlib.asynccontextmanager "
    "functools.total_ordering dataclasses.dataclass dataclasses.replace asyncio.run "
    "asyncio.create_task asyncio.ensure_future asyncio.wait_for contextlib.closing".split(" ")
)
_COLLECTIONS = frozenset(["OrderedDict", "defaultdict", "deque", "ChainMap", "WeakValueDictionary"])


def _external(state: State, value: int, tier: int, args: Arguments, out: Values) -> None:
    name: str = state.table.items[value][1]
    first = _first(state, args)
    if name == "functools.partial":
        bound = len(args.positional) - 1
        for item, own in first.items():
            if state.table.kinds[item] in v.CALLABLE:
                add(out, state.table.make((v.PARTIAL, item, bound)), max(own, v.B))
    elif name in _SAME:
        join(out, first, v.B)
    elif name in ("typing.cast", "cast"):
        _cast(state, args, out)
    elif name.rpartition(".")[2] in _COLLECTIONS and args.unit is not None:
        add(out, state.table.make((v.CONTAINER, args.unit.index, args.node)), v.B)
    else:
        add(out, state.table.make((v.EXTERNAL, v.RESULT)), tier)


def _first(state: State, args: Arguments, position: int = 0) -> Values:
    if args.unit is None or len(args.positional) <= position:
        return v.EMPTY
    node = args.positional[position]
    if isinstance(node, tuple):
        return v.EMPTY
    return state.solver.read(args.unit, node, args.env)


def _cast(state: State, args: Arguments, out: Values) -> None:
    for value, tier in _first(state, args).items():
        if state.table.kinds[value] in v.CLASSES:
            add(out, state.table.make((v.DECLARED, state.table.items[value][1])), max(tier, v.B))
    if not out:
        join(out, _first(state, args, 1), v.B)


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


def _builtin(state: State, value: int, tier: int, args: Arguments, out: Values) -> None:
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
    for value in _first(state, args, position):
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
    for value in _first(state, args):
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
    for value, own in _first(state, args).items():
        if state.table.kinds[value] in v.INSTANCES:
            add(out, state.class_of(value), max(own, tier))


def _getattr(state: State, args: Arguments, tier: int, out: Values) -> None:
    names = [
        state.table.items[value][1]
        for value in _first(state, args, 1)
        if state.table.kinds[value] == v.CONSTANT
    ]
    for value, own in _first(state, args).items():
        for name in names:
            if isinstance(name, str):
                attribute(state, value, name, max(own, v.C), out)
    join(out, _first(state, args, 2), v.C)


def _next(state: State, args: Arguments, tier: int, out: Values) -> None:
    for value, own in _first(state, args).items():
        state.elements(value, 0, max(own, v.B), out)
    join(out, _first(state, args, 1), v.B)


def _map(state: State, args: Arguments, tier: int, out: Values) -> None:
    for position in range(min(len(args.positional), 2)):
        for value in _first(state, args, position):
            if state.table.kinds[value] in v.CALLABLE:
                add(out, state.table.make((v.MAPPED, value)), v.B)


def _property(state: State, args: Arguments, tier: int, out: Values) -> None:
    for value in _first(state, args):
        if state.table.kinds[value] == v.FUNCTION:
            add(out, state.table.make((v.PROPERTY, value)), tier)


def _pass_first(state: State, args: Arguments, tier: int, out: Values) -> None:
    join(out, _first(state, args), tier)


def _extreme(state: State, args: Arguments, tier: int, out: Values) -> None:
    if len(args.positional) == 1:
        _next(state, args, tier, out)
    for position in range(min(len(args.positional), 4) if len(args.positional) > 1 else 0):
        join(out, _first(state, args, position), v.B)


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


def _builtin_method(state: State, value: int, tier: int, args: Arguments, out: Values) -> None:
    _, type_name, name, receiver = state.table.items[value]
    if receiver >= 0:
        if name in ("get", "pop", "setdefault", "popitem", "popleft", "__getitem__"):
            state.items(receiver, _first(state, args), v.B, out)
            join(out, _first(state, args, 1), v.B)
        elif name in ("values", "keys", "items"):
            mode = {"values": 1, "keys": 2}.get(name, 3)
            add(out, state.table.make((v.VIEW, receiver, mode)), v.B)
        elif name in ("copy", "union", "__iter__", "__aiter__"):
            add(out, receiver, v.B)
        elif name in ("__next__", "send", "__anext__"):
            state.elements(receiver, 0, v.B, out)
    elif type_name == "str":
        kind = "list" if name in ("split", "rsplit", "splitlines", "partition") else "str"
        add(out, state.table.make((v.BUILTIN, kind)), tier)
    elif name == "copy":
        add(out, state.table.make((v.BUILTIN, type_name)), tier)
    elif name == "__new__":
        for item, own in _first(state, args).items():
            if state.table.kinds[item] in v.CLASSES:
                _class(state, item, own, args, out)


_CALLS: dict[int, Callable[[State, int, int, Arguments, Values], None]] = {
    v.FUNCTION: _function,
    v.METHOD: _method,
    v.CLASS: _class,
    v.SUBCLASS: _class,
    v.INSTANCE: _instance,
    v.DECLARED: _instance,
    v.PARTIAL: _partial,
    v.EXTERNAL: _external,
    v.BUILTIN_NAME: _builtin,
    v.BUILTIN_METHOD: _builtin_method,
}
