"""What a call gives: results of functions, instances of classes, builtins that matter for flow."""

# Nodes and values are tuples of several shapes, told apart by their first element.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from codeviews.core.languages import python_nodes as op
from codeviews.core.resolve import python_values as v
from codeviews.core.resolve.python_attributes import attribute
from codeviews.core.resolve.python_builtins import (
    NO_ARGUMENTS,
    Arguments,
    builtin_call,
    builtin_method_call,
    first_argument,
)
from codeviews.core.resolve.python_contexts import Environment
from codeviews.core.resolve.python_dispatch import reached
from codeviews.core.resolve.python_fields import default_values, fields_of, passed_fields
from codeviews.core.resolve.python_getters import MAKERS, got, made_getter
from codeviews.core.resolve.python_solver import CONTEXT_DEPTH
from codeviews.core.resolve.python_state import State
from codeviews.core.resolve.python_units import Unit
from codeviews.core.resolve.python_values import Values, add, join


def call_node(state: State, unit: Unit, record: Any, node: int, env: Environment | None) -> Values:
    """The values of a CALL node."""
    args = Arguments(unit, node, record[2], record[3], env, record[4])
    kinds = state.table.kinds
    out: Values = {}
    later: list[tuple[int, int]] = []
    called = state.solver.read(unit, record[1], env)
    for value, tier in called.items():
        kind = kinds[value]
        if tier == v.C and kind == v.METHOD:
            later.append((value, tier))
        elif kind in _CALLS:
            _CALLS[kind](state, value, tier, args, out)
    if later and all(kinds[value] == v.BUILTIN for value in out):
        for value, tier in later:
            _method(state, value, tier, args, out)
    if v.MANY in called:
        add(out, v.MANY, v.C)
    return out


def call(state: State, value: int, tier: int, args: Arguments, out: Values) -> None:
    """Add what calling ``value`` gives."""
    kind = state.table.kinds[value]
    if kind in _CALLS:
        _CALLS[kind](state, value, tier, args, out)


def call_value(
    state: State, value: int, tier: int, out: Values, given: tuple[Values, ...] = ()
) -> None:
    """Add what a call that nobody wrote gives (properties, ``__enter__``, ``__getattr__``...)."""
    args = NO_ARGUMENTS._replace(given=given) if given else NO_ARGUMENTS
    call(state, value, tier, args, out)


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
    if record[7] & op.IS_DISPATCH:
        for function, own in reached(state, value, first_argument(state, args)).items():
            function_result(state, function, receiver, max(own, tier), args, out)
    if record[7] & op.IS_GENERATOR:
        env = _environment(state, unit, symbol, record, record[4], closure, receiver, args)
        add(out, state.table.make((v.GENERATOR, number, symbol, env)), max(tier, v.B))
        return
    found: Values = v.EMPTY
    if record[3] >= 0:
        env = _environment(state, unit, symbol, record, record[3], closure, receiver, args)
        if env:
            found = state.solver.in_context(unit, record[3], env)
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
    needed = solver.depends(unit, node) if node >= 0 else None
    if not needed:
        return 0
    outer = solver.environments[closure]
    depth = max(outer.depth, args.env.depth if args.env is not None else 0) + 1
    if depth > CONTEXT_DEPTH:
        return 0
    params: dict[int, Values] = {}
    for key in sorted(needed) if len(needed) > 1 else needed:
        param = unit.nodes[key - unit.base]
        if param[1] != symbol:
            if key in outer.params:
                params[key] = outer.params[key]
            continue
        found = _argument(state, unit, record, param[2], receiver, args)
        if found is not None:
            params[key] = found
    return solver.contexts.environment(params, depth) if params else 0


