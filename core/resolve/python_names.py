"""Names of definitions over the whole repository: for guesses by unique name, and filters."""

# Nodes and values are tuples of several shapes, told apart by their first element.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Callable, Iterable

from codeviews.core.languages import python_nodes as op
from codeviews.core.resolve.python_units import Unit

Method = tuple[int, int]  # (unit, symbol)
Find = Callable[[str], list[tuple[int, int, bool]]]
CANDIDATES = 40  # methods of one name among which a call may be told apart

_BUILTIN_TYPES: tuple[type, ...] = (str, bytes, list, dict, set, tuple, int, float, frozenset)
_FILE_METHODS = (
    "close read readline readlines write writelines flush seek tell open fileno acquire release "
    "wait notify put send recv connect bind listen accept start run stop cancel group groups match "
    "search sub findall finditer fullmatch span debug info warning error exception critical log "
    "date time now today strftime isoformat total_seconds commit rollback execute fetchone "
    "fetchall cursor submit shutdown result done communicate poll kill terminate encode decode"
)
COMMON_METHODS = frozenset(
    [name for kind in _BUILTIN_TYPES for name in dir(kind)] + _FILE_METHODS.split(" ")
)
"""Methods of str, list, dict, set, files, locks, loggers...: never bound by name alone."""


class AllNames(set[str]):
    """Stands for the names of files that are not loaded: any name may be one."""

    def __contains__(self, name: object) -> bool:
        return True


class NameIndex:
    """Which names are defined where."""

    def __init__(self, units: Iterable[Unit], find: Find | None = None) -> None:
        """``units`` are all files, or with ``find`` (the methods of a name) any."""
        self.find = find
        self._found: dict[str, list[tuple[int, int, bool]]] = {}
        self.callables: set[str] = set() if find is None else AllNames()
        self.properties: set[str] = set() if find is None else AllNames()
        self.setters: set[str] = set() if find is None else AllNames()
        self.methods: dict[str, list[tuple[int, int, bool]]] = {}  # (unit, symbol, in a test)
        for unit in units:
            self.add(unit)

    def add(self, unit: Unit) -> None:
        """Take in the definitions of a unit."""
        for symbol, record in unit.functions.items():
            name = _last(unit.names[symbol])
            self.callables.add(name)
            flags = record[7] if len(record) > 7 else 0
            if flags & op.IS_PROPERTY:
                self.properties.add(name)
            if flags & op.IS_SETTER:
                self.setters.add(name)
            elif len(record) > 7 and record[6] >= 0 and not flags & op.IS_PROPERTY:
                self._add_method(unit, symbol, name)
        self.callables.update(_last(unit.names[symbol]) for symbol in unit.classes)
        for record in unit.classes.values():
            self.callables.update(name for name in record[1] if name.startswith("__"))
            self.properties.update(n for n, node in record[1].items() if _is_property(unit, node))

    def _add_method(self, unit: Unit, symbol: int, name: str) -> None:
        if not _is_common(name):
            self.methods.setdefault(name, []).append((unit.index, symbol, unit.is_test))

    def candidates(self, name: str, from_test: bool) -> list[Method]:
        """The methods of a name, a few at most; none of the tests for production code."""
        if self.find is not None:
            if name not in self._found:
                self._found[name] = [] if _is_common(name) else self.find(name)
            found = self._found[name]
        else:
            found = self.methods.get(name, [])
        kept = [(unit, symbol) for unit, symbol, is_test in found if from_test or not is_test]
        return kept if len(kept) <= CANDIDATES else []

    def is_definition(self, unit: Unit, name: str) -> bool:
        """Whether a module-level name is bound to a definition or an import."""
        node = unit.bindings.get(name)
        return node is not None and unit.nodes[node][0] in _DEFINING

    def setter(self, unit: Unit, owner: int, name: str) -> int | None:
        """The symbol of a property setter of a class."""
        for symbol, record in unit.functions.items():
            is_setter = len(record) > 7 and record[6] == owner and record[7] & op.IS_SETTER
            if is_setter and _last(unit.names[symbol]) == name:
                return symbol
        return None


def _is_property(unit: Unit, node: int) -> bool:
    """Whether a class attribute is made by ``property(...)``."""
    record = unit.nodes[node]
    return record[0] == op.CALL and unit.nodes[record[1]] == (op.GLOBAL, "property")


_DEFINING = frozenset([op.FUNC, op.CLASS, op.IMPORT, op.DECORATED, op.PHI])


def _is_common(name: str) -> bool:
    return name in COMMON_METHODS or len(name) < 4


def _last(qualname: str) -> str:
    return qualname.rpartition(".")[2].partition("#")[0]
