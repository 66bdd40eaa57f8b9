"""The files the Python resolver works on: their nodes, and what is known of each node so far.

What is needed once at the end (sites, reads) is kept packed, and so may be the nodes of a file
whose calls are bound: they are unpacked when asked for, a bounded number at a time.
"""

# Nodes and values are tuples of several shapes, told apart by their first element.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import marshal
from array import array
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from codeviews.core.facts import TEST, Import, Site, SourceFile
from codeviews.core.languages import python_nodes as op
from codeviews.core.resolve.python_values import Values

_UNPACKED = 20_000  # nodes of packed files held at once

_TYPE = ("type", "type()")  # how a call that makes a class is written

Rows = list[tuple[int, int, int]]


class Unpacked:
    """Node lists of packed files that were asked for lately."""

    def __init__(self) -> None:
        self._lists: OrderedDict[int, list[Any]] = OrderedDict()
        self._total = 0

    def nodes(self, owner: PackedNodes) -> list[Any]:
        """All nodes of a packed file; those not asked for longest give way."""
        found = self._lists.get(id(owner))
        if found is not None:
            self._lists.move_to_end(id(owner))
            return found
        found = self._lists[id(owner)] = marshal.loads(owner.packed)
        self._total += len(found)
        while self._total > _UNPACKED and len(self._lists) > 1:
            self._total -= len(self._lists.popitem(last=False)[1])
        return found


class PackedNodes(dict[int, Any]):
    """Nodes kept as bytes, but for those that were used since."""

    __slots__ = ("packed", "unpacked")

    def __init__(self, kept: dict[int, Any], packed: bytes, unpacked: Unpacked) -> None:
        super().__init__(kept)
        self.packed = packed
        self.unpacked = unpacked

    def __missing__(self, node: int) -> Any:
        record = self[node] = self.unpacked.nodes(self)[node]
        return record


class Unit:
    """One file: its flow facts, and the value set of each node (None = not asked yet)."""

    __slots__ = (
        "_late",
        "_param_nodes",
        "base",
        "bindings",
        "calls",
        "classes",
        "effects",
        "exported",
        "final",
        "finals",
        "functions",
        "ids",
        "imports",
        "index",
        "is_test",
        "lines",
        "live",
        "names",
        "nodes",
        "parents",
        "path",
        "stars",
        "symbols",
        "type_calls",
        "values",
        "wanted",
    )

    def __init__(self, file: SourceFile, index: int, base: int, live: bool) -> None:
        flow: dict[str, Any] = file.facts.flow or _NO_FLOW
        self.path = file.path
        self.index = index
        self.base = base
        self.live = live
        self.is_test = bool(file.marks & TEST)
        self.ids = file.ids
        self.names = [symbol.qualname for symbol in file.facts.symbols]
        self.parents = [symbol.parent for symbol in file.facts.symbols]
        self.lines = [symbol.start_line for symbol in file.facts.symbols]
        sites = list(map(tuple, file.facts.sites))
        self._late = marshal.dumps((sites, flow["implicit"], flow["reads"]))
        self._param_nodes: dict[tuple[int, int], int] | None = None
        self.imports: list[Import] = file.facts.imports
        self.nodes: list[Any] | PackedNodes = flow["nodes"]
        self.values: list[Values | None] = [None] * len(flow["nodes"])
        self.final = bytearray(len(flow["nodes"]))
        self.functions: dict[int, Any] = flow["functions"]
        self.classes: dict[int, Any] = flow["classes"]
        self.bindings: dict[str, int] = flow["bindings"]
        self.finals: dict[str, int] = flow["finals"]
        self.stars: list[int] = flow["stars"]
        self.exported: list[str] | None = flow["all"]
        self.calls = array("i", flow["calls"])
        self.type_calls = [c for s, c in zip(sites, self.calls, strict=True) if s[1] in _TYPE]
        self.wanted: list[int] = []  # arguments that parameters elsewhere may ask for
        self.effects: list[tuple[int, Any, int, int, int]] = flow["effects"]
        self.symbols: dict[str, int] | None = None

    @property
    def param_nodes(self) -> dict[tuple[int, int], int]:
        """(function, index) -> node of each parameter."""
        found = self._param_nodes
        if found is None:
            nodes = enumerate(self.all_nodes())
            found = {(node[1], node[2]): number for number, node in nodes if node[0] == op.PARAM}
            self._param_nodes = found
        return found

    def all_nodes(self) -> list[Any]:
        """The nodes as a list."""
        nodes = self.nodes
        return nodes.unpacked.nodes(nodes) if isinstance(nodes, PackedNodes) else nodes

    def pack(self, unpacked: Unpacked) -> None:
        """Keep the nodes as bytes; at hand stay those whose values may still grow."""
        nodes = self.all_nodes()
        growing = enumerate(zip(self.values, self.final, strict=True))
        kept = {i: nodes[i] for i, (values, final) in growing if values is not None and not final}
        waiting = self.wanted
        while waiting:
            node = waiting.pop()
            if node >= 0 and node not in kept and self.values[node] is None:
                kept[node] = nodes[node]
                waiting.extend(operands(nodes[node]))
        self.nodes = PackedNodes(kept, marshal.dumps(nodes), unpacked)

    def unpack(self) -> None:
        """Have all nodes at hand."""
        self.nodes = self.all_nodes()

    def late(self) -> tuple[list[Site], Rows, Rows]:
        """Sites, implicit calls and reads; a row is (node, line, scope)."""
        sites, implicit, reads = marshal.loads(self._late)
        return list(map(Site._make, sites)), implicit, reads

    def symbol(self, qualname: str) -> int | None:
        """The index of a symbol by its qualified name."""
        if self.symbols is None:
            self.symbols = {name: index for index, name in enumerate(self.names)}
        return self.symbols.get(qualname)


_NO_FLOW: dict[str, Any] = {
    "nodes": [],
    "functions": {},
    "classes": {},
    "bindings": {},
    "finals": {},
    "stars": [],
    "all": None,
    "calls": [],
    "reads": [],
    "implicit": [],
    "effects": [],
}


def operands(node: Any) -> tuple[int, ...]:
    """The nodes that a node's value is made of."""
    reader = _OPERANDS.get(node[0])
    return reader(node) if reader is not None else ()


def _call_operands(node: Any) -> tuple[int, ...]:
    positional = [arg[0] if isinstance(arg, tuple) else arg for arg in node[2]]
    return (node[1], *positional, *(value for _, value in node[3]))


def _one(node: Any) -> tuple[int, ...]:
    return (node[1],)


_OPERANDS: dict[int, Callable[[Any], tuple[int, ...]]] = {
    op.ATTR: _one,
    op.CALL: _call_operands,
    op.ITEM: lambda node: (node[1], node[2]),
    op.ITER: _one,
    op.STARRED: lambda node: (node[3],),
    op.PHI: lambda node: node[1],
    op.LITERAL: lambda node: node[3],
    op.STORE: lambda node: (node[1], node[2], node[3]),
    op.MERGE: lambda node: (node[1], node[2]),
    op.DECORATED: lambda node: (node[1], node[2]),
    op.ENTER: _one,
    op.INSTANCE: _one,
    op.PATTERN: _one,
    op.OPERATOR: lambda node: (node[1], node[2]),
    op.SLICE: _one,
    op.FORMAT: _one,
    op.CLASSOF: _one,
    op.TRUTH: _one,
    op.CHANGED: _one,
    op.ANY: lambda node: (node[2], node[3]) if node[2] >= 0 else (node[3],),
}
