"""Calls, ``new``, accessors and iteration: binding arguments and running function bodies."""

from __future__ import annotations

from typing import Any, NamedTuple

from codeviews.core.facts import AMBIGUOUS, BUILTIN, DYNAMIC, EXTERNAL, UNKNOWN
from codeviews.core.resolve.js_builtins import call_builtin
from codeviews.core.resolve.js_eval import (
    EXPRESSIONS,
    bind,
    elements,
    evaluate,
    lookup,
    spread_arguments,
    super_member,
)
from codeviews.core.resolve.js_ledger import Virtual
from codeviews.core.resolve.js_machine import Ir, Machine, run_block
from codeviews.core.resolve.js_members import INVOKE, get, get_computed, set_member
from codeviews.core.resolve.js_types import shared_instance, value_of_type
from codeviews.core.resolve.js_values import (
    EMPTY,
    FLOW,
    INFERRED,
    MANY,
    Env,
    Obj,
    Value,
    chain,
    find_property,
    join,
    only,
    raised,
)

ARROW, GENERATOR = 1, 4
MAX_TARGETS = 8  # receivers or callees of one call; above, the site is ambiguous(n)
MAX_DEPTH = 10  # calls inlined into each other
ALONE_DEPTH = 3  # the same, for functions that are run on their own
PLAIN_RUNS = 4  # times a function is run inline for calls that hand over no functions
CARRYING_RUNS = 24  # the same, for calls that do
RULES = {0: "scope or import", 1: "inferred type", 2: "value flow"}

Arguments = tuple[list[Value], Value]  # by position, and what any later position may be


class Callee(NamedTuple):
    """One thing a call may reach: the function, its ``this`` and how sure it is."""

    function: Obj
    this: Value
    rank: int


def _call(m: Machine, env: Env, ir: Ir) -> Value:
    _, callee, parts, site = ir
    if callee is not None and callee[0] == "super":
        return _super_call(m, env, parts, site)
    callees, receivers = _callees(m, env, callee)
    arguments = spread_arguments(m, env, parts)
    _refer(m, env, parts, arguments[0], site)
    return _dispatch(m, env, callees, receivers, arguments, parts, site)


def _callees(m: Machine, env: Env, callee: Ir | None) -> tuple[list[Callee], Value]:
    """What the callee expression may be, with receivers; and the receivers alone."""
    if callee is None:
        return [], EMPTY
    if callee[0] not in (".", "["):
        found = evaluate(m, env, callee)
        return [Callee(item, EMPTY, rank) for item, rank in found.items()], EMPTY
    if callee[1] is not None and callee[1][0] == "super":
        this = env.receiver()
        found = super_member(m, env, callee[2])
        return [Callee(item, this, rank) for item, rank in found.items()], this
    owners = evaluate(m, env, callee[1])
    key = evaluate(m, env, callee[2]) if callee[0] == "[" else EMPTY
    callees: list[Callee] = []
    for owner, rank in owners.items():
        one = {owner: rank}
        found = get(m, one, callee[2], 0) if callee[0] == "." else get_computed(m, one, key, 0)
        this = only(owner) if owner.kind != "ns" else EMPTY
        callees += [Callee(item, this, rank) for item, rank in found.items()]
    return callees, owners


def _dispatch(
    m: Machine,
    env: Env,
    callees: list[Callee],
    receivers: Value,
    arguments: Arguments,
    parts: Any,
    site: int,
) -> Value:
    where = (env.module.path, site)
    functions = {callee.function for callee in callees if callee.function.kind == "fn"}
    if len(functions) > MAX_TARGETS or MANY in functions or MANY in receivers:
        m.ledger.miss(where, AMBIGUOUS, max(len(functions), MAX_TARGETS + 1))
        return EMPTY
    result: Value = EMPTY
    for callee in callees:
        if callee.function.kind == "fn":
            _record(m, where, callee)
            found = call_function(m, callee.function, callee.this, arguments)
            result = join(result, raised(found, INFERRED))
        else:
            found = _call_other(m, env, callee, arguments, where)
            result = join(result, found)
    if not functions:
        _without_target(m, env, callees, receivers, parts, where)
    return result


