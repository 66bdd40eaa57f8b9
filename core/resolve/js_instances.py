"""Making instances, and what members do by themselves: accessors and iteration."""

from __future__ import annotations

from typing import Any

from codeviews.core.resolve.js_eval import (
    elements,
    evaluate,
    iterated,
)
from codeviews.core.resolve.js_invoke import MAX_DEPTH, Arguments, call_function
from codeviews.core.resolve.js_machine import Machine
from codeviews.core.resolve.js_members import INVOKE, get
from codeviews.core.resolve.js_values import (
    EMPTY,
    INFERRED,
    Env,
    Obj,
    Value,
    chain,
    find_property,
    join,
    only,
    raised,
)


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


def _prime(m: Machine, shared: Obj) -> Value:
    """Run the constructor once for the instance that stands for all of a class."""
    cls = shared.cls
    if cls is None or shared.length is not None:
        return EMPTY
    shared.length = 0
    if m.depth < MAX_DEPTH and not cls.is_interface:
        construct(m, cls, shared, ([], EMPTY))
    return only(shared)


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


def iterate(m: Machine, iterable: Value, line: int, scope: int) -> Value:
    """What a ``for ... of`` over these values yields."""
    found: Value = EMPTY
    for source, rank in iterable.items():
        if source.kind == "arr":
            found = join(found, raised(iterated(source), INFERRED))
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


INVOKE["accessor"] = _accessor
INVOKE["prime"] = _prime
