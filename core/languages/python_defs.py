"""Definitions of a Python file: classes, functions, lambdas and their annotations."""

from __future__ import annotations

import ast
from collections import deque

from codeviews.core.facts import Site
from codeviews.core.languages import python_nodes as op
from codeviews.core.languages.python_annotations import AnnotationWalker
from codeviews.core.languages.python_expr import written
from codeviews.core.languages.python_fields import class_fields
from codeviews.core.languages.python_scope import Scope
from codeviews.core.languages.python_symbols import (
    SymbolTable,
    decorator_name,
    is_property,
    symbol_flags,
)

Function = ast.FunctionDef | ast.AsyncFunctionDef
_TRANSPARENT = frozenset(
    ["staticmethod", "classmethod", "abstractmethod", "setter", "getter", "deleter", "overload"]
)
_WRITERS = frozenset(["setter", "deleter"])
_DISPATCHING = frozenset(["singledispatch", "singledispatchmethod"])


class DefinitionWalker(AnnotationWalker):
    """Definitions; the bodies of functions wait in ``queue`` until their outer scope is done."""

    def __init__(self, table: SymbolTable) -> None:
        super().__init__(table)
        self.queue: deque[tuple[Scope, Function]] = deque()
        self.outer_scopes: dict[int, Scope] = {}
        self.self_nodes: dict[int, int] = {}  # PARAM node of self -> class symbol
        self.calls_before: dict[int, int] = {}  # class symbol -> calls of its scope so far
        self.attributes: dict[int, dict[str, list[int]]] = {}  # class symbol -> values set on self

    def block(self, body: list[ast.stmt]) -> bool:
        """Execute statements; True when the block never reaches its end."""
        raise TypeError(f"{type(self).__name__} executes no statements")

    # functions

    def function(self, node: Function) -> bool:
        scope = self.scope
        decorators = node.decorator_list
        names = [decorator_name(item) for item in decorators] if decorators else []
        in_class = scope.kind == "class"
        kind = "function" if not in_class else "property" if is_property(names) else "method"
        if in_class and not _WRITERS.isdisjoint(names):
            kind = "property"
        flags = symbol_flags(node, names, scope.kind)
        symbol = self.symbols.define(node, scope.symbol, kind, flags)
        defined = self.make((op.FUNC, symbol))
        if decorators:
            defined = self._decorated(node, defined, names)
        inner = Scope("function", symbol, scope, self.nodes)
        self._signature(inner, node.args, node.returns, self._flags(node, names))
        self._note_rebinding(node)
        self.queue.append((inner, node))
        self.outer_scopes.setdefault(scope.symbol, scope)
        if _WRITERS.isdisjoint(names) or node.name not in scope.env:
            self.assign_name(node.name, defined)
        return False

    def _note_rebinding(self, node: Function) -> None:
        """Names that the function rebinds outside itself change with any call."""
        for statement in node.body:
            if type(statement) is ast.Global:
                self.module.volatile.update(statement.names)
            elif type(statement) is ast.Nonlocal:
                self.scope.volatile.update(statement.names)

    def _flags(self, node: Function, names: list[str]) -> int:
        flags = op.IS_ASYNC if isinstance(node, ast.AsyncFunctionDef) else 0
        if "staticmethod" in names:
            flags |= op.IS_STATIC
        if "classmethod" in names or node.name in ("__init_subclass__", "__class_getitem__"):
            flags |= op.IS_CLASSMETHOD
        if node.name == "__new__":
            flags |= op.IS_CLASSMETHOD
        if is_property(names):
            flags |= op.IS_PROPERTY
        if names and not _DISPATCHING.isdisjoint(names):
            flags |= op.IS_DISPATCH
        if names and any(name.startswith("abstract") for name in names):
            flags |= op.IS_ABSTRACT
        return flags if _WRITERS.isdisjoint(names) else flags | op.IS_SETTER

    def _decorated(self, node: Function | ast.ClassDef, defined: int, names: list[str]) -> int:
        result = defined
        for item, name in zip(reversed(node.decorator_list), reversed(names), strict=True):
            callee = self._decorator(item)
            if name not in _TRANSPARENT and not is_property([name]):
                result = self.fresh((op.CALL, callee, (result,), (), self.scope.symbol))
                self.scope.calls += 1
            else:
                result_of_call = self.fresh((op.CALL, callee, (), (), self.scope.symbol))
                self.calls.append(result_of_call)
                self._decorator_site(item)
                continue
            self.calls.append(result)
            self._decorator_site(item)
        return defined if result == defined else self.fresh((op.DECORATED, defined, result))

    def _decorator(self, item: ast.expr) -> int:
        if isinstance(item, ast.Name):
            return self.lookup(item.id)
        return self.attribute_node(item) if isinstance(item, ast.Attribute) else self.expr(item)

    def _decorator_site(self, item: ast.expr) -> None:
        line = item.end_lineno or item.lineno
        self.sites.append(Site("decorates", written(item), line, self.scope.symbol))

    def _signature(
        self, inner: Scope, args: ast.arguments, returns: ast.expr | None, flags: int
    ) -> None:
        scope = self.scope
        plain = [*args.posonlyargs, *args.args]
        every = [*plain, *args.kwonlyargs]
        if args.vararg is not None:
            every.append(args.vararg)
        if args.kwarg is not None:
            every.append(args.kwarg)
        names = tuple([arg.arg for arg in every])
        inner.params = dict(zip(names, range(len(names)), strict=True))
        owner = scope.symbol if scope.kind == "class" else op.NO_NODE
        if owner >= 0 and plain and not flags & op.IS_STATIC:
            inner.self_name = plain[0].arg
            inner.owner = owner
            self.self_nodes[self.make((op.PARAM, inner.symbol, 0))] = owner
        annotations = {
            index: self.annotation(arg.annotation)
            for index, arg in enumerate(every)
            if arg.annotation is not None
        }
        if annotations:
            self._star_annotations(args, names, annotations)
        shape = (
            names,
            len(plain),
            names.index(args.vararg.arg) if args.vararg else -1,
            names.index(args.kwarg.arg) if args.kwarg else -1,
        )
        declared = self.annotation(returns) if returns is not None else op.NO_NODE
        self.functions[inner.symbol] = (
            shape,
            self._defaults(args, len(plain)),
            {index: node for index, node in annotations.items() if node >= 0},
            declared,
            owner,
            flags,
        )

    def _star_annotations(
        self, args: ast.arguments, names: tuple[str, ...], annotations: dict[int, int]
    ) -> None:
        for arg, kind in ((args.vararg, "tuple"), (args.kwarg, "dict")):
            if arg is not None:
                index = names.index(arg.arg)
                element = annotations.get(index, op.NO_NODE)
                if element >= 0:
                    annotations[index] = self.make((op.ELEMENTS, kind, element))

    def _defaults(self, args: ast.arguments, plain: int) -> dict[int, int]:
        if not args.defaults and not args.kw_defaults:
            return {}
        first = plain - len(args.defaults)
        found = {first + index: self.expr(value) for index, value in enumerate(args.defaults)}
        for index, value in enumerate(args.kw_defaults):
            if value is not None:
                found[plain + index] = self.expr(value)
        return found

    def lambda_(self, node: ast.Lambda) -> int:
        symbol = self.symbols.lambda_(node, self.scope.symbol)
        inner = Scope("lambda", symbol, self.scope, self.nodes)
        inner.late = self.keeps_lambdas
        defined = self.make((op.FUNC, symbol))
        self._signature(inner, node.args, None, op.IS_LAMBDA)
        inner.owner, inner.self_name = op.NO_NODE, ""
        outer, self.scope = self.scope, inner
        inner.returns.append(self.expr(node.body))
        self.scope = outer
        self.finish(inner)
        return defined

    def finish(self, scope: Scope) -> None:
        """Close the record of a function whose body was executed."""
        shape, defaults, annotations, declared, owner, flags = self.functions[scope.symbol]
        returned = self.nodes.join(scope.returns)
        yielded = op.NO_NODE
        if scope.yields is not None:
            flags |= op.IS_GENERATOR
            yielded = self.nodes.join(scope.yields)
        self.functions[scope.symbol] = (
            shape,
            defaults,
            annotations,
            returned,
            yielded,
            declared,
            owner if scope.kind == "function" else op.NO_NODE,
            flags,
            {},
        )

    # classes

    def class_(self, node: ast.ClassDef) -> bool:
        scope = self.scope
        names = [decorator_name(item) for item in node.decorator_list]
        flags = symbol_flags(node, names, scope.kind)
        symbol = self.symbols.define(node, scope.symbol, "class", flags)
        result = self._decorated(node, self.make((op.CLASS, symbol)), names)
        bases = tuple([self._base(item, symbol) for item in node.bases])
        metaclass = op.NO_NODE
        for word in node.keywords:
            value = self.expr(word.value)
            metaclass = value if word.arg == "metaclass" else metaclass
        inner = Scope("class", symbol, scope, self.nodes)
        self.attributes[symbol] = {}
        self.scope = inner
        self.block(node.body)
        self.scope = scope
        scope.calls += inner.calls
        self.done.add(symbol)
        attributes = self.attributes[symbol]
        fields = class_fields(node)
        self.classes[symbol] = (bases, inner.visible(), attributes, metaclass, fields)
        self.calls_before[symbol] = scope.calls
        self.assign_name(node.name, result)
        return False

    def _base(self, item: ast.expr, symbol: int) -> int:
        if isinstance(item, ast.Starred):
            item = item.value
        plain = item.value if isinstance(item, ast.Subscript) else item
        found = self._decorator(plain)
        if isinstance(item, ast.Subscript):
            self.expr(item.slice)
        self.sites.append(Site("inherits", written(plain), item.lineno, symbol))
        self.calls.append(found)
        return found

    def assign_name(self, name: str, node: int) -> None:
        """Bind a name where its scope says it lives."""
        scope = self.scope
        if name in scope.globals:
            self.module.keep(name, node)
        elif name in scope.nonlocals:
            outer = scope.parent
            while outer is not None and (outer.kind == "class" or name not in outer.env):
                outer = outer.parent
            if outer is not None:
                outer.keep(name, node)
        else:
            scope.bind(name, node)
