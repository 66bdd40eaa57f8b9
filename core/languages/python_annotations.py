"""Annotations of a Python file as value nodes: what a parameter or variable is declared to be."""

from __future__ import annotations

import ast
from typing import Any

from codeviews.core.languages import python_nodes as op
from codeviews.core.languages.python_displays import DisplayWalker
from codeviews.core.languages.python_scope import Scope
from codeviews.core.languages.python_symbols import decorator_name

_CONTAINERS = {
    "list": "list",
    "set": "set",
    "frozenset": "set",
    "dict": "dict",
    "deque": "list",
    "defaultdict": "dict",
    "ordereddict": "dict",
    "iterable": "list",
    "iterator": "list",
    "generator": "list",
    "sequence": "list",
    "collection": "list",
    "mapping": "dict",
    "mutablemapping": "dict",
    "asynciterator": "list",
    "asynciterable": "list",
    "abstractset": "set",
}
_WRAPPERS = frozenset(
    "Optional Annotated ClassVar InitVar Final Required NotRequired Awaitable Self".split(" ")
)


class AnnotationWalker(DisplayWalker):
    """Reads annotations, also those written as strings."""

    def annotation(self, node: ast.expr | None) -> int:
        """The values an annotation declares; NO_NODE when it says nothing."""
        if isinstance(node, ast.Constant):
            return self._string_annotation(node)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self.nodes.join([self.annotation(node.left), self.annotation(node.right)])
        if isinstance(node, ast.Subscript):
            return self._generic(node)
        if isinstance(node, ast.Name | ast.Attribute):
            return self._declared(node)
        return op.NO_NODE

    def _declared(self, node: ast.Name | ast.Attribute) -> int:
        name = node.id if isinstance(node, ast.Name) else node.attr
        if name in ("Any", "object", "None"):
            return op.NO_NODE
        found = self.name(node) if isinstance(node, ast.Name) else self.attribute(node)
        if name == "Self":
            return self._self_type()
        return self.make((op.INSTANCE, found))

    def _self_type(self) -> int:
        scope: Scope | None = self.scope
        while scope is not None and scope.kind != "class":
            scope = scope.parent
        return (
            op.NO_NODE
            if scope is None
            else self.make((op.INSTANCE, self.make((op.CLASS, scope.symbol))))
        )

    def _string_annotation(self, node: ast.Constant) -> int:
        text = node.value
        if not isinstance(text, str) or len(text) > 300:
            return op.NO_NODE
        try:
            inner = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return op.NO_NODE
        for part in ast.walk(inner):
            if isinstance(part, ast.expr):
                part.lineno = part.end_lineno = node.lineno
        return self.annotation(inner)

    def _generic(self, node: ast.Subscript) -> int:
        name = decorator_name(node.value)
        index = node.slice
        parts = list(index.elts) if isinstance(index, ast.Tuple) else [index]
        if name == "Literal" or not parts:
            return op.NO_NODE
        nodes = [self.annotation(part) for part in parts]
        if name == "Union":
            return self.nodes.join(nodes)
        if name in _WRAPPERS:
            return nodes[0]
        if name in ("Type", "type"):
            return self.nodes.join([self._class_of(n) for n in nodes])
        if name in ("Tuple", "tuple"):
            return self._tuple(nodes, parts)
        kind = _CONTAINERS.get(name.lower())
        if kind is None:
            return self.annotation(node.value)
        element = nodes[-1] if kind == "dict" else nodes[0]
        return self.make((op.ELEMENTS, kind, element))

    def _class_of(self, node: int) -> int:
        return op.NO_NODE if node < 0 else self.make((op.CLASSOF, node))

    def _tuple(self, nodes: list[int], parts: list[ast.expr]) -> int:
        last = parts[-1]
        if isinstance(last, ast.Constant) and last.value is Ellipsis:
            return self.make((op.ELEMENTS, "tuple", nodes[0]))
        values: tuple[Any, ...] = tuple([node if node >= 0 else self.unknown for node in nodes])
        return self.make((op.LITERAL, "tuple", None, values))
