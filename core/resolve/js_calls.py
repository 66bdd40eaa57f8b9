"""Calls, ``new``, ``super`` and elements: callees, edges and results."""

from __future__ import annotations

from typing import Any, NamedTuple

from codeviews.core.facts import AMBIGUOUS, BUILTIN, DYNAMIC, EXTERNAL, UNKNOWN
from codeviews.core.resolve.js_builtins import call_builtin
from codeviews.core.resolve.js_eval import (
    EXPRESSIONS,
    evaluate,
    lookup,
    spread_arguments,
    super_member,
)
from codeviews.core.resolve.js_instances import construct, constructor_symbol
from codeviews.core.resolve.js_invoke import Arguments, call_function, run_callbacks
from codeviews.core.resolve.js_ledger import Virtual
from codeviews.core.resolve.js_machine import Ir, Machine
from codeviews.core.resolve.js_members import get, get_computed
from codeviews.core.resolve.js_types import value_of_type
from codeviews.core.resolve.js_values import (
    EMPTY,
    INFERRED,
    MANY,
    Env,
    Obj,
    Value,
    join,
    only,
    raised,
)

MAX_TARGETS = 8  # receivers or callees of one call; above, the site is ambiguous(n)
RULES = {0: "scope or import", 1: "inferred type", 2: "value flow"}


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
    functions = {_code(callee.function) for callee in callees if callee.function.kind == "fn"}
    crowded = MANY in receivers or any(callee.function is MANY for callee in callees)
    if len(functions) > MAX_TARGETS or (crowded and functions):
        m.ledger.miss(where, AMBIGUOUS, max(len(functions), MAX_TARGETS + 1))
        return _declared_only(m, where, callees)
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


def _code(function: Obj) -> object:
    """What tells functions apart as callees: closures of one function are one."""
    is_lowered = function.record is not None and not function.is_class
    return function.symbol or (id(function.record) if is_lowered else id(function))


def _declared_only(m: Machine, where: tuple[str, int], callees: list[Callee]) -> Value:
    """Of too many callees, what the declared type itself says."""
    result: Value = EMPTY
    for callee in callees:
        function = callee.function
        is_plain = function.kind == "fn" and not function.is_class
        if is_plain and function.record[2] is None and function.symbol is not None:
            m.ledger.hit(where, function.symbol, INFERRED, "declared type")
            m.ledger.crowded.add(where)
            declared = value_of_type(m, function.env, function.record[4])
            result = join(result, declared)
    return result


def _record(m: Machine, where: tuple[str, int], callee: Callee) -> None:
    function = callee.function
    if function.symbol is None:
        m.ledger.miss(where, DYNAMIC)
        return
    m.ledger.hit(where, function.symbol, callee.rank, RULES[callee.rank])
    for receiver in callee.this:
        cls = receiver.cls
        if cls is not None and receiver.fixed and cls.symbol is not None:
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
