"""Evaluating expressions to abstract values and binding patterns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from codeviews.core.resolve.js_machine import Ir, Machine, make_function
from codeviews.core.resolve.js_members import get, get_computed, set_computed, set_member
from codeviews.core.resolve.js_types import value_of_type
from codeviews.core.resolve.js_values import (
    EMPTY,
    FLOW,
    INFERRED,
    MAP,
    Env,
    Obj,
    Value,
    find_property,
    join,
    only,
    raised,
)

EXPRESSIONS: dict[str, Callable[[Machine, Env, Ir], Value]] = {}

LANGUAGE_GLOBALS = frozenset(
    [
        "Object", "Array", "Promise", "Map", "Set", "WeakMap", "WeakSet", "JSON", "Math",
        "Date", "String", "Number", "Boolean", "Symbol", "RegExp", "Error", "TypeError",
        "RangeError", "Function", "Reflect", "Proxy", "BigInt", "Intl", "console",
        "parseInt", "parseFloat", "isNaN", "isFinite", "encodeURIComponent",
        "decodeURIComponent", "encodeURI", "decodeURI", "setTimeout", "setInterval",
        "setImmediate", "clearTimeout", "clearInterval", "queueMicrotask",
        "structuredClone", "process", "Buffer", "globalThis", "window", "document",
        "navigator", "fetch", "URL", "URLSearchParams", "require", "eval", "SyntaxError",
        "ReferenceError", "Uint8Array", "ArrayBuffer", "DataView", "Float64Array",
        "Int32Array", "TextEncoder", "TextDecoder", "AbortController",
        "requestAnimationFrame", "cancelAnimationFrame", "alert",
    ]
)  # fmt: skip


def evaluate(m: Machine, env: Env, ir: Ir | None) -> Value:
    """The values an expression may have; empty when unknown."""
    if ir is None:
        return EMPTY
    return EXPRESSIONS[ir[0]](m, env, ir)


def _key(m: Machine, env: Env, ir: Ir) -> Value:
    return only(m.program.string(ir[1]))


def _literal(m: Machine, env: Env, ir: Ir) -> Value:
    return only(m.program.builtin(ir[1]))


def _variable(m: Machine, env: Env, ir: Ir) -> Value:
    return lookup(m, env, ir[1])


def lookup(m: Machine, env: Env, name: str) -> Value:
    """A name in scope: local, imported, or global."""
    holder = env.holder(name)
    if holder is not None:
        return holder.vars[name]
    module = env.module
    binding = module.bindings.get(name)
    if binding is not None:
        return m.program.from_module(module, binding[0], binding[1], m.run_module)
    if name == "exports":
        return module.cjs.props["exports"]
    if name == "module":
        return only(module.cjs)
    if name in ("undefined", "NaN", "Infinity", "arguments"):
        return EMPTY
    if name in LANGUAGE_GLOBALS:
        return only(m.program.builtin(name))
    return only(m.program.external(f"global {name}"))


def _member(m: Machine, env: Env, ir: Ir) -> Value:
    if ir[1] is not None and ir[1][0] == "super":
        return super_member(m, env, ir[2])
    return get(m, evaluate(m, env, ir[1]), ir[2], ir[3])


def super_member(m: Machine, env: Env, name: str) -> Value:
    """``super.name``: looked up in what the enclosing class extends."""
    found: Value = EMPTY
    for base in lookup(m, env, "<super>") if env.holder("<super>") else EMPTY:
        if base.kind == "ext":
            return only(base)
        holders = [base.proto, base] if base.proto is not None else [base]
        for holder in holders:
            own = find_property(holder, name)
            found = join(found, own[0] if own is not None else get(m, only(holder), name, 0))
            if found:
                break
    return found


def _computed(m: Machine, env: Env, ir: Ir) -> Value:
    return get_computed(m, evaluate(m, env, ir[1]), evaluate(m, env, ir[2]), ir[3])


def _this(m: Machine, env: Env, ir: Ir) -> Value:
    return env.receiver()


def _super(m: Machine, env: Env, ir: Ir) -> Value:
    return lookup(m, env, "<super>") if env.holder("<super>") else EMPTY


def _function(m: Machine, env: Env, ir: Ir) -> Value:
    inner = env
    if ir[2]:
        inner = Env(env, env.module, m.epoch)
    function = only(make_function(m, inner, ir[1], ir[2]))
    if ir[2]:
        inner.vars[ir[2]] = function
    return function


def _object(m: Machine, env: Env, ir: Ir) -> Value:
    obj = Obj("inst", "object", m.epoch)
    for kind, name, source in ir[1]:
        if kind == "s":
            _spread_into(m, obj, evaluate(m, env, source))
            continue
        value = evaluate(m, env, source)
        if source is not None and source[0] == "fn":
            for function in value:
                function.home = obj
        prefix = {"g": "get ", "t": "set "}.get(kind, "")
        if kind == "c":
            set_computed(m, only(obj), evaluate(m, env, name), value)
        elif isinstance(name, str):
            obj.props[prefix + name] = value
    return only(obj, INFERRED)


def _spread_into(m: Machine, obj: Obj, sources: Value) -> None:
    for source in sources:
        if source.kind in ("inst", "fn"):
            for name, value in source.props.items():
                obj.props[name] = value
        elif source.kind == "ext":
            obj.protos = (*obj.protos, source)


def _array(m: Machine, env: Env, ir: Ir) -> Value:
    array = Obj("arr", "array", m.epoch)
    length: int | None = 0
    for part in ir[1]:
        if part is not None and part[0] == "...":
            spread = evaluate(m, env, part[1])
            length = _append_all(array, spread, length)
        else:
            value = evaluate(m, env, part)
            if length is None:
                array.elem = join(array.elem, value)
            else:
                array.props[str(length)] = value
                length += 1
    array.length = length
    return only(array, INFERRED)


def _append_all(array: Obj, spread: Value, length: int | None) -> int | None:
    items = list(spread)
    if len(items) == 1 and items[0].length is not None and length is not None:
        source = items[0]
        for index in range(items[0].length):
            array.props[str(length + index)] = source.props.get(str(index), EMPTY)
        return length + items[0].length
    for source in items:
        array.elem = join(array.elem, iterated(source))
    return None


def elements(obj: Obj) -> Value:
    """All that an array, map or set may hold."""
    found = obj.elem
    for value in obj.props.values():
        found = join(found, value)
    return found


def iterated(obj: Obj) -> Value:
    """What iterating yields: the elements, or a map's pairs of key and value."""
    if obj.name != MAP or not elements(obj):
        return elements(obj)
    pair = Obj("arr", "array", obj.epoch)
    pair.props["1"], pair.length = elements(obj), 2
    return only(pair, INFERRED)


