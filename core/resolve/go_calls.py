"""Calls of Go functions: targets, arguments, results, conversions and builtins."""

from __future__ import annotations

from typing import Any

from codeviews.core.facts import BUILTIN, DYNAMIC, EXTERNAL, UNKNOWN
from codeviews.core.resolve.go_eval import (
    EXPRESSIONS,
    NOTHING,
    RULES,
    Evaluator,
    Scope,
    Value,
    evaluate,
    holds_functions,
)
from codeviews.core.resolve.go_flow import (
    CARRIED,
    NO_FLOW,
    Flow,
    Source,
    lowered,
    merged,
)
from codeviews.core.resolve.go_literals import note_functions
from codeviews.core.resolve.go_types import (
    Ir,
    Ty,
    substitute,
    unify,
)


def _call(e: Evaluator, scope: Scope, ir: Ir, expected: Ty) -> Value:
    _, written, parts, site = ir
    callee = evaluate(e, scope, written)
    where = (scope.where.file.path, site)
    if callee.kind == "t":
        return _convert(e, scope, callee, parts, where)
    if callee.kind == "b":
        e.findings.reasons[where] = BUILTIN
        return _builtin(e, scope, callee.name, parts)
    wanted = callee.type[1] if callee.type is not None and callee.type[0] == "fn" else ()
    arguments = [
        evaluate(e, scope, part, wanted[min(i, len(wanted) - 1)] if wanted else None)
        for i, part in enumerate(parts)
    ]
    _refer(e, scope, parts, arguments, site)
    if callee.kind == "x" or (callee.type is not None and callee.type[0] == "X"):
        e.findings.reasons[where] = EXTERNAL
        return Value("v", callee.type)
    _record(e, callee, where, is_literal=written is not None and written[0] == "fn")
    return _result(e, scope, callee, arguments)


def _convert(
    e: Evaluator, scope: Scope, callee: Value, parts: Any, where: tuple[str, int]
) -> Value:
    values = [evaluate(e, scope, part, callee.type) for part in parts]
    e.findings.reasons[where] = ""  # a conversion is not a call
    place = _type_place(e, callee.type)
    if place is not None and values:
        e.places.give(where[0], place, values[0].flow)
    return Value("v", callee.type, values[0].flow if values else NO_FLOW)


def _type_place(e: Evaluator, kind: Ty) -> Source | None:
    """Where functions converted to a named function type go."""
    under = e.types.underlying(kind)
    if kind is None or kind[0] != "N" or under is None or under[0] != "fn":
        return None
    return ("C", "type", f"{kind[1]}.{kind[2]}")


def _record(e: Evaluator, callee: Value, where: tuple[str, int], *, is_literal: bool) -> None:
    if callee.interface is not None:
        e.findings.dispatches.setdefault(where, set()).add((callee.interface, callee.name))
    for source, rank in callee.flow.items():
        if source[0] == "F":
            e.findings.hit(where, (source[1], source[2]), rank, RULES[rank])
        else:
            e.findings.carried.setdefault(where, set()).add(source)
    place = _type_place(e, callee.type)
    if not callee.flow and callee.interface is None and place is not None:
        e.findings.carried.setdefault(where, set()).add(place)
    elif not callee.flow and callee.interface is None:
        known = callee.type is not None
        e.findings.reasons.setdefault(where, DYNAMIC if known or is_literal else UNKNOWN)


def _result(e: Evaluator, scope: Scope, callee: Value, arguments: list[Value]) -> Value:
    kind = e.types.underlying(callee.type)
    if kind is None or kind[0] != "fn":
        return NOTHING
    found: dict[str, Ty] = {}
    variadic = len(kind[1]) - 1
    for index, argument in enumerate(arguments):
        wanted = kind[1][min(index, variadic)] if kind[1] else None
        spreads = argument.type is None or argument.type[0] == "[]"
        if index >= variadic and not spreads and wanted is not None and wanted[0] == "[]":
            wanted = wanted[1]
        unify(wanted, argument.type, found)
        _give_argument(e, scope, callee, min(index, max(variadic, 0)), argument)
    results = tuple(substitute(part, found) for part in kind[2])
    return _as_value(e, callee, results)


def _as_value(e: Evaluator, callee: Value, results: tuple[Ty, ...]) -> Value:
    flow: Flow = {}
    for index, kind in enumerate(results):
        if holds_functions(e, kind):
            for source in callee.flow:
                if source[0] == "F":
                    flow["C", "result", source[1], source[2], str(index)] = CARRIED
    if len(results) == 1:
        return Value("v", results[0], flow)
    return Value("v", ("tup", results), flow) if results else NOTHING


def _give_argument(e: Evaluator, scope: Scope, callee: Value, index: int, argument: Value) -> None:
    for source in callee.flow if argument.flow else ():
        if source[0] == "F":
            place: Source = ("C", "parameter", source[1], source[2], str(index))
            e.places.give(scope.where.file.path, place, argument.flow)


def _refer(e: Evaluator, scope: Scope, parts: Any, values: list[Value], site: int) -> None:
    """Functions handed over by name are referenced where that happens."""
    file = scope.where.file
    for part, value in zip(parts, values, strict=True):
        if part is not None and part[0] in ("v", "."):
            made = file.source.facts.sites[site]
            note_functions(e, file.path, made.scope, "references", value, made.line)


def _builtin(e: Evaluator, scope: Scope, name: str, parts: Any) -> Value:
    values = [evaluate(e, scope, part) for part in parts]
    if name in ("make", "new") and values:
        return Value("v", values[0].type)
    if name == "append" and values:
        flow = values[0].flow
        for value in values[1:]:
            flow = merged(flow, lowered(value.flow, CARRIED))
        return Value("v", values[0].type, flow)
    if name in ("max", "min") and values:
        return values[0]
    return Value("v", ("b", "int")) if name in ("len", "cap", "copy") else NOTHING


EXPRESSIONS["call"] = _call
