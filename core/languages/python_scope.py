"""Scopes during extraction: which node each variable holds now, and what joins at a branch."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from codeviews.core.languages.python_nodes import CLOSURE, GLOBAL, NO_NODE, PARAM, PHI

Changes = dict[str, int]


class Nodes:
    """The node table of one file; equal nodes are stored once."""

    __slots__ = ("index", "table")

    def __init__(self) -> None:
        self.table: list[Any] = []
        self.index: dict[tuple[Any, ...], int] = {}

    def make(self, node: tuple[Any, ...]) -> int:
        """The index of ``node``, added when it is new."""
        found = self.index.get(node)
        if found is None:
            found = self.index[node] = len(self.table)
            self.table.append(node)
        return found

    def fresh(self, node: Any) -> int:
        """A new index even when an equal node exists (calls and containers are allocations)."""
        self.table.append(node)
        return len(self.table) - 1

    def join(self, values: Iterable[int]) -> int:
        """One node for several; NO_NODE when there are none."""
        unique = tuple(dict.fromkeys(value for value in values if value >= 0))
        if len(unique) == 1:
            return unique[0]
        return self.make((PHI, unique)) if unique else NO_NODE


class Loop:
    """A loop being executed: variables read before they are bound in its body get a PHI."""

    __slots__ = ("bound", "depth", "exits", "phis", "repeats")

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.phis: dict[str, int] = {}
        self.bound: set[str] = set()
        self.exits: list[Changes] = []
        self.repeats: list[Changes] = []


class Scope:
    """A module, class, function or lambda being executed.

    ``kept`` are values that were current while some call ran, so that another function may have
    seen them; a value replaced before any call was seen by nobody.
    """

    __slots__ = (
        "bases",
        "born",
        "calls",
        "env",
        "globals",
        "kept",
        "kind",
        "logs",
        "loops",
        "nodes",
        "nonlocals",
        "owner",
        "params",
        "parent",
        "returns",
        "self_name",
        "stored",
        "symbol",
        "volatile",
        "yields",
    )

    def __init__(self, kind: str, symbol: int, parent: Scope | None, nodes: Nodes) -> None:
        self.kind = kind
        self.symbol = symbol
        self.parent = parent
        self.nodes = nodes
        self.env: dict[str, int] = {}
        self.logs: list[dict[str, int | None]] = [{}]
        self.loops: list[Loop] = []
        self.params: dict[str, int] = {}
        self.calls = 0
        self.born: dict[str, int] = {}
        self.kept: dict[str, list[int]] = {}
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        self.volatile: set[str] = set()  # names that nested functions rebind
        self.returns: list[int] = []
        self.yields: list[int] | None = None
        self.owner = NO_NODE  # class symbol of a method
        self.self_name = ""
        self.stored: set[str] = set()  # attribute names assigned in this scope
        self.bases: dict[str, set[str]] = {}  # variable -> its attributes that are tracked

    def current(self, name: str) -> int | None:
        """The node a name of this very scope holds, or None."""
        found = self.env.get(name)
        if found is None:
            position = self.params.get(name)
            if position is None:
                return None
            found = self.env[name] = self.nodes.make((PARAM, self.symbol, position))
        if self.loops and name != self.self_name and name not in self.loops[-1].bound:
            found = self._through_loops(name, found)
        if name in self.volatile and self.calls > self.born.get(name, 0):
            return self.nodes.join([found, self._shared(name)])
        return found

    def _shared(self, name: str) -> int:
        """Whatever the name was bound to, here or by nested functions."""
        if self.kind == "module":
            return self.nodes.make((GLOBAL, name))
        return self.nodes.make((CLOSURE, self.symbol, name))

    def _through_loops(self, name: str, found: int) -> int:
        for loop in self.loops:
            if name not in loop.bound:
                found = loop.phis[name] = self.nodes.fresh([PHI, [found]])
                loop.bound.add(name)
        self.env[name] = found
        return found

    def bind(self, name: str, node: int) -> None:
        """Rebind a name of this scope: the last assignment wins."""
        log = self.logs[-1]
        env = self.env
        old = env.get(name)
        if old is None and name in self.params:
            old = self.nodes.make((PARAM, self.symbol, self.params[name]))
        if name not in log:
            log[name] = old
        if old is not None and self.calls > self.born.get(name, 0):
            self.keep(name, old)
        self.born[name] = self.calls
        env[name] = node
        if self.loops:
            self.loops[-1].bound.add(name)
        if name in self.bases:
            self.forget(name)

    def keep(self, name: str, node: int) -> None:
        """Remember a value that other functions may see."""
        if node >= 0 and "." not in name:
            self.kept.setdefault(name, []).append(node)

    def forget(self, base: str) -> None:
        """What is known of the attributes of a variable holds no longer."""
        for attribute in self.bases.pop(base, ()):
            self.bind(f"{base}.{attribute}", NO_NODE)

    def open(self) -> None:
        """Begin a branch."""
        self.logs.append({})

    def close(self, ended: bool) -> Changes:
        """End a branch: undo it, return what it changed. ``ended``: by return or raise."""
        log = self.logs.pop()
        env = self.env
        changes = {name: env.get(name, NO_NODE) for name in log}
        for name, old in log.items():
            if ended and name in env:
                self.keep(name, env[name])
            if old is None:
                env.pop(name, None)
            else:
                env[name] = old
        return changes

    def merge(self, branches: list[Changes]) -> None:
        """Continue after branches that started from the present state ({} = nothing changed)."""
        names = dict.fromkeys(name for branch in branches for name in branch)
        for name in names:
            before = self.env.get(name)
            if before is None and name in self.params:
                before = self.current(name)
            values = [branch.get(name, before) for branch in branches]
            self.bind(name, self._joined(name, values))

    def _joined(self, name: str, values: list[int | None]) -> int:
        if "." in name and any(value is None or value < 0 for value in values):
            return NO_NODE
        return self.nodes.join(value for value in values if value is not None)

    def changed_since(self, depth: int) -> Changes:
        """The variables changed since the log had ``depth`` entries, with their present values."""
        names = {name for log in self.logs[depth:] for name in log}
        return {name: self.env[name] for name in sorted(names) if name in self.env}

    def visible(self) -> dict[str, int]:
        """Name -> the values that other scopes can read."""
        found: dict[str, int] = {}
        for name, node in self.env.items():
            if "." not in name:
                found[name] = self.nodes.join([*self.kept.get(name, ()), node])
        for name, nodes in self.kept.items():
            if name not in found:
                found[name] = self.nodes.join(nodes)
        return {name: node for name, node in found.items() if node >= 0}
