"""Edges to special methods: which methods of a receiver an operation calls."""

# Nodes and values are tuples of several shapes, told apart by their first element.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from typing import Any

from codeviews.core.languages import python_nodes as op
from codeviews.core.resolve import python_values as v
from codeviews.core.resolve.python_attributes import attribute
from codeviews.core.resolve.python_implicit import Names, implicit_names, mirrored_names
from codeviews.core.resolve.python_names import NameIndex
from codeviews.core.resolve.python_state import State
from codeviews.core.resolve.python_units import Unit
from codeviews.core.resolve.python_values import Values

Targets = dict[tuple[int, int], tuple[int, str, str]]  # (unit, symbol) -> tier, rule, kind

_BARE = frozenset(["Generic", "Protocol", "ABC"])  # bases from outside without such methods
_KNOWN = v.INSTANCES | {v.CONSTANT, v.BUILTIN, v.CONTAINER}
_NAMING = frozenset([op.OPERATOR, op.CHANGED])  # nodes that end in the name of a method
_ASKED_LATER = frozenset(["__len__", "__missing__"])  # also when an outer base has the first
_NOT_SHARED = frozenset(["__missing__", "__class_getitem__"])
_NEXT = ("__next__", "__anext__")


class SpecialMethods:
    """Finds the special methods that instances have."""

    def __init__(self, state: State, names: NameIndex) -> None:
        self.state = state
        self.names = names
        self._calls: dict[Any, list[Names]] = {}  # by operation
        self._found: dict[tuple[int, Any], Targets] = {}  # by id of a shared set, and operation

    def of_operation(self, unit: Unit, record: Any) -> Targets:
        """The methods that the operation of a node calls."""
        operation = record[0]
        if operation in _NAMING:
            operation = record[-1]
        elif operation == op.ENTER:
            operation = record[0], record[2]
        calls = self._calls.get(operation)
        if calls is None:
            found = implicit_names(record)
            calls = self._calls[operation] = [n for n in found if self._any_defined(n)]
        values = self.state.solver.get(unit, record[1]) if calls else v.EMPTY
        key = (id(values), operation)
        targets = self._found.get(key)
        if targets is None:
            targets = self._found[key] = self._called(values, calls, record[0] == op.ITER)
        if record[0] == op.OPERATOR and not targets:
            return self._mirrored(unit, record)
        return targets

    def _called(self, values: Values, calls: list[Names], iterates: bool) -> Targets:
        targets: Targets = {}
        for value, tier in values.items():
            if self.state.table.kinds[value] in v.INSTANCES:
                for names in calls:
                    self.add(names, value, tier, targets)
                if iterates:
                    self._add_next(value, tier, targets)
            elif self.state.table.kinds[value] in v.CLASSES:
                for names in calls:
                    self._of_class(names, value, tier, targets)
        return targets

    def _of_class(self, names: Names, value: int, tier: int, out: Targets) -> None:
        """What an operation on a class itself calls: methods of its metaclass."""
        number = self.state.table.items[value][1]
        owners = [(meta, name) for meta in self.state.metaclasses(number) for name in names]
        for owner, name in [*owners, (number, "__class_getitem__")]:
            if name not in names or (owner != number and name in _NOT_SHARED):
                continue
            for found in self.state.member_values(self.state.classes.member(owner, name)):
                item = self.state.table.items[found]
                if item[0] == v.FUNCTION:
                    put(out, item[1:3], max(tier, v.B), name, "implicit")
                    return

    def add(self, names: Names, value: int, tier: int, out: Targets) -> bool:
        """Add the first of the methods that a receiver has; whether it has any."""
        for name in names:
            if name == "__class_getitem__":
                continue
            asked = name == names[0] or name in _ASKED_LATER
            if not asked and self._inherits_from_outside(value):
                return False
            if name in self.names.callables:
                found: Values = {}
                attribute(self.state, value, name, tier, found)
                if self._put_methods(name, found, out):
                    return True
        return False

    def _inherits_from_outside(self, value: int) -> bool:
        """Whether a base that is not in the repository may have the method that is asked first."""
        return not is_bare(self.state, self.state.table.items[value][1])

    def _put_methods(self, name: str, found: Values, out: Targets) -> bool:
        table = self.state.table
        any_method = v.MANY in found
        for method, own in found.items():
            item = table.items[method]
            if item[0] == v.METHOD and table.kinds[item[1]] == v.FUNCTION:
                put(out, table.items[item[1]][1:3], max(own, v.B), name, "implicit")
                any_method = True
        return any_method

    def _any_defined(self, names: Names) -> bool:
        return any(name in self.names.callables for name in names)

    def _add_next(self, value: int, tier: int, out: Targets) -> None:
        found: Values = {}
        for name in ("__iter__", "__aiter__"):
            attribute(self.state, value, name, tier, found)
        given: Values = {}
        for method in found:
            if self.state.table.kinds[method] == v.METHOD:
                self.state.call_value(method, v.B, given)
        for item in given:
            if self.state.table.kinds[item] in v.INSTANCES:
                self.add(_NEXT, item, v.B, out)

    def _mirrored(self, unit: Unit, record: Any) -> Targets:
        """``a + b`` where the class of ``a`` is known not to know how: ``b`` is asked."""
        names = mirrored_names(record[3])
        kinds = self.state.table.kinds
        left = self.state.solver.get(unit, record[1])
        known = left and all(kinds[value] in _KNOWN for value in left)
        out: Targets = {}
        if not known or not self._any_defined(names):
            return out
        for value, tier in self.state.solver.get(unit, record[2]).items():
            if self.state.table.kinds[value] in v.INSTANCES:
                self.add(names, value, tier, out)
        return out


def is_bare(state: State, number: int) -> bool:
    """Whether nothing outside the repository gives methods to a class."""
    return all(name.rpartition(".")[2] in _BARE for name in state.classes.outside(number))


def put(out: Targets, target: tuple[Any, ...], tier: int, rule: str, kind: str) -> None:
    """Add a target, or better the tier of one that is known."""
    key = (target[0], target[1])
    known = out.get(key)
    if known is None or tier < known[0]:
        out[key] = (tier, rule, kind)
