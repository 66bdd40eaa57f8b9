"""Classes of the Python resolver: bases, C3 linearisation, members and subclasses."""

# Nodes and values are tuples of several shapes, told apart by their first element.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any, NamedTuple

from codeviews.core.facts import TEST
from codeviews.core.resolve.python_solver import Solver
from codeviews.core.resolve.python_units import Unit
from codeviews.core.resolve.python_values import (
    BUILTIN_NAME,
    CLASS,
    EMPTY,
    EXTERNAL,
    SUBCLASS,
    Values,
)

Subclasses = Callable[[str, str], tuple[Any, ...]]
_LOADED = 40  # files loaded for one dispatch after an edit
_KNOWING = 64  # subclasses asked for a name that a class itself lacks
_NO_FACTS: tuple[Any, ...] = ((), {}, {}, -1, None)
_SUBCLASS_WALK = 4_000  # subclasses looked at for one overriding dispatch


class Member(NamedTuple):
    """What a class and its bases say about a name."""

    cells: tuple[tuple[Unit, int], ...]  # values set on self
    owner: int  # class number that binds the name in its body, -1 when none does
    node: int


class ClassInfo:
    """One class of the repository. ``bases`` is None until first asked."""

    __slots__ = ("bases", "external", "mro", "number", "subclasses", "symbol", "unit", "unknown")

    def __init__(self, number: int, unit: Unit, symbol: int) -> None:
        self.number = number
        self.unit = unit
        self.symbol = symbol
        self.bases: list[int] | None = None
        self.mro: list[int] | None = None
        self.external: list[str] = []  # names of bases from outside
        self.unknown = False  # a base that could not be resolved
        self.subclasses: list[int] = []


