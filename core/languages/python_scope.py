"""Scopes during extraction: which node each variable holds now, and what joins at a branch."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Collection
from typing import Any

from codeviews.core.languages.python_nodes import CLOSURE, GLOBAL, NO_NODE, PARAM, PHI

Changes = dict[str, int]


class _Index(dict[tuple[Any, ...], int]):
    """The place of each node in the table; one that is not there yet is added."""

    __slots__ = ("table",)

    def __init__(self, table: list[Any]) -> None:
        super().__init__()
        self.table = table

    def __missing__(self, node: tuple[Any, ...]) -> int:
        found = self[node] = len(self.table)
        self.table.append(node)
        return found


class Nodes:
    """The node table of one file; equal nodes are stored once.

    ``make(node)`` gives the index of ``node``, which is added when it is new.
    """

    __slots__ = ("make", "table")

    def __init__(self) -> None:
        self.table: list[Any] = []
        self.make: Callable[[tuple[Any, ...]], int] = _Index(self.table).__getitem__

    def fresh(self, node: Any) -> int:
        """A new index even when an equal node exists (calls and containers are allocations)."""
        self.table.append(node)
        return len(self.table) - 1

    def join(self, values: Collection[int]) -> int:
        """One node for several, NO_NODE left out; NO_NODE when there are none."""
        unique = dict.fromkeys(values)
        unique.pop(NO_NODE, None)
        if len(unique) > 1:
            return self.make((PHI, tuple(unique)))
        return next(iter(unique)) if unique else NO_NODE


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
    seen them, each with the number of functions that were defined before it went; a value replaced
    before any call was seen by nobody.
    """

    __slots__ = (
        "bases",
        "body",
        "born",
        "calls",
        "definitions",
        "env",
        "globals",
        "in_loop",
        "kept",
        "kind",
        "late",
        "logs",
        "loops",
        "nodes",
        "nonlocals",
        "owner",
        "params",
        "parent",
        "phis",
        "position",
        "returns",
        "self_name",
        "stored",
        "symbol",
        "tries",
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
        self.tries: list[list[Changes]] = []  # values that a part of a ``try`` body left behind
        self.calls = 0
        self.definitions = 0  # scopes opened inside so far
        self.body: list[ast.stmt] = []
        self.late = False  # a lambda that is kept: what it reads may be rebound before it runs
        self.phis: dict[str, list[list[int]]] = {}  # name -> [PHI of a kept lambda, calls so far]
        self.position = parent.definitions if parent is not None else 0
        self.in_loop = parent is not None and bool(parent.loops or parent.in_loop)
        if parent is not None:
            parent.definitions += 1
        self.born: dict[str, int] = {}
        self.kept: dict[str, list[tuple[int, int]]] = {}
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
        # Nobody but the body itself reads the names of a class before it is made.
        if old is not None and self.kind != "class" and self.calls > self.born.get(name, 0):
            self.keep(name, old)
        self.born[name] = self.calls
        env[name] = node
        if name in self.phis:
            self._rebind_phis(name, node)
        if self.loops:
            self.loops[-1].bound.add(name)
        if name in self.bases:
            self.forget(name)

    def late_read(self, name: str, found: int) -> int:
        """What a kept lambda reads: the value of now and those the name gets later."""
        if name not in _rebound(self.body):
            return found
        phi = self.nodes.fresh((PHI, (found,)))
        self.phis.setdefault(name, []).append([phi, self.calls])
        return phi

    def _rebind_phis(self, name: str, node: int) -> None:
        for pair in self.phis[name]:
            phi, calls = pair
            seen = self.nodes.table[phi][1]
            self.nodes.table[phi] = (PHI, (*(seen[:-1] if calls == self.calls else seen), node))
            pair[1] = self.calls

    def keep(self, name: str, node: int) -> None:
        """Remember a value that other functions may see."""
        if node >= 0 and "." not in name:
            self.kept.setdefault(name, []).append((node, self.definitions))
            for partial in self.tries:
                partial.append({name: node})

    def seen_from(self, name: str, position: int) -> list[int] | None:
        """The values a scope opened as number ``position`` can see; None when it sees all."""
        kept = self.kept.get(name)
        if kept is None:
            return None
        alive = [node for node, definitions in kept if definitions > position]
        if len(alive) == len(kept) or name in self.volatile:
            return None
        return [*alive, self.env.get(name, NO_NODE)]

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
        return self.nodes.join([value for value in values if value is not None])

    def changed_since(self, depth: int) -> Changes:
        """The variables changed since the log had ``depth`` entries, with their present values."""
        names = {name for log in self.logs[depth:] for name in log}
        return {name: self.env[name] for name in sorted(names) if name in self.env}

    def _joined_kept(self, name: str, node: int) -> int:
        return self.nodes.join([*(value for value, _ in self.kept[name]), node])

    def visible(self) -> dict[str, int]:
        """Name -> the values that other scopes can read."""
        found: dict[str, int] = {}
        kept = self.kept
        for name, node in self.env.items():
            if "." not in name:
                found[name] = node if name not in kept else self._joined_kept(name, node)
        for name in kept:
            if name not in found:
                found[name] = self._joined_kept(name, NO_NODE)
        return {name: node for name, node in found.items() if node >= 0}

    def finals(self) -> dict[str, int]:
        """Name -> the last value, for names whose earlier values other scopes can read too."""
        last = {name: self.env.get(name, NO_NODE) for name in self.kept}
        return {name: n for name, n in last.items() if n >= 0 and name not in self.volatile}


def _rebound(body: list[ast.stmt]) -> set[str]:
    """Names that a body assigns more than once, targets of comprehensions left out."""
    inner: set[int] = set()
    names: Counter[str] = Counter()
    for node in (part for statement in body for part in ast.walk(statement)):
        if isinstance(node, ast.comprehension):
            inner.update(id(part) for part in ast.walk(node.target))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names[node.id] += id(node) not in inner
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            names[node.name] += 1
        elif isinstance(node, ast.arg):
            names[node.arg] += 1
    return {name for name, count in names.items() if count > 1}
