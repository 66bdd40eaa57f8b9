"""Methods that reads and writes of attributes call: properties, descriptors, ``__getattr__``."""

# Nodes and values are tuples of several shapes, told apart by their first element.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from codeviews.core.languages import python_nodes as op
from codeviews.core.resolve import python_values as v
from codeviews.core.resolve.python_names import NameIndex
from codeviews.core.resolve.python_special import Targets, put
from codeviews.core.resolve.python_state import State
from codeviews.core.resolve.python_units import Unit
from codeviews.core.resolve.python_values import Values

_NOTHING: Targets = {}
_GENERAL = ("__getattribute__", "__getattr__")
_ALWAYS = ("__getattribute__", "__setattr__")
_CREATING = ("__prepare__", "__new__", "__init__")


class Hooks:
    """Finds what the classes of a base make of ``base.name``."""

    def __init__(self, state: State, names: NameIndex) -> None:
        self.state = state
        self.names = names
        self._asking = [name for name in _ALWAYS if name in names.callables]
        self._missing = "__getattr__" in names.callables
        properties = names.properties
        self._bound = properties if names.find is not None else properties | state.described_names
        self._general_names = [n for n in _GENERAL if n in names.callables]
        self._answering: dict[int, bool] = {}  # by class
        self._read: dict[tuple[int, str], Targets] = {}  # by id of a shared set
        self._hooked: dict[int, list[tuple[int, int]]] = {}  # by the same: what has __getattr__

    def _instances(self, values: Values) -> list[int]:
        """Numbers of the classes whose instances are among values."""
        items = (self.state.table.items[value] for value in values)
        return [item[1] for item in items if item[0] in v.INSTANCES]

    def read(self, unit: Unit, record: Any) -> Targets:
        """What reading the attribute of an ATTR node calls."""
        name = record[2]
        is_bound = name in self._bound
        if not is_bound and not self._general_names:
            return _NOTHING
        values = unit.values[record[1]]
        if values is None:
            values = self.state.solver.get(unit, record[1])
        hooked = self._hooked.get(id(values))
        if hooked is None:
            hooked = self._hooked[id(values)] = self._with_hooks(values)
        if not is_bound and not hooked:
            return _NOTHING
        key = (id(values), name)
        found = self._read.get(key)
        if found is None:
            found = self._read[key] = {}
            for value, tier in values.items() if is_bound else ():
                self.of_class(value, name, tier, found)
            for value, tier in hooked:
                self._general(value, name, tier, found)
        return found

    def _with_hooks(self, values: Values) -> list[tuple[int, int]]:
        """The instances among values that answer for all their attributes."""
        kinds, items = self.state.table.kinds, self.state.table.items
        made = [pair for pair in values.items() if kinds[pair[0]] in v.INSTANCES]
        return [pair for pair in made if self._answers(items[pair[0]][1])]

    def _answers(self, number: int) -> bool:
        """Whether a class answers for all names, or for those that it lacks."""
        found = self._answering.get(number)
        if found is None:
            found = any(self._has(number, name) for name in self._general_names)
            self._answering[number] = found
        return found

    def of_class(self, value: int, name: str, tier: int, out: Targets) -> None:
        """Add the properties and descriptors that the class of a value binds to a name."""
        item = self.state.table.items[value]
        if item[0] not in v.INSTANCES and item[0] not in v.CLASSES:
            return
        member = self.state.classes.member(item[1], name)
        for found in self.state.member_values(member):
            bound = self.state.table.items[found]
            if bound[0] == v.INSTANCE:
                level = v.C if member.cells and not self._has(bound[1], "__set__") else v.B
                self._method(bound[1], "__get__", max(tier, level), "descriptor", out)
            elif item[0] not in v.INSTANCES:
                continue
            elif bound[0] == v.PROPERTY:
                put(out, self.state.table.items[bound[1]][1:3], tier, "property", "implicit")
            elif bound[0] == v.FUNCTION and self.state.flags(found) & op.IS_PROPERTY:
                put(out, bound[1:3], tier, "property", "implicit")

    def _has(self, number: int, name: str) -> bool:
        return self.state.classes.member(number, name).owner >= 0

    def _general(self, value: int, name: str, tier: int, out: Targets) -> None:
        """``__getattribute__`` of every read, ``__getattr__`` when nothing else has the name."""
        number = self.state.table.items[value][1]
        self._method(number, "__getattribute__", max(tier, v.B), "attribute", out)
        if self._missing and self.state.lacks(value, name):
            self._method(number, "__getattr__", max(tier, v.B), "attribute", out)

    def _method(self, number: int, name: str, tier: int, rule: str, out: Targets) -> None:
        for value in self.state.member_values(self.state.classes.member(number, name)):
            item = self.state.table.items[value]
            if item[0] == v.FUNCTION:
                put(out, item[1:3], tier, rule, "implicit")

    def written(self, unit: Unit, base: int, key: str) -> Targets:
        """What ``base.key = value`` calls."""
        is_bound = key in self.state.setter_names
        if not is_bound and "__setattr__" not in self._asking:
            return _NOTHING
        targets: Targets = {}
        for value, tier in self.state.solver.get(unit, base).items():
            item = self.state.table.items[value]
            if item[0] in v.INSTANCES:
                self._method(item[1], "__setattr__", max(tier, v.B), "attribute", targets)
                if is_bound:
                    self._set(item[1], key, tier, targets)
        return targets

    def _set(self, number: int, key: str, tier: int, out: Targets) -> None:
        member = self.state.classes.member(number, key)
        for unit, symbol, index in self.state.setters.of(member, key):
            rule = "property" if index == 1 else "descriptor"
            put(out, (unit.index, symbol), max(tier, index - 1), rule, "implicit")

    def defined(self, unit: Unit) -> Iterator[tuple[int, Targets, int]]:
        """(scope, what the definition of a class calls, line) for the classes of a file."""
        for symbol in unit.classes:
            targets: Targets = {}
            for _, node in self.state.described.get((unit.index, symbol), ()):
                for number in self._instances(self.state.solver.get(unit, node)):
                    self._method(number, "__set_name__", v.B, "descriptor", targets)
            number = self.state.classes.number(unit, symbol)
            for meta in self.state.metaclasses(number):
                for name in _CREATING:
                    self._method(meta, name, v.B, "metaclass", targets)
            if targets:
                yield unit.parents[symbol], targets, unit.lines[symbol]