def _assign(m: Machine, env: Env, ir: Ir) -> Value:
    _, target, source = ir
    value = evaluate(m, env, source)
    bound = value
    if source is not None and source[0] not in ("fn", "class", "call"):
        bound = raised(value, INFERRED)
    bind(m, env, target, bound, "")
    return value


def _any_of(m: Machine, env: Env, ir: Ir) -> Value:
    found: Value = EMPTY
    for part in ir[1]:
        found = join(found, evaluate(m, env, part))
    return raised(found, INFERRED)


def _sequence(m: Machine, env: Env, ir: Ir) -> Value:
    for part in ir[1]:
        evaluate(m, env, part)
    return evaluate(m, env, ir[2])


def _inner(m: Machine, env: Env, ir: Ir) -> Value:
    return evaluate(m, env, ir[1])


def _yield(m: Machine, env: Env, ir: Ir) -> Value:
    m.yielded = join(m.yielded, evaluate(m, env, ir[1]))
    return EMPTY


def _as(m: Machine, env: Env, ir: Ir) -> Value:
    value = evaluate(m, env, ir[1])
    declared = value_of_type(m, env, ir[2])
    is_made = ir[1] is not None and ir[1][0] == "new"
    return _filled(value, declared) if is_made else declared or value


def _filled(made: Value, declared: Value) -> Value:
    """New containers, which hold what their type arguments say."""
    held: Value = EMPTY
    for kind in declared:
        held = join(held, elements(kind))
    for container in made:
        if container.kind == "arr":
            container.elem = join(container.elem, held)
    return made


