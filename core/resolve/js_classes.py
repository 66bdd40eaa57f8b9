"""Evaluating class and interface definitions."""

from __future__ import annotations

from typing import Any

from codeviews.core.facts import EXTERNAL, UNKNOWN
from codeviews.core.resolve.js_eval import EXPRESSIONS, evaluate
from codeviews.core.resolve.js_machine import Ir, Machine, make_function, run_block
from codeviews.core.resolve.js_program import Module
from codeviews.core.resolve.js_types import given_types, type_objects
from codeviews.core.resolve.js_values import EMPTY, LEXICAL, Env, Obj, Value, only

PREFIXES = {"g": "get ", "t": "set "}


def define_class(m: Machine, env: Env, index: int) -> Obj:
    """The class or interface object of a record, evaluated in ``env``."""
    module: Module = env.module
    record = module.flow[1][index]
    cls = Obj("fn", record[2], m.epoch)
    cls.is_class = True
    cls.module, cls.symbol = module, (module.path, record[1])
    cls.proto = Obj("inst", record[2], m.epoch)
    cls.proto.cls = cls
    cls.proto.fields, cls.fields = {}, {}
    m.ledger.classes.setdefault(cls.symbol, {})
    if record[0] == "interface":
        _define_interface(m, env, cls, record)
    else:
        _define_members(m, env, cls, record)
    return cls


def _define_interface(m: Machine, env: Env, cls: Obj, record: Any) -> None:
    cls.is_interface = True
    cls.parameters = record[5]
    for base, site in record[3]:
        for item in _type_base(m, env, cls, base, site):
            _inherit(cls, item)
    for name, declared, function in record[4]:
        if function >= 0:
            _add_method(m, env, cls, cls.proto, name, function)
        elif cls.proto is not None and cls.proto.fields is not None:
            cls.proto.fields[name] = (declared, env)


def _define_members(m: Machine, env: Env, cls: Obj, record: Any) -> None:
    _, _, own, bases, implemented, members, decorators, cls.parameters = record
    inner = Env(env, env.module, m.epoch)
    if own:
        inner.vars[own] = only(cls)
    parents = _bases(m, env, cls, bases)
    if bases:
        inner.vars["<super>"] = parents
    for base, site in implemented:
        _type_base(m, env, cls, base, site)
    for member in members:
        _MEMBERS[member[0]](m, inner, cls, member)
    for decorator, site in decorators:
        _decorate(m, env, decorator, site)


def _bases(m: Machine, env: Env, cls: Obj, bases: Any) -> Value:
    parents: Value = EMPTY
    for source, site, arguments in bases:
        where = (env.module.path, site)
        parents = evaluate(m, env, source)
        for parent, rank in parents.items():
            _inherit(cls, parent)
            if cls.proto is not None and parent.parameters and arguments:
                cls.proto.given = given_types(parent, arguments, env)
            if parent.kind == "fn" and parent.symbol is not None:
                m.ledger.hit(where, parent.symbol, rank, "extends")
                _relate(m, cls, parent)
            elif parent.kind != "fn":
                m.ledger.miss(where, EXTERNAL)
        if not parents:
            m.ledger.miss(where, UNKNOWN)
    return parents


def _inherit(cls: Obj, parent: Obj) -> None:
    cls.protos = (*cls.protos, parent)
    if cls.proto is not None:
        upper = parent.proto if parent.kind == "fn" else parent
        cls.proto.protos = (*cls.proto.protos, upper) if upper is not None else cls.proto.protos


def _relate(m: Machine, cls: Obj, parent: Obj) -> None:
    if cls.symbol is not None and parent.symbol is not None:
        m.ledger.bases.setdefault(cls.symbol, set()).add(parent.symbol)


def _type_base(m: Machine, env: Env, cls: Obj, declared: Any, site: int) -> list[Obj]:
    """What an ``implements`` or an interface's ``extends`` names."""
    where = (env.module.path, site)
    found: list[Obj] = []
    name = declared[1] if declared is not None and declared[0] in ("n", "g") else ""
    for item in type_objects(m, env, name) if name else EMPTY:
        if item.is_class and item.symbol is not None:
            m.ledger.hit(where, item.symbol, LEXICAL, "implements")
            _relate(m, cls, item)
            found.append(item)
        elif item.kind in ("ext", "builtin"):
            m.ledger.miss(where, EXTERNAL)
    if not found:
        m.ledger.miss(where, UNKNOWN)
    return found


def _add_method(
    m: Machine, env: Env, cls: Obj, holder: Obj | None, name: str, index: int, prefix: str = ""
) -> None:
    function = make_function(m, env, index, name)
    function.home = holder
    if holder is not None:
        holder.props[prefix + name] = only(function)
    if cls.symbol is not None and function.symbol is not None and not prefix:
        m.ledger.classes[cls.symbol].setdefault(name, function.symbol)
    if name == "constructor" and cls.proto is not None and cls.proto.fields is not None:
        for pattern, declared, is_field in function.record[1]:
            if is_field and declared is not None:
                target = pattern[1] if pattern[0] == "def" else pattern
                cls.proto.fields[target[1]] = (declared, env)


def _method(m: Machine, env: Env, cls: Obj, member: Ir) -> None:
    kind, name, static, index = member[:4]
    holder = cls if static else cls.proto
    _add_method(m, env, cls, holder, name, index, PREFIXES.get(kind, ""))


def _field(m: Machine, env: Env, cls: Obj, member: Ir) -> None:
    _, name, static, source, declared, _ = member
    holder = cls if static else cls.proto
    if declared is not None and holder is not None and holder.fields is not None:
        holder.fields[name] = (declared, env)
    if static:
        inner = Env(env, env.module, m.epoch, home=True)
        inner.this = only(cls)
        if source is not None:
            cls.props[name] = evaluate(m, inner, source)
    elif source is not None:
        cls.initial.append((name, source, env))
        _note_function_field(m, env, cls, name, source)


def _note_function_field(m: Machine, env: Env, cls: Obj, name: str, source: Ir) -> None:
    if source[0] == "fn" and cls.symbol is not None:
        symbol = env.module.flow[0][source[1]][0]
        if symbol >= 0:
            m.ledger.classes[cls.symbol].setdefault(name, (env.module.path, symbol))


def _static_block(m: Machine, env: Env, cls: Obj, member: Ir) -> None:
    inner = Env(env, env.module, m.epoch, home=True)
    inner.this = only(cls)
    run_block(m, inner, member[3])


def _member_decorator(m: Machine, env: Env, cls: Obj, member: Ir) -> None:
    decorator, site = member[3]
    _decorate(m, env, decorator, site)


def _decorate(m: Machine, env: Env, decorator: Ir | None, site: int) -> None:
    where = (env.module.path, site)
    found = evaluate(m, env, decorator)
    if decorator is not None and decorator[0] == "call":
        found = evaluate(m, env, decorator[1])
    for item, rank in found.items():
        if item.kind == "fn" and item.symbol is not None:
            m.ledger.hit(where, item.symbol, rank, "decorator")
        elif item.kind in ("ext", "builtin"):
            m.ledger.miss(where, EXTERNAL)
    if not found:
        m.ledger.miss(where, UNKNOWN)


def _class_expression(m: Machine, env: Env, ir: Ir) -> Value:
    return only(define_class(m, env, ir[1]))


_MEMBERS: dict[str, Any] = {
    "m": _method,
    "g": _method,
    "t": _method,
    "f": _field,
    "b": _static_block,
    "d": _member_decorator,
}
EXPRESSIONS["class"] = _class_expression
