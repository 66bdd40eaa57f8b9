"""Writing edges, overrides and unresolved sites of one file from what interpretation found."""

from __future__ import annotations

from codeviews.core.facts import (
    AMBIGUOUS,
    BUILTIN,
    DECLARATION,
    TEST,
    UNKNOWN,
    Edge,
    FileEdges,
    Site,
    Unresolved,
)
from codeviews.core.resolve.js_hierarchy import Hierarchy, Name
from codeviews.core.resolve.js_ledger import Ledger
from codeviews.core.resolve.js_program import Module, Program
from codeviews.core.resolve.js_values import SymbolRef

TIERS = "ABC"
MAX_TARGETS = 8
MIN_UNIQUE_NAME = 4

# Names of methods that builtin values have: a receiver of unknown type may well be one of them.
BUILTIN_METHODS = frozenset(
    [
        "add", "all", "any", "append", "apply", "assign", "at", "bind", "call", "catch",
        "charAt", "clear", "click", "close", "concat", "copy", "create", "delete",
        "destroy", "emit", "end", "endsWith", "entries", "error", "every", "exec", "fill",
        "filter", "finally", "find", "findIndex", "flat", "flatMap", "focus", "forEach",
        "format", "from", "get", "getItem", "getTime", "has", "hasOwnProperty", "includes",
        "indexOf", "info", "init", "isArray", "join", "json", "keys", "lastIndexOf",
        "length", "load", "log", "map", "match", "next", "normalize", "off", "on", "once",
        "open", "padEnd", "padStart", "parse", "pipe", "play", "pop", "push", "query",
        "race", "read", "reduce", "reject", "remove", "removeItem", "render", "repeat",
        "replace", "reset", "resolve", "reverse", "run", "save", "search", "send", "set",
        "setItem", "shift", "size", "slice", "some", "sort", "splice", "split", "start",
        "startsWith", "stop", "stringify", "subscribe", "substring", "test", "text", "then",
        "toFixed", "toISOString", "toJSON", "toLowerCase", "toString", "toUpperCase",
        "trim", "trimEnd", "trimStart", "unshift", "update", "value", "valueOf", "values",
        "warn", "write",
    ]
)  # fmt: skip