def _dynamic_import(m: Machine, env: Env, ir: Ir) -> Value:
    return m.program.from_module(env.module, ir[1], "*", m.run_module)


def bind(m: Machine, env: Env, pattern: Ir | None, value: Value, kind: str) -> None:
    """Bind a pattern; ``kind`` is let, const or var for declarations, "" for assignment."""
    if pattern is None:
        return
    match pattern[0]:
        case "v":
            _bind_name(m, env, pattern[1], value, kind)
        case ".":
            set_member(m, evaluate(m, env, pattern[1]), pattern[2], value)
        case "[":
            key = evaluate(m, env, pattern[2])
            set_computed(m, evaluate(m, env, pattern[1]), key, value)
        case "def":
            default = evaluate(m, env, pattern[2])
            bind(m, env, pattern[1], value or default, kind)
        case "arrp":
            _bind_array(m, env, pattern[1], value, kind)
        case "objp":
            _bind_object(m, env, pattern[1], value, kind)
        case "...":
            bind(m, env, pattern[1], value, kind)
        case _:
            evaluate(m, env, pattern)


def _bind_name(m: Machine, env: Env, name: str, value: Value, kind: str) -> None:
    if kind:
        scope = env.home if kind == "var" else env
        m.write(scope.vars, name, value)
    else:
        m.assign(env, name, value)


def _bind_array(m: Machine, env: Env, parts: Any, value: Value, kind: str) -> None:
    for index, part in enumerate(parts):
        if part is not None and part[0] == "...":
            bind(m, env, part[1], only(_tail(m, value, index), INFERRED), kind)
            return
        bind(m, env, part, item_at(value, index), kind)


def item_at(value: Value, index: int) -> Value:
    """The element at a known index of any of the arrays."""
    found: Value = EMPTY
    for source in value:
        if source.kind == "ext":
            found = join(found, only(source))
        elif source.kind == "arr":
            exact = source.props.get(str(index))
            found = join(found, exact if exact is not None else source.elem)
    return found


def _tail(m: Machine, value: Value, start: int) -> Obj:
    rest = Obj("arr", "array", m.epoch)
    for source in value:
        rest.elem = join(rest.elem, source.elem)
        if source.length is not None:
            rest.length = max(source.length - start, 0)
            for index in range(start, source.length):
                rest.props[str(index - start)] = source.props.get(str(index), EMPTY)
    return rest


def _bind_object(m: Machine, env: Env, parts: Any, value: Value, kind: str) -> None:
    taken = {key for key, _ in parts}
    for key, part in parts:
        if key == "...":
            rest = Obj("inst", "object", m.epoch)
            for source in value:
                kept = {k: v for k, v in source.props.items() if k not in taken}
                rest.props.update(kept)
            bind(m, env, part, only(rest, INFERRED), kind)
        else:
            bind(m, env, part, get(m, value, key, 0), kind)


def spread_arguments(m: Machine, env: Env, parts: Any) -> tuple[list[Value], Value]:
    """Positional values and what any position after a spread may hold."""
    values: list[Value] = []
    rest: Value = EMPTY
    for part in parts:
        if part is not None and part[0] == "...":
            spread = evaluate(m, env, part[1])
            items = list(spread)
            if len(items) == 1 and items[0].length is not None and not rest:
                length = min(items[0].length, 32)
                values += [items[0].props.get(str(i), EMPTY) for i in range(length)]
            for item in items:
                rest = join(rest, raised(elements(item), FLOW)) if item.length is None else rest
        else:
            values.append(evaluate(m, env, part))
    return values, rest


_TABLE: dict[str, Any] = {
    "k": _key,
    "lit": _literal,
    "v": _variable,
    ".": _member,
    "[": _computed,
    "this": _this,
    "super": _super,
    "fn": _function,
    "obj": _object,
    "arr": _array,
    "=": _assign,
    "or": _any_of,
    "seq": _sequence,
    "await": _inner,
    "...": _inner,
    "yield": _yield,
    "as": _as,
    "import": _dynamic_import,
}
EXPRESSIONS.update(_TABLE)
