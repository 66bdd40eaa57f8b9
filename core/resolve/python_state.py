"""What the operations of the Python resolver share: classes, cells, calls by value."""

# Nodes and values are tuples of several shapes, told apart by their first element.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from codeviews.core.facts import Import
from codeviews.core.languages import python_nodes as op
from codeviews.core.resolve import python_values as v
from codeviews.core.resolve.python_classes import Classes, Member
from codeviews.core.resolve.python_setters import Setters
from codeviews.core.resolve.python_solver import Solver
from codeviews.core.resolve.python_units import Unit
from codeviews.core.resolve.python_values import Values, join


class Frozen(Protocol):
    """What an earlier resolution knows of files that are not being solved now."""

    def parameter(self, unit: Unit, symbol: int, index: int, out: Values) -> None:
        """Join what was passed to a parameter."""
        ...

    def cell(self, unit: Unit, holder: str, name: str, out: Values) -> bool:
        """Join what was assigned to ``holder.name``; whether anything was."""
        ...

    def subclasses(self, unit: Unit, symbol: int) -> tuple[Any, ...]:
        """(path, qualified name, names bound) of the direct subclasses of a class."""
        ...


class Creation(Protocol):
    """The constructor call that made the instance at hand."""

    def cell(self, unit: Unit, node: int) -> Values | None:
        """What it passes to the parameter at a node; None when it does not tell."""
        ...

    def field(self, name: str) -> Values | None:
        """What it passes to a field of a generated ``__init__``."""
        ...


Caller = Callable[["State", int, int, Values, tuple[Values, ...]], None]
Items = Callable[["State", int, Values, int, Values], None]
Elements = Callable[["State", int, int, int, Values], None]


_LISTS = frozenset((op.GLOBAL, name) for name in ("list", "set", "tuple", "frozenset"))
_GROWN = frozenset([op.STORE, op.MERGE, op.SLICE, op.OPERATOR, op.PHI])  # made of another
_MADE = frozenset([op.LITERAL, op.ANY, op.ELEMENTS])
_BARE = frozenset(["Generic", "Protocol", "ABC", "object"])  # bases without attributes
_HOLDING = {
    "list": "list",
    "UserList": "list",
    "deque": "list",
    "set": "set",
    "dict": "dict",
    "UserDict": "dict",
    "OrderedDict": "dict",
    "defaultdict": "dict",
}
_CHAIN = 40  # stores looked through for the type of a container
_NESTING = 12  # containers of containers looked through at once


def _nothing(*_: Any) -> None:
    """Before the operations are installed nothing is known."""


