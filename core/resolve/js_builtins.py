"""What builtins of the language do with functions and containers given to them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from codeviews.core.resolve.js_eval import elements, iterated
from codeviews.core.resolve.js_machine import Machine
from codeviews.core.resolve.js_members import INVOKE
from codeviews.core.resolve.js_values import (
    EMPTY,
    FLOW,
    INFERRED,
    MAP,
    Env,
    Obj,
    Value,
    join,
    only,
    raised,
)

Arguments = tuple[list[Value], Value]
MAX_CALLBACKS = 8
_INTEGER = re.compile("-?[0-9]{1,15}")
STRING_RESULTS = frozenset(
    [
        "trim", "trimStart", "trimEnd", "replace", "replaceAll", "toLowerCase", "toUpperCase",
        "slice", "substring", "substr", "padStart", "padEnd", "repeat", "concat", "charAt", "join",
        "toString", "toFixed", "normalize", "stringify", "at",
    ]
)  # fmt: skip
Builtin = Callable[[Machine, Value, list[Value]], Value]


def call_builtin(
    m: Machine, env: Env, name: str, this: Value, arguments: Arguments, where: Any
) -> Value:
    """The result of a builtin, after running the callbacks it runs."""
    values = arguments[0] or ([arguments[1]] if arguments[1] else [])
    if name == "require":
        return _require(m, env, values)
    if name.startswith("function."):
        return _function_method(m, name[9:], this, values, where)
    saved, m.calling = m.calling, where
    result = _known_builtin(m, name, this, values)
    m.calling = saved
    return result


def _known_builtin(m: Machine, name: str, this: Value, values: list[Value]) -> Value:
    known = BUILTINS.get(name) or BUILTINS.get("*." + name.rpartition(".")[2])
    if known is not None:
        return known(m, this, values)
    for value in values:
        _run(m, value, [])
    owner, _, method = name.rpartition(".")
    if method in STRING_RESULTS and owner in ("string", "array", "number", "JSON"):
        return only(m.program.builtin("string"))
    if name.startswith("new "):
        return only(m.program.builtin(name[4:]))
    return EMPTY


def _first(values: list[Value]) -> Value:
    return values[0] if values else EMPTY


def _run(m: Machine, functions: Value, values: list[Value]) -> Value:
    if m.calling is not None and len(functions) <= MAX_CALLBACKS:
        for function in functions:
            if function.kind == "fn" and function.symbol is not None and not function.is_class:
                m.ledger.hit(m.calling, function.symbol, FLOW, "callback of a builtin")
    return INVOKE["callbacks"](m, functions, (values, EMPTY))


def _require(m: Machine, env: Env, values: list[Value]) -> Value:
    found: Value = EMPTY
    for item in _first(values):
        if item.kind != "str":
            continue
        target = m.program.imported(env.module, item.name)
        if target is not None and target.is_esm:
            value = m.program.from_module(env.module, item.name, "*", m.run_module)
        else:
            value = m.program.from_module(env.module, item.name, "=", m.run_module)
        found = join(found, value)
    return found


def _function_method(m: Machine, name: str, this: Value, values: list[Value], where: Any) -> Value:
    """``call``, ``apply`` and ``bind`` of functions of the repository."""
    functions = [item for item in this if item.kind == "fn"]
    if name == "bind":
        return {_bound(function, values): INFERRED for function in functions}
    given = values[1:]
    if name == "apply":
        given = [elements(item) for item in _first(given)][:1] * 4
    if name not in ("call", "apply"):
        return EMPTY
    found: Value = EMPTY
    for function in functions:
        if function.symbol is not None:
            m.ledger.hit(where, function.symbol, INFERRED, "call or apply")
        receiver = _first(values)
        found = join(found, INVOKE["function"](m, function, receiver, (given, EMPTY)))
    return found


def _bound(function: Obj, values: list[Value]) -> Obj:
    bound = Obj("fn", function.name, function.epoch)
    for slot in ("symbol", "record", "env", "module", "index", "scope", "proto", "is_class"):
        setattr(bound, slot, getattr(function, slot))
    bound.props = function.props
    bound.fixed, bound.this, bound.bound = True, _first(values), tuple(values[1:])
    return bound


def _items(this: Value) -> Value:
    found: Value = EMPTY
    for item in this:
        if item.kind == "arr":
            found = join(found, elements(item))
    return raised(found, INFERRED)


def _list_of(m: Machine, elem: Value, name: str = "array") -> Value:
    made = Obj("arr", name, m.epoch)
    made.elem = elem
    return only(made, INFERRED)


def _each(m: Machine, this: Value, values: list[Value]) -> Value:
    _run(m, _first(values), [_items(this)])
    return EMPTY


def _map(m: Machine, this: Value, values: list[Value]) -> Value:
    return _list_of(m, _run(m, _first(values), [_items(this)]))


def _filter(m: Machine, this: Value, values: list[Value]) -> Value:
    _run(m, _first(values), [_items(this)])
    return _list_of(m, _items(this))


def _find(m: Machine, this: Value, values: list[Value]) -> Value:
    _run(m, _first(values), [_items(this)])
    return _items(this)


def _flat_map(m: Machine, this: Value, values: list[Value]) -> Value:
    return _list_of(m, _items(_run(m, _first(values), [_items(this)])))


def _reduce(m: Machine, this: Value, values: list[Value]) -> Value:
    start = values[1] if len(values) > 1 else _items(this)
    return join(start, _run(m, _first(values), [start, _items(this)]))


def _split(m: Machine, this: Value, values: list[Value]) -> Value:
    return _list_of(m, only(m.program.builtin("string")))


def _sort(m: Machine, this: Value, values: list[Value]) -> Value:
    _run(m, _first(values), [_items(this), _items(this)])
    return this


def _push(m: Machine, this: Value, values: list[Value]) -> Value:
    for item in this:
        if item.kind != "arr":
            continue
        for value in values:
            if item.length is not None and item.epoch == m.epoch and not m.branches:
                item.props[str(item.length)] = value
                item.length += 1
            else:
                item.elem, item.length = join(item.elem, raised(value, FLOW)), None
    return EMPTY


def _element(m: Machine, this: Value, values: list[Value]) -> Value:
    return _items(this)


def _slice(m: Machine, this: Value, values: list[Value]) -> Value:
    bounds = [_integer(value) for value in values[:2]]
    items = list(this)
    if len(items) == 1 and items[0].length is not None and None not in bounds:
        return only(
            _part(m, items[0], items[0].length, [b for b in bounds if b is not None]), INFERRED
        )
    return _list_of(m, _items(this))


def _integer(value: Value) -> int | None:
    names = [item.name for item in value if item.kind == "str"]
    return int(names[0]) if len(names) == 1 and _INTEGER.fullmatch(names[0]) else None


def _part(m: Machine, source: Obj, length: int, bounds: list[int]) -> Obj:
    start, stop, _ = slice(*[*bounds, None, None][:2]).indices(length)
    made = Obj("arr", "array", m.epoch)
    made.length = max(stop - start, 0)
    for index in range(start, stop):
        made.props[str(index - start)] = source.props.get(str(index), EMPTY)
    return made


def _concat(m: Machine, this: Value, values: list[Value]) -> Value:
    found = _items(this)
    for value in values:
        found = join(found, _items(value) or value)
    return _list_of(m, found)


def _copy(m: Machine, this: Value, values: list[Value]) -> Value:
    return _list_of(m, _items(this))


def _set(m: Machine, this: Value, values: list[Value]) -> Value:
    for item in this:
        if item.kind == "arr" and values:
            keys = [key.name for key in values[0] if key.kind == "str"]
            if len(values) > 1 and len(keys) == 1:
                m.store(item, keys[0], values[1])
            else:
                item.elem = join(item.elem, raised(values[-1], FLOW))
    return this


def _get(m: Machine, this: Value, values: list[Value]) -> Value:
    keys = [key.name for key in _first(values) if key.kind == "str"]
    found: Value = EMPTY
    for item in this:
        if item.kind == "arr":
            exact = item.props.get(keys[0]) if len(keys) == 1 else None
            found = join(found, exact if exact is not None else elements(item))
    return raised(found, INFERRED)


def _then(m: Machine, this: Value, values: list[Value]) -> Value:
    found = _run(m, _first(values), [_items(this) or raised(this, INFERRED)])
    for failed in values[1:]:
        found = join(found, _run(m, failed, []))
    return _list_of(m, found, "promise") if found else this


def _catch(m: Machine, this: Value, values: list[Value]) -> Value:
    for value in values:
        _run(m, value, [])
    return this


def _resolve(m: Machine, this: Value, values: list[Value]) -> Value:
    return _first(values)


def _settle(m: Machine, this: Value, values: list[Value]) -> Value:
    settler = only(m.program.builtin("Promise.settle"))
    _run(m, _first(values), [settler, settler])
    return EMPTY


def _assign(m: Machine, this: Value, values: list[Value]) -> Value:
    target = _first(values)
    for source in (item for value in values[1:] for item in value):
        if source.cls is not None and source.cls.is_class and source is source.cls.proto:
            continue  # methods of classes are not enumerable
        for name, value in source.props.items():
            for item in target:
                if item.kind in ("inst", "fn"):
                    m.store(item, name, value)
    return target


def _create(m: Machine, this: Value, values: list[Value]) -> Value:
    made = Obj("inst", "object", m.epoch)
    made.protos = tuple(item for item in _first(values) if item.kind == "inst")
    return only(made, INFERRED)


def _set_prototype(m: Machine, this: Value, values: list[Value]) -> Value:
    for item in _first(values):
        item.protos = (*item.protos, *(values[1] if len(values) > 1 else ()))
    return _first(values)


def _values(m: Machine, this: Value, values: list[Value]) -> Value:
    found: Value = EMPTY
    for item in _first(values):
        if item.kind in ("inst", "arr"):
            found = join(found, raised(elements(item), FLOW))
    return _list_of(m, found)


def _entries(m: Machine, this: Value, values: list[Value]) -> Value:
    held = next(iter(_values(m, this, values) if values else _copy(m, this, values)))
    pair = Obj("arr", "array", m.epoch)
    pair.props["1"] = held.elem
    pair.length = 2
    return _list_of(m, only(pair, INFERRED))


def _keys(m: Machine, this: Value, values: list[Value]) -> Value:
    return _list_of(m, only(m.program.builtin("string")))


def _array_from(m: Machine, this: Value, values: list[Value]) -> Value:
    items: Value = EMPTY
    for source in _first(values):
        items = join(items, raised(iterated(source), INFERRED) if source.kind == "arr" else EMPTY)
    if len(values) > 1:
        return _list_of(m, _run(m, values[1], [items]))
    return _list_of(m, items)


def _of(m: Machine, this: Value, values: list[Value]) -> Value:
    found: Value = EMPTY
    for value in values:
        found = join(found, value)
    return _list_of(m, found)


def _container(m: Machine, this: Value, values: list[Value]) -> Value:
    """``new Map(entries)``, ``new Set(items)``."""
    elem: Value = EMPTY
    for pair in _items(_first(values)):
        elem = join(elem, pair.props.get("1", EMPTY) if pair.kind == "arr" else only(pair))
    return _list_of(m, elem, MAP)


def _later(m: Machine, this: Value, values: list[Value]) -> Value:
    _run(m, _first(values), values[2:])
    return EMPTY


BUILTINS: dict[str, Builtin] = {
    "array.forEach": _each,
    "array.some": _each,
    "array.every": _each,
    "array.map": _map,
    "array.filter": _filter,
    "array.find": _find,
    "array.findLast": _find,
    "array.flatMap": _flat_map,
    "array.reduce": _reduce,
    "array.reduceRight": _reduce,
    "array.sort": _sort,
    "string.split": _split,
    "string.match": _split,
    "array.push": _push,
    "array.unshift": _push,
    "array.add": _push,
    "array.pop": _element,
    "array.shift": _element,
    "array.at": _element,
    "array.slice": _slice,
    "array.concat": _concat,
    "array.reverse": _copy,
    "array.splice": _copy,
    "array.flat": _copy,
    "array.values": _copy,
    "array.entries": _entries,
    "array.set": _set,
    "array.get": _get,
    "array.then": _then,
    "array.next": _element,
    "*.then": _then,
    "*.catch": _catch,
    "*.finally": _catch,
    "Promise.resolve": _resolve,
    "Promise.all": _resolve,
    "Promise.allSettled": _resolve,
    "new Promise": _settle,
    "Object.assign": _assign,
    "Object.freeze": _resolve,
    "Object.seal": _resolve,
    "Object.create": _create,
    "Object.setPrototypeOf": _set_prototype,
    "Object.values": _values,
    "Object.entries": _entries,
    "Object.keys": _keys,
    "Array.from": _array_from,
    "Array.of": _of,
    "new Map": _container,
    "new WeakMap": _container,
    "new Set": _array_from,
    "new WeakSet": _container,
    "new Array": _of,
    "setTimeout": _later,
    "setInterval": _later,
    "setImmediate": _later,
    "process.nextTick": _later,
    "queueMicrotask": _later,
}
