"""Running function bodies: arguments, ``this``, results, and when inlining is affordable."""

from __future__ import annotations

from typing import Any

from codeviews.core.resolve.js_eval import (
    bind,
)
from codeviews.core.resolve.js_machine import Ir, Machine, run_block
from codeviews.core.resolve.js_members import INVOKE, set_member
from codeviews.core.resolve.js_types import given_env, receiver_env, shared_instance, value_of_type
from codeviews.core.resolve.js_values import (
    EMPTY,
    FLOW,
    INFERRED,
    Env,
    Obj,
    Value,
    join,
    only,
    raised,
)

ARROW, GENERATOR = 1, 4
MAX_DEPTH = 10  # calls inlined into each other
ALONE_DEPTH = 3  # the same, for functions that are run on their own
PLAIN_RUNS = 4  # times a function is run inline for calls that hand over no functions
CARRYING_RUNS = 24  # the same, for calls that do

Arguments = tuple[list[Value], Value]  # by position, and what any later position may be


def run_callbacks(m: Machine, functions: Value, arguments: Arguments) -> Value:
    """Run functions that somebody else calls with these arguments."""
    result: Value = EMPTY
    for function in functions:
        if function.kind == "fn" and function.record is not None and not function.is_class:
            result = join(result, call_function(m, function, EMPTY, arguments, carried=False))
    return result


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
    _expect_parameters(m, function, this, arguments)
    if record[2] is None:
        return _declared_result(m, function, this)
    if carried:
        values = [raised(value, FLOW) for value in arguments[0]]
        arguments = (values, raised(arguments[1], FLOW))
    if not _affordable(m, key, function, arguments):
        remember(m, key, arguments)
        known = m.results.get(key, EMPTY)
        return join(known, _declared_result(m, function, this))
    return run_function(m, function, this, arguments)


def _declared_result(m: Machine, function: Obj, this: Value) -> Value:
    """What the declared result type says, for these receivers."""
    declared = function.record[4]
    if declared is not None and declared[0] == "this":
        return this
    return value_of_type(m, given_env(function.env, this), declared)


def _expect_parameters(m: Machine, function: Obj, this: Value, arguments: Arguments) -> None:
    """Functions handed over learn their parameters' types from the callee's declaration."""
    for (_, declared, _), value in zip(function.record[1], arguments[0], strict=False):
        if declared is not None and _carries(value):
            expect(m, receiver_env(function.env, this, declared), declared, value)


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


def _affordable(m: Machine, key: tuple[str, int], function: Obj, arguments: Arguments) -> bool:
    if key in m.active or m.steps > m.limit:
        return False
    if m.depth >= (ALONE_DEPTH if m.alone else MAX_DEPTH):
        return False
    runs = m.ran.get(key, 0)
    if runs < (1 if m.alone else PLAIN_RUNS):
        return True
    if runs >= CARRYING_RUNS:
        return False
    around = function.env is not None and function.env.home.carries
    return around or any(_carries(value) for value in arguments[0])


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
    env = Env(given_env(function.env, this), module, m.epoch, home=True)
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
        env.carries = any(_carries(value) for value in arguments[0])
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


INVOKE["callbacks"] = run_callbacks
INVOKE["function"] = call_function
