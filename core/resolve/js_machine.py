"""Abstract interpretation of lowered JavaScript: statements, scopes, branches, modules.

Every module's top level is run in order, calls inline, with strong updates: what the program does
when it starts. Functions that no such run reached are then run on their own with what is known of
their parameters (declared types, values seen at call sites); there, what belongs to others is only
ever added to. All of it is bounded by steps, depth and values a variable.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from codeviews.core.resolve.js_ledger import Ledger
from codeviews.core.resolve.js_program import DONE, NEW, RUNNING, Module, Program
from codeviews.core.resolve.js_values import (
    EMPTY,
    INFERRED,
    Env,
    Obj,
    Value,
    join,
    only,
    raised,
)

MODULE_STEPS = 12_000  # statements run for one module's top level, inlined calls included
ROOT_STEPS = 600  # statements inlined into one function that is run on its own
MAX_MODULE_NESTING = 12

Ir = tuple[Any, ...]
RecordKey = tuple[str, int]  # (path, index of the function record)


class Machine:
    """State of one interpretation over a program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.ledger = Ledger()
        self.steps = 0
        self.limit = 0
        self.epoch = -2
        self.depth = 0
        self.nesting = 0
        self.alone = False  # whether functions are run on their own now
        self.scope = 0
        self.module: Module | None = None
        self.calling: tuple[str, int] | None = None  # site of the builtin call that is run
        self.returned: Value = EMPTY
        self.yielded: Value = EMPTY
        self.current: RecordKey = ("", -1)
        self.active: set[RecordKey] = set()
        self.ran: dict[RecordKey, int] = {}
        self.ran_own: set[RecordKey] = set()  # run on an instance of the very class
        self.missed: set[RecordKey] = set()
        self.results: dict[RecordKey, Value] = {}
        self.arguments: dict[RecordKey, list[Value]] = {}
        self.closures: dict[RecordKey, Obj] = {}
        self.types: dict[Any, Value] = {}
        self.specialized: dict[Any, Obj] = {}
        self.trail: list[tuple[dict[str, Value], str, Value | None]] = []
        self.branches = 0
        self.next_epoch = 1_000_000

    def run_module(self, module: Module) -> None:
        """Run a module's top level once; what it imports runs when it is first asked for."""
        if module.state != NEW or self.nesting >= MAX_MODULE_NESTING:
            return
        module.state = RUNNING
        saved = self.enter_root(module, module.env.epoch, MODULE_STEPS)
        self.nesting += 1
        try:
            run_block(self, module.env, module.flow[4], scoped=False)
        except RecursionError:
            self.calling = None
        self.nesting -= 1
        self.leave_root(saved)
        module.state = DONE

    def enter_root(self, module: Module, epoch: int, budget: int) -> tuple[Any, ...]:
        """Start an independent run; returns what :meth:`leave_root` restores."""
        saved = (
            self.limit,
            self.epoch,
            self.scope,
            self.module,
            self.returned,
            self.yielded,
            self.current,
            self.trail,
            self.branches,
            self.alone,
        )
        self.limit = self.steps + budget
        self.epoch, self.scope, self.module = epoch, 0, module
        self.returned = self.yielded = EMPTY
        self.current = (module.path, -1)
        self.trail, self.branches = [], 0
        self.alone = False
        return saved

    def leave_root(self, saved: tuple[Any, ...]) -> None:
        """Return to the run that was interrupted."""
        (
            self.limit,
            self.epoch,
            self.scope,
            self.module,
            self.returned,
            self.yielded,
            self.current,
            self.trail,
            self.branches,
            self.alone,
        ) = saved

    def write(self, table: dict[str, Value], name: str, value: Value) -> None:
        """Set an entry so that an enclosing branch can take it back."""
        if self.branches:
            self.trail.append((table, name, table.get(name)))
        table[name] = value

    def assign(self, env: Env, name: str, value: Value) -> None:
        """Assign to a variable where it is bound; undeclared names go to the module's scope."""
        holder = env.holder(name) or env.module.env
        if holder.epoch != self.epoch:
            value = join(holder.vars.get(name, EMPTY), value)
        self.write(holder.vars, name, value)

    def store(self, obj: Obj, name: str, value: Value) -> None:
        """Write a property: replace on objects of this run, add to those of others."""
        if obj.cls is not None and value:
            flows = obj.cls.flows
            flows[name] = join(flows.get(name, EMPTY), raised(value, INFERRED))
        if obj.epoch != self.epoch:
            value = join(obj.props.get(name, EMPTY), value)
        self.write(obj.props, name, value)