def _record(m: Machine, where: tuple[str, int], callee: Callee) -> None:
    function = callee.function
    if function.symbol is None:
        m.ledger.miss(where, DYNAMIC)
        return
    m.ledger.hit(where, function.symbol, callee.rank, RULES[callee.rank])
    for receiver in callee.this:
        cls = receiver.cls
        if cls is not None and receiver is cls.shared and cls.symbol is not None:
            name = function.name
            m.ledger.dispatch(where, Virtual(cls.symbol, name, max(callee.rank, INFERRED)))


def _call_other(
    m: Machine, env: Env, callee: Callee, arguments: Arguments, where: tuple[str, int]
) -> Value:
    function = callee.function
    match function.kind:
        case "ext":
            m.ledger.miss(where, EXTERNAL)
            return join(only(function, callee.rank), _wrapped(arguments))
        case "builtin":
            m.ledger.miss(where, BUILTIN)
            return call_builtin(m, env, function.name, callee.this, arguments, where)
        case "fntype":
            m.ledger.miss(where, DYNAMIC)
            return value_of_type(m, function.env, function.record[1])
        case _:
            return EMPTY


def _wrapped(arguments: Arguments) -> Value:
    """The function in ``const Page = memo(() => ...)``, which goes by the constant's name."""
    for item in arguments[0][0] if arguments[0] else EMPTY:
        if item.kind == "fn" and item.symbol is not None and not item.is_class:
            symbol = item.module.file.facts.symbols[item.symbol[1]]
            if symbol.kind in ("constant", "variable"):
                return only(item, INFERRED)
    return EMPTY


def _without_target(
    m: Machine, env: Env, callees: list[Callee], receivers: Value, parts: Any, where: Any
) -> None:
    """No function of the repository is called: callbacks given inline may still run."""
    if not callees:
        m.ledger.miss(where, UNKNOWN)
        m.missed.add(m.current)
    known = callees[0].function if callees else None
    if known is not None and known.kind == "builtin":
        return
    given = only(known) if known is not None and known.kind == "ext" else EMPTY
    for part in parts:
        if part is not None and part[0] == "fn":
            run_callbacks(m, latest_closure(m, env, part), ([], given))


def latest_closure(m: Machine, env: Env, part: Ir) -> Value:
    """The function object made for an inline function argument."""
    closure = m.closures.get((env.module.path, part[1]))
    return only(closure) if closure is not None else EMPTY


def run_callbacks(m: Machine, functions: Value, arguments: Arguments) -> Value:
    """Run functions that somebody else calls with these arguments."""
    result: Value = EMPTY
    for function in functions:
        if function.kind == "fn" and function.record is not None and not function.is_class:
            result = join(result, call_function(m, function, EMPTY, arguments, carried=False))
    return result


def _refer(m: Machine, env: Env, parts: Any, values: list[Value], site: int) -> None:
    """Functions of the repository handed over by name are referenced where that happens."""
    for part, value in zip(parts, values, strict=False):
        if part is None or part[0] not in ("v", ".") or len(value) > MAX_TARGETS:
            continue
        for item, rank in value.items():
            if item.kind == "fn" and item.symbol is not None:
                path = env.module.path
                made = env.module.file.facts.sites[site]
                m.ledger.note(
                    path, made.scope, item.symbol, "references", made.line, rank, "passed as value"
                )


def call_function(
    m: Machine, function: Obj, this: Value, arguments: Arguments, *, carried: bool = True
) -> Value:
    """The result of a call: by running the body when affordable, else from what is known.

    ``carried``: the arguments come from a call site, not from a builtin or a declaration.
    """
    record = function.record
    if record is None or function.is_class:
        return EMPTY
    key = (function.module.path, function.index)
    if function.fixed:
        this = function.this or EMPTY
        arguments = ([*function.bound, *arguments[0]], arguments[1])
    _expect_parameters(m, function, arguments)
    if record[2] is None:
        return value_of_type(m, function.env, record[4])
    if carried:
        values = [raised(value, FLOW) for value in arguments[0]]
        arguments = (values, raised(arguments[1], FLOW))
    if not _affordable(m, key, arguments):
        remember(m, key, arguments)
        known = m.results.get(key, EMPTY)
        return join(known, value_of_type(m, function.env, record[4]))
    return run_function(m, function, this, arguments)


