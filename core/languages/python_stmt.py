"""Statements of a Python file: executed once, in order, branches joined."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from codeviews.core.facts import Import, Site
from codeviews.core.languages import python_nodes as op
from codeviews.core.languages.python_defs import DefinitionWalker
from codeviews.core.languages.python_expr import written
from codeviews.core.languages.python_scope import Changes, Loop
from codeviews.core.languages.python_symbols import SymbolTable

_CONST_FIELDS = ("module", "class")
_ALIAS_LIMIT = 200  # larger scopes are not searched for aliases of a container


class Walker(DefinitionWalker):
    """Executes a whole module: ``run`` and then read the collected facts."""

    def __init__(self, table: SymbolTable) -> None:
        super().__init__(table)
        self.stars: list[int] = []
        self.exported: list[str] | None = None

    def run(self, tree: ast.Module) -> None:
        """Execute the module and then, outermost first, the bodies of its functions."""
        self.block(tree.body)
        self.done.add(0)
        while self.queue:
            scope, node = self.queue.popleft()
            self.scope = scope
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

    # assignment

    def assign(self, node: ast.Assign) -> bool:
        value = node.value
        first = node.targets[0]
        pairs = self._pairs(first, value) if len(node.targets) == 1 else None
        if pairs is not None:
            values = [self.expr(item) for _, item in pairs]
            for (target, _), found in zip(pairs, values, strict=True):
                self.store(target, found, node)
            return False
        found = self.expr(value)
        for target in node.targets:
            self.store(target, found, node)
        if isinstance(first, ast.Name) and first.id == "__all__" and self.scope is self.module:
            self.exported = _strings(value)
        return False

    def _pairs(self, target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]] | None:
        """``a, (b, c) = x, (y, z)`` as pairs."""
        if not isinstance(target, ast.Tuple | ast.List) or not isinstance(
            value, ast.Tuple | ast.List
        ):
            return None
        starred = any(isinstance(item, ast.Starred) for item in (*target.elts, *value.elts))
        if starred or len(target.elts) != len(value.elts):
            return None
        return list(zip(target.elts, value.elts, strict=True))

    def store(self, target: ast.expr, value: int, node: ast.stmt) -> None:
        """Assign, and make a symbol of a module, class or instance variable."""
        scope = self.scope
        if isinstance(target, ast.Name) and scope.kind in _CONST_FIELDS:
            kind = "constant" if target.id.isupper() else "variable"
            self.symbols.variable(node, target.id, kind, scope.symbol)
        elif isinstance(target, ast.Attribute) and self._is_own(target.value):
            self.symbols.variable(node, target.attr, "field", scope.owner)
        self.bind_target(target, value)

    def _is_own(self, base: ast.expr) -> bool:
        scope = self.scope
        return scope.owner >= 0 and isinstance(base, ast.Name) and base.id == scope.self_name

    def bind_target(self, target: ast.expr, value: int) -> None:
        if isinstance(target, ast.Name):
            self.assign_name(target.id, value)
        elif isinstance(target, ast.Attribute):
            self._set_attribute(target, value)
        elif isinstance(target, ast.Subscript):
            self._set_item(target, value)
        elif isinstance(target, ast.Tuple | ast.List):
            self._unpack(target.elts, value)
        elif isinstance(target, ast.Starred):
            self.bind_target(target.value, value)

    def _unpack(self, targets: list[ast.expr], value: int) -> None:
        literal = self.nodes.table[value]
        items = literal[3] if literal[0] == op.LITERAL and literal[2] is None else ()
        starred = False
        for index, target in enumerate(targets):
            if isinstance(target, ast.Starred):
                starred = True
                self.bind_target(target.value, self.make((op.SLICE, value, index)))
            elif starred:
                self.bind_target(target, self.make((op.ITER, value, 0)))
            elif index < len(items):
                self.bind_target(target, items[index])
            else:
                key = self.make((op.CONST, index))
                self.bind_target(target, self.make((op.ITEM, value, key)))

    def _set_attribute(self, target: ast.Attribute, value: int) -> None:
        scope = self.scope
        base = self._base_of(target.value)
        owner = self.self_nodes.get(base)
        if owner is not None:
            self.attributes[owner].setdefault(target.attr, []).append(value)
        self.effects.append((base, target.attr, value, target.lineno, scope.symbol))
        if isinstance(target.value, ast.Name):
            name = target.value.id
            scope.bind(f"{name}.{target.attr}", value)
            scope.stored.add(target.attr)
            scope.bases.setdefault(name, set()).add(target.attr)

    def _base_of(self, node: ast.expr) -> int:
        return self.lookup(node.id) if isinstance(node, ast.Name) else self.expr(node)

    def _set_item(self, target: ast.Subscript, value: int) -> None:
        base = self._base_of(target.value)
        index = target.slice
        key = self.expr(index)
        tracked = isinstance(target.value, ast.Name) and self._is_local(target.value.id)
        effect = (base, (key, tracked), value, target.lineno, self.scope.symbol)
        self.effects.append(effect)
        if isinstance(index, ast.Slice):
            return
        stored = self.fresh((op.STORE, base, key, value))
        holder = target.value
        if isinstance(holder, ast.Name):
            self._rebind_container(holder.id, base, stored)
        elif isinstance(holder, ast.Subscript) and isinstance(holder.value, ast.Name):
            outer = self.lookup(holder.value.id)
            inner_key = self.expr(holder.slice)
            whole = self.fresh((op.STORE, outer, inner_key, stored))
            self._rebind_container(holder.value.id, outer, whole)

    def _is_local(self, name: str) -> bool:
        return self.scope.env.get(name, -1) >= 0

    def _rebind_container(self, name: str, before: int, after: int) -> None:
        """A variable and its aliases in this scope now hold the container after the store."""
        env = self.scope.env
        if env.get(name, -1) < 0:
            return
        names = [name]
        if len(env) <= _ALIAS_LIMIT:
            names = [other for other, node in env.items() if node == before and "." not in other]
        for other in names:
            self.scope.bind(other, after)

    def annotated(self, node: ast.AnnAssign) -> bool:
        declared = self.annotation(node.annotation)
        if node.value is None:
            if declared >= 0 and isinstance(node.target, ast.Name):
                self.store(node.target, declared, node)
            return False
        value = self.expr(node.value)
        if declared >= 0 and not self._says_more(node.value):
            value = self.nodes.join([value, declared])
        self.store(node.target, value, node)
        return False

    def _says_more(self, value: ast.expr) -> bool:
        """Whether a value is more precise than any annotation of it."""
        if isinstance(value, ast.Call):
            name = written(value.func).rpartition(".")[2].lstrip("_")
            return name[:1].isupper()
        return not isinstance(value, ast.Constant | ast.Name | ast.Attribute | ast.Subscript)

    def augmented(self, node: ast.AugAssign) -> bool:
        value = self.expr(node.value)
        target = node.target
        if isinstance(target, ast.Name):
            before = self.lookup(target.id)
            kept = self.scope.current(target.id) is not None
            if isinstance(node.op, ast.Add | ast.BitOr) and kept:
                before = self.fresh((op.MERGE, before, value))
            if kept:
                self.assign_name(target.id, before)
            if target.id == "__all__" and self.exported is not None:
                self.exported += _strings(node.value) or []
        else:
            self.expr(target)
        return False

    def delete(self, node: ast.Delete) -> bool:
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                self.expr(target.value)
        return False

    # control flow

    def if_(self, node: ast.If) -> bool:
        scope = self.scope
        self.expr(node.test)
        positive, negative = self._narrowings(node.test)
        scope.open()
        self._narrow(positive)
        first_ended = self.block(node.body)
        first = self._close_narrowed(first_ended, positive)
        scope.open()
        self._narrow(negative)
        second_ended = self.block(node.orelse)
        second = self._close_narrowed(second_ended, negative)
        branches = [c for c, ended in ((first, first_ended), (second, second_ended)) if not ended]
        scope.merge(branches)
        if first_ended and not second_ended:
            self._narrow(negative)
        return first_ended and second_ended

    def _narrow(self, narrowings: list[tuple[str, int]]) -> None:
        for name, node in narrowings:
            self.scope.bind(name, node)

    def _close_narrowed(self, ended: bool, narrowings: list[tuple[str, int]]) -> Changes:
        changes = self.scope.close(ended)
        for name, node in narrowings:
            if changes.get(name) == node:
                del changes[name]
        return changes

    def _narrowings(self, test: ast.expr) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
        """(if true, if false): local variables whose class an ``isinstance`` test tells."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            positive, negative = self._narrowings(test.operand)
            return negative, positive
        tests = test.values if isinstance(test, ast.BoolOp) else [test]
        found = [item for item in map(self._isinstance, tests) if item is not None]
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
            return [], []
        return found, []

    def _isinstance(self, test: ast.expr) -> tuple[str, int] | None:
        if not isinstance(test, ast.Call) or written(test.func) != "isinstance":
            return None
        if len(test.args) != 2 or not isinstance(test.args[0], ast.Name):
            return None
        name = test.args[0].id
        if self.scope.current(name) is None:
            return None
        types = test.args[1]
        items = types.elts if isinstance(types, ast.Tuple) else [types]
        plain = [item for item in items if isinstance(item, ast.Name | ast.Attribute)]
        if len(plain) != len(items):
            return None
        nodes = [self.make((op.INSTANCE, self._decorator(item))) for item in plain]
        return name, self.nodes.join(nodes)

    def loop_target(self, target: ast.expr, iterable: ast.expr) -> None:
        pairs = self._iterated_pairs(target, iterable)
        if pairs is not None:
            for item, node in pairs:
                self.bind_target(item, node)
            return
        value = self.expr(iterable)
        found = self._each(value, iterable)
        if isinstance(iterable, ast.Call) and isinstance(iterable.func, ast.Attribute):
            mode = {"values": 1, "keys": 2}.get(iterable.func.attr, 0)
            holder = self._receiver(value) if mode else op.NO_NODE
            if holder >= 0:
                found = self.nodes.join([found, self.make((op.ITER, holder, mode))])
        self.bind_target(target, found)

    def _iterated_pairs(
        self, target: ast.expr, iterable: ast.expr
    ) -> list[tuple[ast.expr, int]] | None:
        """Targets of ``for i, x in enumerate(xs)``, ``zip`` and ``items()``."""
        if not isinstance(target, ast.Tuple) or not isinstance(iterable, ast.Call):
            return None
        name = written(iterable.func)
        plain = [arg for arg in iterable.args if not isinstance(arg, ast.Starred)]
        is_items = isinstance(iterable.func, ast.Attribute) and iterable.func.attr == "items"
        if name == "enumerate" and len(target.elts) == 2 and plain:
            args = self.nodes.table[self.expr(iterable)][2]
            return [(target.elts[0], self.unknown), (target.elts[1], self._each(args[0], plain[0]))]
        if name == "zip" and len(target.elts) == len(iterable.args) == len(plain):
            args = self.nodes.table[self.expr(iterable)][2]
            each = [self._each(arg, item) for arg, item in zip(args, plain, strict=True)]
            return list(zip(target.elts, each, strict=True))
        return self._item_pairs(target, iterable) if is_items and len(target.elts) == 2 else None

    def _item_pairs(self, target: ast.Tuple, iterable: ast.Call) -> list[tuple[ast.expr, int]]:
        value = self.expr(iterable)
        element = self.make((op.ITER, value, 0))
        holder = self._receiver(value)
        found: list[tuple[ast.expr, int]] = []
        for index, mode in ((0, 2), (1, 1)):
            item = self.make((op.ITEM, element, self.make((op.CONST, index))))
            inner = self.make((op.ITER, holder, mode)) if holder >= 0 else item
            found.append((target.elts[index], self.nodes.join([inner, item])))
        return found

    def _receiver(self, value: int) -> int:
        """The receiver of a method call node, NO_NODE when it is none."""
        call = self.nodes.table[value]
        callee = self.nodes.table[call[1]] if call[0] == op.CALL else call
        return callee[1] if callee[0] == op.ATTR else op.NO_NODE

    def _each(self, value: int, iterable: ast.expr) -> int:
        found = self.make((op.ITER, value, 0))
        self.implicit.append((found, iterable.lineno, self.scope.symbol))
        return found

    def for_(self, node: ast.For | ast.AsyncFor) -> bool:
        self._loop(node, endless=False)
        return False

    def while_(self, node: ast.While) -> bool:
        test = node.test
        endless = isinstance(test, ast.Constant) and bool(test.value)
        return self._loop(node, endless)

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, endless: bool) -> bool:
        scope = self.scope
        scope.open()
        loop = Loop(len(scope.logs) - 1)
        if isinstance(node, ast.While):
            scope.loops.append(loop)
            self.expr(node.test)
        else:
            self.loop_target(node.target, node.iter)
            scope.loops.append(loop)
            loop.bound.update(scope.logs[-1])
        ended = self.block(node.body)
        scope.loops.pop()
        repeats = loop.repeats if ended else [*loop.repeats, scope.changed_since(loop.depth)]
        self._close_phis(loop, repeats)
        scope.close(False)
        before: list[Changes] = [] if endless else [{}]
        scope.merge([*before, *repeats, *loop.exits] if not endless else loop.exits)
        if scope.loops:
            scope.loops[-1].bound.update(loop.phis)
        self.block(node.orelse)
        return endless and not loop.exits

    def _close_phis(self, loop: Loop, repeats: list[Changes]) -> None:
        for name, phi in loop.phis.items():
            operands = self.nodes.table[phi][1]
            for changes in repeats:
                value = changes.get(name, phi)
                if value not in (phi, *operands) and value >= 0:
                    operands.append(value)
            self.nodes.table[phi] = (op.PHI, tuple(operands))

    def break_(self, node: ast.Break) -> bool:
        if self.scope.loops:
            loop = self.scope.loops[-1]
            loop.exits.append(self.scope.changed_since(loop.depth))
        return True

    def continue_(self, node: ast.Continue) -> bool:
        if self.scope.loops:
            loop = self.scope.loops[-1]
            loop.repeats.append(self.scope.changed_since(loop.depth))
        return True

    def try_(self, node: Any) -> bool:
        scope = self.scope
        scope.open()
        ended = self.block(node.body)
        ended = self.block(node.orelse) or ended
        body = scope.close(ended)
        branches = [] if ended else [body]
        for handler in node.handlers:
            scope.open()
            scope.merge([{}, body])
            self._handler_name(handler)
            if not self.block(handler.body):
                branches.append(scope.close(False))
            else:
                scope.close(True)
        scope.merge(branches)
        finished = self.block(node.finalbody)
        return finished or not branches

    def _handler_name(self, handler: ast.ExceptHandler) -> None:
        if handler.type is None:
            return
        types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        nodes = [self.make((op.INSTANCE, self.expr(item))) for item in types]
        if handler.name:
            self.assign_name(handler.name, self.nodes.join(nodes) if nodes else self.unknown)

    def with_(self, node: ast.With | ast.AsyncWith) -> bool:
        for item in node.items:
            entered = self.make((op.ENTER, self.expr(item.context_expr)))
            line = item.context_expr.lineno
            self.implicit.append((entered, line, self.scope.symbol))
            if item.optional_vars is not None:
                self.bind_target(item.optional_vars, entered)
        self.block(node.body)
        return bool(node.body) and isinstance(node.body[-1], ast.Return | ast.Raise)

    def match(self, node: ast.Match) -> bool:
        subject = self.expr(node.subject)
        branches: list[Changes] = [{}]
        for case in node.cases:
            self.scope.open()
            self._pattern(case.pattern, subject)
            self._narrow_subject(node.subject, case.pattern)
            if case.guard is not None:
                self.expr(case.guard)
            ended = self.block(case.body)
            changes = self.scope.close(ended)
            if not ended:
                branches.append(changes)
        self.scope.merge(branches)
        return False

    def _narrow_subject(self, subject: ast.expr, pattern: ast.pattern) -> None:
        if not isinstance(subject, ast.Name) or not isinstance(pattern, ast.MatchClass):
            return
        if self.scope.current(subject.id) is not None:
            found = self.make((op.INSTANCE, self._decorator(pattern.cls)))
            self.scope.bind(subject.id, found)

    def _pattern(self, pattern: ast.pattern, subject: int) -> None:
        if isinstance(pattern, ast.MatchAs):
            inner = pattern.pattern
            if inner is not None:
                self._pattern(inner, subject)
            if isinstance(inner, ast.MatchClass):
                subject = self.make((op.INSTANCE, self._decorator(inner.cls)))
            if pattern.name:
                self.assign_name(pattern.name, subject)
            return
        if isinstance(pattern, ast.MatchStar) and pattern.name:
            self.assign_name(pattern.name, self.unknown)
        for child in ast.iter_child_nodes(pattern):
            if isinstance(child, ast.pattern):
                self._pattern(child, self.unknown)
            elif isinstance(child, ast.expr):
                self.expr(child)

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
        self.expr(node.test)
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
            else:
                found = self.make((op.IMPORT, index, ""))
                self.assign_name(alias.asname or alias.name, found)
        return False

    def _import(self, module: str, name: str, alias: str, node: ast.stmt, level: int) -> None:
        scope = self.scope.symbol
        self.imports.append(Import(module, name, alias, node.lineno, level, scope))


def _strings(node: ast.expr) -> list[str] | None:
    if not isinstance(node, ast.List | ast.Tuple):
        return None
    values = [item.value for item in node.elts if isinstance(item, ast.Constant)]
    return [value for value in values if isinstance(value, str)]


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
