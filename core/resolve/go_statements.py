"""Running Go function bodies through the evaluator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from codeviews.core.resolve.go_eval import (
    EXPRESSIONS,
    NOTHING,
    Evaluator,
    Frame,
    Scope,
    Value,
    element_type,
    evaluate,
    holds_functions,
    part_of,
    written_type,
)
from codeviews.core.resolve.go_flow import CARRIED, INFERRED, Flow, Source, lowered, merged
from codeviews.core.resolve.go_literals import give_field
from codeviews.core.resolve.go_packages import GoFile
from codeviews.core.resolve.go_types import Context, Ir, Ty

STATEMENTS: dict[str, Callable[[Evaluator, Scope, Ir], None]] = {}


def run(e: Evaluator, scope: Scope, ir: Ir) -> None:
    """Run one statement; None does nothing."""
    if ir is not None:
        STATEMENTS[ir[0]](e, scope, ir)


def run_function(e: Evaluator, file: GoFile, record: Any) -> None:
    """Evaluate a declared function: receiver, parameters, body."""
    symbol, _, receiver, parameters, formal, results, body = record
    qualname = file.qualname(symbol)
    types = _own_types(e, file, receiver, parameters)
    where = Context(file, types)
    kinds = [e.types.resolve(where, written) for _, written in results]
    scope = Scope(None, where, Frame(file.path, qualname, symbol, kinds))
    if receiver is not None:
        arguments = tuple(types[name] for name in receiver[2] if name in types)
        scope.names[receiver[0]] = Value("v", ("N", file.package.key, receiver[1], arguments))
    for index, (name, written) in enumerate(formal):
        place: Source = ("C", "parameter", file.path, qualname, str(index))
        scope.names[name] = _parameter(e, e.types.resolve(where, written), place)
    for (name, _), kind in zip(results, kinds, strict=True):
        if name:
            scope.names[name] = Value("v", kind)
    scope.names.pop("", None)
    scope.names.pop("_", None)
    run(e, scope, body)


def _own_types(e: Evaluator, file: GoFile, receiver: Any, parameters: Any) -> Mapping[str, Ty]:
    types: dict[str, Ty] = {}
    if receiver is not None and receiver[2]:
        decls = file.package.lookup(receiver[1], file)
        declared: Any = decls[0].record[2] if decls and decls[0].kind == "type" else ()
        for name, (_, constraint) in zip(receiver[2], declared, strict=False):
            types[name] = ("T", name, e.types.resolve(Context(decls[0].file, {}), constraint))
    for name, constraint in parameters:
        types[name] = ("T", name, e.types.resolve(Context(file, dict(types)), constraint))
    return types


def _parameter(e: Evaluator, kind: Ty, place: Source) -> Value:
    return Value("v", kind, {place: CARRIED} if holds_functions(e, kind) else {})


def _inner(scope: Scope) -> Scope:
    return Scope(scope, scope.where, scope.function)


def _block(e: Evaluator, scope: Scope, ir: Ir) -> None:
    inner = _inner(scope)
    for part in ir[1]:
        run(e, inner, part)


def _flat(e: Evaluator, scope: Scope, ir: Ir) -> None:
    for part in ir[1]:
        run(e, scope, part)


def _expression(e: Evaluator, scope: Scope, ir: Ir) -> None:
    evaluate(e, scope, ir[1])


def _values(e: Evaluator, scope: Scope, count: int, right: Any, expected: Ty = None) -> list[Value]:
    if len(right) == count:
        return [evaluate(e, scope, part, expected) for part in right]
    if len(right) != 1:
        return [NOTHING] * count
    value = evaluate(e, scope, right[0], expected)
    return [part_of(value, index) for index in range(count)]


def _define(e: Evaluator, scope: Scope, ir: Ir) -> None:
    left, right = ir[1], ir[2]
    for target, value in zip(left, _values(e, scope, len(left), right), strict=True):
        if target is None or target[0] != "v" or target[1] == "_":
            continue
        known = scope.names.get(target[1])
        flow = lowered(value.flow, INFERRED)
        if known is not None:  # := of an existing name assigns
            scope.names[target[1]] = known._replace(flow=merged(known.flow, flow))
        else:
            scope.names[target[1]] = _variable(value, value.type, flow)


def _variable(value: Value, kind: Ty, flow: Flow) -> Value:
    if value.kind == "x":
        return Value("v", value.type)
    if value.interface is not None:
        return Value("v", kind, flow, value.interface, name=value.name)
    return Value("v", kind, flow, decl=value.decl)


def _var(e: Evaluator, scope: Scope, ir: Ir) -> None:
    _, names, written, right = ir
    declared = written_type(e, scope, written)
    values = _values(e, scope, len(names), right, declared) if right else [NOTHING] * len(names)
    for name, value in zip(names, values, strict=True):
        kind = declared if declared is not None else value.type
        scope.names[name] = _variable(value, kind, lowered(value.flow, INFERRED))


def _set(e: Evaluator, scope: Scope, ir: Ir) -> None:
    left, right, line = ir[1], ir[2], ir[3]
    for target, value in zip(left, _values(e, scope, len(left), right), strict=True):
        _store(e, scope, target, value, line)


def _store(e: Evaluator, scope: Scope, target: Ir, value: Value, line: int) -> None:
    if target is None:
        return
    if target[0] == "v":
        _assign(e, scope, target[1], value)
    elif target[0] == ".":
        owner = evaluate(e, scope, target[1])
        if owner.kind == "p":
            package = e.world.imported(scope.where.file, owner.name)
            if package is not None:
                place: Source = ("C", "var", package.key, target[2])
                e.places.give(scope.where.file.path, place, value.flow)
        else:
            give_field(e, scope, owner.type, target[2], value, line)
    elif target[0] == "idx":
        for part in target[2]:
            evaluate(e, scope, part)
        if value.flow:
            _store(e, scope, target[1], value._replace(flow=lowered(value.flow, CARRIED)), line)
        else:
            evaluate(e, scope, target[1])
    else:
        evaluate(e, scope, target)


def _assign(e: Evaluator, scope: Scope, name: str, value: Value) -> None:
    holder = scope.find(name)
    if holder is not None:
        known = holder.names[name]
        flow = merged(known.flow, lowered(value.flow, INFERRED))
        holder.names[name] = known._replace(flow=flow)
    elif value.flow:
        place: Source = ("C", "var", scope.where.file.package.key, name)
        e.places.give(scope.where.file.path, place, value.flow)


def _range(e: Evaluator, scope: Scope, ir: Ir) -> None:
    _, left, defines, right, body = ir
    source = evaluate(e, scope, right)
    inner = _inner(scope)
    for target, value in zip(left, _ranged(e, source), strict=False):
        if target is not None and target[0] == "v" and defines:
            inner.names[target[1]] = value
        elif target is not None:
            _store(e, scope, target, value, 0)
    run(e, inner, body)


def _ranged(e: Evaluator, source: Value) -> list[Value]:
    under = e.types.underlying(source.type)
    if under is None:
        return [NOTHING, NOTHING]
    flow = lowered(source.flow, CARRIED)
    if under[0] == "map":
        return [Value("v", under[1]), Value("v", under[2], flow)]
    if under[0] == "chan":
        return [Value("v", under[1], flow), NOTHING]
    if under[0] == "fn" and under[1] and under[1][0] is not None and under[1][0][0] == "fn":
        return [Value("v", kind) for kind in under[1][0][1]]
    key = Value("v", ("b", "int"))
    return [key, Value("v", element_type(e, source.type), flow)]


def _if(e: Evaluator, scope: Scope, ir: Ir) -> None:
    inner = scope
    for init, condition, body in ir[1]:
        inner = _inner(inner)
        run(e, inner, init)
        evaluate(e, inner, condition)
        run(e, inner, body)
    run(e, inner, ir[2])


def _for(e: Evaluator, scope: Scope, ir: Ir) -> None:
    inner = _inner(scope)
    for part in ir[1]:
        run(e, inner, part)
    run(e, inner, ir[2])


def _type_switch(e: Evaluator, scope: Scope, ir: Ir) -> None:
    _, init, alias, value, cases = ir
    inner = _inner(scope)
    run(e, inner, init)
    switched = evaluate(e, inner, value)
    for types, body in cases:
        arm = _inner(inner)
        if alias:
            single = written_type(e, inner, types[0]) if len(types) == 1 else switched.type
            arm.names[alias] = Value("v", single)
        run(e, arm, body)


def _switch(e: Evaluator, scope: Scope, ir: Ir) -> None:
    _, init, value, cases = ir
    inner = _inner(scope)
    run(e, inner, init)
    evaluate(e, inner, value)
    for tests, body in cases:
        for test in tests:
            evaluate(e, inner, test)
        run(e, inner, body)


def _return(e: Evaluator, scope: Scope, ir: Ir) -> None:
    frame = scope.function
    for index, part in enumerate(ir[1]):
        expected = frame.results[index] if index < len(frame.results) else None
        value = evaluate(e, scope, part, expected)
        if value.flow and frame.qualname:
            place: Source = ("C", "result", frame.path, frame.qualname, str(index))
            e.places.give(scope.where.file.path, place, value.flow)


def _type(e: Evaluator, scope: Scope, ir: Ir) -> None:
    for name, written in ir[1]:
        kind = e.types.resolve(scope.where, written)
        scope.where = Context(scope.where.file, {**scope.where.types, name: kind})


def _function_literal(e: Evaluator, scope: Scope, ir: Ir, expected: Ty) -> Value:
    _, formal, results, body = ir
    kinds = [written_type(e, scope, written) for _, written in formal]
    made = tuple(written_type(e, scope, written) for _, written in results)
    frame = scope.function._replace(qualname="", results=list(made))
    inner = Scope(scope, scope.where, frame)
    for (name, _), kind in zip(formal, kinds, strict=True):
        if name and name != "_":
            inner.names[name] = Value("v", kind)
    for (name, _), kind in zip(results, made, strict=True):
        if name and name != "_":
            inner.names[name] = Value("v", kind)
    run(e, inner, body)
    return Value("v", ("fn", tuple(kinds), made))


_TABLE: dict[str, Any] = {
    "x": _expression,
    "def": _define,
    "var": _var,
    "set": _set,
    "range": _range,
    "block": _block,
    "block!": _flat,
    "if": _if,
    "for": _for,
    "tsw": _type_switch,
    "sw": _switch,
    "ret": _return,
    "type": _type,
}
STATEMENTS.update(_TABLE)
EXPRESSIONS["fn"] = _function_literal