def _argument(
    state: State, unit: Unit, record: Any, index: int, receiver: int | None, args: Arguments
) -> Values | None:
    """The values a call passes to parameter ``index``; None when it cannot be told."""
    names, plain, vararg, kwarg = record[0]
    if receiver is not None:
        if index == 0:
            owner = record[6]
            is_own = state.table.items[receiver] == (v.DECLARED, _owner(state, unit, owner))
            return None if is_own else state.solver.shared({receiver: v.B})
        position = index - 1
    else:
        position = index
    if args.unit is None:
        known = index < plain and position < len(args.given)
        return state.solver.shared(args.given[position]) if known else None
    if index == kwarg:
        return None
    if index == vararg:
        return v.EMPTY if _takes_none(args, plain - index + position) else None
    if _is_starred(args, position):
        return v.EMPTY if _spreads_nothing(args, position) else None
    found: int | None = None
    if index < plain and position < len(args.positional):
        found = args.positional[position]
    else:
        for name, node in args.keywords:
            if name == names[index]:
                found = node
                break
    if found is not None:
        values = state.solver.read(args.unit, found, args.env)
        if v.A in values.values():
            values = {value: max(tier, v.B) for value, tier in values.items()}
        return values
    default = record[1].get(index)
    return state.solver.get(unit, default) if default is not None else None


def _owner(state: State, unit: Unit, owner: int) -> int:
    return state.classes.number(unit, owner) if owner >= 0 else -1


def created_attribute(
    state: State, unit: Unit, call_index: int, value: int, name: str, tier: int, out: Values
) -> None:
    """An attribute of the instance that a call makes: what that call passed, when set from it."""
    record = unit.nodes[call_index]
    args = Arguments(unit, call_index, record[2], record[3], None, record[4])
    before, state.creation = state.creation, _Made(state, value, args)
    try:
        attribute(state, value, name, tier, out)
    finally:
        state.creation = before


class _Made:
    """An instance as the call that made it knows it."""

    def __init__(self, state: State, value: int, args: Arguments) -> None:
        self.state, self.value, self.args = state, value, args

    def cell(self, unit: Unit, node: int) -> Values | None:
        record = unit.nodes[node]
        if record[0] != op.PARAM or not unit.names[record[1]].endswith(".__init__"):
            return None
        function = unit.functions[record[1]]
        return _argument(self.state, unit, function, record[2], self.value, self.args)

    def field(self, name: str) -> Values | None:
        unit, positional, keywords = self.args.unit, self.args.positional, self.args.keywords
        fields = fields_of(self.state.classes, self.state.table.items[self.value][1])
        if unit is None or fields is None:
            return None
        for field, node in passed_fields(fields, positional, keywords):
            if field.name == name:
                return self.state.solver.read(unit, node, None)
        return None


def _is_starred(args: Arguments, position: int) -> bool:
    for item in args.positional[: position + 1]:
        if isinstance(item, tuple):
            return True
    return any(name is None for name, _ in args.keywords) if args.keywords else False


def _takes_none(args: Arguments, plain: int) -> bool:
    """Whether ``plain`` parameters take all positional arguments and ``*args`` none."""
    return len(args.positional) <= plain and not any(isinstance(a, tuple) for a in args.positional)


def _spreads_nothing(args: Arguments, position: int) -> bool:
    """Whether an argument is in a ``*args`` that is empty in this context."""
    item = args.positional[position] if position < len(args.positional) else None
    if args.env is None or args.unit is None or not isinstance(item, tuple) or args.keywords:
        return False
    return args.env.params.get(args.unit.base + item[0]) == v.EMPTY


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
    "functools.singledispatch functools.singledispatchmethod contextlib.contextmanager "
    "contextlib.asynccontextmanager functools.total_ordering dataclasses.dataclass "
    "dataclasses.replace asyncio.run asyncio.create_task asyncio.ensure_future "
    "asyncio.wait_for contextlib.closing asgiref.sync.sync_to_async "
    "asgiref.sync.async_to_sync functools.update_wrapper attr.define attr.s attr.attrs "
    "attr.evolve attrs.define attrs.frozen attrs.mutable attrs.evolve".split(" ")
)
_STACKS = frozenset(["contextlib.ExitStack", "contextlib.AsyncExitStack"])
_FIELDS = frozenset(
    "dataclasses.field attr.ib attr.attrib attr.field attrs.field pydantic.Field".split(" ")
)
_IMPORTING = frozenset(["importlib.import_module", "pkgutil.resolve_name"])
_COLLECTIONS = frozenset(["OrderedDict", "defaultdict", "deque", "ChainMap", "WeakValueDictionary"])


