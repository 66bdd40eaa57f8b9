"""Names put together at run time: what stays the same at their start and at their end."""

from __future__ import annotations

import ast

Pattern = tuple[str, str]
"""(prefix, suffix) of a string."""

_CASE = frozenset(["lower", "upper", "casefold"])
TEXT_METHODS = _CASE | {"format"}
"""Methods of a string whose result is fixed in part when the string is."""


def text_pattern(node: ast.expr) -> Pattern | None:
    """The pattern of an f-string, a sum, ``%`` or ``format``; None when too little is fixed."""
    if isinstance(node, ast.JoinedStr):
        if not node.values:
            return None
        first, last = node.values[0], node.values[-1]
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        first, last = node.left, node.right
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return _around(_text(node.left), "%s")
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return _method(node.func)
    else:
        return None
    return _enough(_start(first), _text(last))


def _method(func: ast.Attribute) -> Pattern | None:
    if func.attr == "format":
        return _around(_text(func.value), "{}")
    found = text_pattern(func.value) if func.attr in _CASE else None
    return cased(found, func.attr) if found else None


def cased(pattern: Pattern, method: str) -> Pattern | None:
    """The pattern after ``lower``, ``upper`` or ``casefold``; None after anything else."""
    if method not in _CASE:
        return None
    change = str.upper if method == "upper" else str.lower
    return change(pattern[0]), change(pattern[1])


def _start(node: ast.expr) -> str:
    """The first part of a sum of any length."""
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        node = node.left
    return _text(node)


def _around(text: str, mark: str) -> Pattern | None:
    prefix, found, rest = text.partition(mark)
    return _enough(prefix, rest) if found and mark[0] not in rest else None


def _enough(prefix: str, suffix: str) -> Pattern | None:
    return (prefix, suffix) if len(prefix) + len(suffix) >= 2 else None


def _text(node: ast.expr) -> str:
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return node.value if is_text else ""  # type: ignore[union-attr]
