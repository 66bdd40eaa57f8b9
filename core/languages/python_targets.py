"""Assignments of a Python file: names, attributes, items and loop variables."""

from __future__ import annotations

import ast

from codeviews.core.languages import python_nodes as op
from codeviews.core.languages.python_defs import DefinitionWalker
from codeviews.core.languages.python_displays import DUNDERS
from codeviews.core.languages.python_expr import written
from codeviews.core.languages.python_symbols import SymbolTable

_CONST_FIELDS = ("module", "class")
_SEQUENCES = frozenset([ast.List, ast.Tuple])
_DISPLAYS = _SEQUENCES | {ast.Lambda, ast.Dict}
_UNPACKED = frozenset([op.CALL, op.GLOBAL, op.PARAM, op.CLOSURE, op.PHI])
_ALIAS_LIMIT = 200  # larger scopes are not searched for aliases of a container


class TargetWalker(DefinitionWalker):
    """Binds targets."""

    def __init__(self, table: SymbolTable) -> None:
        super().__init__(table)
        self.exported: list[str] | None = None

    def assign(self, node: ast.Assign) -> bool:
        value = node.value
        first = node.targets[0]
        self.keeps_lambdas = type(value) in _DISPLAYS
        is_unpacked = type(first) in _SEQUENCES and len(node.targets) == 1
        pairs = self._pairs(first, value) if is_unpacked else None
        if pairs is not None:
            values = [self.expr(item) for _, item in pairs]
            self.keeps_lambdas = False
            for (target, _), found in zip(pairs, values, strict=True):
                self.store(target, found, node)
            return False
        found = self.expr(value)
        self.keeps_lambdas = False
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
        if isinstance(target, ast.Name):
            if scope.kind in _CONST_FIELDS:
                kind = "constant" if target.id.isupper() else "variable"
                self.symbols.variable(node, target.id, kind, scope.symbol)
            self.assign_name(target.id, value)
            return
        if isinstance(target, ast.Attribute) and self._is_own(target.value):
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
        if literal[0] in _UNPACKED:
            iterated = self.make((op.ITER, value, 0))
            self.implicit.append((iterated, targets[0].lineno, self.scope.symbol))
        starred = False
        for index, target in enumerate(targets):
            if isinstance(target, ast.Starred):
                starred = True
                self.bind_target(target.value, self.make((op.SLICE, value, index)))
            elif starred:
                key = self.make((op.CONST, index - len(targets)))
                self.bind_target(target, self.make((op.ITEM, value, key)))
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
            self._set_own(self.attributes[owner].setdefault(target.attr, []), target, value)
        if not self._replaces_member(base, target.attr, value):
            self.effects.append((base, target.attr, value, target.lineno, scope.symbol))
        if isinstance(target.value, ast.Name):
            name = target.value.id
            scope.bind(f"{name}.{target.attr}", value)
            scope.stored.add(target.attr)
            scope.bases.setdefault(name, set()).add(target.attr)

    def _replaces_member(self, base: int, name: str, value: int) -> bool:
        """``Class.name = value`` in the module of the class, before anything was called."""
        record = self.nodes.table[base]
        scope = self.scope
        if record[0] != op.CLASS or scope is not self.module or len(scope.logs) > 1 or scope.loops:
            return False
        bases, bindings, *rest = self.classes[record[1]]
        if name not in bindings or scope.calls > self.calls_before[record[1]]:
            return False
        self.classes[record[1]] = (bases, {**bindings, name: value}, *rest)
        return True

    def _set_own(self, values: list[int], target: ast.Attribute, value: int) -> None:
        """A value set on self; the one it replaces in the same block was seen by no method."""
        scope = self.scope
        key = f"{scope.self_name}.{target.attr}"
        before = scope.env.get(key, op.NO_NODE)
        if key in scope.logs[-1] and before in values and not scope.loops:
            values.remove(before)
        values.append(value)

    def _base_of(self, node: ast.expr) -> int:
        return self.lookup(node.id) if isinstance(node, ast.Name) else self.expr(node)

    def _set_item(self, target: ast.Subscript, value: int) -> None:
        base = self._base_of(target.value)
        index = target.slice
        key = self.expr(index)
        tracked = isinstance(target.value, ast.Name) and self._is_local(target.value.id)
        self.changed(base, "__setitem__", target.lineno)
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
                self.assign_name(target.id, self.fresh((op.MERGE, before, value)))
            elif kept:
                self.assign_name(target.id, before)
            if target.id == "__all__" and self.exported is not None:
                self.exported += _strings(node.value) or []
        else:
            before = self.expr(target)
            if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
                base = self.lookup(target.value.id)
                row = (base, target.attr, self.unknown, target.lineno, self.scope.symbol)
                self.effects.append(row)
        self.combined(before, value, f"__i{DUNDERS[type(node.op)][2:]}", node.lineno)
        return False

    def delete(self, node: ast.Delete) -> bool:
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                value = self.expr(target.value)
                self.expr(target.slice)
                self.changed(value, "__delitem__", target.lineno)
            elif isinstance(target, ast.Attribute):
                self.changed(self._base_of(target.value), "__delattr__", target.lineno)
        return False

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


def _strings(node: ast.expr) -> list[str] | None:
    if not isinstance(node, ast.List | ast.Tuple):
        return None
    values = [item.value for item in node.elts if isinstance(item, ast.Constant)]
    return [value for value in values if isinstance(value, str)]