def run_block(m: Machine, env: Env, block: Ir | None, *, scoped: bool = True) -> bool:
    """Run a block; True when it surely ends in return or throw."""
    if block is None:
        return False
    if block[0] != "block":
        return run(m, env, block)
    _, hoisted, statements = block
    if scoped and (hoisted or any(s[0] in ("let", "class", "many") for s in statements)):
        env = Env(env, env.module, m.epoch)
    for name, index in hoisted:
        m.write(env.vars, name, only(make_function(m, env, index, name)))
    ended = False
    for part in statements:
        ended = run(m, env, part) or ended
    return ended


def run(m: Machine, env: Env, statement: Ir) -> bool:
    """Run one statement; True when it surely ends in return or throw."""
    m.steps += 1
    return STATEMENTS[statement[0]](m, env, statement)


def make_function(m: Machine, env: Env, index: int, name: str = "") -> Obj:
    """The function object of a record in this scope."""
    module: Module = env.module
    record = module.flow[0][index]
    function = Obj("fn", name, m.epoch)
    function.record, function.env, function.module, function.index = record, env, module, index
    function.symbol = (module.path, record[0]) if record[0] >= 0 else None
    function.scope = record[0] if record[0] >= 0 else m.scope
    function.proto = Obj("inst", name, m.epoch)
    function.proto.cls = function
    m.closures.setdefault((module.path, index), function)
    return function


def branch(m: Machine, arms: list[Callable[[], bool]], *, complete: bool) -> bool:
    """Run alternatives from the same state and join what they leave behind.

    ``complete``: one of them surely runs. True when all of them end in return or throw.
    """
    changes: list[dict[tuple[int, str], tuple[dict[str, Value], str, Value]]] = []
    ended = True
    for arm in arms:
        mark = len(m.trail)
        m.branches += 1
        stopped = arm()
        m.branches -= 1
        changed = _undo(m, mark)
        ended = ended and stopped
        if not stopped:
            changes.append(changed)
    if not complete:
        changes.append({})
        ended = False
    _merge(m, changes)
    return ended


def _undo(m: Machine, mark: int) -> dict[tuple[int, str], tuple[dict[str, Value], str, Value]]:
    changed: dict[tuple[int, str], tuple[dict[str, Value], str, Value]] = {}
    for table, name, _ in m.trail[mark:]:
        changed[id(table), name] = (table, name, table.get(name, EMPTY))
    for table, name, old in reversed(m.trail[mark:]):
        if old is None:
            table.pop(name, None)
        else:
            table[name] = old
    del m.trail[mark:]
    return changed


def _merge(
    m: Machine, changes: list[dict[tuple[int, str], tuple[dict[str, Value], str, Value]]]
) -> None:
    cells = {key: change[:2] for changed in changes for key, change in changed.items()}
    for key, (table, name) in cells.items():
        merged: Value = EMPTY
        for changed in changes:
            final = changed[key][2] if key in changed else table.get(name, EMPTY)
            merged = join(merged, final)
        m.write(table, name, merged)


STATEMENTS: dict[str, Callable[[Machine, Env, Ir], bool]] = {}


def sure(value: Value, source: Ir | None, *, const: bool) -> Value:
    """The rank a value keeps when it is bound to a name."""
    if const or (source is not None and source[0] in ("fn", "class", "call", "await")):
        return value
    return raised(value, INFERRED)
