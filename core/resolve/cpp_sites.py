"""What every kind of C++ site needs: its scope, overload choice, virtual sets, edges."""

from __future__ import annotations

from codeviews.core.facts import (
    AMBIGUOUS,
    DYNAMIC,
    EXTERNAL,
    TEST,
    TIER_FLOW,
    Edge,
    FileEdges,
    Site,
    SourceFile,
    Unresolved,
)
from codeviews.core.resolve.c_choice import MANY
from codeviews.core.resolve.c_names import FileScope
from codeviews.core.resolve.c_pointers import Pointers
from codeviews.core.resolve.cpp_index import Function
from codeviews.core.resolve.cpp_types import Evaluator


class CppSites:
    """One file's sites and the edges found for them."""

    def __init__(self, scope: FileScope, pointers: Pointers, source: SourceFile) -> None:
        self.index = scope.index
        self.cpp = scope.index.cpp
        self.pointers = pointers
        self.source = source
        self.number = scope.number
        self.names = scope
        self.found = FileEdges(source.path)
        self.evaluators: dict[int, Evaluator] = {}
        self.local: dict[tuple[int, str], list[str]] = {}

    def evaluator(self, scope: int) -> Evaluator:
        """The evaluator of the function (or class) a site stands in."""
        if scope not in self.evaluators:
            self.evaluators[scope] = Evaluator(self.index, self.number, self._scope_name(scope))
        return self.evaluators[scope]

    def _scope_name(self, scope: int) -> str:
        symbols = self.source.facts.symbols
        while scope > 0:
            function = self.cpp.by_id.get(self.source.ids[scope])
            if function is not None:
                return function.scope
            if symbols[scope].kind in ("class", "struct", "union", "namespace"):
                return symbols[scope].qualname.partition("#")[0]
            scope = symbols[scope].parent
        return ""

    def edge(self, site: Site, target: int, tier: str, rule: str, kind: str = "") -> None:
        """Store one edge of a site."""
        source = self.source.ids[site.scope]
        self.found.edges.append(Edge(source, target, kind or site.kind, site.line, tier, rule))

    def unresolved(self, site: Site, reason: str, several: int = 0) -> None:
        """Store a site without a target."""
        source = self.source.ids[site.scope]
        self.found.unresolved.append(
            Unresolved(source, site.kind, site.name, site.line, reason, several)
        )

    def choose(
        self,
        site: Site,
        overloads: list[Function],
        arguments: list[str],
        tier: str,
        rule: str,
        exact: bool,
        holder: str = "",
    ) -> None:
        """Store the overloads that fit; with ``exact`` no overriding methods beside them."""
        chosen = self.evaluator(site.scope).select(overloads, arguments)
        if not chosen:
            self.unresolved(site, EXTERNAL)
        if len(chosen) > MANY:
            self.unresolved(site, AMBIGUOUS, len(chosen))
            return
        if len(chosen) > 1:
            tier, rule = TIER_FLOW, "overloads"
        source = self.source.ids[site.scope]
        for function in chosen:
            if function.id != source or rule == "scope":
                self.edge(site, function.id, tier, rule)
        if not exact and chosen:
            self._virtual(site, chosen[0], holder or chosen[0].scope)

    def _virtual(self, site: Site, function: Function, holder: str) -> None:
        """The overriding methods a call through a pointer or reference may reach."""
        if function.scope not in self.cpp.classes or not self.cpp.is_virtual(function):
            return
        targets: dict[int, None] = {}
        for name in self.cpp.descendants(holder):
            methods = self.cpp.classes[name].methods.get(function.name, ())
            same = [m for m in methods if len(m.types) == len(function.types)]
            defined = [m for m in same if not m.is_declaration] or same
            if not self.names.is_test:
                defined = [m for m in defined if not self.index.marks[m.file] & TEST]
            targets.update(dict.fromkeys(m.id for m in defined))
        source = self.source.ids[site.scope]
        targets.pop(source, None)
        if len(targets) > MANY:
            self.unresolved(site, AMBIGUOUS, len(targets))
            return
        for target in targets:
            self.edge(site, target, TIER_FLOW, "override")

    def class_ids(self, name: str) -> list[tuple[int, int]]:
        """(file, symbol) of the definitions of a class that this file means."""
        ids = self.cpp.classes[name].ids
        own = [pair for pair in ids if pair[0] == self.number]
        seen = [pair for pair in ids if self.index.reaches(self.names.mask, pair[0])]
        return (own or seen or ids)[:MANY]

    def dispatch(self, site: Site, targets: list[int], rule: str) -> None:
        """Store a call that reaches any of several stored functions."""
        source = self.source.ids[site.scope]
        targets = [target for target in dict.fromkeys(targets) if target != source]
        if not targets:
            self.unresolved(site, DYNAMIC)
        elif len(targets) > MANY:
            self.unresolved(site, AMBIGUOUS, len(targets))
        for target in targets if len(targets) <= MANY else ():
            self.edge(site, target, TIER_FLOW, rule)
