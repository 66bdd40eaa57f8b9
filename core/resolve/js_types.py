"""From declared TypeScript types to the values an expression of that type may have."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, cast

from codeviews.core.resolve.js_machine import Machine
from codeviews.core.resolve.js_program import TYPE_MARK
from codeviews.core.resolve.js_values import (
    EMPTY,
    INFERRED,
    MAP,
    RECORD,
    Env,
    Obj,
    Value,
    chain,
    join,
    only,
    raised,
)

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
GIVEN_MARK = "<given>"  # bound in scopes where type parameters stand for something
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
    if declared[0] == "this":
        return env.receiver()
    key = (env.module.path, declared)
    if env.holder(GIVEN_MARK) is not None:
        return raised(_value(m, env, declared, hops + 1), INFERRED)
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
        case "p":
            name = declared[1]
            return (
                only(m.program.builtin(name)) if name not in ("any", "unknown", "void") else EMPTY
            )
        case _:
            return EMPTY


def _sequence(elem: Value, name: str = "array") -> Obj:
    array = Obj("arr", name)
    array.elem = elem
    return array


def _generic(m: Machine, env: Env, name: str, arguments: Any, hops: int) -> Value:
    if name in TRANSPARENT and arguments:
        return value_of_type(m, env, arguments[0], hops)
    if name in SEQUENCES:
        return only(_sequence(value_of_type(m, env, arguments[0], hops) if arguments else EMPTY))
    if name in TABLES:
        held = value_of_type(m, env, arguments[-1], hops) if arguments else EMPTY
        return only(_sequence(held, RECORD if name == "Record" else MAP))
    found: Value = EMPTY
    for item, rank in _named(m, env, name, hops).items():
        is_open = item.fixed and item.cls is not None and item.cls.parameters
        found = join(found, only(_specialized(m, item, arguments, env) if is_open else item, rank))
    return found


def _specialized(m: Machine, shared: Obj, arguments: Any, env: Env) -> Obj:
    """The stand-in instance whose type parameters are known: ``Repo<User>``."""
    given = given_types(shared.cls, arguments, env) if shared.cls is not None else {}
    settled = [(name, kind, where.module.path) for name, (kind, where) in given.items()]
    if not given:
        return shared
    key = (shared, tuple(settled))
    if key not in m.specialized:
        made = Obj("inst", shared.name)
        made.cls, made.protos, made.fixed, made.given = shared.cls, shared.protos, True, given
        m.specialized[key] = made
    return m.specialized[key]


def given_types(cls: Obj, arguments: Any, env: Env) -> dict[str, Any]:
    """Type parameter -> (type, scope it is written in)."""
    found: dict[str, Any] = {}
    for name, kind in zip(cls.parameters, arguments, strict=False):
        settled = _settled(kind, env) if kind is not None else None
        if settled is not None:
            found[name] = settled
    return found


def _settled(kind: Any, env: Env) -> tuple[Any, Env] | None:
    """A type argument; one that is itself a type parameter becomes what it stands for."""
    if kind[0] == "p":
        return None
    if kind[0] == "n" and env.holder(GIVEN_MARK) is not None:
        holder = env.holder(TYPE_MARK + kind[1])
        for item in holder.vars[TYPE_MARK + kind[1]] if holder is not None else EMPTY:
            if item.kind == "alias":
                return (item.record, item.env)
    return (kind, env)


def receiver_env(env: Env, this: Value, declared: Any) -> Env:
    """``env`` in which ``declared`` may mean the receiver by ``this``."""
    env = given_env(env, this)
    if not _mentions_this(declared):
        return env
    inner = Env(env, env.module, env.epoch)
    inner.vars[GIVEN_MARK] = EMPTY
    inner.this = this
    return inner


@lru_cache(maxsize=4096)
def _mentions_this(declared: Any) -> bool:
    parts = cast("tuple[Any, ...]", declared)
    if parts and parts[0] == "this":
        return True
    return any(_mentions_this(part) for part in parts if isinstance(part, tuple))


def given_env(env: Env, receivers: Value) -> Env:
    """``env`` with the type parameters that the receivers' types settle."""
    found: dict[str, Any] = {}
    for receiver in receivers:
        if receiver.cls is None or not receiver.cls.is_class:
            continue
        for holder in chain(receiver):
            for name, pair in (holder.given or {}).items():
                found.setdefault(name, pair)
    if not found:
        return env
    inner = Env(env, env.module, env.epoch)
    inner.vars[GIVEN_MARK] = EMPTY
    for name, (kind, origin) in found.items():
        alias = Obj("alias", name)
        alias.record, alias.env = kind, origin
        inner.vars[TYPE_MARK + name] = only(alias)
    return inner


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
        cls.shared.fixed = True
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
