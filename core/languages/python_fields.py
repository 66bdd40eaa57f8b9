"""Fields of a class whose ``__init__`` is generated: dataclasses, attrs, named tuples, models."""

from __future__ import annotations

import ast

from codeviews.core.languages.python_symbols import decorator_name

Field = tuple[str, int]
"""(name, 0 or what is special about it)."""

INIT_ONLY = 1  # an ``InitVar``: passed on to ``__post_init__``, no attribute
NOT_PASSED = 2  # ``field(init=False)``

_MAKERS = frozenset(["dataclass", "define", "frozen", "mutable", "attrs", "attributes", "s"])
_BASES = frozenset(["NamedTuple", "BaseModel", "Struct"])
_FIELD_CALLS = frozenset(["ib", "attrib", "field"])


def class_fields(node: ast.ClassDef) -> tuple[Field, ...] | None:
    """The fields of a class in their order; None when its ``__init__`` is not generated."""
    names = [decorator_name(item) for item in node.decorator_list]
    bases = [decorator_name(item) for item in node.bases]
    if _MAKERS.isdisjoint(names) and _BASES.isdisjoint(bases):
        return None
    found = [field for field in map(_field, node.body) if field is not None]
    return tuple(dict(found).items())


def _field(statement: ast.stmt) -> Field | None:
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        kind = _annotated(statement.annotation)
        if kind in ("ClassVar", "KW_ONLY"):
            return None
        special = INIT_ONLY if kind == "InitVar" else _passed(statement.value)
        return statement.target.id, special
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
        return None
    target, call = statement.targets[0], statement.value
    is_field = decorator_name(call) in _FIELD_CALLS
    return (target.id, _passed(call)) if is_field and isinstance(target, ast.Name) else None


def _annotated(node: ast.expr) -> str:
    """The last part of the name of an annotation, its arguments left out."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value.partition("[")[0].rpartition(".")[2].strip()
    plain = node.value if isinstance(node, ast.Subscript) else node
    return decorator_name(plain)


def _passed(value: ast.expr | None) -> int:
    words = value.keywords if isinstance(value, ast.Call) else []
    for word in words:
        if word.arg == "init" and isinstance(word.value, ast.Constant) and not word.value.value:
            return NOT_PASSED
    return 0