def _expect_parameters(m: Machine, function: Obj, arguments: Arguments) -> None:
    """Functions handed over learn their parameters' types from the callee's declaration."""
    for (_, declared, _), value in zip(function.record[1], arguments[0], strict=False):
        if declared is not None and _carries(value):
            expect(m, function.env, declared, value)


def expect(m: Machine, env: Env, declared: Any, value: Value) -> None:
    """Note for functions in ``value`` what a declared function type says of their parameters."""
    functions = [item for item in value if item.kind == "fn" and item.record is not None]
    for wanted in value_of_type(m, env, declared) if functions else EMPTY:
        if wanted.kind != "fntype" or not any(wanted.record[2]):
            continue
        given = [value_of_type(m, wanted.env, kind) for kind in wanted.record[2]]
        for function in functions:
            if not function.is_class:
                remember(m, (function.module.path, function.index), (given, EMPTY))


def _affordable(m: Machine, key: tuple[str, int], arguments: Arguments) -> bool:
    if key in m.active or m.steps > m.limit:
        return False
    if m.depth >= (ALONE_DEPTH if m.alone else MAX_DEPTH):
        return False
    runs = m.ran.get(key, 0)
    if runs < (1 if m.alone else PLAIN_RUNS):
        return True
    return runs < CARRYING_RUNS and any(_carries(value) for value in arguments[0])


def _carries(value: Value) -> bool:
    return any(item.kind == "fn" and not item.is_class for item in value)


def remember(m: Machine, key: tuple[str, int], arguments: Arguments) -> None:
    """Keep argument values for the time the function is run on its own."""
    seen = m.arguments.setdefault(key, [])
    for index, value in enumerate(arguments[0][:16]):
        if index == len(seen):
            seen.append(value)
        merged = join(seen[index], value)
        if len(merged) != len(seen[index]):
            seen[index] = merged
            if key in m.ran:
                m.missed.add(key)


def run_function(m: Machine, function: Obj, this: Value, arguments: Arguments) -> Value:
    """Run a function's body with these arguments."""
    record, module = function.record, function.module
    key = (module.path, function.index)
    env = Env(function.env, module, m.epoch, home=True)
    if not record[3] & ARROW:
        env.this = this or default_this(function)
    saved = m.returned, m.yielded, m.scope, m.current
    m.returned = m.yielded = EMPTY
    m.scope, m.current = function.scope, key
    m.active.add(key)
    m.ran[key] = m.ran.get(key, 0) + 1
    if function.home is None or any(item.cls is function.home.cls for item in this):
        m.ran_own.add(key)
    m.depth += 1
    try:
        bind_parameters(m, env, record[1], arguments)
        run_block(m, env, record[2], scoped=False)
        result = _result(m, record, env)
    finally:
        m.returned, m.yielded, m.scope, m.current = saved
        m.active.discard(key)
        m.depth -= 1
    m.results[key] = join(m.results.get(key, EMPTY), result)
    return result


def _result(m: Machine, record: Any, env: Env) -> Value:
    if record[3] & GENERATOR:
        items = Obj("arr", "iterator", m.epoch)
        items.elem = m.yielded
        return only(items, INFERRED)
    if record[4] is not None and _carries(m.returned):
        expect(m, env, record[4], m.returned)
    return join(m.returned, value_of_type(m, env, record[4]))


def default_this(function: Obj) -> Value:
    """``this`` of a function that is run without a receiver."""
    home = function.home
    if function.this is not None:
        return function.this
    if home is None:
        return EMPTY
    if home.cls is not None and home.cls.proto is home:
        return only(shared_instance(home.cls))
    return only(home)


