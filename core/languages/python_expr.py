"""Expressions of a Python file as value nodes; call sites are recorded on the way."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from codeviews.core.facts import Import, Site
from codeviews.core.languages import python_nodes as op
from codeviews.core.languages.python_scope import Nodes, Scope
from codeviews.core.languages.python_symbols import SymbolTable

_DUNDERS: dict[type, str] = {
    ast.Add: "__add__",
    ast.Sub: "__sub__",
    ast.Mult: "__mul__",
    ast.Div: "__truediv__",
    ast.FloorDiv: "__floordiv__",
    ast.Mod: "__mod__",
    ast.Pow: "__pow__",
    ast.BitOr: "__or__",
    ast.BitAnd: "__and__",
    ast.BitXor: "__xor__",
    ast.LShift: "__lshift__",
    ast.RShift: "__rshift__",
    ast.MatMult: "__matmul__",
}
_KEY_LIMIT = 60  # longer strings are no key of a dispatch table
_DISPLAY_LIMIT = 512  # longer displays of constants are data
_NAME_LIMIT = 120


class ExprWalker:
    """Turns expressions into nodes. ``scope`` is the scope being executed."""

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

    def expr(self, node: ast.expr) -> int:
        """The node of an expression."""
        return _HANDLERS[type(node)](self, node)

    # names

    def lookup(self, name: str) -> int:
        """The node a name denotes where the walk stands."""
        scope = self.scope
        if name not in scope.globals:
            found = scope.current(name) if name not in scope.nonlocals else None
            if found is not None:
                return found
            outer = scope.parent
            while outer is not None:
                if outer.kind != "class":
                    found = self._outer(outer, name)
                    if found is not None:
                        return found
                outer = outer.parent
        return self.make((op.GLOBAL, name))

    def _outer(self, scope: Scope, name: str) -> int | None:
        if scope.symbol not in self.done:
            return scope.current(name)
        if scope.kind == "module" or name in scope.globals:
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
                return found
        return self.make((op.ATTR, self.lookup(value.id), node.attr))

    # calls

    def call(self, node: ast.Call) -> int:
        func = node.func
        callee = self._callee(func)
        args = tuple([self._argument(arg) for arg in node.args])
        keywords = tuple([(word.arg, self.expr(word.value)) for word in node.keywords])
        scope = self.scope
        found = self.fresh((op.CALL, callee, args, keywords, scope.symbol))
        line = func.end_lineno or node.lineno
        self.sites.append(Site("calls", written(func), line, scope.symbol))
        self.calls.append(found)
        scope.calls += 1
        if scope.bases:
            self._forget(node)
        if type(func) is ast.Name:
            special = _SPECIAL_CALLS.get(func.id)
            if special is not None and self.nodes.table[callee][0] == op.GLOBAL:
                return special(self, node, args, found)
        elif type(func) is ast.Attribute and func.attr == "update" and len(args) == 1:
            self._update(func, args[0])
        return found

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
        return self.expr(node)

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

    def _update(self, func: ast.Attribute, other: Any) -> None:
        value = func.value
        if isinstance(value, ast.Name) and isinstance(other, int):
            before = self.scope.env.get(value.id)
            if before is not None and before >= 0:
                self.scope.bind(value.id, self.fresh((op.MERGE, before, other)))

    def getattr_call(self, node: ast.Call, args: tuple[Any, ...], call: int) -> int:
        """``getattr`` with a constant or a pattern is an attribute."""
        if len(args) < 2 or not isinstance(args[0], int):
            return call
        name = node.args[1]
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            found = self.make((op.ATTR, args[0], name.value))
            return self.nodes.join([found, *(arg for arg in args[2:] if isinstance(arg, int))])
        pattern = _pattern(name)
        return self.make((op.PATTERN, args[0], *pattern)) if pattern else call

    def setattr_call(self, node: ast.Call, args: tuple[Any, ...], call: int) -> int:
        """``setattr`` with a constant sets an attribute."""
        name = node.args[1] if len(args) == 3 else None
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            self.effects.append((args[0], name.value, args[2], node.lineno, self.scope.symbol))
        return call

    # displays and operators

    def constant(self, node: ast.Constant) -> int:
        value: Any = node.value
        kind: type[Any] = type(value)
        if (kind is str and len(value) <= _KEY_LIMIT) or (kind is int and -9999 < value < 9999):
            return self.make((op.CONST, value))
        return self.make((op.BUILTIN, kind.__name__))

    def sequence(self, node: ast.List | ast.Tuple | ast.Set) -> int:
        kind = type(node).__name__.lower()
        values = tuple([self._argument(item) for item in node.elts])
        if any(isinstance(value, tuple) for value in values):
            flat = [v if isinstance(v, int) else self.make((op.ITER, v[0], 0)) for v in values]
            return self.fresh((op.ANY, kind, op.NO_NODE, self.nodes.join(flat)))
        if len(values) > _DISPLAY_LIMIT:
            return self.make((op.BUILTIN, kind))
        return self.fresh((op.LITERAL, kind, None, values))

    def dict(self, node: ast.Dict) -> int:
        keys: list[int] = []
        values: list[int] = []
        spread: list[int] = []
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                spread.append(self.expr(value))
            else:
                keys.append(self.expr(key))
                values.append(self.expr(value))
        if len(values) > _DISPLAY_LIMIT * 4:
            return self.make((op.BUILTIN, "dict"))
        found = self.fresh((op.LITERAL, "dict", tuple(keys), tuple(values)))
        for other in spread:
            found = self.fresh((op.MERGE, other, found))
        return found

    def comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> int:
        kind = _COMPREHENSIONS[type(node)]
        self.scope.open()
        self._generators(node.generators)
        value = self.expr(node.elt)
        self.scope.close(False)
        return self.fresh((op.ANY, kind, op.NO_NODE, value))

    def dict_comprehension(self, node: ast.DictComp) -> int:
        self.scope.open()
        self._generators(node.generators)
        key, value = self.expr(node.key), self.expr(node.value)
        self.scope.close(False)
        return self.fresh((op.ANY, "dict", key, value))

    def _generators(self, generators: list[ast.comprehension]) -> None:
        for part in generators:
            self.loop_target(part.target, part.iter)
            for test in part.ifs:
                self.expr(test)

    def loop_target(self, target: ast.expr, iterable: ast.expr) -> None:
        """Bind the target of ``for`` (statement or comprehension)."""
        raise TypeError(f"{type(self).__name__} binds no loop targets")

    def bind_target(self, target: ast.expr, value: int) -> None:
        """Assign a node to a target."""
        raise TypeError(f"{type(self).__name__} binds no targets")

    def binary(self, node: ast.BinOp) -> int:
        chain = [node]
        while isinstance(chain[-1].left, ast.BinOp):
            chain.append(chain[-1].left)
        found = self.expr(chain[-1].left)
        for item in reversed(chain):
            found = self._operator(found, item)
        return found

    def _operator(self, left: int, node: ast.BinOp) -> int:
        right = self.expr(node.right)
        first = self.nodes.table[left]
        if first[0] == op.CONST:
            return self.make((op.BUILTIN, type(first[1]).__name__))
        if first[0] == op.BUILTIN:
            return left
        found = self.make((op.OPERATOR, left, right, _DUNDERS[type(node.op)]))
        self.implicit.append((found, node.lineno, self.scope.symbol))
        return found

    def boolean(self, node: ast.BoolOp) -> int:
        values = [self.expr(value) for value in node.values]
        return self.nodes.join(values) if isinstance(node.op, ast.Or) else values[-1]

    def compare(self, node: ast.Compare) -> int:
        self.expr(node.left)
        for other in node.comparators:
            self.expr(other)
        return self.make((op.BUILTIN, "bool"))

    def unary(self, node: ast.UnaryOp) -> int:
        value = self.expr(node.operand)
        if isinstance(node.op, ast.Not):
            return self.make((op.BUILTIN, "bool"))
        operand = self.nodes.table[value]
        if operand[0] == op.CONST and isinstance(node.op, ast.USub):
            return self.make((op.CONST, -operand[1]))
        return value

    def conditional(self, node: ast.IfExp) -> int:
        self.expr(node.test)
        return self.nodes.join([self.expr(node.body), self.expr(node.orelse)])

    def subscript(self, node: ast.Subscript) -> int:
        base = self.expr(node.value)
        index = node.slice
        if isinstance(index, ast.Slice):
            return self._slice(base, index)
        found = self.make((op.ITEM, base, self.expr(index)))
        if self.nodes.table[base][0] != op.LITERAL:
            self.implicit.append((found, node.lineno, self.scope.symbol))
        return found

    def _slice(self, base: int, index: ast.Slice) -> int:
        for part in (index.lower, index.upper, index.step):
            if part is not None:
                self.expr(part)
        lower = index.lower
        if lower is None:
            return self.make((op.SLICE, base, 0 if index.step is None else None))
        known = isinstance(lower, ast.Constant) and type(lower.value) is int
        return self.make((op.SLICE, base, lower.value if known else None))  # type: ignore[union-attr]

    def fstring(self, node: ast.JoinedStr) -> int:
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                value = self.expr(part.value)
                if self.nodes.table[value][0] not in (op.CONST, op.BUILTIN):
                    found = self.make((op.FORMAT, value))
                    self.implicit.append((found, part.lineno, self.scope.symbol))
                if part.format_spec is not None:
                    self.expr(part.format_spec)
        return self.make((op.BUILTIN, "str"))

    def lambda_(self, node: ast.Lambda) -> int:
        raise TypeError(f"{type(self).__name__} defines no functions: {node.lineno}")

    def yield_(self, node: ast.Yield) -> int:
        value = self.expr(node.value) if node.value else self.make((op.BUILTIN, "NoneType"))
        return self._yields(value)

    def yield_from(self, node: ast.YieldFrom) -> int:
        value = self.expr(node.value)
        return self._yields(self.make((op.ITER, value, 0)))

    def _yields(self, value: int) -> int:
        if self.scope.yields is None:
            self.scope.yields = []
        self.scope.yields.append(value)
        return self.unknown

    def inner(self, node: ast.Await | ast.Starred | ast.FormattedValue) -> int:
        return self.expr(node.value)

    def walrus(self, node: ast.NamedExpr) -> int:
        value = self.expr(node.value)
        self.bind_target(node.target, value)
        return value

    def slice_(self, node: ast.Slice) -> int:
        return self._slice(self.unknown, node)


def written(node: ast.expr) -> str:
    """An expression as a dotted name: ``self.items[].close``, arguments left out."""
    if type(node) is ast.Name:
        return node.id
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


def _pattern(node: ast.expr) -> tuple[str, str] | None:
    """(prefix, suffix) of an attribute name built at run time."""
    if isinstance(node, ast.JoinedStr):
        first, last = node.values[0], node.values[-1]
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        first, last = node.left, node.right
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return _percent(node.left)
    else:
        return None
    prefix, suffix = _text(first), _text(last)
    return (prefix, suffix) if len(prefix) + len(suffix) >= 2 else None


def _percent(node: ast.expr) -> tuple[str, str] | None:
    text = _text(node)
    prefix, mark, rest = text.partition("%s")
    return (prefix, rest) if mark and "%" not in rest and len(text) >= 4 else None


def _text(node: ast.expr) -> str:
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return node.value if is_text else ""  # type: ignore[union-attr]


_REFERABLE = frozenset([op.GLOBAL, op.FUNC, op.CLASS, op.IMPORT, op.CLOSURE, op.DECORATED])
_PLACEHOLDERS: dict[type, str] = {
    ast.Constant: '""',
    ast.JoinedStr: '""',
    ast.Lambda: "(lambda)",
    ast.Dict: "{}",
    ast.List: "[]",
}
_COMPREHENSIONS: dict[type, str] = {
    ast.ListComp: "list",
    ast.SetComp: "set",
    ast.GeneratorExp: "generator",
}
_SPECIAL_CALLS: dict[str, Callable[[ExprWalker, ast.Call, tuple[Any, ...], int], int]] = {
    "getattr": ExprWalker.getattr_call,
    "setattr": ExprWalker.setattr_call,
}
_HANDLERS: dict[type, Callable[[Any, Any], int]] = {
    ast.Name: ExprWalker.name,
    ast.Attribute: ExprWalker.attribute,
    ast.Call: ExprWalker.call,
    ast.Constant: ExprWalker.constant,
    ast.List: ExprWalker.sequence,
    ast.Tuple: ExprWalker.sequence,
    ast.Set: ExprWalker.sequence,
    ast.Dict: ExprWalker.dict,
    ast.ListComp: ExprWalker.comprehension,
    ast.SetComp: ExprWalker.comprehension,
    ast.GeneratorExp: ExprWalker.comprehension,
    ast.DictComp: ExprWalker.dict_comprehension,
    ast.BinOp: ExprWalker.binary,
    ast.BoolOp: ExprWalker.boolean,
    ast.Compare: ExprWalker.compare,
    ast.UnaryOp: ExprWalker.unary,
    ast.IfExp: ExprWalker.conditional,
    ast.Subscript: ExprWalker.subscript,
    ast.JoinedStr: ExprWalker.fstring,
    ast.Lambda: lambda walker, node: walker.lambda_(node),
    ast.Yield: ExprWalker.yield_,
    ast.YieldFrom: ExprWalker.yield_from,
    ast.Await: ExprWalker.inner,
    ast.Starred: ExprWalker.inner,
    ast.FormattedValue: ExprWalker.inner,
    ast.NamedExpr: ExprWalker.walrus,
    ast.Slice: ExprWalker.slice_,
}
