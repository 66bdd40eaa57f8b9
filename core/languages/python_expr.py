"""Expressions of a Python file as value nodes; call sites are recorded on the way."""

# Nodes and values are tuples of several shapes, told apart by their first element.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, cast

from codeviews.core.facts import ANY_TEXT, Import, Site
from codeviews.core.languages import python_nodes as op
from codeviews.core.languages.python_patterns import TEXT_METHODS, Pattern, cased, text_pattern
from codeviews.core.languages.python_scope import Nodes, Scope
from codeviews.core.languages.python_symbols import SymbolTable

new_site = partial(cast("Callable[[type[Site], tuple[Any, ...]], Site]", tuple.__new__), Site)
_NAME_LIMIT = 120
_APPENDED = 60  # items appended one by one that are told apart


class ExprWalker:
    """Turns expressions into nodes. ``scope`` is the scope being executed."""

    handlers: ClassVar[dict[type, Callable[[Any, Any], int]]] = {}

    def __init__(self, table: SymbolTable) -> None:
        self.symbols = table
        self.nodes = Nodes()
        self.make = self.nodes.make
        self.fresh = self.nodes.fresh
        self.module = Scope("module", 0, None, self.nodes)
        self.scope = self.module
        self.done: set[int] = set()  # symbols of the scopes whose body was executed
        self.sites: list[Site] = []
        self.calls: list[int] = []
        self.reads: list[tuple[int, int, int]] = []
        self.implicit: list[tuple[int, int, int]] = []
        self.effects: list[tuple[int, Any, int, int, int]] = []
        self.imports: list[Import] = []
        self.functions: dict[int, Any] = {}
        self.classes: dict[int, Any] = {}
        self.unknown = self.make((op.UNKNOWN,))
        self.patterns: dict[int, Pattern] = {}  # strings that are fixed in part
        self.keeps_lambdas = False  # the expression is assigned as it is

    def expr(self, node: ast.expr) -> int:
        """The node of an expression."""
        return self.handlers[type(node)](self, node)

    # names

    def lookup(self, name: str) -> int:
        """The node a name denotes where the walk stands."""
        scope = self.scope
        if name not in scope.globals:
            if name in scope.env or name in scope.params:
                found = scope.current(name) if name not in scope.nonlocals else None
                if found is not None:
                    return found
            inner, outer = scope, scope.parent
            while outer is not None:
                if outer.kind != "class":
                    found = self._outer(outer, name, inner)
                    if found is not None:
                        return found
                inner, outer = outer, outer.parent
        return self.make((op.GLOBAL, name))

    def _outer(self, scope: Scope, name: str, inner: Scope) -> int | None:
        """A name of an enclosing scope; ``inner`` is the scope in it where the walk stands."""
        if scope.symbol not in self.done:
            found = scope.current(name)
            return scope.late_read(name, found) if inner.late and found is not None else found
        if name in scope.globals:
            return None
        alive = None if inner.in_loop else scope.seen_from(name, inner.position)
        if alive is not None:
            return self.nodes.join(alive)
        if scope.kind == "module":
            return None
        node = scope.env.get(name)
        plain = node is None or self.nodes.table[node][0] == op.PARAM
        if name in scope.params and plain and name not in scope.kept:
            return self.make((op.PARAM, scope.symbol, scope.params[name]))
        if node is not None or name in scope.kept:
            return self.make((op.CLOSURE, scope.symbol, name))
        return None

    def name(self, node: ast.Name) -> int:
        found = self.lookup(node.id)
        if self.nodes.table[found][0] in _REFERABLE:
            self.reads.append((found, node.lineno, self.scope.symbol))
        return found

    def attribute(self, node: ast.Attribute) -> int:
        found = self.attribute_node(node)
        self.reads.append((found, node.end_lineno or node.lineno, self.scope.symbol))
        return found

    def attribute_node(self, node: ast.Attribute) -> int:
        """The node of ``base.attr``; what the scope stored there last wins."""
        value = node.value
        if type(value) is not ast.Name:
            return self.make((op.ATTR, self.expr(value), node.attr))
        scope = self.scope
        if node.attr in scope.stored:
            key = f"{value.id}.{node.attr}"
            found = scope.env.get(key, -1)
            if found >= 0 and (not scope.loops or key in scope.loops[-1].bound):
                self._hooked_read(node, value.id)
                return found
        return self.make((op.ATTR, self.lookup(value.id), node.attr))

    def _hooked_read(self, node: ast.Attribute, base: str) -> None:
        """A read whose value is known may still call a property or a descriptor."""
        read = self.make((op.ATTR, self.lookup(base), node.attr))
        self.implicit.append((read, node.end_lineno or node.lineno, self.scope.symbol))

    # calls

    def call(self, node: ast.Call) -> int:
        func = node.func
        callee = self._callee(func)
        args = tuple([self._argument(arg) for arg in node.args]) if node.args else ()
        keywords: tuple[tuple[str | None, int], ...] = ()
        if node.keywords:
            keywords = tuple([(word.arg, self.expr(word.value)) for word in node.keywords])
        scope = self.scope
        found = self.fresh((op.CALL, callee, args, keywords, scope.symbol))
        line = func.end_lineno or node.lineno
        self.sites.append(new_site(("calls", written(func), line, scope.symbol, "")))
        self.calls.append(found)
        scope.calls += 1
        if scope.bases:
            self._forget(node)
        if type(func) is ast.Name:
            special = _SPECIAL_CALLS.get(func.id)
            if special is not None and self.nodes.table[callee][0] == op.GLOBAL:
                return special(self, node, args, found)
        elif type(func) is ast.Attribute:
            if func.attr in _GROWING and len(args) == 1:
                _GROWING[func.attr](self, func, args[0])
            elif func.attr in TEXT_METHODS:
                self._text_call(node, func, callee, found)
        return found

    def _text_call(self, node: ast.Call, func: ast.Attribute, callee: int, found: int) -> None:
        """``name.lower()`` of a string that is fixed in part is fixed in part."""
        record = self.nodes.table[callee]
        before = self.patterns.get(record[1]) if record[0] == op.ATTR else None
        pattern = cased(before, func.attr) if before else text_pattern(node)
        if pattern is not None:
            self.patterns[found] = pattern

    def _callee(self, func: ast.expr) -> int:
        kind = type(func)
        if kind is ast.Name:
            return self.lookup(func.id)  # type: ignore[attr-defined]
        if kind is ast.Attribute:
            return self.attribute_node(func)  # type: ignore[arg-type]
        return self.expr(func)

    def _argument(self, node: ast.expr) -> Any:
        if type(node) is ast.Starred:
            return (self.expr(node.value),)
        return self.handlers[type(node)](self, node)

    def _forget(self, node: ast.Call) -> None:
        """A call on a variable, or with it as an argument, may set its attributes."""
        scope = self.scope
        func = node.func
        if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name):
            base = func.value.id
            if base in scope.bases and scope.env.get(f"{base}.{func.attr}", -1) < 0:
                scope.forget(base)
        for arg in node.args:
            if isinstance(arg, ast.Name) and arg.id in scope.bases:
                scope.forget(arg.id)

    def update_call(self, func: ast.Attribute, other: Any) -> None:
        value = func.value
        if isinstance(value, ast.Name) and isinstance(other, int):
            before = self.scope.env.get(value.id)
            if before is not None and before >= 0:
                self.scope.bind(value.id, self.fresh((op.MERGE, before, other)))

    def append_call(self, func: ast.Attribute, value: Any) -> None:
        """``xs.append(x)`` on a list whose length is known stores at that index."""
        name, scope = func.value, self.scope
        if not isinstance(name, ast.Name) or not isinstance(value, int) or scope.loops:
            return
        before = scope.env.get(name.id, op.NO_NODE)
        length = self._length(before) if before >= 0 else None
        if length is not None:
            key = self.make((op.CONST, length))
            self.effects.append((before, (key, True), value, func.lineno, scope.symbol))
            scope.bind(name.id, self.fresh((op.STORE, before, key, value)))

    def _length(self, node: int) -> int | None:
        """The length of a list as far as its stores in this scope tell."""
        added = 0
        while self.nodes.table[node][0] == op.STORE and added < _APPENDED:
            _, base, key, _ = self.nodes.table[node]
            place = self.nodes.table[key]
            if place[0] != op.CONST or not isinstance(place[1], int):
                return None
            added = max(added, place[1] + 1)
            node = base
        record = self.nodes.table[node]
        is_list = record[0] == op.LITERAL and record[1] == "list"
        return max(len(record[3]), added) if is_list else None

    def getattr_call(self, node: ast.Call, args: tuple[Any, ...], call: int) -> int:
        """``getattr`` with a constant or a pattern is an attribute."""
        if len(args) < 2 or not isinstance(args[0], int):
            return call
        name = node.args[1]
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            found = self.make((op.ATTR, args[0], name.value))
            return self.nodes.join([found, *(arg for arg in args[2:] if isinstance(arg, int))])
        pattern = self.patterns.get(args[1]) or text_pattern(name)
        if pattern is None:
            return call
        self.sites[-1] = self.sites[-1]._replace(name=ANY_TEXT.join(pattern))
        found = self.make((op.PATTERN, args[0], *pattern))
        return self.nodes.join([found, *(arg for arg in args[2:] if isinstance(arg, int))])

    def setattr_call(self, node: ast.Call, args: tuple[Any, ...], call: int) -> int:
        """``setattr`` with a constant sets an attribute."""
        name = node.args[1] if len(args) == 3 else None
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            self.effects.append((args[0], name.value, args[2], node.lineno, self.scope.symbol))
        return call