def bind_parameters(m: Machine, env: Env, parameters: Any, arguments: Arguments) -> None:
    """Bind parameters to values seen, declared types and defaults."""
    values, rest = arguments
    for index, (pattern, declared, is_field) in enumerate(parameters):
        if pattern is not None and pattern[0] == "...":
            _bind_rest(m, env, pattern[1], values[index:], rest)
            return
        value = values[index] if index < len(values) else rest
        if declared is not None:
            value = join(value, value_of_type(m, env, declared))
        bind(m, env, pattern, value, "let")
        target = pattern[1] if pattern is not None and pattern[0] == "def" else pattern
        if is_field and target is not None and target[0] == "v":
            set_member(m, env.receiver(), target[1], env.vars.get(target[1], EMPTY))


def _bind_rest(m: Machine, env: Env, pattern: Ir, values: list[Value], rest: Value) -> None:
    array = Obj("arr", "array", m.epoch)
    array.props = {str(index): value for index, value in enumerate(values)}
    array.elem = rest
    array.length = len(values) if not rest else None
    bind(m, env, pattern, only(array, INFERRED), "let")


def _new(m: Machine, env: Env, ir: Ir) -> Value:
    _, callee, parts, site = ir
    classes = evaluate(m, env, callee)
    arguments = spread_arguments(m, env, parts)
    _refer(m, env, parts, arguments[0], site)
    where = (env.module.path, site)
    made: Value = EMPTY
    for cls, rank in classes.items():
        if cls.kind == "fn":
            made = join(made, _instantiate(m, cls, rank, arguments, where))
        else:
            made = join(made, _new_other(m, env, cls, arguments, where))
    if not classes:
        m.ledger.miss(where, UNKNOWN)
        m.missed.add(m.current)
    if not any(cls.kind in ("fn", "builtin") for cls in classes):
        for part in parts:
            if part is not None and part[0] == "fn":
                run_callbacks(m, latest_closure(m, env, part), ([], EMPTY))
    return raised(made, INFERRED)


def _instantiate(
    m: Machine, cls: Obj, rank: int, arguments: Arguments, where: tuple[str, int]
) -> Value:
    target = constructor_symbol(cls) or cls.symbol
    if target is not None:
        m.ledger.hit(where, target, rank, "constructor")
    else:
        m.ledger.miss(where, DYNAMIC)
    instance = Obj("inst", cls.name, m.epoch)
    instance.cls = cls
    instance.protos = (cls.proto,) if cls.proto is not None else ()
    construct(m, cls, instance, arguments)
    return only(instance, max(rank, INFERRED))


def _new_other(
    m: Machine, env: Env, cls: Obj, arguments: Arguments, where: tuple[str, int]
) -> Value:
    if cls.kind == "ext":
        m.ledger.miss(where, EXTERNAL)
        return only(cls)
    m.ledger.miss(where, BUILTIN if cls.kind == "builtin" else UNKNOWN)
    if cls.kind == "builtin":
        return call_builtin(m, env, "new " + cls.name, EMPTY, arguments, where)
    return EMPTY


def constructor_symbol(cls: Obj) -> Any:
    """The symbol of the nearest constructor a ``new`` runs; None when no class has one."""
    for holder in chain(cls):
        if not holder.is_class:
            return holder.symbol if holder.kind == "fn" else None
        found = holder.proto.props.get("constructor") if holder.proto is not None else None
        for function in found or ():
            return function.symbol
    return None


def construct(m: Machine, cls: Obj, instance: Obj, arguments: Arguments) -> None:
    """Run field initializers and constructors for a new instance."""
    if m.depth >= MAX_DEPTH:
        return
    this = only(instance)
    if not cls.is_class:
        call_function(m, cls, this, arguments)
        return
    own = cls.proto.props.get("constructor", EMPTY) if cls.proto is not None else EMPTY
    if not own:
        for base in cls.protos:
            if base.kind == "fn":
                m.depth += 1
                construct(m, base, instance, arguments)
                m.depth -= 1
    initialize(m, cls, instance)
    for function in own:
        call_function(m, function, this, arguments)


def initialize(m: Machine, cls: Obj, instance: Obj) -> None:
    """Run the field initializers of one class."""
    saved = m.scope
    m.scope = cls.symbol[1] if cls.symbol is not None else m.scope
    for name, source, env in cls.initial:
        inner = Env(env, env.module, m.epoch, home=True)
        inner.this = only(instance)
        m.store(instance, name, evaluate(m, inner, source))
    m.scope = saved


