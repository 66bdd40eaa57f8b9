"""Which parameters the value of a node is made of, inside its file."""

# Nodes and values are tuples of several shapes, told apart by their first element.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from codeviews.core.languages import python_nodes as op
from codeviews.core.resolve.python_units import Unit, operands

_PARAMETERS = 8  # parameters a result may depend on and still be told apart by call
_DEPTH = 400  # operands looked through

_NONE = frozenset[int]()


class Dependence:
    """Sets of parameter keys by node key; equal sets are one object."""

    def __init__(self) -> None:
        self._known: dict[int, frozenset[int]] = {}
        self._sets: dict[frozenset[int], frozenset[int]] = {}
        self._depth = 0

    def of(self, unit: Unit, node: int) -> frozenset[int]:
        """Keys of the PARAM nodes that a node's value is made of, inside its file."""
        key = unit.base + node
        known = self._known.get(key)
        if known is not None:
            return known
        if self._depth > _DEPTH:
            return _NONE
        self._known[key] = _NONE
        self._depth += 1
        found = self._find(unit, node, key)
        self._depth -= 1
        if len(found) > _PARAMETERS:
            found = _NONE
        self._known[key] = found = self._sets.setdefault(found, found)
        return found

    def _find(self, unit: Unit, node: int, key: int) -> frozenset[int]:
        record = unit.nodes[node]
        if record[0] == op.PARAM:
            return frozenset([key])
        if record[0] == op.FUNC:
            return self._captured(unit, record[1])
        found = _NONE
        for inner in operands(record):
            if inner >= 0:
                found |= self.of(unit, inner)
        return found

    def _captured(self, unit: Unit, symbol: int) -> frozenset[int]:
        """Parameters of enclosing functions that a function's result depends on."""
        function = unit.functions.get(symbol)
        if function is None:
            return _NONE
        found = _NONE
        for node in (function[3], function[4]):
            if node >= 0:
                found |= self.of(unit, node)
        own = {key for key in found if unit.nodes[key - unit.base][1] == symbol}
        return found - own
