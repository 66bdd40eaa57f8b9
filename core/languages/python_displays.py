"""Displays, comprehensions and operators of a Python file as value nodes."""

from __future__ import annotations

import ast
from typing import Any

from codeviews.core.languages import python_nodes as op
from codeviews.core.languages.python_expr import ExprWalker
from codeviews.core.languages.python_patterns import text_pattern

DUNDERS: dict[type, str] = {
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
    ast.Eq: "__eq__",
    ast.NotEq: "__ne__",
    ast.Lt: "__lt__",
    ast.LtE: "__le__",
    ast.Gt: "__gt__",
    ast.GtE: "__ge__",
    ast.In: "__contains__",
    ast.NotIn: "__contains__",
    ast.USub: "__neg__",
    ast.UAdd: "__pos__",
    ast.Invert: "__invert__",
}
_PLAIN = frozenset([op.CONST, op.BUILTIN, op.LITERAL])  # their operations are the builtin ones
_NOT_ASKED = _PLAIN | {op.ATTR, op.UNKNOWN}
_REPR = ord("r")  # f"{x!r}"
_INDICES = 10_000
_KEY_LIMIT = 60  # longer strings are no key of a dispatch table
_DISPLAY_LIMIT = 512  # longer displays of constants are data


class DisplayWalker(ExprWalker):
    """Adds everything that is no name and no call, and the table of all expressions."""

    def constant(self, node: ast.Constant) -> int:
        value: Any = node.value
        kind = type(value)
        is_key = kind is str and len(value) <= _KEY_LIMIT
        if is_key or (kind is int and abs(value) < _INDICES):
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
                self.truth(self.expr(test), test.lineno)

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
        return self._patterned(node, found)

    def _operator(self, left: int, node: ast.BinOp) -> int:
        right = self.expr(node.right)
        first = self.nodes.table[left]
        if first[0] == op.CONST and (type(first[1]) is str or self._is_plain(right)):
            return self.make((op.BUILTIN, type(first[1]).__name__))
        if first[0] == op.BUILTIN and (first[1] == "str" or self._is_plain(right)):
            return left
        return self.combined(left, right, DUNDERS[type(node.op)], node.lineno)

    def combined(self, left: int, right: int, dunder: str, line: int) -> int:
        """The node of an operation whose special method may be called."""
        found = self.make((op.OPERATOR, left, right, dunder))
        self.implicit.append((found, line, self.scope.symbol))
        return found

    def boolean(self, node: ast.BoolOp) -> int:
        values = [self.expr(value) for value in node.values]
        for value in values[:-1]:
            self.truth(value, node.lineno)
        return self.nodes.join(values) if isinstance(node.op, ast.Or) else values[-1]

    def compare(self, node: ast.Compare) -> int:
        left = self.expr(node.left)
        for test, other in zip(node.ops, node.comparators, strict=True):
            right = self.expr(other)
            kind = type(test)
            if kind in DUNDERS:
                pair = (right, left) if kind is ast.In or kind is ast.NotIn else (left, right)
                self._compared(*pair, DUNDERS[kind], node.lineno)
            left = right
        return self.make((op.BUILTIN, "bool"))

    def _compared(self, left: int, right: int, dunder: str, line: int) -> None:
        if not (self._is_plain(left) and self._is_plain(right)):
            self.combined(left, right, dunder, line)

    def _is_plain(self, node: int) -> bool:
        return self.nodes.table[node][0] in _PLAIN

    def truth(self, value: int, line: int) -> None:
        """A condition asks a value whether it is true; attributes are too many to follow."""
        if self.nodes.table[value][0] not in _NOT_ASKED:
            found = self.make((op.TRUTH, value))
            self.implicit.append((found, line, self.scope.symbol))

    def unary(self, node: ast.UnaryOp) -> int:
        value = self.expr(node.operand)
        if isinstance(node.op, ast.Not):
            self.truth(value, node.lineno)
            return self.make((op.BUILTIN, "bool"))
        operand = self.nodes.table[value]
        if isinstance(node.op, ast.USub) and operand[0] == op.CONST and type(operand[1]) is int:
            return self.make((op.CONST, -operand[1]))
        self.changed(value, DUNDERS[type(node.op)], node.lineno)
        return value

    def changed(self, value: int, dunder: str, line: int) -> None:
        """An operation with one operand that matters: its special method may be called."""
        if not self._is_plain(value):
            found = self.make((op.CHANGED, value, dunder))
            self.implicit.append((found, line, self.scope.symbol))

    def conditional(self, node: ast.IfExp) -> int:
        self.truth(self.expr(node.test), node.lineno)
        return self.nodes.join([self.expr(node.body), self.expr(node.orelse)])

    def subscript(self, node: ast.Subscript) -> int:
        base = self.expr(node.value)
        index = node.slice
        if isinstance(index, ast.Constant) and self._is_globals(node.value, base):
            return self.make((op.GLOBAL, str(index.value)))
        if isinstance(index, ast.Slice):
            return self._slice(base, index, node.lineno)
        found = self.make((op.ITEM, base, self.expr(index)))
        if self.nodes.table[base][0] != op.LITERAL:
            self.implicit.append((found, node.lineno, self.scope.symbol))
        return found

    def _is_globals(self, node: ast.expr, base: int) -> bool:
        """Whether a subscripted expression is ``globals()``."""
        called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        return called and self.nodes.table[self.nodes.table[base][1]] == (op.GLOBAL, "globals")

    def _slice(self, base: int, index: ast.Slice, line: int) -> int:
        for part in (index.lower, index.upper, index.step):
            if part is not None:
                self.expr(part)
        if self.nodes.table[base][0] not in (op.LITERAL, op.UNKNOWN):
            self.changed(base, "__getitem__", line)
        lower = index.lower
        if lower is None:
            return self.make((op.SLICE, base, 0 if index.step is None else None))
        known = isinstance(lower, ast.Constant) and type(lower.value) is int
        return self.make((op.SLICE, base, lower.value if known else None))  # type: ignore[union-attr]

    def fstring(self, node: ast.JoinedStr) -> int:
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                value = self.expr(part.value)
                if part.conversion == _REPR:
                    self.changed(value, "__repr__", part.lineno)
                elif self.nodes.table[value][0] not in (op.CONST, op.BUILTIN):
                    found = self.make((op.FORMAT, value))
                    self.implicit.append((found, part.lineno, self.scope.symbol))
                if part.format_spec is not None:
                    self.expr(part.format_spec)
        return self._patterned(node, self.make((op.BUILTIN, "str")))

    def _patterned(self, node: ast.expr, found: int) -> int:
        """Remember a string that is fixed in part: it may become the name of an attribute."""
        if self.nodes.table[found] != (op.BUILTIN, "str"):
            return found
        pattern = text_pattern(node)
        if pattern is None:
            return found
        own = self.fresh((op.BUILTIN, "str"))
        self.patterns[own] = pattern
        return own

    def lambda_(self, node: ast.Lambda) -> int:
        raise TypeError(f"{type(self).__name__} defines no functions: {node.lineno}")

    def yield_(self, node: ast.Yield) -> int:
        value = self.expr(node.value) if node.value else self.make((op.BUILTIN, "NoneType"))
        return self._yields(value)

    def yield_from(self, node: ast.YieldFrom) -> int:
        value = self.expr(node.value)
        self._yields(self.make((op.ITER, value, 0)))
        return self.make((op.ITER, value, op.RETURNED))

    def _yields(self, value: int) -> int:
        if self.scope.yields is None:
            self.scope.yields = []
        self.scope.yields.append(value)
        return self.make((op.PARAM, self.scope.symbol, op.SENT))

    def inner(self, node: ast.Await | ast.Starred | ast.FormattedValue) -> int:
        return self.expr(node.value)

    def walrus(self, node: ast.NamedExpr) -> int:
        value = self.expr(node.value)
        self.bind_target(node.target, value)
        return value

    def slice_(self, node: ast.Slice) -> int:
        return self._slice(self.unknown, node, node.lineno)