def _super_call(m: Machine, env: Env, parts: Any, site: int) -> Value:
    arguments = spread_arguments(m, env, parts)
    where = (env.module.path, site)
    bases = lookup(m, env, "<super>") if env.holder("<super>") is not None else EMPTY
    for base, rank in bases.items():
        if base.kind != "fn":
            m.ledger.miss(where, EXTERNAL if base.kind == "ext" else BUILTIN)
            continue
        target = constructor_symbol(base) or base.symbol
        if target is not None:
            m.ledger.hit(where, target, rank, "superclass")
        for instance in env.receiver():
            construct(m, base, instance, arguments)
    if not bases:
        m.ledger.miss(where, UNKNOWN)
    return env.receiver()


def _accessor(
    m: Machine, functions: Value, owner: Obj, values: tuple[Value, ...], line: int
) -> Value:
    found: Value = EMPTY
    for function, rank in functions.items():
        if function.symbol is not None and line and m.module is not None:
            path = m.current[0]
            m.ledger.note(
                path, m.scope, function.symbol, "implicit", line, max(rank, 1), "accessor"
            )
        found = join(found, call_function(m, function, only(owner), (list(values), EMPTY)))
    return found


def _prime(m: Machine, shared: Obj) -> Value:
    """Run the constructor once for the instance that stands for all of a class."""
    cls = shared.cls
    if cls is None or shared.length is not None:
        return EMPTY
    shared.length = 0
    if m.depth < MAX_DEPTH and not cls.is_interface:
        construct(m, cls, shared, ([], EMPTY))
    return only(shared)


def iterate(m: Machine, iterable: Value, line: int, scope: int) -> Value:
    """What a ``for ... of`` over these values yields."""
    found: Value = EMPTY
    for source, rank in iterable.items():
        if source.kind == "arr":
            found = join(found, raised(elements(source), INFERRED))
        elif source.kind == "ext":
            found = join(found, only(source))
        elif source.kind == "inst":
            found = join(found, _iterate_instance(m, source, rank, line, scope))
    return found


def _iterate_instance(m: Machine, source: Obj, rank: int, line: int, scope: int) -> Value:
    method = find_property(source, "[Symbol.iterator]")
    found: Value = EMPTY
    for function in method[0] if method is not None else EMPTY:
        if function.symbol is not None:
            m.ledger.note(
                m.current[0], scope, function.symbol, "implicit", line, max(rank, 1), "iteration"
            )
        for iterator in call_function(m, function, only(source), ([], EMPTY)):
            found = join(found, _next_values(m, iterator, line, scope))
    return found


def _next_values(m: Machine, iterator: Obj, line: int, scope: int) -> Value:
    if iterator.kind == "arr":
        return elements(iterator)
    found: Value = EMPTY
    for step in get(m, only(iterator), "next", 0):
        if step.kind == "fn" and step.symbol is not None:
            m.ledger.note(m.current[0], scope, step.symbol, "implicit", line, 1, "iteration")
            given = call_function(m, step, only(iterator), ([], EMPTY))
            found = join(found, get(m, given, "value", 0))
    return {item: rank for item, rank in found.items() if item.kind != "builtin"}


def _jsx(m: Machine, env: Env, ir: Ir) -> Value:
    _, tag, site = ir
    where = (env.module.path, site)
    found = evaluate(m, env, tag)
    for item, rank in found.items():
        if item.kind == "fn" and item.symbol is not None:
            m.ledger.hit(where, item.symbol, rank, "element")
        elif item.kind in ("ext", "builtin"):
            m.ledger.miss(where, EXTERNAL)
    if not found:
        m.ledger.miss(where, UNKNOWN)
    return EMPTY


EXPRESSIONS.update({"call": _call, "new": _new, "jsx": _jsx})
INVOKE["accessor"] = _accessor
INVOKE["prime"] = _prime
INVOKE["callbacks"] = run_callbacks
INVOKE["function"] = call_function