class State:
    """The solver with its classes and the cells that assignments elsewhere fill."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.table = solver.table
        self.classes = Classes(solver)
        self.cells: dict[tuple[int, str], dict[tuple[int, int], None]] = {}
        self.heap: dict[int, dict[Any, dict[tuple[int, int], bool]]] = {}
        self.foreign_names: set[str] = set()
        self.field_names: set[str] = set()  # fields of generated constructors
        self.any_generic = True  # whether some function dispatches by type, as far as is known
        self.registered_types: dict[tuple[int, int], int] = {}  # (unit, function node) -> type
        self.patched_names: set[str] = set()  # names assigned to attributes of imported modules
        self.forgetting: dict[tuple[int, int], bool] = {}
        self.asking: set[tuple[str, str]] = set()
        self.attributes: dict[tuple[int, str], Values] = {}
        self.crowds: dict[tuple[int, str], int] = {}
        self._overriding: dict[tuple[int, str], list[tuple[int, int]]] = {}
        self.creation: Creation | None = None
        self.frozen: Frozen | None = None
        self._cells_by_unit: dict[int, list[tuple[int, str]]] | None = None
        self._passed_by_unit: dict[int, list[int]] | None = None
        self._iterating: set[tuple[int, int]] = set()
        self._metaclasses: dict[int, list[int]] = {}
        self._holding: dict[int, tuple[str, int] | None] = {}
        self.setters = Setters(self.classes)
        self.setter_names: set[str] = set()
        # (unit, class) -> names and nodes of what may be its descriptors; all those names
        self.described: dict[tuple[int, int], list[tuple[str, int]]] = {}
        self.described_names: set[str] = set()
        self._made_by: dict[int, list[int]] | None = None  # metaclass -> classes
        self.bind_sites: Callable[[Unit], None] = _nothing
        self._caller: Caller = _nothing
        self._items: Items = _nothing
        self._elements: Elements = _nothing

    def install(self, caller: Caller, items: Items, elements: Elements) -> None:
        """Install the operations that calls, subscripts and loops share."""
        self._caller, self._items, self._elements = caller, items, elements

    def call_value(
        self, value: int, tier: int, out: Values, given: tuple[Values, ...] = ()
    ) -> None:
        """Add what calling ``value`` gives, with the values of its first arguments."""
        self._caller(self, value, tier, out, given)

    def items(self, value: int, keys: Values, tier: int, out: Values) -> None:
        """Add what ``value[key]`` can be."""
        self._items(self, value, keys, tier, out)

    def elements(self, value: int, mode: int, tier: int, out: Values) -> None:
        """Add what iterating over ``value`` gives."""
        key = (value, mode)
        if key in self._iterating or len(self._iterating) > _NESTING:
            return
        self._iterating.add(key)
        try:
            self._elements(self, value, mode, tier, out)
        finally:
            self._iterating.discard(key)

    def read_inputs(self, unit: Unit, node: int, out: Values) -> None:
        """Join what the calls of a function pass to a parameter."""
        solver = self.solver
        key = unit.base + node
        solver.grows(key)
        if self.frozen is not None:
            _, symbol, index = unit.nodes[node]
            self.frozen.parameter(unit, symbol, index, out)
        for written in solver.inputs.get(key, ()):
            if v.MANY in out:
                break  # nothing is added any more
            if len(out) >= v.LIMIT - 1:
                self.widen(out)
            source, mode = written >> 2, written & 3
            owner = solver.owner(source)
            values = solver.get(owner, source - owner.base)
            if not mode:
                join(out, values, v.C)
            else:
                for value in values:
                    self.elements(value, mode - 1, v.C, out)

    def widen(self, out: Values) -> None:
        """Put instances of many classes of one family as one instance of what they share."""
        made = [value for value in out if self.table.kinds[value] in v.INSTANCES]
        if len(made) <= v.RECEIVERS:
            return
        lines = [self.classes.mro(self.table.items[value][1]) for value in made]
        shared = set(lines[0]).intersection(*lines)
        base = next((number for number in lines[0] if number in shared), None)
        if base is not None:
            for value in made:
                del out[value]
            out[self.table.make((v.DECLARED, base))] = v.C

    def flags(self, value: int) -> int:
        """The flags of a function value."""
        _, unit, symbol, _ = self.table.items[value]
        record = self.solver.units[unit].functions.get(symbol)
        return record[7] if record is not None and len(record) > 7 else 0

    def member_values(self, member: Member) -> Values:
        """The values of what a class binds to a name."""
        return self.classes.values_of(member)

    def holding(self, number: int) -> tuple[str, int] | None:
        """(type, value that holds the elements) of a class below ``list``, ``dict``...

        A class and those below it share what they hold.
        """
        if number not in self._holding:
            found = None
            for item in self.classes.mro(number):
                for name in self.classes.infos[item].external:
                    kind = _HOLDING.get(name.rpartition(".")[2])
                    found = (kind, self.table.make((v.INSTANCE, item))) if kind else found
            self._holding[number] = found
        return self._holding[number]

    def lacks(self, value: int, name: str) -> bool:
        """Whether an instance certainly has no attribute of that name."""
        kind, number = self.table.items[value]
        classes = self.classes
        member = classes.member(number, name)
        if member.owner >= 0 or member.cells or name.startswith("__") or classes.is_open(number):
            return False
        if any(base.rpartition(".")[2] not in _BARE for base in classes.outside(number)):
            return False
        cells = (name, f"{name}=")
        holders = [self.table.make((v.INSTANCE, item)) for item in classes.mro(number)]
        if any((holder, cell) in self.cells for holder in holders for cell in cells):
            return False
        return kind == v.INSTANCE or not classes.knowing_below(number, name)

    def class_of(self, value: int) -> int:
        """The class object of an instance; a class object stays itself."""
        kind, number = self.table.items[value][:2]
        if kind == v.INSTANCE:
            return self.table.make((v.CLASS, number))
        return self.table.make((v.SUBCLASS, number)) if kind == v.DECLARED else value

    def target_of(self, value: int) -> tuple[Any, ...]:
        """The function or class a value comes down to, to count different targets."""
        item = self.table.items[value]
        while item[0] in (v.METHOD, v.PARTIAL):
            item = self.table.items[item[1]]
        return item[:3]

    def container_type(self, item: tuple[Any, ...]) -> str | None:
        """The type name of a container value."""
        if item[0] != v.CONTAINER:
            return None
        unit = self.solver.units[item[1]]
        node = unit.nodes[item[2]]
        for _ in range(_CHAIN):
            if node[0] == op.MERGE and unit.nodes[node[2]][0] == op.LITERAL:
                return unit.nodes[node[2]][1]  # what adds a list, say, is one
            if node[0] not in _GROWN:
                break
            node = unit.nodes[node[1][0] if node[0] == op.PHI else node[1]]
            if node[0] not in _GROWN and node[0] not in _MADE:
                return "dict"
        if node[0] == op.PARAM:
            return "dict" if node[2] == unit.functions[node[1]][0][3] else "tuple"
        if node[0] == op.CALL:
            callee = unit.nodes[node[1]]
            return "list" if callee in _LISTS else "dict"
        return node[1] if isinstance(node[1], str) else "dict"

    def is_list(self, value: int) -> bool:
        """Whether a value is a list whose length shows where it is written."""
        item = self.table.items[value]
        if item[0] != v.CONTAINER or value in self.heap:
            return False
        return self.solver.units[item[1]].nodes[item[2]][:2] == (op.LITERAL, "list")

    def import_path(self, unit: Unit, module: str, level: int) -> str | None:
        """The file an import of ``module`` means in ``unit``."""
        modules = self.solver.modules
        if level:
            return modules.relative(module, level, unit.path)
        return modules.find(module, unit.path)

    def import_of(self, unit: Unit, item: Import) -> str | None:
        """The file that one import statement names."""
        return self.import_path(unit, item.module, item.level)

    # cells: attributes set from outside the class

    def add_cell(self, holder: int, name: str, source: tuple[int, int]) -> None:
        """``holder.name`` may be the node ``source`` (unit index, node)."""
        sources = self.cells.setdefault((holder, name), {})
        if source not in sources:
            sources[source] = None
            self.solver.grown((holder, name))

    def read_cells(self, holder: int, name: str, out: Values, floor: int = v.B) -> bool:
        """Join what was assigned to ``holder.name``, no better than ``floor``."""
        self.solver.grows((holder, name))
        sources = self.cells.get((holder, name))
        for unit, node in sources or ():
            if len(out) >= v.LIMIT - 1:
                self.widen(out)
            join(out, self.solver.get(self.solver.units[unit], node), floor)
        if self.frozen is None:
            return bool(sources)
        frozen: Values = {}
        known = self._frozen_cell(self.frozen, holder, name, frozen)
        join(out, frozen, floor)
        return known or bool(sources)

    def _frozen_cell(self, frozen: Frozen, holder: int, name: str, out: Values) -> bool:
        unit, qualname = self._holder(holder)
        return unit is not None and frozen.cell(unit, qualname, name, out)

    def _holder(self, holder: int) -> tuple[Unit | None, str]:
        """The file of what holds a cell, and its qualified name there."""
        item = self.table.items[holder]
        if item[0] == v.MODULE:
            return (None if item[1].endswith("/") else self.solver.unit(item[1])), ""
        if item[0] == v.FUNCTION:
            unit = self.solver.units[item[1]]
            return unit, unit.names[item[2]]
        info = self.classes.infos[item[1]]
        return info.unit, info.unit.names[info.symbol]

    def cells_of(self, unit: Unit) -> list[tuple[int, str]]:
        """The cells whose holder is defined in a file."""
        if self._cells_by_unit is None:
            self._cells_by_unit = {}
            for holder, name in self.cells:
                owner = self._holder(holder)[0]
                if owner is not None:
                    self._cells_by_unit.setdefault(owner.index, []).append((holder, name))
        return self._cells_by_unit.get(unit.index, [])

    def passed_to(self, unit: Unit) -> list[int]:
        """The parameter nodes of a file that some call passes a value to."""
        if self._passed_by_unit is None:
            self._passed_by_unit = {}
            for key in self.solver.inputs:
                owner = self.solver.owner(key)
                self._passed_by_unit.setdefault(owner.index, []).append(key - owner.base)
        passed = self._passed_by_unit.get(unit.index, [])
        stars = [node for node in unit.param_nodes.values() if self.held_by(unit, node)]
        return list(dict.fromkeys([*passed, *stars])) if stars else passed

    def held_by(self, unit: Unit, node: int) -> list[tuple[int, int]]:
        """What calls in its own file put into a ``*args`` or ``**kwargs``: (unit, node)."""
        container = self.table.index.get((v.CONTAINER, unit.index, node))
        heap = self.heap.get(container) if container is not None else None
        return list(dict.fromkeys(s for sources in heap.values() for s in sources)) if heap else []

    def add_heap(self, container: int, key: Any, source: tuple[int, int], tracked: bool) -> None:
        """``container[key]`` may be ``source``; key None is an unknown key."""
        sources = self.heap.setdefault(container, {}).setdefault(key, {})
        if source not in sources:
            sources[source] = tracked
            self.solver.grown(container)

    # dispatch

    def overriding(self, number: int, name: str) -> list[tuple[int, int]]:
        """(class, node) of the methods ``name`` below a class."""
        key = (number, name)
        found = self._overriding.get(key)
        if found is None:
            found = self.classes.binding_below(number, name)
            self._overriding[key] = found
        return found

    def made_by(self, metaclass: int) -> list[int]:
        """The classes that name a metaclass, or have it from a base."""
        if self._made_by is None:
            self._made_by = {}
            for info in self.classes.infos:
                for meta in self.metaclasses(info.number):
                    self._made_by.setdefault(meta, []).append(info.number)
        return self._made_by.get(metaclass, [])

    def metaclasses(self, number: int) -> list[int]:
        """Metaclasses named by a class or its ancestors, nearest first."""
        found = self._metaclasses.get(number)
        if found is None:
            found = []
            for item in self.classes.mro(number):
                info = self.classes.infos[item]
                record = info.unit.classes.get(info.symbol)
                if record is not None and record[3] >= 0:
                    values = self.solver.get(info.unit, record[3])
                    found.extend(
                        self.table.items[value][1]
                        for value in values
                        if self.table.kinds[value] in v.CLASSES
                    )
            self._metaclasses[number] = found
        return found