_COMPREHENSIONS: dict[type, str] = {
    ast.ListComp: "list",
    ast.SetComp: "set",
    ast.GeneratorExp: "generator",
}
DisplayWalker.handlers = {
    ast.Name: DisplayWalker.name,
    ast.Attribute: DisplayWalker.attribute,
    ast.Call: DisplayWalker.call,
    ast.Constant: DisplayWalker.constant,
    ast.List: DisplayWalker.sequence,
    ast.Tuple: DisplayWalker.sequence,
    ast.Set: DisplayWalker.sequence,
    ast.Dict: DisplayWalker.dict,
    ast.ListComp: DisplayWalker.comprehension,
    ast.SetComp: DisplayWalker.comprehension,
    ast.GeneratorExp: DisplayWalker.comprehension,
    ast.DictComp: DisplayWalker.dict_comprehension,
    ast.BinOp: DisplayWalker.binary,
    ast.BoolOp: DisplayWalker.boolean,
    ast.Compare: DisplayWalker.compare,
    ast.UnaryOp: DisplayWalker.unary,
    ast.IfExp: DisplayWalker.conditional,
    ast.Subscript: DisplayWalker.subscript,
    ast.JoinedStr: DisplayWalker.fstring,
    ast.Lambda: lambda walker, node: walker.lambda_(node),
    ast.Yield: DisplayWalker.yield_,
    ast.YieldFrom: DisplayWalker.yield_from,
    ast.Await: DisplayWalker.inner,
    ast.Starred: DisplayWalker.inner,
    ast.FormattedValue: DisplayWalker.inner,
    ast.NamedExpr: DisplayWalker.walrus,
    ast.Slice: DisplayWalker.slice_,
}
