"""Statements of a Python file: executed once, in order, branches joined."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from codeviews.core.facts import Import, Site
from codeviews.core.languages import python_nodes as op
from codeviews.core.languages.python_control import ControlWalker
from codeviews.core.languages.python_expr import written
from codeviews.core.languages.python_symbols import SymbolTable

_HIDDEN = 200  # names of a module that a star import is looked up for


class Walker(ControlWalker):
    """Executes a whole module: ``run`` and then read the collected facts."""

    def __init__(self, table: SymbolTable) -> None:
        super().__init__(table)
        self.stars: list[int] = []

    def run(self, tree: ast.Module) -> None:
        """Execute the module and then, outermost first, the bodies of its functions."""
        self.module.body = tree.body
        self.block(tree.body)
        self.done.add(0)
        while self.queue:
            scope, node = self.queue.popleft()
            self.scope = scope
            scope.body = node.body
            self.block(node.body)
            self.finish(scope)
            self.done.add(scope.symbol)
        self.scope = self.module
        self._finish_locals()

    def _finish_locals(self) -> None:
        for symbol, scope in self.outer_scopes.items():
            if scope.kind == "function":
                self.functions[symbol] = (*self.functions[symbol][:-1], scope.visible())

    def block(self, body: list[ast.stmt]) -> bool:
        ended = False
        for statement in body:
            handler = _HANDLERS.get(type(statement))
            if handler is not None and handler(self, statement):
                ended = True
        return ended

    # the rest

    def return_(self, node: ast.Return) -> bool:
        if node.value is not None:
            self.scope.returns.append(self.expr(node.value))
        return True

    def raise_(self, node: ast.Raise) -> bool:
        value = node.exc
        if isinstance(value, ast.Name | ast.Attribute):
            callee = self._decorator(value)
            call = self.fresh((op.CALL, callee, (), (), self.scope.symbol))
            self.calls.append(call)
            line = value.end_lineno or value.lineno
            self.sites.append(Site("calls", written(value), line, self.scope.symbol, "raise"))
        elif value is not None:
            self.expr(value)
        if node.cause is not None:
            self.expr(node.cause)
        return True

    def expression(self, node: ast.Expr) -> bool:
        if type(node.value) is not ast.Constant:
            self.expr(node.value)
        return False

    def assert_(self, node: ast.Assert) -> bool:
        self.truth(self.expr(node.test), node.lineno)
        if node.msg is not None:
            self.expr(node.msg)
        self._narrow(self._narrowings(node.test)[0])
        return False

    def global_(self, node: ast.Global) -> bool:
        if self.scope.kind != "module":
            self.scope.globals.update(node.names)
        return False

    def nonlocal_(self, node: ast.Nonlocal) -> bool:
        self.scope.nonlocals.update(node.names)
        return False

    def import_(self, node: ast.Import) -> bool:
        for alias in node.names:
            root = "" if alias.asname else "root"
            self._import(alias.name, "", alias.asname or "", node, 0)
            name = alias.asname or alias.name.partition(".")[0]
            node_id = self.make((op.IMPORT, len(self.imports) - 1, root))
            self.assign_name(name, node_id)
        return False

    def import_from(self, node: ast.ImportFrom) -> bool:
        for alias in node.names:
            self._import(node.module or "", alias.name, alias.asname or "", node, node.level)
            index = len(self.imports) - 1
            if alias.name == "*":
                self.stars.append(index)
                self._hide(index)
            else:
                found = self.make((op.IMPORT, index, ""))
                self.assign_name(alias.asname or alias.name, found)
        return False

    def _hide(self, index: int) -> None:
        """A star import may rebind what the module has bound so far."""
        scope = self.scope
        if scope is self.module and len(scope.env) <= _HIDDEN:
            for name, node in list(scope.env.items()):
                if node >= 0 and "." not in name and not name.startswith("_"):
                    scope.bind(name, self.make((op.STARRED, index, name, node)))

    def _import(self, module: str, name: str, alias: str, node: ast.stmt, level: int) -> None:
        scope = self.scope.symbol
        self.imports.append(Import(module, name, alias, node.lineno, level, scope))


_HANDLERS: dict[type, Callable[[Any, Any], bool]] = {
    ast.Expr: Walker.expression,
    ast.Assign: Walker.assign,
    ast.Return: Walker.return_,
    ast.If: Walker.if_,
    ast.FunctionDef: Walker.function,
    ast.AsyncFunctionDef: Walker.function,
    ast.ClassDef: Walker.class_,
    ast.For: Walker.for_,
    ast.AsyncFor: Walker.for_,
    ast.While: Walker.while_,
    ast.With: Walker.with_,
    ast.AsyncWith: Walker.with_,
    ast.Try: Walker.try_,
    ast.Raise: Walker.raise_,
    ast.AnnAssign: Walker.annotated,
    ast.AugAssign: Walker.augmented,
    ast.Delete: Walker.delete,
    ast.Assert: Walker.assert_,
    ast.Import: Walker.import_,
    ast.ImportFrom: Walker.import_from,
    ast.Global: Walker.global_,
    ast.Nonlocal: Walker.nonlocal_,
    ast.Match: Walker.match,
    ast.Break: Walker.break_,
    ast.Continue: Walker.continue_,
    ast.TryStar: Walker.try_,
}