class Classes:
    """All classes met so far, by number."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.infos: list[ClassInfo] = []
        self.index: dict[tuple[int, int], int] = {}
        self.lookup: Subclasses | None = None
        self.marks: Mapping[str, int] = {}
        self.linked = False
        self.fields: dict[int, Any] = {}  # of generated constructors, by class
        self._descendants: dict[int, list[int]] = {}
        self._members: dict[tuple[int, str], Member] = {}
        self._knowing: dict[tuple[int, str], list[tuple[int, Member]]] = {}

    def number(self, unit: Unit, symbol: int) -> int:
        """The number of a class symbol."""
        key = (unit.index, symbol)
        found = self.index.get(key)
        if found is None:
            found = self.index[key] = len(self.infos)
            self.infos.append(ClassInfo(found, unit, symbol))
        return found

    def record(self, number: int) -> Any:
        """The flow facts of a class: bases, bindings, attributes, metaclass, fields."""
        info = self.infos[number]
        return info.unit.classes.get(info.symbol, _NO_FACTS)

    def values_of(self, member: Member) -> Values:
        """The values of what a class binds to a name."""
        if member.owner < 0:
            return EMPTY
        return self.solver.get(self.infos[member.owner].unit, member.node)

    def bases(self, number: int) -> list[int]:
        """Numbers of the direct bases inside the repository."""
        info = self.infos[number]
        if info.bases is None:
            info.bases = []
            record = info.unit.classes.get(info.symbol)
            for node in record[0] if record is not None else ():
                self._add_base(info, self.solver.get(info.unit, node))
        return info.bases

    def _add_base(self, info: ClassInfo, values: Values) -> None:
        table = self.solver.table
        assert info.bases is not None
        known = False
        for value in values:
            kind = table.kinds[value]
            if kind in (CLASS, SUBCLASS):
                base = table.items[value][1]
                if base != info.number and base not in info.bases and not known:
                    info.bases.append(base)
                known = True
            elif kind in (EXTERNAL, BUILTIN_NAME):
                name = table.items[value][1]
                if name != "object":
                    info.external.append(name)
                known = True
        if not known:
            info.unknown = True

    def mro(self, number: int) -> list[int]:
        """The C3 linearisation, repository classes only."""
        info = self.infos[number]
        if info.mro is None:
            info.mro = [number]  # what a cycle sees
            lines = [list(self.mro(base)) for base in self.bases(number)]
            info.mro = [number, *_merge([*lines, list(self.bases(number))], number)]
        return info.mro

    def outside(self, number: int) -> list[str]:
        """Names of all bases from outside the repository, of the class and its ancestors."""
        return [name for item in self.mro(number) for name in self.infos[item].external]

    def is_open(self, number: int) -> bool:
        """Whether some ancestor could not be resolved."""
        return any(self.infos[item].unknown for item in self.mro(number))

    def link_subclasses(self) -> None:
        """Fill ``subclasses`` of every class that is known now."""
        for info in self.infos:
            info.subclasses = []
        for info in list(self.infos):
            for base in self.bases(info.number):
                self.infos[base].subclasses.append(info.number)
        self.linked = True

    def member(self, number: int, name: str) -> Member:
        """Where a name comes from, along the linearisation."""
        key = (number, name)
        found = self._members.get(key)
        if found is None:
            found = self._members[key] = self._find_member(number, name)
        return found

    def _find_member(self, number: int, name: str) -> Member:
        info = self.infos[number]
        line = info.mro or self.mro(number)
        record = info.unit.classes.get(info.symbol)
        if record is not None and (name in record[1] or name in record[2]):
            return self.member_of(line, name)
        if len(line) > 1 and line[1:] == self.mro(line[1]):
            return self.member(line[1], name)  # a single base
        return self.member_of(line, name)

    def member_of(self, line: list[int], name: str) -> Member:
        """The same along any list of classes."""
        cells: list[tuple[Unit, int]] = []
        owner, node = -1, -1
        for item in line:
            info = self.infos[item]
            record = info.unit.classes.get(info.symbol)
            if record is None:
                continue
            cells.extend((info.unit, value) for value in record[2].get(name, ()))
            if owner < 0 and name in record[1]:
                owner, node = item, record[1][name]
        return Member(tuple(cells), owner, node)

    def binding_below(self, number: int, name: str) -> list[tuple[int, int]]:
        """(class, node) of what the classes below bind to ``name``, nearest first."""
        found: list[tuple[int, int]] = []
        for sub in self.descendants(number, name):
            info = self.infos[sub]
            record = info.unit.classes.get(info.symbol)
            if record is not None and name in record[1]:
                found.append((sub, record[1][name]))
        return found

    def knowing_below(self, number: int, name: str) -> list[tuple[int, Member]]:
        """(class, where it has ``name`` from) of the classes below that have it, nearest first."""
        known = self._knowing.get((number, name))
        if known is None:
            members = ((sub, self.member(sub, name)) for sub in self.descendants(number))
            having = (pair for pair in members if pair[1].owner >= 0 or pair[1].cells)
            known = list(islice(having, _KNOWING))
            if self.linked:
                self._knowing[number, name] = known
        return known

    def descendants(self, number: int, name: str = "") -> list[int]:
        """All classes below, nearest first; test classes only below test classes.

        With ``name`` at least those that bind it: after an edit only these are loaded.
        """
        if self.lookup is not None:
            return self._looked_up(number, name, self.lookup)
        known = self._descendants.get(number)
        if known is not None:
            return known
        is_test = self.infos[number].unit.is_test
        seen = {number}
        found: list[int] = []
        level = [number]
        while level and len(found) < _SUBCLASS_WALK:
            below = [sub for item in level for sub in self.infos[item].subclasses]
            level = [sub for sub in dict.fromkeys(below) if sub not in seen]
            seen.update(level)
            found.extend(s for s in level if is_test or not self.infos[s].unit.is_test)
        if self.linked:
            self._descendants[number] = found
        return found

    def _looked_up(self, number: int, name: str, lookup: Subclasses) -> list[int]:
        """The same from summaries."""
        info = self.infos[number]
        is_test = info.unit.is_test
        marks = self.marks
        seen: set[tuple[str, str]] = set()
        found: list[int] = []
        level: list[tuple[str, str]] = [(info.unit.path, info.unit.names[info.symbol])]
        while level and len(seen) < _SUBCLASS_WALK and len(found) < _LOADED:
            entries = sorted(entry for path, qualname in level for entry in lookup(path, qualname))
            level = []
            for path, qualname, bound in entries:
                if (path, qualname) in seen or (marks.get(path, 0) & TEST and not is_test):
                    continue
                seen.add((path, qualname))
                level.append((path, qualname))
                if not name or name in bound:
                    self._load(path, qualname, found)
        return found

    def _load(self, path: str, qualname: str, found: list[int]) -> None:
        unit = self.solver.unit(path)
        symbol = unit.symbol(qualname) if unit is not None else None
        if unit is not None and symbol is not None and symbol in unit.classes:
            found.append(self.number(unit, symbol))


def _merge(lines: list[list[int]], number: int) -> list[int]:
    """C3 merge; when there is no consistent order, first come first."""
    result: list[int] = []
    while True:
        lines = [line for line in lines if line]
        if not lines:
            return result
        tails = {item for line in lines for item in line[1:]}
        head = next((line[0] for line in lines if line[0] not in tails), lines[0][0])
        if head != number:
            result.append(head)
        lines = [[item for item in line if item != head] for line in lines]
