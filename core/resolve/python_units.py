"""The files the Python resolver works on: their nodes, and what is known of each node so far."""

# Nodes and values are tuples of several shapes, told apart by their first element.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from codeviews.core.facts import TEST, Import, Site, SourceFile
from codeviews.core.languages import python_nodes as op
from codeviews.core.resolve.python_values import Values


class Unit:
    """One file: its flow facts, and the value set of each node (None = not asked yet)."""

    __slots__ = (
        "base",
        "bindings",
        "calls",
        "classes",
        "effects",
        "exported",
        "final",
        "functions",
        "ids",
        "implicit",
        "imports",
        "index",
        "is_test",
        "lines",
        "live",
        "names",
        "nodes",
        "param_nodes",
        "parents",
        "path",
        "reads",
        "sites",
        "stars",
        "symbols",
        "values",
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
        self.sites: list[Site] = file.facts.sites
        self.imports: list[Import] = file.facts.imports
        self.nodes: list[Any] = flow["nodes"]
        self.values: list[Values | None] = [None] * len(self.nodes)
        self.final = bytearray(len(self.nodes))
        self.functions: dict[int, Any] = flow["functions"]
        self.classes: dict[int, Any] = flow["classes"]
        self.bindings: dict[str, int] = flow["bindings"]
        self.stars: list[int] = flow["stars"]
        self.exported: list[str] | None = flow["all"]
        self.calls: list[int] = flow["calls"]
        self.reads: list[tuple[int, int, int]] = flow["reads"]
        self.implicit: list[tuple[int, int, int]] = flow["implicit"]
        self.effects: list[tuple[int, Any, int, int, int]] = flow["effects"]
        self.symbols: dict[str, int] | None = None
        self.param_nodes: dict[tuple[int, int], int] = {
            (node[1], node[2]): number
            for number, node in enumerate(self.nodes)
            if node[0] == op.PARAM
        }

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
    op.ANY: lambda node: (node[2], node[3]) if node[2] >= 0 else (node[3],),
}
