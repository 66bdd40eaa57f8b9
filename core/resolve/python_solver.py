"""The solver: value sets of nodes by demand, and a worklist to the fixpoint.

``get`` computes a node on first use and remembers who read it. A node whose value can no longer
change is final and needs no readers. Values only grow, sets are bounded, so the worklist ends.

A function whose result depends on its parameters is evaluated once more per call (an
:class:`Environment`), at most ``CONTEXT_DEPTH`` calls deep: closures made by one factory and
methods that return ``self`` stay apart.
"""

# Nodes and values are tuples of several shapes, told apart by their first element.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable
from typing import Any

from codeviews.core.facts import RepoView
from codeviews.core.languages import python_nodes as op
from codeviews.core.resolve.python_contexts import (
    Contexts,
    Environment,
    Readers,
    add_reader,
    readers_of,
)
from codeviews.core.resolve.python_dependence import Dependence
from codeviews.core.resolve.python_modules import Modules
from codeviews.core.resolve.python_units import Unit
from codeviews.core.resolve.python_values import EMPTY, LIMIT, MANY, Values, ValueTable

CONTEXT_DEPTH = 3
_STACK = 110  # nested evaluations before the rest waits in the worklist
_INPUTS = 200  # arguments of one parameter; what comes later adds hardly anything new
_STEPS = 100  # evaluations of one node before its value is left as it is
_CONTEXT = 1 << 40
_SITE = 2 << 40
_EFFECT = 3 << 40
_CONTENT = 4 << 40
_NODE_MASK = (1 << 40) - 1


_PENDING: Values = {}  # the value of a node that is being computed

Operation = Callable[[Any, Unit, Any, int, Environment | None], Values]


def _no_values(state: Any, unit: Unit, record: Any, node: int, env: Environment | None) -> Values:
    return EMPTY


