"""C and C++: sites to edges.

C follows the language: the file's own scope, what its includes reach, then external definitions.
Calls through pointers go to every function stored in that field, variable or parameter (tier C).
"""

from __future__ import annotations

from collections.abc import Iterator

from codeviews.core.facts import (
    AMBIGUOUS,
    DYNAMIC,
    STATIC,
    TIER_FLOW,
    TIER_INFERRED,
    UNKNOWN,
    Edge,
    FileEdges,
    RepoView,
    Site,
    SourceFile,
    Unresolved,
)
from codeviews.core.resolve.c_choice import MANY, Meaning, Target
from codeviews.core.resolve.c_includes import Includes
from codeviews.core.resolve.c_index import Index, build
from codeviews.core.resolve.c_names import FileScope, Shared
from codeviews.core.resolve.c_partial import PartialIndex, PartialPointers, summarise
from codeviews.core.resolve.c_pointers import ARGUMENT, Pointers
from codeviews.core.resolve.cpp_linker import CppLinker

VERSION = 4
_MANY_FILES = 300


def resolve(repo: RepoView, only: frozenset[str] | None = None) -> Iterator[FileEdges]:
    """Edges of every C and C++ file, or of ``only`` those paths."""
    includes = Includes(repo.paths(), repo.read("compile_commands.json"))
    sources = _few(repo, only)
    if sources:
        index = PartialIndex(repo, sources, includes)
        pointers: Pointers = PartialPointers(index, Shared(index), repo)
    else:
        index = build(repo, includes)
        pointers = Pointers(index, Shared(index))
    pointers.add_all()
    for source in sources or repo.files():
        if only is None or source.path in only:
            found = _link(index, pointers, includes, source)
            yield found


def _few(repo: RepoView, only: frozenset[str] | None) -> list[SourceFile]:
    """The edited files, when they are C and few enough to ask for what they need."""
    if only is None or len(only) > _MANY_FILES:
        return []
    sources = [source for path in sorted(only) if (source := repo.file(path))]
    return [] if any(source.facts.language == "cpp" for source in sources) else sources


def _link(index: Index, pointers: Pointers, includes: Includes, source: SourceFile) -> FileEdges:
    scope = FileScope(index, pointers.shared, index.number[source.path], source)
    if source.facts.language == "cpp":
        found = CppLinker(scope, pointers, source).run()
        found.edges = list(dict.fromkeys(found.edges))
    else:
        found = _Linker(scope, pointers, source).run()
    found.imports = includes.edges(source)
    found.summary = summarise(source, found.imports, scope.bodies)
    return found


class _Linker:
    """Resolves one file."""

    def __init__(self, scope: FileScope, pointers: Pointers, source: SourceFile) -> None:
        self.pointers = pointers
        self.source = source
        self.number = scope.number
        self.scope = scope
        self.found = FileEdges(source.path)
        self.local: dict[tuple[int, str], list[str]] = {}

    def run(self) -> FileEdges:
        """All edges of the file."""
        sites = self.source.facts.sites
        for site in sites:
            if site[0] == "registers":
                self._register(site)
        self._calls(sites)
        return self.found

    def _calls(self, sites: list[Site]) -> None:
        ids, meaning, seen = self.source.ids, self.scope.meaning, set[Site]()
        add, new = self.found.edges.append, tuple.__new__
        for site in sites:
            kind, name, line, scope, extra = site
            if kind != "calls" or site in seen:
                continue
            seen.add(site)
            if extra:
                self._through(site)
                continue
            known = meaning(name)
            if not known.targets:
                self._without_target(site, known)
            for target, tier, rule in known.targets:
                # Edge(...) without its Python-level constructor: a million of them
                add(new(Edge, (ids[scope], target, "calls", line, tier, rule)))

    def _register(self, site: Site) -> None:
        if site.extra.startswith("=~"):
            self.local.setdefault((site.scope, site.extra[2:]), []).append(site.name)
        ids = self.scope.functions_named(site.name)
        source = self.source.ids[site.scope]
        if not ids:
            return
        holder = self.source.facts.symbols[site.scope].name
        place = self.pointers.place(site.extra, holder, self.number)
        if place.kind == ARGUMENT and int(place.detail) in self._called(place.name):
            self._edges(site, tuple(Target(i, TIER_INFERRED, "macro") for i in ids[:MANY]))
        rule = place.rule
        for target in ids[:MANY]:
            if target != source:
                tier = "A" if len(ids) == 1 else TIER_FLOW
                self.found.edges.append(Edge(source, target, "registers", site.line, tier, rule))

    def _called(self, name: str) -> frozenset[int]:
        return self.pointers.shared.called_parameters(name)

    def _through(self, site: Site) -> None:
        if "." in site.name or "->" in site.name:
            self._through_field(site)
        else:
            self._through_pointer(site)

    def _without_target(self, site: Site, meaning: Meaning) -> None:
        stored = self.pointers.stored_in_variable(site.name, self.number)
        if stored:
            self._dispatch(site, stored, "variable")
        elif not (meaning.reason == UNKNOWN and self._in_macro(site)):
            self._unresolved(site, meaning.reason, meaning.several)

    def _in_macro(self, site: Site) -> bool:
        return self.source.facts.symbols[site.scope].kind == "macro"

    def _edges(self, site: Site, targets: tuple[Target, ...]) -> None:
        source = self.source.ids[site.scope]
        add = self.found.edges.append
        for target in targets:
            add(Edge(source, target.id, "calls", site.line, target.tier, target.rule))

    def _through_field(self, site: Site) -> None:
        head = site.extra.strip("?")
        kind, name = self.pointers.receiver(site.name, head, self.number)
        self._dispatch(site, self.pointers.stored_in_field(kind, name), "dispatch")

    def _through_pointer(self, site: Site) -> None:
        if site.extra.startswith("#"):
            if self._in_macro(site):
                return
            holder = self.source.facts.symbols[site.scope]
            is_static = bool(holder.flags & STATIC)
            position = int(site.extra[1:])
            found = self.pointers.passed_to(holder.name, position, self.number, is_static)
            self._dispatch(site, found, "argument")
        elif site.extra == "=":
            names = self.local.get((site.scope, site.name), ())
            stored = [i for name in names for i in self.scope.functions_named(name)]
            self._dispatch(site, stored, "variable")
        else:
            self._named_variable(site)

    def _named_variable(self, site: Site) -> None:
        stored = self.pointers.stored_in_variable(site.name, self.number)
        if stored:
            self._dispatch(site, stored, "variable")
        else:
            meaning = self.scope.meaning(site.name)
            self._edges(site, meaning.targets)
            if not meaning.targets:
                self._without_target(site, meaning)

    def _dispatch(self, site: Site, targets: list[int], rule: str) -> None:
        source = self.source.ids[site.scope]
        targets = [target for target in dict.fromkeys(targets) if target != source]
        if not targets:
            self._unresolved(site, DYNAMIC)
        elif len(targets) > MANY:
            self._unresolved(site, AMBIGUOUS, len(targets))
        else:
            for target in targets:
                self.found.edges.append(Edge(source, target, "calls", site.line, TIER_FLOW, rule))

    def _unresolved(self, site: Site, reason: str, count: int = 0) -> None:
        source = self.source.ids[site.scope]
        self.found.unresolved.append(
            Unresolved(source, "calls", site.name, site.line, reason, count)
        )
