"""Library functions that call what they are given: callbacks, conversions, comparisons."""

# Nodes and values are tuples of several shapes, told apart by their first element.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from typing import Any

from codeviews.core.languages import python_nodes as op
from codeviews.core.resolve import python_values as v
from codeviews.core.resolve.python_attributes import attribute
from codeviews.core.resolve.python_getters import steps
from codeviews.core.resolve.python_hooks import Hooks
from codeviews.core.resolve.python_implicit import CONVERSIONS
from codeviews.core.resolve.python_outside import CALLBACKS, COMPARING, LIBRARY_CALLBACKS, SORT
from codeviews.core.resolve.python_special import SpecialMethods, Targets, put
from codeviews.core.resolve.python_state import State
from codeviews.core.resolve.python_units import Unit
from codeviews.core.resolve.python_values import Values


class GivenFunctions:
    """Finds the targets that calls of library functions have among their arguments."""

    def __init__(self, state: State, methods: SpecialMethods, hooks: Hooks) -> None:
        self.state = state
        self.methods = methods
        self.hooks = hooks

    def add(self, unit: Unit, record: Any, values: Values, out: Targets) -> None:
        """Add what the callees of a CALL record call: ``map``, ``sorted``, ``str``, ``len``..."""
        self.unit = unit
        for value in values:
            item = self.state.table.items[value]
            is_library = item[0] == v.EXTERNAL and item[1] in LIBRARY_CALLBACKS
            if is_library or item[:3] == SORT:
                self._callbacks(record, out)
            if item[0] == v.GETTER and record[2] and not isinstance(record[2][0], tuple):
                self._got(value, self.state.solver.get(self.unit, record[2][0]), out)
            if item[0] != v.BUILTIN_NAME:
                continue
            if item[1] in CALLBACKS:
                self._callbacks(record, out)
            if item[1] in COMPARING and not record[3]:
                self._compared(record, COMPARING[item[1]], out)
            names = CONVERSIONS.get(item[1])
            if names is not None and record[2] and not isinstance(record[2][0], tuple):
                for given, tier in self.state.solver.get(self.unit, record[2][0]).items():
                    if self.state.table.kinds[given] in v.INSTANCES:
                        self.methods.add(names, given, tier, out)

    def _callbacks(self, record: Any, out: Targets) -> None:
        nodes = [arg for arg in record[2] if not isinstance(arg, tuple)]
        nodes += [node for name, node in record[3] if name == "key"]
        table = self.state.table
        for node in nodes:
            for value, tier in self.state.solver.get(self.unit, node).items():
                item = table.items[value]
                while item[0] in (v.METHOD, v.PARTIAL):
                    item = table.items[item[1]]
                if item[0] == v.FUNCTION:
                    put(out, item[1:3], max(tier, v.B), "callback", "calls")
                elif item[0] == v.GETTER:
                    self._got(value, self._elements(record), out)

    def _compared(self, record: Any, name: str, out: Targets) -> None:
        """``sorted(xs)``, ``max(a, b)``: elements are compared."""
        given = self._elements(record) if len(record[2]) == 1 else {}
        for node in record[2] if len(record[2]) > 1 else ():
            if isinstance(node, int):
                given.update(self.state.solver.get(self.unit, node))
        for value, tier in given.items():
            if self.state.table.kinds[value] in v.INSTANCES:
                self.methods.add((name,), value, tier, out)

    def _elements(self, record: Any) -> Values:
        """What the container holds that a builtin is given, or that is sorted in place."""
        called = self.unit.nodes[record[1]]
        nodes = [called[1]] if called[0] == op.ATTR else []
        found: Values = {}
        for node in [*nodes, *(arg for arg in record[2] if not isinstance(arg, tuple))]:
            for value, tier in self.state.solver.get(self.unit, node).items():
                self.state.elements(value, 0, max(tier, v.B), found)
        return found

    def _got(self, getter: int, given: Values, out: Targets) -> None:
        """What a function that ``operator`` made calls of the values it is given."""
        is_call = self.state.table.items[getter][1] == "methodcaller"
        for value, tier in given.items():
            for receiver, name, own in steps(self.state, getter, value, tier):
                self.hooks.of_class(receiver, name, max(own, v.B), out)
                found: Values = {}
                if is_call:
                    attribute(self.state, receiver, name, own, found)
                for method, level in found.items():
                    item = self.state.table.items[method]
                    if item[0] == v.METHOD and self.state.table.kinds[item[1]] == v.FUNCTION:
                        target = self.state.table.items[item[1]][1:3]
                        put(out, target, max(level, v.B), "getter", "calls")
