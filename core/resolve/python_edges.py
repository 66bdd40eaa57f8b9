"""From value sets to edges: every site of a file gets its targets or the reason it has none."""

# Nodes and values are tuples of several shapes, told apart by their first element.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, cast

from codeviews.core import facts
from codeviews.core.facts import Edge, FileEdges, Site, Unresolved
from codeviews.core.languages import python_nodes as op
from codeviews.core.resolve import python_values as v
from codeviews.core.resolve.python_calls import ENTERING
from codeviews.core.resolve.python_constructors import made_by
from codeviews.core.resolve.python_dispatch import is_generic, reached
from codeviews.core.resolve.python_given import GivenFunctions
from codeviews.core.resolve.python_guesses import Guesser
from codeviews.core.resolve.python_hooks import Hooks
from codeviews.core.resolve.python_names import NameIndex
from codeviews.core.resolve.python_outside import (
    Outside,
)
from codeviews.core.resolve.python_overrides import overrides, told_bases
from codeviews.core.resolve.python_special import SpecialMethods, Targets, put
from codeviews.core.resolve.python_state import State
from codeviews.core.resolve.python_units import Unit
from codeviews.core.resolve.python_values import Values

_new_edge = partial(cast("Callable[[type[Edge], tuple[Any, ...]], Edge]", tuple.__new__), Edge)
_new_site = cast("Callable[[type[Unresolved], tuple[Any, ...]], Unresolved]", tuple.__new__)
_TIERS = "ABC"
_DYNAMIC = frozenset([op.ITEM, op.PATTERN, op.CALL, op.UNKNOWN])
_DYNAMIC_NAMES = frozenset(["eval", "exec", "getattr", "globals", "locals", "vars", "__import__"])


