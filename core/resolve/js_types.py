"""From declared TypeScript types to the values an expression of that type may have."""

from __future__ import annotations

from typing import Any

from codeviews.core.resolve.js_machine import Machine
from codeviews.core.resolve.js_program import TYPE_MARK
from codeviews.core.resolve.js_values import EMPTY, INFERRED, Env, Obj, Value, join, only, raised

MAX_TYPE_HOPS = 10
TRANSPARENT = frozenset(
    [
        "Promise", "PromiseLike", "Awaited", "Readonly", "Partial", "Required", "NonNullable",
        "Pick", "Omit", "InstanceType", "DeepPartial", "Mutable", "Ref", "MutableRefObject",
    ]
)  # fmt: skip
SEQUENCES = frozenset(
    [
        "Array", "ReadonlyArray", "Set", "ReadonlySet", "Iterable", "Iterator", "AsyncIterable",
        "IterableIterator", "Generator", "AsyncGenerator",
    ]
)  # fmt: skip
TABLES = frozenset(["Map", "ReadonlyMap", "Record", "WeakMap"])
GLOBAL_TYPES = frozenset(
    [
        "Date", "RegExp", "Error", "Function", "Object", "String", "Number", "Boolean", "Symbol",
        "Buffer", "URL", "Uint8Array", "ArrayBuffer", "HTMLElement", "Element", "Document",
        "Window", "Event", "Response", "Request", "AbortSignal", "AbortController",
    ]
)  # fmt: skip


def value_of_type(m: Machine, env: Env, declared: Any, hops: int = 0) -> Value:
    """Values of a declared type: shared instances, arrays, function types; unknown when empty."""
    if declared is None or hops > MAX_TYPE_HOPS:
        return EMPTY
    key = (env.module.path, declared)
    known = m.types.get(key)
    if known is None:
        known = raised(_value(m, env, declared, hops + 1), INFERRED)
        if known:
            m.types[key] = known
    return known


def _value(m: Machine, env: Env, declared: Any, hops: int) -> Value:
    match declared[0]:
        case "n":
            return _named(m, env, declared[1], hops)
        case "g":
            return _generic(m, env, declared[1], declared[2], hops)
        case "[]":
            return only(_sequence(value_of_type(m, env, declared[1], hops)))
        case "|":
            found: Value = EMPTY
            for part in declared[1]:
                found = join(found, value_of_type(m, env, part, hops))
            return found
        case _:
            return _structural(m, env, declared)


def _structural(m: Machine, env: Env, declared: Any) -> Value:
    match declared[0]:
        case "fn":
            function = Obj("fntype")
            function.record, function.env = declared, env
            return only(function)
        case "{":
            shape = Obj("inst", "type")
            shape.fields = {name: (kind, env) for name, kind in declared[1]}
            return only(shape)
        case "typeof":
            return _dotted_value(m, env, declared[1])
        case "this":
            return env.receiver()
        case "p":
            name = declared[1]
            return (
                only(m.program.builtin(name)) if name not in ("any", "unknown", "void") else EMPTY
            )
        case _:
            return EMPTY


def _sequence(elem: Value) -> Obj:
    array = Obj("arr", "array")
    array.elem = elem
    return array


def _generic(m: Machine, env: Env, name: str, arguments: Any, hops: int) -> Value:
    if name in TRANSPARENT and arguments:
        return value_of_type(m, env, arguments[0], hops)
    if name in SEQUENCES:
        return only(_sequence(value_of_type(m, env, arguments[0], hops) if arguments else EMPTY))
    if name in TABLES:
        return only(_sequence(value_of_type(m, env, arguments[-1], hops) if arguments else EMPTY))
    return _named(m, env, name, hops)


def _named(m: Machine, env: Env, name: str, hops: int) -> Value:
    found: Value = EMPTY
    for item, rank in type_objects(m, env, name).items():
        if item.kind == "alias":
            found = join(found, value_of_type(m, item.env, item.record, hops))
        elif item.is_class:
            found = join(found, only(shared_instance(item), rank))
        elif item.kind in ("ext", "builtin"):
            found = join(found, only(item, rank))
    return found


def shared_instance(cls: Obj) -> Obj:
    """The instance that stands for every instance of a class whose creation was not seen."""
    if cls.shared is None:
        cls.shared = Obj("inst", cls.name)
        cls.shared.cls = cls
        cls.shared.protos = (cls.proto,) if cls.proto is not None else ()
    return cls.shared


def type_objects(m: Machine, env: Env, name: str) -> Value:
    """Classes, interfaces, aliases or external modules that a type name means."""
    head, _, rest = name.partition(".")
    if rest:
        return _dotted_value(m, env, name, types=True)
    return _lookup(m, env, head)


def _lookup(m: Machine, env: Env, name: str) -> Value:
    for wanted in (TYPE_MARK + name, name):
        holder = env.holder(wanted)
        if holder is not None:
            return holder.vars[wanted]
    module = env.module
    if name in module.bindings:
        specifier, exported = module.bindings[name]
        for mark in (TYPE_MARK, ""):
            found = m.program.from_module(module, specifier, mark + exported, m.run_module)
            if found:
                return found
        return EMPTY
    return only(m.program.builtin(name)) if name in GLOBAL_TYPES else EMPTY


def _dotted_value(m: Machine, env: Env, name: str, *, types: bool = False) -> Value:
    parts = name.split(".")
    found = _lookup(m, env, parts[0])
    for part in parts[1:]:
        found = _member_of(m, found, part, types)
    return found


def _member_of(m: Machine, owners: Value, name: str, types: bool) -> Value:
    found: Value = EMPTY
    for owner in owners:
        if owner.kind == "ext":
            return only(owner)
        for wanted in (TYPE_MARK + name, name) if types else (name,):
            if owner.kind == "ns":
                value = m.program.lookup_export(owner.module, wanted, m.run_module)
            else:
                value = owner.props.get(wanted, EMPTY)
            found = join(found, value)
    return found
