"""Reading and writing members of abstract values."""

from __future__ import annotations

from collections.abc import Callable

from codeviews.core.resolve.js_machine import Machine
from codeviews.core.resolve.js_types import given_env, shared_instance, value_of_type
from codeviews.core.resolve.js_values import (
    EMPTY,
    FLOW,
    INFERRED,
    LEXICAL,
    RECORD,
    Obj,
    Value,
    chain,
    find_field_type,
    find_property,
    join,
    only,
    raised,
)

MAX_SEEN = 8  # values seen in a field above which its declared type says more
ANY_KEY = "[]"  # what was stored in fields of a class whose names are not constants

FUNCTION_MEMBERS = frozenset(
    "apply arguments bind call caller constructor hasOwnProperty isPrototypeOf length name "
    "propertyIsEnumerable prototype toLocaleString toString valueOf".split()
)
PROMISE_MEMBERS = frozenset(["then", "catch", "finally"])

# How accessors and constructors run; set by js_calls, which needs this module in turn.
INVOKE: dict[str, Callable[..., Value]] = {}


def get(m: Machine, owners: Value, name: str, line: int) -> Value:
    """Member ``name`` of any of the owners."""
    found: Value = EMPTY
    for owner, rank in owners.items():
        found = join(found, raised(member(m, owner, name, line), rank))
    return found


def member(m: Machine, owner: Obj, name: str, line: int) -> Value:
    """Member ``name`` of one object; builtin members come back as builtin objects."""
    match owner.kind:
        case "inst" | "arr" | "fn":
            return _own_member(m, owner, name, line)
        case "ns":
            found = m.program.lookup_export(owner.module, name, m.run_module)
            return found
        case "ext":
            return only(owner)
        case "str":
            return only(m.program.builtin("string." + name))
        case "builtin":
            return only(m.program.builtin(f"{owner.name}.{name}"))
        case "fntype":
            return only(m.program.builtin("function." + name))
        case _:
            return EMPTY


def _own_member(m: Machine, owner: Obj, name: str, line: int) -> Value:
    found = find_property(owner, name)
    if found is not None and found[0]:
        value, holder = found
        if owner.kind == "inst" and (len(value) > MAX_SEEN or _is_container(value)):
            value = _with_declared(m, owner, name, value)
        inherited = holder is not owner
        return value if inherited or owner.kind == "fn" else raised(value, INFERRED)
    getter = find_property(owner, "get " + name)
    if getter is not None:
        return INVOKE["accessor"](m, getter[0], owner, (), line)
    if owner.kind == "fn" and name == "prototype":
        return only(owner.proto) if owner.proto is not None else EMPTY
    return _undeclared(m, owner, name)


def _is_container(value: Value) -> bool:
    """Arrays and literals, whose members may come from elsewhere."""
    return all(item.kind == "arr" or (item.kind == "inst" and item.cls is None) for item in value)


def _with_declared(m: Machine, owner: Obj, name: str, value: Value) -> Value:
    """What was seen in a field and what its declared type says; of too much seen, the type only."""
    declared = find_field_type(owner, name)
    if declared is None:
        return value
    typed = value_of_type(m, given_env(declared[1], only(owner)), declared[0])
    return typed if typed and len(value) > MAX_SEEN else join(value, typed)


def _undeclared(m: Machine, owner: Obj, name: str) -> Value:
    declared = find_field_type(owner, name)
    value: Value = EMPTY
    if declared is not None:
        value = value_of_type(m, given_env(declared[1], only(owner)), declared[0])
    if owner.cls is not None:
        stored = _flowed(m, owner, name)
        if value:  # beside a declared type only functions add something
            stored = {item: rank for item, rank in stored.items() if item.kind == "fn"}
        value = join(value, stored)
    if value:
        return raised(value, INFERRED)
    if any(holder.kind == "ext" for holder in chain(owner)):
        return only(next(holder for holder in chain(owner) if holder.kind == "ext"))
    if owner.kind == "arr":
        is_held = name.isdigit() or owner.name == RECORD
        return raised(owner.elem, INFERRED) if is_held else only(m.program.builtin(f"array.{name}"))
    if owner.kind == "inst" and name in PROMISE_MEMBERS:  # a promise is what it gives
        return only(m.program.builtin("promise." + name))
    if owner.kind == "fn" and name in FUNCTION_MEMBERS:
        return only(m.program.builtin("function." + name))
    return EMPTY


def _flowed(m: Machine, owner: Obj, name: str) -> Value:
    """What any code was seen to store in this field of the class."""
    if owner.cls is not None and owner.fixed:
        INVOKE["prime"](m, shared_instance(owner.cls))
    for holder in chain(owner):
        if holder.cls is not None and name in holder.cls.flows:
            return holder.cls.flows[name]
    for holder in chain(owner):
        if holder.cls is not None and ANY_KEY in holder.cls.flows:
            return holder.cls.flows[ANY_KEY]
    return EMPTY


def get_computed(m: Machine, owners: Value, keys: Value, line: int) -> Value:
    """``owner[key]``: exact when the keys are constants, else anything the owner holds."""
    names = [key.name for key in keys if key.kind == "str"]
    if names and len(names) == len(keys):
        found: Value = EMPTY
        for name in names:
            found = join(found, get(m, owners, name, line) if len(name) else EMPTY)
        rank = LEXICAL if len(names) == 1 else FLOW
        return raised(_without_builtins(found), rank)
    found = EMPTY
    for owner in owners:
        if owner.kind in ("arr", "inst", "fn"):
            found = join(found, _anything(owner))
        elif owner.kind == "ext":
            found = join(found, only(owner))
    return raised(found, FLOW)


def _without_builtins(value: Value) -> Value:
    return {item: rank for item, rank in value.items() if item.kind != "builtin"}


def _anything(owner: Obj) -> Value:
    found = owner.elem
    for name, value in owner.props.items():
        if not name.startswith(("get ", "set ")):
            found = join(found, value)
    return found


def set_member(m: Machine, owners: Value, name: str, value: Value) -> None:
    """``owner.name = value`` on any of the owners."""
    for owner in owners:
        if owner.kind in ("inst", "arr", "fn"):
            if owner.kind == "fn" and name == "prototype":
                _replace_prototype(owner, value)
                continue
            setter = find_property(owner, "set " + name)
            if setter is not None:
                INVOKE["accessor"](m, setter[0], owner, (value,), 0)
            else:
                _adopt(owner, value)
                m.store(owner, name, value)


def _adopt(owner: Obj, value: Value) -> None:
    """A function put on a prototype or object runs with instances of it as ``this``."""
    for function in value:
        if function.kind == "fn" and function.home is None:
            function.home = owner


def _replace_prototype(function: Obj, value: Value) -> None:
    for item in value:
        if item.kind == "inst":
            item.cls = item.cls or function
            function.proto = item


def set_computed(m: Machine, owners: Value, keys: Value, value: Value) -> None:
    """``owner[key] = value``: exact for one constant key, else anywhere in the owner."""
    names = [key.name for key in keys if key.kind == "str"]
    if len(names) == 1 and len(keys) == 1:
        set_member(m, owners, names[0], value)
        return
    for owner in owners:
        if owner.kind in ("inst", "arr", "fn"):
            owner.elem = join(owner.elem, raised(value, FLOW))
            if owner.cls is not None:
                flows = owner.cls.flows
                flows[ANY_KEY] = join(flows.get(ANY_KEY, EMPTY), raised(value, FLOW))