class EdgeMaker:
    """Makes the edges of one unit after another."""

    def __init__(self, state: State, names: NameIndex) -> None:
        self.state = state
        self.names = names
        self.guesser = Guesser(state, names)
        self.unit: Unit = state.solver.units[0] if state.solver.units else None  # type: ignore[assignment]
        self.edges: dict[tuple[int, int, str, int], tuple[str, str]] = {}
        self.result = FileEdges("")
        self._call: Any = ()  # the record of the site at hand
        self._methods = SpecialMethods(state, names)
        self._hooks = Hooks(state, names)
        self._given = GivenFunctions(state, self._methods, self._hooks)
        self._outside = Outside(state.table)
        self._unreferable: set[int] = set()  # ids of shared sets of values
        self._made: dict[int, list[tuple[int, int]]] = {}  # by the same: the instances in a set

    def file(self, unit: Unit) -> FileEdges:
        """All edges of one file."""
        self.unit = unit
        self.edges = {}
        self.result = FileEdges(unit.path)
        sites, implicit, reads = unit.late()
        nodes = unit.nodes
        for site, node in zip(sites, unit.calls, strict=True):
            self._site(site, nodes[node], node)
        for node, line, scope in implicit:
            self._implicit(nodes[node], line, scope)
        for node, line, scope in reads:
            self._read(nodes[node], node, line, scope)
        self._setters()
        self._overrides()
        self.result.edges = [_new_edge(key + how) for key, how in self.edges.items()]
        return self.result

    # sites

    def _site(self, site: Site, record: Any, node: int) -> None:
        callee = record[1] if site.kind != "inherits" else node
        self._call = record
        unit = self.unit
        values = self.state.solver.get(unit, callee)
        called = unit.nodes[callee]
        if called[0] == op.ATTR:
            hooks = self._hooks.read(unit, called)
            if hooks:
                self._put_edges(hooks, site.line, site.scope)
        if called[0] == op.ATTR and called[2] in ENTERING:
            self._entered(record, called[2], site)
        reason = self._outside.reason(values) if unit.final[callee] else ""
        if reason:
            if site.extra != "raise":
                named = facts.ANY_TEXT not in site.name or reason != facts.BUILTIN
                self._unresolved(site, reason if named else facts.DYNAMIC, 0)
            return
        targets: Targets = {}
        floor = v.C if v.MANY in values and self._is_one_of_many(callee) else v.A
        for value, tier in values.items():
            self._targets(site, callee, value, max(tier, floor) if tier else tier, targets)
        if site.kind == "calls" and record[0] == op.CALL:
            self._given.add(unit, record, values, targets)
        kept = {target: how for target, how in targets.items() if self._allowed(target)}
        for target, (tier, rule, kind) in kept.items():
            self._edge(site.scope, target, kind, site.line, _TIERS[tier], rule)
        if v.MANY in values:
            if kept or not self._guessed(site, record, callee):
                self._unresolved(site, facts.AMBIGUOUS, self._crowd(callee))
        elif not kept and site.extra != "raise":
            self._without_target(site, record, callee, values)

    def _targets(self, site: Site, callee: int, value: int, tier: int, out: Targets) -> None:
        table = self.state.table
        item = table.items[value]
        kind = item[0]
        if kind == v.FUNCTION:
            put(out, item[1:3], tier, self._rule(callee, value, tier), site.kind)
            self._dispatched(value, tier, site, out)
        elif kind == v.METHOD:
            inner = table.items[item[1]]
            if inner[0] == v.FUNCTION:
                put(out, inner[1:3], tier, self._rule(callee, value, tier), site.kind)
                self._dispatched(item[1], tier, site, out)
            else:
                self._targets(site, callee, item[1], tier, out)
        elif kind in v.CLASSES:
            self._made_by(site, callee, item[1], tier, out)
        elif kind == v.PARTIAL:
            self._targets(site, callee, item[1], tier, out)
        elif kind in v.INSTANCES and site.kind != "inherits" and site.extra != "raise":
            self._methods.add(("__call__",), value, tier, out)

    def _dispatched(self, generic: int, tier: int, site: Site, out: Targets) -> None:
        """The functions registered for a generic one."""
        if site.kind != "calls" or not is_generic(self.state, generic):
            return
        first = self._call[2][0] if self._call[2] else ()
        given = None if isinstance(first, tuple) else self.state.solver.get(self.unit, first)
        for function, own in reached(self.state, generic, given).items():
            item = self.state.table.items[function]
            put(out, item[1:3], max(tier, own), "dispatch", "calls")

    def _made_by(self, site: Site, callee: int, number: int, tier: int, out: Targets) -> None:
        """A class as a target, and what makes its instance."""
        info = self.state.classes.infos[number]
        target = (info.unit.index, info.symbol)
        put(out, target, tier, self._rule(callee, -1, tier), site.kind)
        if site.kind != "inherits":
            record = self.unit.nodes[callee]
            is_inside = record[0] == op.ATTR and record[2] == "__call__"
            made_by(self.state, number, self._call, tier, is_inside, out)

    def _entered(self, record: Any, name: str, site: Site) -> None:
        """``stack.enter_context(x)`` enters and leaves ``x`` like ``with x``."""
        if record[0] != op.CALL or not record[2] or isinstance(record[2][0], tuple):
            return
        entering = ENTERING[name]
        targets: Targets = {}
        for value, tier in self._instances(record[2][0]):
            self._methods.add((entering,), value, tier, targets)
            self._methods.add((entering.replace("enter", "exit"),), value, tier, targets)
        self._put_edges(targets, site.line, site.scope)

    def _rule(self, callee: int, value: int, tier: int) -> str:
        record = self.unit.nodes[callee]
        if tier == v.C:
            return "override" if self._is_override(record, value) else "flow"
        if record[0] == op.IMPORT:
            return "import"
        if record[0] != op.ATTR:
            return "scope" if tier == v.A else "flow-local"
        base = self.state.solver.get(self.unit, record[1])
        kinds = {self.state.table.kinds[item] for item in base}
        if v.SUPER in kinds:
            return "super"
        if v.MODULE in kinds:
            return "import"
        return "self" if tier == v.A and v.DECLARED in kinds else "class" if tier == v.A else "type"

    def _is_override(self, record: Any, value: int) -> bool:
        """Whether a method is reached by dispatch and not by what flows into the receiver."""
        if record[0] != op.ATTR or value < 0 or self.state.table.kinds[value] != v.METHOD:
            return False
        return any(tier < v.C for tier in self.state.solver.get(self.unit, record[1]).values())

    def _is_one_of_many(self, callee: int) -> bool:
        """Whether more values than are known reach a callee or its receiver."""
        record = self.unit.nodes[callee]
        return record[0] != op.ATTR or v.MANY in self.state.solver.get(self.unit, record[1])

    def _crowd(self, callee: int) -> int:
        record = self.unit.nodes[callee]
        if record[0] == op.ATTR:
            for value in self.state.solver.get(self.unit, record[1]):
                item = self.state.table.items[value]
                known = self.state.crowds.get((item[1], record[2])) if len(item) == 2 else None
                if known is not None:
                    return known
        return v.LIMIT + 1

    # without a target

    def _without_target(self, site: Site, call: Any, callee: int, values: Values) -> None:
        kinds = {self.state.table.kinds[value] for value in values}
        if v.EXTERNAL in kinds:
            self._unresolved(site, facts.EXTERNAL, 0)
        elif kinds & {v.BUILTIN_NAME, v.BUILTIN_METHOD, v.GETTER}:
            self._unresolved(site, facts.BUILTIN, 0)
        else:
            self._by_name(site, call, callee)

    def _by_name(self, site: Site, call: Any, callee: int) -> None:
        record = self.unit.nodes[callee]
        hooked = self._hooked(record, site)
        if self._guessed(site, call, callee):
            return
        dynamic = hooked or record[0] in _DYNAMIC
        self._unresolved(site, facts.DYNAMIC if dynamic else facts.UNKNOWN, 0)

    def _guessed(self, site: Site, call: Any, callee: int) -> bool:
        """Edges of tier D, when the name and the arguments leave one method or one family."""
        record = self.unit.nodes[callee]
        if record[0] != op.ATTR or site.kind != "calls":
            return False
        targets, rule = self.guesser.guess(record[2], call, self.unit.is_test)
        if (self.unit.index, site.scope) in targets:
            return False
        for target in targets:
            self._edge(site.scope, target, "calls", site.line, "D", rule)
        return bool(targets)

    def _hooked(self, record: Any, site: Site) -> bool:
        """Whether the receiver answers unknown names by ``__getattr__``."""
        if record[0] != op.ATTR:
            return False
        targets: Targets = {}
        for value, tier in self._instances(record[1]):
            self._methods.add(("__getattr__",), value, tier, targets)
        self._put_edges(targets, site.line, site.scope)
        return bool(targets)

    def _unresolved(self, site: Site, reason: str, candidates: int) -> None:
        kind, name, line, scope, _ = site
        row = (self.unit.ids[scope], kind, name, line, reason, candidates)
        self.result.unresolved.append(_new_site(Unresolved, row))

    # what no call syntax shows

    def _implicit(self, record: Any, line: int, scope: int) -> None:
        of = self._hooks.read if record[0] == op.ATTR else self._methods.of_operation
        self._put_edges(of(self.unit, record), line, scope)

    def _instances(self, node: int) -> list[tuple[int, int]]:
        """The instances among the values of a node, with their tiers."""
        values = self.state.solver.get(self.unit, node)
        found = self._made.get(id(values))
        if found is None:
            kinds = self.state.table.kinds
            found = [item for item in values.items() if kinds[item[0]] in v.INSTANCES]
            self._made[id(values)] = found
        return found

    def _read(self, record: Any, node: int, line: int, scope: int) -> None:
        if record[0] == op.ATTR:
            hooks = self._hooks.read(self.unit, record)
            if hooks:
                self._put_edges(hooks, line, scope)
            if record[2] not in self.names.callables:
                return
        elif record[0] == op.GLOBAL and not self.names.is_definition(self.unit, record[1]):
            return
        values = self.state.solver.get(self.unit, node)
        if id(values) in self._unreferable:
            return
        targets: Targets = {}
        for value, tier in values.items():
            if tier < v.C and self.state.table.kinds[value] in _REFERABLE:
                self._reference(value, tier, targets)
        if not targets and self.unit.final[node]:
            self._unreferable.add(id(values))
            return
        if record[0] == op.ATTR:
            targets = {t: how for t, how in targets.items() if self._is_named(t, record[2])}
        self._put_edges(targets, line, scope)

    def _is_named(self, target: tuple[int, int], name: str) -> bool:
        qualname = self.state.solver.units[target[0]].names[target[1]]
        return qualname.rpartition(".")[2].partition("#")[0] == name

    def _reference(self, value: int, tier: int, out: Targets) -> None:
        item = self.state.table.items[value]
        if item[0] == v.METHOD:
            item = self.state.table.items[item[1]]
        if item[0] in v.CLASSES:
            info = self.state.classes.infos[item[1]]
            put(out, (info.unit.index, info.symbol), tier, "name", "references")
        elif item[0] == v.FUNCTION:
            put(out, item[1:3], tier, "name", "references")

    def _setters(self) -> None:
        """``x.name = value`` that calls a setter, ``__set__`` or ``__setattr__``."""
        for base, key, _, line, scope in self.unit.effects:
            if isinstance(key, str):
                self._put_edges(self._hooks.written(self.unit, base, key), line, scope)

    def _overrides(self) -> None:
        """Methods that replace one of a base; base classes that are told of a subclass."""
        for own, target, line in overrides(self.state, self.unit):
            self._edge(own, target, "overrides", line, "A", "mro")
        for scope, targets, line in told_bases(self.state, self.unit):
            self._put_edges(dict.fromkeys(targets, (v.A, "subclass", "implicit")), line, scope)
        for scope, targets, line in self._hooks.defined(self.unit):
            self._put_edges(targets, line, scope)

    # edges

    def _put_edges(self, targets: Targets, line: int, scope: int) -> None:
        for target, (tier, rule, kind) in targets.items():
            if self._allowed(target):
                self._edge(scope, target, kind, line, _TIERS[tier], rule)

    def _allowed(self, target: tuple[int, int]) -> bool:
        return self.unit.is_test or not self.state.solver.units[target[0]].is_test

    def _edge(
        self, scope: int, target: tuple[int, int], kind: str, line: int, tier: str, rule: str
    ) -> None:
        unit = self.state.solver.units[target[0]]
        key = (self.unit.ids[scope], unit.ids[target[1]], kind, line)
        known = self.edges.get(key)
        if known is None or tier < known[0]:
            self.edges[key] = (tier, rule)


_REFERABLE = frozenset([v.FUNCTION, v.METHOD, v.CLASS, v.SUBCLASS])