class Solver:
    """Value sets of all nodes of a repository."""

    def __init__(self, repo: RepoView, operations: dict[int, Operation]) -> None:
        self.repo = repo
        self.operations = [
            operations.get(i, _no_values) for i in range(max(operations, default=0) + 1)
        ]
        self.state: Any = None  # what operations work on; set by the owner of the solver
        self.modules = Modules(repo.paths(), repo.read, repo.name())
        self.table = ValueTable()
        self.units: list[Unit] = []
        self.by_path: dict[str, Unit | None] = {}
        self.bases: list[int] = []
        self.next_base = 1
        self.readers: Readers = {}
        self.cell_readers: Readers = {}
        self.sets: dict[Any, Values] = {}
        self.queue: deque[int] = deque()
        self.queued: set[int] = set()
        self.steps: dict[int, int] = {}
        self.current = 0
        self.tainted = False
        self.settled = False
        self.depth = 0
        self.contexts = Contexts()
        self.environments = self.contexts.environments
        self.depends = Dependence().of
        self.inputs: dict[int, dict[int, None]] = {}  # parameter -> arguments
        self.contents: dict[int, Values] = {}
        self.on_content: Callable[[Unit, int, Values], None] = lambda unit, node, out: None
        self.on_site: Callable[[Unit, int], None] = lambda unit, index: None
        self.on_effect: Callable[[Unit, int], None] = lambda unit, index: None

    # units

    def unit(self, path: str) -> Unit | None:
        """The unit of a file, loaded on first use; None when it is not indexed."""
        if path not in self.by_path:
            file = self.repo.file(path)
            self.by_path[path] = None
            if file is not None and file.facts.language == "python":
                self.add_unit(Unit(file, len(self.units), self.next_base, live=False))
        return self.by_path[path]

    def add_unit(self, unit: Unit) -> None:
        """Register a unit under its path."""
        self.units.append(unit)
        self.bases.append(unit.base)
        self.next_base += max(len(unit.nodes), len(unit.calls), len(unit.effects)) + 1
        self.by_path[unit.path] = unit

    def owner(self, key: int) -> Unit:
        """The unit of a node key."""
        return self.units[bisect_right(self.bases, key) - 1]

    # evaluation

    def get(self, unit: Unit, node: int) -> Values:
        """The present values of a node; whoever is being computed is told when they grow."""
        found = unit.values[node]
        if found is None:
            found = self._compute(unit, node)
        if not unit.final[node]:
            self.tainted = True
            if self.current:
                add_reader(self.readers, unit.base + node, self.current)
        return found

    def read(self, unit: Unit, node: int, env: Environment | None) -> Values:
        """The values of a node in a call's environment."""
        if env is None:
            found = unit.values[node]
            return found if found is not None and unit.final[node] else self.get(unit, node)
        key = unit.base + node
        memo = env.memo
        if memo is None:
            memo = env.memo = {}
        known = memo.get(key)
        if known is not None:
            if known is _PENDING:
                self.tainted = True
            return known
        if unit.nodes[node][0] == op.PARAM and key in env.params:
            return env.params[key]
        if self.depth > _STACK or self.depends(unit, node).isdisjoint(env.params):
            return self.get(unit, node)
        memo[key] = _PENDING
        self.depth += 1
        record = unit.nodes[node]
        found = self.operations[record[0]](self.state, unit, record, node, env)
        self.depth -= 1
        memo[key] = found
        return found

    def grows(self, cell: Any) -> None:
        """The node being computed reads a cell that may get more inputs."""
        if self.settled:
            return
        self.tainted = True
        if self.current:
            add_reader(self.cell_readers, cell, self.current)

    def grown(self, cell: Any) -> None:
        """A cell got a new input: its readers are computed again."""
        for key in readers_of(self.cell_readers, cell):
            self.enqueue(key)

    def enqueue(self, key: int) -> None:
        """Put a node, site or effect into the worklist."""
        if key not in self.queued:
            self.queued.add(key)
            self.queue.append(key)

    def _compute(self, unit: Unit, node: int) -> Values:
        key = unit.base + node
        if self.depth > _STACK:
            self.enqueue(key)
            return EMPTY
        unit.values[node] = EMPTY
        record = unit.nodes[node]
        saved = self.current
        outer_tainted = self.tainted
        self.current, self.tainted = key, False
        self.depth += 1
        found = self.operations[record[0]](self.state, unit, record, node, None)
        self.depth -= 1
        if not self.tainted:
            unit.final[node] = 1
        self.current, self.tainted = saved, outer_tainted
        unit.values[node] = found = self.shared(found)
        if found and key in self.readers:
            self._tell(key)
        return found

    def shared(self, values: Values) -> Values:
        """One object for equal value sets; nobody may change it."""
        if len(values) == 1:
            (value,) = values
            key: Any = value << 2 | values[value]
        elif not values:
            return EMPTY
        else:
            key = tuple(values.items())
        return self.sets.setdefault(key, values)

    def _tell(self, key: int) -> None:
        for reader in readers_of(self.readers, key):
            self.enqueue(reader)

    def run(self) -> None:
        """Work until nothing changes."""
        while self.queue:
            key = self.queue.popleft()
            self.queued.discard(key)
            steps = self.steps[key] = self.steps.get(key, 0) + 1
            if steps > _STEPS:
                continue
            self.current, self.tainted, self.depth = key, False, 0
            if key < _CONTEXT:
                self._again(key)
            elif key < _SITE:
                self._context_again(key - _CONTEXT)
            elif key < _EFFECT:
                unit = self.owner(key & _NODE_MASK)
                self.on_site(unit, (key & _NODE_MASK) - unit.base)
            elif key < _CONTENT:
                unit = self.owner(key & _NODE_MASK)
                self.on_effect(unit, (key & _NODE_MASK) - unit.base)
            else:
                self._fill(key)
        self.current = 0
        self._settle()

    def _settle(self) -> None:
        """Nothing grows any more: what is computed from now on is final at once."""
        self.settled = True
        self.steps.clear()
        for unit in self.units:
            unit.final = bytearray(values is not None for values in unit.values)
        self.contexts.final = bytearray(b"\1") * len(self.contexts.final)

    def _again(self, key: int) -> None:
        unit = self.owner(key)
        node = key - unit.base
        record = unit.nodes[node]
        if unit.final[node]:
            return
        found = self.operations[record[0]](self.state, unit, record, node, None)
        if not self.tainted:
            unit.final[node] = 1
        merged = _merged(unit.values[node], found)
        if merged is not None:
            unit.values[node] = self.shared(merged)
            self._tell(key)

    # sites and effects, processed now and again when what they read grows

    def process_site(self, unit: Unit, index: int) -> None:
        """Bind the arguments of one call site."""
        self._process(_SITE | (unit.base + index), self.on_site, unit, index)

    def process_effect(self, unit: Unit, index: int) -> None:
        """Apply one attribute or item assignment."""
        self._process(_EFFECT | (unit.base + index), self.on_effect, unit, index)

    def _process(
        self, key: int, action: Callable[[Unit, int], None], unit: Unit, index: int
    ) -> None:
        self.current = key
        action(unit, index)
        self.current = 0

    # parameters

    def add_input(self, param: int, argument: int, mode: int) -> None:
        """A call passes ``argument`` (a node key) to a parameter node.

        ``mode`` is -1 for the value itself, else the mode of ITER by which its elements are passed.
        """
        inputs = self.inputs.get(param)
        if inputs is None:
            inputs = self.inputs[param] = {}
        written = argument << 2 | mode + 1
        if written not in inputs and len(inputs) < _INPUTS:
            inputs[written] = None
            self.grown(param)

    def content(self, unit: Unit, node: int) -> Values:
        """What calls put into the ``*args`` or ``**kwargs`` of a parameter node."""
        key = _CONTENT | (unit.base + node)
        if key not in self.contents:
            if self.depth > _STACK:
                self.enqueue(key)
                self.contents[key] = EMPTY
            else:
                self.contents[key] = EMPTY
                saved, self.current = self.current, key
                self.depth += 1
                self._fill(key)
                self.depth -= 1
                self.current = saved
        if not self.settled:
            self.tainted = True
            if self.current:
                add_reader(self.readers, key, self.current)
        return self.contents[key]

    def _fill(self, key: int) -> None:
        unit = self.owner(key & _NODE_MASK)
        found: Values = {}
        self.on_content(unit, (key & _NODE_MASK) - unit.base, found)
        merged = _merged(self.contents[key], found)
        if merged is not None:
            self.contents[key] = merged
            self._tell(key)

    # contexts

    def in_context(self, unit: Unit, node: int, number: int) -> Values:
        """The values of a node in an environment, remembered and kept up to date."""
        contexts = self.contexts
        index, is_new = contexts.index(unit.base + node, number)
        if is_new:
            self._evaluate_context(index)
        if not contexts.final[index]:
            self.tainted = True
            if self.current:
                add_reader(self.readers, _CONTEXT + index, self.current)
        return contexts.values[index] or EMPTY

    def _evaluate_context(self, index: int) -> None:
        key = _CONTEXT + index
        if self.depth > _STACK:
            self.enqueue(key)
            return
        saved, outer_tainted = self.current, self.tainted
        self.current, self.tainted = key, False
        found = self._read_context(index)
        if not self.tainted:
            self.contexts.final[index] = 1
        self.current, self.tainted = saved, outer_tainted
        self.contexts.values[index] = found
        if found:
            self._tell(key)

    def _read_context(self, index: int) -> Values:
        key, env = self.contexts.place(index)
        unit = self.owner(key)
        return self.shared(self.read(unit, key - unit.base, env))

    def _context_again(self, index: int) -> None:
        merged = _merged(self.contexts.values[index], self._read_context(index))
        if merged is not None:
            self.contexts.values[index] = self.shared(merged)
            self._tell(_CONTEXT + index)


def _merged(old: Values | None, new: Values) -> Values | None:
    """``old`` and ``new`` together; None when that is ``old``."""
    if not old:
        return new or None
    if new == old or all(old.get(value, 9) <= tier for value, tier in new.items()):
        return None
    merged = dict(old)
    for value, tier in new.items():
        if merged.get(value, 9) > tier:
            merged[value] = tier
    return new if len(merged) > LIMIT and MANY not in new else merged
