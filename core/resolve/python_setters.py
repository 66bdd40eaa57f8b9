"""Functions that assignments to attributes call: property setters and ``__set__``."""

# Nodes and values are tuples of several shapes, told apart by their first element.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from codeviews.core.languages import python_nodes as op
from codeviews.core.resolve import python_values as v
from codeviews.core.resolve.python_classes import Classes, Member
from codeviews.core.resolve.python_units import Unit

_PROPERTY = (op.GLOBAL, "property")


class Setters:
    """The setters of all classes."""

    def __init__(self, classes: Classes) -> None:
        self.classes = classes
        self._by_unit: dict[int, dict[tuple[int, str], int]] = {}

    def of_file(self, unit: Unit) -> dict[tuple[int, str], int]:
        """(class, name) -> function of the property setters of a file."""
        found = self._by_unit.get(unit.index)
        if found is None:
            found = self._by_unit[unit.index] = {
                (record[6], unit.names[symbol].rpartition(".")[2].partition("#")[0]): symbol
                for symbol, record in unit.functions.items()
                if len(record) > 7 and record[7] & op.IS_SETTER
            }
        return found

    def of(self, member: Member, key: str) -> list[tuple[Unit, int, int]]:
        """(file, function, parameter of the value) that an assignment to the attribute calls."""
        if member.owner < 0:
            return []
        info = self.classes.infos[member.owner]
        symbol = self.of_file(info.unit).get((info.symbol, key))
        found = [(info.unit, symbol, 1)] if symbol is not None else []
        record = info.unit.nodes[member.node]
        values: list[tuple[int, int]] = []
        if record[0] == op.CALL and record[1:2] and info.unit.nodes[record[1]] == _PROPERTY:
            values += [
                (value, 1)
                for node in record[2][1:2]
                if isinstance(node, int)
                for value in self.classes.solver.get(info.unit, node)
            ]
        for value in self.classes.values_of(member):
            if self.classes.solver.table.kinds[value] == v.INSTANCE:
                below = self.classes.member(self.classes.solver.table.items[value][1], "__set__")
                values += [(method, 2) for method in self.classes.values_of(below)]
        functions = [(self.classes.solver.table.items[value], index) for value, index in values]
        units = self.classes.solver.units
        return found + [(units[f[1]], f[2], i) for f, i in functions if f[0] == v.FUNCTION]

    def is_property(self, member: Member, name: str) -> bool:
        """Whether assignments to an attribute go to the setter of a property."""
        return any(index == 1 for _, _, index in self.of(member, name))
