"""Composite literals of Go and the functions they store."""

from __future__ import annotations

from typing import Any

from codeviews.core.resolve.go_eval import (
    EXPRESSIONS,
    Evaluator,
    Scope,
    Value,
    evaluate,
    written_type,
)
from codeviews.core.resolve.go_flow import (
    CARRIED,
    Flow,
    Source,
    lowered,
    merged,
)
from codeviews.core.resolve.go_types import (
    Context,
    Ir,
    Ty,
)


def note_functions(e: Evaluator, path: str, scope: int, kind: str, value: Value, line: int) -> None:
    """Note an edge to every function that is surely the value."""
    for source, rank in value.flow.items():
        if source[0] == "F":
            e.findings.note(path, scope, kind, (source[1], source[2]), line, "AB"[min(rank, 1)])


def _composite(e: Evaluator, scope: Scope, ir: Ir, expected: Ty) -> Value:
    _, written, elements, line = ir
    kind = written_type(e, scope, written) if written is not None else expected
    under = e.types.underlying(kind)
    if under is not None and under[0] == "struct":
        _fill_struct(e, scope, kind, under, elements, line)
        return Value("v", kind)
    inner = under[-1] if under is not None and under[0] in ("[]", "map") else None
    flow: Flow = {}
    for key, item in elements:
        if key is not None and under is not None and under[0] == "map":
            evaluate(e, scope, key, under[1])
        value = evaluate(e, scope, item, inner)
        if item is not None and item[0] in ("v", "."):
            frame = scope.function
            note_functions(e, frame.path, frame.scope, "registers", value, line)
        flow = merged(flow, lowered(value.flow, CARRIED))
    return Value("v", kind, flow)


def _fill_struct(e: Evaluator, scope: Scope, kind: Ty, under: Ty, elements: Any, line: int) -> None:
    fields = under[1]
    inner = Context(under[2], dict(under[3]))
    for index, (key, item) in enumerate(elements):
        name = key[1] if key is not None and key[0] == "v" else ""
        if key is None and index < len(fields):
            name = fields[index][0]
        written = next((field[1] for field in fields if field[0] == name), None)
        value = evaluate(e, scope, item, e.types.resolve(inner, written))
        give_field(e, scope, kind, name, value, line)


def give_field(e: Evaluator, scope: Scope, owner: Ty, name: str, value: Value, line: int) -> None:
    """A function stored in a field: registered there, and in the field's place."""
    if value.flow and owner is not None and owner[0] == "N":
        frame = scope.function
        place: Source = ("C", "field", f"{owner[1]}.{owner[2]}.{name}")
        e.places.give(scope.where.file.path, place, value.flow)
        note_functions(e, frame.path, frame.scope, "registers", value, line)


EXPRESSIONS["lit"] = _composite
