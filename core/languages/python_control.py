"""Control flow of a Python file: branches, loops, exceptions, patterns; variables join."""

from __future__ import annotations

import ast
from typing import Any

from codeviews.core.languages import python_nodes as op
from codeviews.core.languages.python_expr import written
from codeviews.core.languages.python_matching import PatternWalker
from codeviews.core.languages.python_scope import Changes, Loop


class ControlWalker(PatternWalker):
    """Executes compound statements."""

    def if_(self, node: ast.If) -> bool:
        scope = self.scope
        self.truth(self.expr(node.test), node.lineno)
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
            self.truth(self.expr(node.test), node.lineno)
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
        if endless or not node.orelse:
            scope.merge([*before, *repeats, *loop.exits] if not endless else loop.exits)
        if scope.loops:
            scope.loops[-1].bound.update(loop.phis)
        if node.orelse:
            return self._else_of_loop(node.orelse, [*before, *repeats], loop.exits, endless)
        return endless and not loop.exits

    def _else_of_loop(
        self, body: list[ast.stmt], finished: list[Changes], exits: list[Changes], endless: bool
    ) -> bool:
        """``else`` runs when the loop was not left by ``break``."""
        scope = self.scope
        scope.open()
        if not endless:
            scope.merge(finished)
        ended = self.block(body) or endless
        changes = scope.close(ended)
        scope.merge(exits if ended else [changes, *exits])
        return ended and not exits

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
        partial: list[Changes] = [{}]
        scope.tries.append(partial)
        ended = self.block(node.body)
        scope.tries.pop()
        partial.append(scope.changed_since(len(scope.logs) - 1))
        ended = self.block(node.orelse) or ended
        body = scope.close(ended)
        branches = [] if ended else [body]
        for handler in node.handlers:
            scope.open()
            scope.merge(partial)
            self._handler_name(handler)
            if not self.block(handler.body):
                branches.append(scope.close(False))
            else:
                scope.close(True)
        finished = self._finally(node.finalbody, [*branches, *partial]) if node.finalbody else None
        scope.merge(branches)
        if finished is not None:
            scope.merge([finished[0]])
        return not branches or (finished is not None and finished[1])

    def _finally(self, body: list[ast.stmt], before: list[Changes]) -> tuple[Changes, bool]:
        """``finally`` may run after any part of the ``try``; what it changes holds after it."""
        scope = self.scope
        scope.open()
        scope.merge(before)
        scope.open()
        ended = self.block(body)
        changes = scope.close(ended)
        scope.close(True)
        return changes, ended

    def _handler_name(self, handler: ast.ExceptHandler) -> None:
        if handler.type is None:
            return
        types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        nodes = [self.make((op.INSTANCE, self.expr(item))) for item in types]
        if handler.name:
            self.assign_name(handler.name, self.nodes.join(nodes) if nodes else self.unknown)

    def with_(self, node: ast.With | ast.AsyncWith) -> bool:
        waits = int(isinstance(node, ast.AsyncWith))
        for item in node.items:
            entered = self.make((op.ENTER, self.expr(item.context_expr), waits))
            line = item.context_expr.lineno
            self.implicit.append((entered, line, self.scope.symbol))
            if item.optional_vars is not None:
                self.bind_target(item.optional_vars, entered)
        self.block(node.body)
        return bool(node.body) and isinstance(node.body[-1], ast.Return | ast.Raise)

    def match(self, node: ast.Match) -> bool:
        subject = self.expr(node.subject)
        whole = any(_is_irrefutable(case) for case in node.cases)
        branches: list[Changes] = [] if whole else [{}]
        for case in node.cases:
            self.scope.open()
            self.match_pattern(case.pattern, subject)
            self._narrow_subject(node.subject, case.pattern)
            if case.guard is not None:
                self.expr(case.guard)
            ended = self.block(case.body)
            changes = self.scope.close(ended)
            if not ended:
                branches.append(changes)
        self.scope.merge(branches)
        return not branches

    def _narrow_subject(self, subject: ast.expr, pattern: ast.pattern) -> None:
        if not isinstance(subject, ast.Name) or not isinstance(pattern, ast.MatchClass):
            return
        if self.scope.current(subject.id) is not None:
            found = self.make((op.INSTANCE, self._decorator(pattern.cls)))
            self.scope.bind(subject.id, found)


def _is_irrefutable(case: ast.match_case) -> bool:
    """Whether a case takes whatever is left: ``case _:`` or ``case name:``."""
    pattern = case.pattern
    return isinstance(pattern, ast.MatchAs) and pattern.pattern is None and case.guard is None