def written(node: ast.expr) -> str:
    """An expression as a dotted name: ``self.items[].close``, arguments left out."""
    if type(node) is ast.Name:
        return node.id
    if type(node) is ast.Attribute and type(node.value) is ast.Name:
        return f"{node.value.id}.{node.attr}"[-_NAME_LIMIT:]
    parts: list[str] = []
    while len(parts) < 12:
        if isinstance(node, ast.Attribute):
            parts.append(f".{node.attr}")
            node = node.value
        elif isinstance(node, ast.Call):
            parts.append("()")
            node = node.func
        elif isinstance(node, ast.Subscript):
            parts.append("[]")
            node = node.value
        else:
            break
    parts.append(node.id if isinstance(node, ast.Name) else _PLACEHOLDERS.get(type(node), "…"))
    return "".join(reversed(parts))[-_NAME_LIMIT:]


_REFERABLE = frozenset([op.GLOBAL, op.FUNC, op.CLASS, op.IMPORT, op.CLOSURE, op.DECORATED])
_GROWING: dict[str, Callable[[ExprWalker, ast.Attribute, Any], None]] = {
    "update": ExprWalker.update_call,
    "append": ExprWalker.append_call,
}
_PLACEHOLDERS: dict[type, str] = {
    ast.Constant: '""',
    ast.JoinedStr: '""',
    ast.Lambda: "(lambda)",
    ast.Dict: "{}",
    ast.List: "[]",
}
_SPECIAL_CALLS: dict[str, Callable[[ExprWalker, ast.Call, tuple[Any, ...], int], int]] = {
    "getattr": ExprWalker.getattr_call,
    "setattr": ExprWalker.setattr_call,
}
