"""Call sites and assignments at work: arguments reach parameters, stores reach their holders."""

# Nodes and values are tuples of several shapes, told apart by their first element.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from typing import Any

from codeviews.core.languages import python_nodes as op
from codeviews.core.resolve import python_values as v
from codeviews.core.resolve.python_arguments import (
    class_attributes,
    is_known,
    is_own,
    spread,
    spread_keywords,
)
from codeviews.core.resolve.python_attributes import attribute
from codeviews.core.resolve.python_dispatch import REGISTERING, is_generic, reached, register
from codeviews.core.resolve.python_fields import (
    AFTER,
    cell_name,
    fields_of,
    init_only,
    member_function,
    passed_fields,
)
from codeviews.core.resolve.python_outside import LIBRARY_CALLBACKS
from codeviews.core.resolve.python_state import State
from codeviews.core.resolve.python_units import Unit
from codeviews.core.resolve.python_values import Values

_CONSTANTS = 8  # constants a parameter keeps; more are data, not names of things to call
_IGNORED = frozenset([op.BUILTIN, op.UNKNOWN])
_APPENDING = {
    "append": 0,
    "add": 0,
    "appendleft": 0,
    "insert": 1,
    "setdefault": 1,
    "__setitem__": 1,
}
_SAME_ELEMENTS = frozenset(["extend", "update", "extendleft", "__init__"])
_RECEIVING = v.CALLABLE | v.INSTANCES
_CALLBACK_BUILTINS = frozenset(["map", "filter", "sorted", "min", "max"])
_PARTIAL = {"functools.partial": 0, "functools.partialmethod": 1}  # parameters taken before
_RECEIVING_LIBRARY = LIBRARY_CALLBACKS | frozenset(_PARTIAL)
_RECEIVING_BUILTINS = _CALLBACK_BUILTINS | {"type"}