class EdgeWriter:
    """Turns findings of one program into edges between store-wide ids."""

    def __init__(self, program: Program, ledger: Ledger, hierarchy: Hierarchy) -> None:
        self._program = program
        self._ledger = ledger
        self._hierarchy = hierarchy
        self._marks = program.repo.paths()
        self._names: dict[str, dict[str, tuple[int, int]]] = {}

    def write(self, module: Module, result: FileEdges) -> None:
        """Add all edges and unresolved sites of ``module`` to ``result``."""
        for index, site in enumerate(module.file.facts.sites):
            self._write_site(module, index, site, result)
        self._write_extra(module, result)
        self._write_overrides(module, result)

    def _write_site(self, module: Module, index: int, site: Site, result: FileEdges) -> None:
        where = (module.path, index)
        source = module.file.ids[site.scope]
        edges: dict[int, Edge] = {}
        for ref, finding in sorted(self._ledger.targets.get(where, {}).items()):
            target = self._id(ref, module.path)
            if target is not None:
                tier = TIERS[finding.rank]
                edges[target] = Edge(source, target, site.kind, site.line, tier, finding.rule)
        virtual = self._write_virtual(module, where, site, edges, result)
        result.edges.extend(edges.values())
        if where in self._ledger.crowded and not virtual:
            count = self._ledger.reasons.get(where, (AMBIGUOUS, MAX_TARGETS + 1))[1]
            left = Unresolved(source, site.kind, site.name, site.line, AMBIGUOUS, count)
            result.unresolved.append(left)
        if not edges and not virtual:
            self._write_unresolved(module, where, site, result)

    def _write_virtual(
        self,
        module: Module,
        where: tuple[str, int],
        site: Site,
        edges: dict[int, Edge],
        result: FileEdges,
    ) -> bool:
        source = module.file.ids[site.scope]
        names: set[Name] = set()
        for call in self._ledger.virtual.get(where, ()):
            names |= set(self._hierarchy.overriding(self._hierarchy.name(call.cls), call.method))
        found = {self._named_id(name, module.path, defined=True) for name in names}
        targets = sorted(t for t in found if t is not None and t not in edges)
        if len(targets) > MAX_TARGETS:
            many = Unresolved(source, site.kind, site.name, site.line, AMBIGUOUS, len(targets))
            result.unresolved.append(many)
            return True
        for target in targets:
            edges[target] = Edge(source, target, site.kind, site.line, "C", "overriding method")
        return False

    def _write_unresolved(
        self, module: Module, where: tuple[str, int], site: Site, result: FileEdges
    ) -> None:
        source = module.file.ids[site.scope]
        reason, count = self._ledger.reasons.get(where, (UNKNOWN, 0))
        unique = self._unique(module, site) if reason == UNKNOWN else None
        if reason == UNKNOWN and self._is_builtin(site):
            reason = BUILTIN
        if unique is not None:
            edge = Edge(source, unique, site.kind, site.line, "D", "unique method name")
            result.edges.append(edge)
        else:
            left = Unresolved(source, site.kind, site.name, site.line, reason, count)
            result.unresolved.append(left)

    def _is_builtin(self, site: Site) -> bool:
        """A method that builtin values have and no class of the repository."""
        owner, _, name = site.name.rpartition(".")
        return bool(owner) and name in BUILTIN_METHODS and name not in self._hierarchy.by_method

    def _unique(self, module: Module, site: Site) -> int | None:
        owner, dot, name = site.name.rpartition(".")
        if site.kind != "calls" or not dot or not owner or site.extra:
            return None
        if len(name) < MIN_UNIQUE_NAME or name in BUILTIN_METHODS:
            return None
        holders = self._hierarchy.by_method.get(name, [])
        if len(holders) != 1:
            return None
        path, qualname = holders[0][0], self._hierarchy.methods[holders[0]][name]
        return self._named_id((path, qualname), module.path)

    def _id(self, ref: SymbolRef, source: str) -> int | None:
        if not self._allowed(ref[0], source):
            return None
        module = self._program.module(ref[0])
        return module.file.ids[ref[1]] if module is not None else None

    def _named_id(self, name: Name, source: str, *, defined: bool = False) -> int | None:
        """The id of a symbol by name; ``defined`` leaves out mere declarations."""
        if not self._allowed(name[0], source):
            return None
        found = self._symbols(name[0]).get(name[1])
        if found is None or (defined and found[1] & DECLARATION):
            return None
        return found[0]

    def _symbols(self, path: str) -> dict[str, tuple[int, int]]:
        """Qualified name -> (id, flags) of a file."""
        if path not in self._names:
            module = self._program.module(path)
            pairs = zip(module.file.facts.symbols, module.file.ids, strict=True) if module else ()
            self._names[path] = {s.qualname: (number, s.flags) for s, number in pairs}
        return self._names[path]

    def _allowed(self, target: str, source: str) -> bool:
        """Production code never resolves to tests."""
        marks = self._marks
        return not marks.get(target, 0) & TEST or bool(marks.get(source, 0) & TEST)

    def _write_extra(self, module: Module, result: FileEdges) -> None:
        found = self._ledger.extra.get(module.path, {})
        for (scope, ref, kind, line), finding in sorted(found.items()):
            target = self._id(ref, module.path)
            if target is not None:
                source = module.file.ids[scope]
                tier = TIERS[finding.rank]
                result.edges.append(Edge(source, target, kind, line, tier, finding.rule))

    def _write_overrides(self, module: Module, result: FileEdges) -> None:
        """Methods of this file's classes that override or implement one of a base."""
        symbols = module.file.facts.symbols
        by_name = {symbol.qualname: index for index, symbol in enumerate(symbols)}
        for qualname, _, methods in self._hierarchy.rows(module.path):
            for method, own in methods:
                target = self._overridden((module.path, qualname), method)
                index = by_name.get(own)
                if target is None or index is None or method == "constructor":
                    continue
                if symbols[index].flags & DECLARATION and not symbols[index].parent:
                    continue
                line = symbols[index].start_line
                edge = Edge(module.file.ids[index], target, "overrides", line, "A", "base class")
                result.edges.append(edge)

    def _overridden(self, cls: Name, method: str) -> int | None:
        seen: set[Name] = set()
        waiting = list(self._hierarchy.bases.get(cls, ()))
        while waiting and len(seen) < 200:
            current = waiting.pop(0)
            if current in seen:
                continue
            seen.add(current)
            qualname = self._hierarchy.methods.get(current, {}).get(method)
            if qualname is not None:
                return self._named_id((current[0], qualname), cls[0])
            waiting += self._hierarchy.bases.get(current, ())
        return None