def _external(state: State, value: int, tier: int, args: Arguments, out: Values) -> None:
    name: str = state.table.items[value][1]
    first = first_argument(state, args)
    if name in ("functools.partial", "functools.partialmethod"):
        bound = len(args.positional) - (name == "functools.partial")
        for item, own in first.items():
            if state.table.kinds[item] in v.CALLABLE:
                add(out, state.table.make((v.PARTIAL, item, bound)), max(own, v.B))
    elif name in MAKERS:
        given = [first_argument(state, args, i) for i in range(len(args.positional))]
        made_getter(state, name, given, tier, out)
    elif name == "functools.reduce":
        _reduced(state, args, out)
    elif name in _STACKS:
        add(out, state.table.make((v.EXTERNAL, f"{name}()")), tier)
    elif name in _SAME:
        join(out, first, v.B)
    elif name in _FIELDS:
        if args.unit is not None:
            default_values(state, args.unit, args.keywords, args.env, out)
    elif name in ("typing.cast", "cast"):
        _cast(state, args, out)
    elif name in _IMPORTING:
        _imported(state, args, out)
    elif name.rpartition(".")[2] in _COLLECTIONS and args.unit is not None:
        add(out, state.table.make((v.CONTAINER, args.unit.index, args.node)), v.B)
    elif entered_by(args.unit, args.node):
        _entered(state, args, out)
    else:
        add(out, state.table.make((v.EXTERNAL, v.RESULT)), tier)


def _getter(state: State, value: int, tier: int, args: Arguments, out: Values) -> None:
    got(state, value, first_argument(state, args), out)


def _reduced(state: State, args: Arguments, out: Values) -> None:
    """``reduce(f, xs, start)``: what ``f`` gives, or what it got first."""
    each: Values = {}
    for value, tier in first_argument(state, args, 1).items():
        state.elements(value, 0, max(tier, v.B), each)
    before: Values = dict(each)
    join(before, first_argument(state, args, 2), v.B)
    for function, tier in first_argument(state, args).items():
        call_value(state, function, max(tier, v.B), out, (before, each))
    join(out, before, v.B)


ENTERING = {"enter_context": "__enter__", "enter_async_context": "__aenter__"}


def entered_by(unit: Unit | None, node: int) -> str:
    """The method by which the call of an exit stack enters its argument; "" when it is none."""
    if unit is None or unit.nodes[node][0] != op.CALL:
        return ""
    callee = unit.nodes[unit.nodes[node][1]]
    return ENTERING.get(callee[2], "") if callee[0] == op.ATTR else ""


def _entered(state: State, args: Arguments, out: Values) -> None:
    """``stack.enter_context(x)`` gives what ``with x as y`` would."""
    name = entered_by(args.unit, args.node)
    for value, tier in first_argument(state, args).items():
        found: Values = {}
        if state.table.kinds[value] in v.INSTANCES:
            attribute(state, value, name, tier, found)
        elif state.table.kinds[value] == v.GENERATOR:
            state.elements(value, 0, tier, out)
        for method, own in found.items():
            call(state, method, own, NO_ARGUMENTS, out)
    if not out:
        add(out, state.table.make((v.EXTERNAL, v.RESULT)), v.B)


def _imported(state: State, args: Arguments, out: Values) -> None:
    """``import_module("a.b")``: that module; by a name made at run time it may be any."""
    names = first_argument(state, args)
    for value in names:
        name = state.table.items[value][1] if state.table.kinds[value] == v.CONSTANT else None
        if args.unit is not None and isinstance(name, str) and name[:1].isidentifier():
            path = state.import_path(args.unit, name, 0)
            known = (v.EXTERNAL, name) if path is None else (v.MODULE, path)
            add(out, state.table.make(known), v.B if len(names) == 1 else v.C)


def _cast(state: State, args: Arguments, out: Values) -> None:
    for value, tier in first_argument(state, args).items():
        if state.table.kinds[value] in v.CLASSES:
            add(out, state.table.make((v.DECLARED, state.table.items[value][1])), max(tier, v.B))
    if not out:
        join(out, first_argument(state, args, 1), v.B)


_CALLS: dict[int, Callable[[State, int, int, Arguments, Values], None]] = {
    v.FUNCTION: _function,
    v.METHOD: _method,
    v.CLASS: _class,
    v.SUBCLASS: _class,
    v.INSTANCE: _instance,
    v.DECLARED: _instance,
    v.PARTIAL: _partial,
    v.EXTERNAL: _external,
    v.BUILTIN_NAME: builtin_call,
    v.BUILTIN_METHOD: builtin_method_call,
    v.GETTER: _getter,
}