class Binder:
    """Processes sites and effects of a :class:`State`; each value of a callee once."""

    def __init__(self, state: State) -> None:
        self.state = state
        self._bound: dict[tuple[int, int], Values] = {}
        self._inert: set[int] = set()  # ids of shared sets of values
        self._constants: dict[int, int] = {}

    def sites(self, unit: Unit) -> None:
        """Bind the arguments of all call sites of a file."""
        solver, inert = self.state.solver, self._inert
        nodes, values, final = unit.nodes, unit.values, unit.final
        for index, node in enumerate(unit.calls):
            record = nodes[node]
            if record[0] != op.CALL:
                continue
            known = values[record[1]] if final[record[1]] else None
            passing = record[2] or record[3]
            if known is None or (passing and id(known) not in inert):
                solver.process_site(unit, index)

    def _is_inert(self, values: Values) -> bool:
        """Whether calls of these values pass nothing to anything in the repository."""
        table = self.state.table
        for value in values:
            item = table.items[value]
            kind = item[0]
            if kind in _RECEIVING or (kind == v.BUILTIN_METHOD and item[3] >= 0):
                return False
            if kind == v.BUILTIN_NAME and item[1] in _RECEIVING_BUILTINS:
                return False
            if kind == v.EXTERNAL and item[1] in _RECEIVING_LIBRARY:
                return False
        return True

    def site(self, unit: Unit, index: int) -> None:
        """Bind the arguments of one call site to what it may call."""
        record = unit.nodes[unit.calls[index]]
        if record[0] != op.CALL:
            return
        state = self.state
        values = state.solver.get(unit, record[1])
        if not record[2] and not record[3]:
            return
        done = self._bound.get((unit.index, index))
        for value in values:
            if done is None or value not in done:
                self.value(unit, record, value, 0)
        if not unit.final[record[1]]:
            self._bound[unit.index, index] = values
        elif self._is_inert(values):
            self._inert.add(id(values))

    def value(self, unit: Unit, record: Any, value: int, skip: int) -> None:
        """Bind the arguments of a CALL record to one callee; ``skip`` parameters are taken."""
        table = self.state.table
        item = table.items[value]
        kind = item[0]
        if kind == v.FUNCTION:
            self._function(unit, record, item, skip)
            if is_generic(self.state, value):
                for function in reached(self.state, value, None):
                    self._function(unit, record, table.items[function], skip)
        elif kind == v.METHOD:
            self._method(unit, record, item, skip)
        elif kind in v.CLASSES:
            self._constructor(unit, record, item[1], skip)
        elif kind in v.INSTANCES:
            found: Values = {}
            attribute(self.state, value, "__call__", v.B, found)
            for method in found:
                if table.kinds[method] == v.METHOD:
                    self.value(unit, record, method, skip)
        elif kind == v.PARTIAL:
            self.value(unit, record, item[1], skip + item[2])
        elif kind == v.BUILTIN_METHOD and item[3] >= 0:
            if item[1] == REGISTERING:
                register(self.state, item[3], unit, record)
            elif item[2] == "send":
                self._send(unit, record, table.items[item[3]])
            else:
                self._store_in(unit, record, item[2], item[3])
        elif kind == v.BUILTIN_NAME and item[1] in _CALLBACK_BUILTINS:
            self._callbacks(unit, record)
        elif kind == v.BUILTIN_NAME and item[1] == "type":
            self._class_attributes(unit, record)
        elif kind == v.EXTERNAL and item[1] in _PARTIAL:
            self._partial(unit, record, _PARTIAL[item[1]])
        elif kind == v.EXTERNAL and item[1] in LIBRARY_CALLBACKS:
            self._callbacks(unit, record)
            if item[1] == "functools.reduce":
                self._reduced(unit, record)

    def _method(self, unit: Unit, record: Any, item: tuple[Any, ...], skip: int) -> None:
        table = self.state.table
        if table.kinds[item[1]] == v.FUNCTION:
            self.value(unit, record, item[1], skip + 1)

    def _constructor(self, unit: Unit, record: Any, number: int, skip: int) -> None:
        classes = self.state.classes
        member = classes.member(number, "__init__")
        if member.owner < 0:
            self._fields(unit, record, number)
            holding = self.state.holding(number)
            if holding is not None:
                self._store_in(unit, record, "__init__", holding[1])
            return
        table = self.state.table
        for value in self.state.solver.get(classes.infos[member.owner].unit, member.node):
            if table.kinds[value] == v.FUNCTION:
                self._function(unit, record, table.items[value], skip + 1)

    def _fields(self, unit: Unit, record: Any, number: int) -> None:
        """A constructor that nobody wrote fills fields with its arguments."""
        state = self.state
        fields = fields_of(state.classes, number)
        if not fields:
            return
        only = init_only(fields)
        after = [member_function(state, number, name) for name in AFTER] if only else []
        positional, keywords = tuple(spread(unit, record[2])), spread_keywords(unit, record[3])
        for field, argument in passed_fields(fields, positional, keywords):
            if field.name in only:
                for target, symbol in filter(None, after):
                    index = only.index(field.name) + 1
                    self._pass(unit, argument, -1, target, symbol, index)
            elif unit.nodes[argument][0] not in _IGNORED:
                holder = state.table.make((v.INSTANCE, field.owner))
                state.add_cell(holder, cell_name(field.name), (unit.index, argument))

    def _function(self, unit: Unit, record: Any, item: tuple[Any, ...], skip: int) -> None:
        target = self.state.solver.units[item[1]]
        symbol = item[2]
        function = target.functions.get(symbol)
        if function is None:
            return
        names, plain, vararg, kwarg = function[0]
        position = skip
        for argument in spread(unit, record[2]):
            if isinstance(argument, tuple):
                self._spread(unit, argument[0], target, symbol, function, position)
                continue
            if position < plain:
                self._pass(unit, argument, -1, target, symbol, position)
            elif vararg >= 0 and target is unit:
                self._keep(unit, argument, symbol, vararg, position - plain)
            elif vararg >= 0:
                self._pass(unit, argument, -1, target, symbol, vararg)
            position += 1
        for name, argument in spread_keywords(unit, record[3]):
            if name is None:
                self._spread_keywords(unit, argument, target, symbol, function, skip)
                continue
            index = names.index(name) if name in names else kwarg
            if index == kwarg and target is unit:
                self._keep(unit, argument, symbol, index, name)
            elif index >= 0:
                self._pass(unit, argument, -1, target, symbol, index)

    def _keep(self, unit: Unit, argument: int, symbol: int, index: int, key: str | int) -> None:
        """``f(name=x)`` with ``**kwargs``: ``kwargs["name"]`` is ``x``; ``*args`` by position."""
        node = unit.param_nodes.get((symbol, index))
        if node is not None and unit.nodes[argument][0] not in _IGNORED:
            container = self.state.table.make((v.CONTAINER, unit.index, node))
            self.state.add_heap(container, key, (unit.index, argument), tracked=False)

    def _spread(
        self, unit: Unit, argument: int, target: Unit, symbol: int, function: Any, position: int
    ) -> None:
        _, plain, vararg, _ = function[0]
        for index in range(position, plain):
            self._pass(unit, argument, 0, target, symbol, index)
        if vararg >= 0:
            self._pass(unit, argument, 0, target, symbol, vararg)

    def _spread_keywords(
        self, unit: Unit, argument: int, target: Unit, symbol: int, function: Any, skip: int
    ) -> None:
        names, _, vararg, _ = function[0]
        for index in range(skip, len(names)):
            if index != vararg:
                self._pass(unit, argument, 1, target, symbol, index)

    def _pass(
        self, unit: Unit, argument: int, mode: int, target: Unit, symbol: int, index: int
    ) -> None:
        node = target.param_nodes.get((symbol, index))
        operation = unit.nodes[argument][0]
        if node is None or operation in _IGNORED:
            return
        key = target.base + node
        if operation == op.CONST:
            count = self._constants[key] = self._constants.get(key, 0) + 1
            if count > _CONSTANTS:
                return
        unit.wanted.append(argument)
        self.state.solver.add_input(key, unit.base + argument, mode)

    def _callbacks(self, unit: Unit, record: Any) -> None:
        """``map(f, xs)``: the elements of the other arguments are what ``f`` gets."""
        plain = [arg for arg in record[2] if not isinstance(arg, tuple)]
        functions = [*plain, *(node for name, node in record[3] if name == "key")]
        table = self.state.table
        for function in functions:
            others = [arg for arg in plain if arg != function][:1]
            for value in self.state.solver.get(unit, function):
                if table.kinds[value] in v.CALLABLE and others:
                    self._elements_to(unit, others[0], value)

    def _elements_to(
        self, unit: Unit, argument: int, value: int, skip: int = 0, mode: int = 0
    ) -> None:
        item = self.state.table.items[value]
        if item[0] == v.METHOD:
            item, skip = self.state.table.items[item[1]], skip + 1
        if item[0] == v.FUNCTION:
            self._pass(unit, argument, mode, self.state.solver.units[item[1]], item[2], skip)

    def _class_attributes(self, unit: Unit, record: Any) -> None:
        """``type(name, bases, {"key": value})`` sets attributes below the bases."""
        pairs = class_attributes(unit, record)
        if not pairs:
            return
        for base in unit.nodes[record[2][1]][3]:
            values = self.state.solver.get(unit, base) if isinstance(base, int) else ()
            for holder in values:
                if self.state.table.kinds[holder] in v.CLASSES:
                    for name, node in pairs:
                        self._set_attribute(holder, name, (unit.index, node))

    def _send(self, unit: Unit, record: Any, generator: tuple[Any, ...]) -> None:
        """``g.send(x)``: the ``yield`` of the generator gives ``x``."""
        if generator[0] == v.GENERATOR and record[2] and not isinstance(record[2][0], tuple):
            target = self.state.solver.units[generator[1]]
            self._pass(unit, record[2][0], -1, target, generator[2], op.SENT)

    def _reduced(self, unit: Unit, record: Any) -> None:
        """``reduce(f, xs, start)``: elements are the second argument too, ``start`` the first."""
        plain = [arg for arg in record[2] if not isinstance(arg, tuple)]
        for value in self.state.solver.get(unit, plain[0]) if len(plain) > 1 else ():
            if self.state.table.kinds[value] in v.CALLABLE:
                self._elements_to(unit, plain[1], value, 1)
                for start in plain[2:]:
                    self._elements_to(unit, start, value, 0, -1)

    def _partial(self, unit: Unit, record: Any, skip: int) -> None:
        if not record[2] or isinstance(record[2][0], tuple):
            return
        rest = (record[0], record[1], record[2][1:], record[3], record[4])
        for value in self.state.solver.get(unit, record[2][0]):
            self.value(unit, rest, value, skip)

    def _store_in(self, unit: Unit, record: Any, name: str, container: int) -> None:
        """``xs.append(x)``, ``d.setdefault(k, x)``: the container holds the argument."""
        position = _APPENDING.get(name)
        if position is not None and len(record[2]) > position:
            argument = record[2][position]
            if not isinstance(argument, tuple):
                self._hold(unit, argument, container)
        elif name == "sort":
            self._sort(unit, record)
        if name in ("update", "__init__"):
            for key, argument in record[3]:
                if key is not None and unit.nodes[argument][0] not in _IGNORED:
                    self.state.add_heap(container, key, (unit.index, argument), tracked=False)
        if name in _SAME_ELEMENTS and record[2] and not isinstance(record[2][0], tuple):
            for value in self.state.solver.get(unit, record[2][0]):
                self._hold_all(value, container)

    def _sort(self, unit: Unit, record: Any) -> None:
        """``xs.sort(key=f)``: the elements are what ``f`` gets."""
        holder = unit.nodes[record[1]]
        for _, function in record[3] if holder[0] == op.ATTR else ():
            for value in self.state.solver.get(unit, function):
                if self.state.table.kinds[value] in v.CALLABLE:
                    self._elements_to(unit, holder[1], value)

    def _hold(self, unit: Unit, argument: int, container: int) -> None:
        source = (unit.index, argument)
        if unit.nodes[argument][0] not in _IGNORED and not self._is_placed(container, source):
            self.state.add_heap(container, None, source, tracked=False)

    def _is_placed(self, container: int, source: tuple[int, int]) -> bool:
        """Whether a tracked store says at which index an appended value is."""
        heap = self.state.heap.get(container, {})
        return any(sources.get(source) for key, sources in heap.items() if isinstance(key, int))

    def _hold_all(self, value: int, container: int) -> None:
        item = self.state.table.items[value]
        if item[0] != v.CONTAINER:
            return
        unit = self.state.solver.units[item[1]]
        record = unit.nodes[item[2]]
        if record[0] == op.LITERAL:
            for argument in record[3]:
                self._hold(unit, argument, container)
        elif record[0] == op.ANY:
            self._hold(unit, record[3], container)

    # assignments

    def effect(self, unit: Unit, index: int) -> None:
        """Apply ``base.name = value`` or ``base[key] = value``."""
        base, key, value, _, _ = unit.effects[index]
        if isinstance(key, str) and key in self.state.setter_names:
            self._set_through(unit, base, key, value)
        if isinstance(key, str) and (is_own(unit, base) or not is_known(unit, value)):
            return
        for holder in self.state.solver.get(unit, base):
            if isinstance(key, str):
                self._set_attribute(holder, key, (unit.index, value))
            elif self.state.table.kinds[holder] == v.CONTAINER:
                self._set_item(unit, holder, key, value)
            elif self.state.table.kinds[holder] in v.INSTANCES:
                holding = self.state.holding(self.state.table.items[holder][1])
                if holding is not None:
                    self._set_item(unit, holding[1], key, value)

    def _set_through(self, unit: Unit, base: int, key: str, value: int) -> None:
        """``x.name = value`` by a setter or by ``__set__``: its parameter gets the value."""
        for holder in self.state.solver.get(unit, base):
            item = self.state.table.items[holder]
            if item[0] in v.INSTANCES:
                member = self.state.classes.member(item[1], key)
                for target, symbol, index in self.state.setters.of(member, key):
                    if target.is_test or not unit.is_test:  # tests set anything
                        self._pass(unit, value, -1, target, symbol, index)

    def _set_attribute(self, holder: int, name: str, source: tuple[int, int]) -> None:
        item = self.state.table.items[holder]
        if item[0] in v.INSTANCES or item[0] in v.CLASSES:
            self.state.add_cell(self.state.table.make((v.INSTANCE, item[1])), name, source)
        elif item[0] in (v.MODULE, v.FUNCTION):
            self.state.add_cell(holder, name, source)

    def _set_item(self, unit: Unit, holder: int, key: tuple[int, bool], value: int) -> None:
        node, tracked = key
        table = self.state.table
        keys = self.state.solver.get(unit, node)
        known = [table.items[k][1] for k in keys if table.kinds[k] == v.CONSTANT]
        source = (unit.index, value)
        for name in known if known and len(known) == len(keys) else [None]:
            self.state.add_heap(holder, name, source, tracked)
