"""Resolution of a family of typed languages: facts of all files -> edges of each file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

from codeviews.core import facts as f
from codeviews.core.facts import (
    Edge,
    FileEdges,
    ImportEdge,
    RepoView,
    Site,
    SourceFile,
    Unresolved,
)
from codeviews.core.resolve.choice import Call, Resolution
from codeviews.core.resolve.declarations import (
    Base,
    Definition,
    FileDeclarations,
    World,
    flow_of,
    group_bindings,
)
from codeviews.core.resolve.dispatch import Dispatch
from codeviews.core.resolve.language_rules import LanguageRules
from codeviews.core.resolve.names import PATH_PREFIX
from codeviews.core.resolve.type_text import parse_type
from codeviews.core.resolve.typed import Typed
from codeviews.core.resolve.values import REFERENCE

MAX_IMPORT_FILES = 64
MAX_BASES = 8
RulesOf = Callable[[RepoView], LanguageRules]


def resolve_family(
    repo: RepoView, languages: Mapping[str, RulesOf], only: frozenset[str] | None = None
) -> Iterator[FileEdges]:
    """Resolve every file of the languages, or ``only`` those paths."""
    linkers: dict[str, Linker] = {}
    for file in repo.files():
        language = file.facts.language
        if language in languages:
            if language not in linkers:
                linkers[language] = Linker(repo, languages[language](repo))
            linkers[language].world.add(file)
    for linker in linkers.values():
        linker.link()
    for file in repo.files():
        if file.facts.language in linkers and (only is None or file.path in only):
            yield linkers[file.facts.language].edges(file)


class Linker:
    """Edges of one language's files, once all declarations are known."""

    def __init__(self, repo: RepoView, rules: LanguageRules) -> None:
        self.rules = rules
        self.world = World(repo, rules.place, rules.target)
        self.typed = Typed(self.world, rules)
        self.names = self.typed.names
        self.dispatch = Dispatch(self.typed)

    def link(self) -> None:
        """Attach extension members and impl blocks, then collect subtypes."""
        for file, impl in self.world.impls:
            self._implement(file, impl)
        for definition, receiver in self.world.attached:
            self._attach(definition, receiver)
        for definition in self._types():
            definition.lineage = None
        for definition in self._types():
            for base in definition.bases:
                for parent in self.names.base_types(base):
                    known = self.world.subtypes[parent]
                    if definition not in known and definition is not parent:
                        known.append(definition)

    def _types(self) -> list[Definition]:
        found: dict[Definition, None] = {}
        for file in self.world.files.values():
            found.update((d, None) for d in file.definitions[1:] if d.is_type)
        return list(found)

    def _implement(self, file: FileDeclarations, impl: tuple[Any, ...]) -> None:
        written, trait, _, scope = impl[:4]
        if not trait:
            return
        for owner in self.names.written_types(parse_type(written), file, scope):
            for each in trait.split(","):
                owner.bases.append(Base(each.strip(), file, scope))

    def _attach(self, definition: Definition, receiver: str) -> None:
        file = definition.file
        if file is None:
            return
        scope = max(0, file.parents[definition.index])
        written = parse_type(receiver)
        owners = self.names.written_types(written, file, scope)
        for owner in owners:
            owner.add(definition)
        if owners:
            if not definition.flags & f.STATIC:
                definition.parent = owners[0]
        else:
            name = written.name.rpartition(".")[2]
            self.world.outside[name].setdefault(definition.name, []).append(definition)

    # one file

    def edges(self, file: SourceFile) -> FileEdges:
        """All edges of one file."""
        declarations = self.world.files[file.path]
        flow = flow_of(file)
        kept = declarations.bindings
        declarations.bindings = group_bindings(flow.get("bindings", ()))
        self.typed.start_file(flow.get("loops", []))
        result = FileEdges(file.path)
        self._sites(file, declarations, flow.get("at", []), result)
        self._impl_edges(file, declarations, flow.get("impls", []), result)
        self._overrides(file, declarations, result)
        self._imports(file, declarations, result)
        declarations.bindings = kept
        result.edges = _best(result.edges)
        return result

    def _sites(
        self, file: SourceFile, declarations: FileDeclarations, at: list[Any], result: FileEdges
    ) -> None:
        for site, (offset, arity, arguments) in zip(file.facts.sites, at, strict=False):
            source = file.ids[site.scope]
            if site.kind == "inherits":
                self._inherits(site, declarations, source, result)
                continue
            call = Call(declarations, site.scope, site.name, offset, arity, tuple(arguments))
            if site.kind == "references":
                found = self._referenced(call)
            else:
                found = self.dispatch.call(call)
                self._passed(call, source, site.line, result)
            if site.extra == "bare" and not self.rules.property_calls:
                called = tuple(t for t in found.targets if t.definition.kind != "property")
                found = found._replace(targets=called)
            _emit(result, site, source, found)

    def _inherits(
        self, site: Site, declarations: FileDeclarations, source: int, result: FileEdges
    ) -> None:
        outer = max(0, declarations.parents[site.scope])
        self._inherit(site.name, declarations, outer, source, site.line, result)

    def _inherit(
        self, text: str, declarations: FileDeclarations, scope: int, source: int, line: int,
        result: FileEdges,
    ) -> None:  # fmt: skip
        found = self.names.written_types(parse_type(text), declarations, scope)
        for parent in found[:MAX_BASES]:
            if parent.id and parent.id != source:
                edge = Edge(source, parent.id, "inherits", line, f.TIER_LEXICAL, "base type")
                result.edges.append(edge)
        if not found:
            result.unresolved.append(Unresolved(source, "inherits", text, line, f.EXTERNAL))

    def _impl_edges(
        self, file: SourceFile, declarations: FileDeclarations, impls: list[Any], result: FileEdges
    ) -> None:
        for impl in impls:
            written, trait, line, scope = cast("tuple[str, str, int, int]", tuple(impl[:4]))
            if not trait:
                continue
            owners = self.names.written_types(parse_type(written), declarations, scope)
            mine = [o for o in owners if o.file is declarations and o.id]
            source = mine[0].id if mine else file.ids[scope]
            for each in trait.split(","):
                self._inherit(each.strip(), declarations, scope, source, line, result)

    def _overrides(
        self, file: SourceFile, declarations: FileDeclarations, result: FileEdges
    ) -> None:
        for method in declarations.definitions[1:]:
            if not method.is_callable or method.file is not declarations:
                continue
            owner = method.parent
            if owner is None or not owner.is_type or not owner.bases:
                continue
            base = self._overridden(owner, method)
            if base is not None and base.id != method.id:
                line = file.facts.symbols[method.index].start_line
                edge = Edge(method.id, base.id, "overrides", line, f.TIER_LEXICAL, "base member")
                result.edges.append(edge)

    def _overridden(self, owner: Definition, method: Definition) -> Definition | None:
        if method.flags & f.STATIC or method.name in self._constructor_names(owner):
            return None
        own = set(self.names.parts(owner))
        for ancestor in self.names.lineage(owner)[0]:
            if ancestor not in own:
                for candidate in self.dispatch.overriding(ancestor, method):
                    return candidate
        return None

    def _constructor_names(self, owner: Definition) -> tuple[str, ...]:
        return tuple(name or owner.name for name in self.rules.constructors)

    def _referenced(self, call: Call) -> Resolution:
        path, _, name = call.name.rpartition("::")
        if name == path.rpartition(".")[2] and path[:1].isupper():
            return self.dispatch.construct(call, self.typed.declared(path, call.file, call.scope))
        return self.dispatch.call(call)

    def _passed(self, call: Call, source: int, line: int, result: FileEdges) -> None:
        """Functions passed by name as arguments are references."""
        for argument in call.arguments:
            if not argument or argument[0] in "<?" or argument.endswith((")", "]", "!")):
                continue
            for target in self._function_value(call, argument):
                edge = Edge(source, target.id, "references", line, f.TIER_LEXICAL, "passed by name")
                result.edges.append(edge)

    def _function_value(self, call: Call, argument: str) -> list[Definition]:
        if not self.rules.callable_locals:
            return []
        value = self.typed.value(call.file, call.scope, argument, call.offset)
        if value.kind != REFERENCE:
            return []
        found = [child for child in value.definitions if child.is_callable and child.id]
        return found if len(found) == 1 else []

    # imports

    def _imports(self, file: SourceFile, declarations: FileDeclarations, result: FileEdges) -> None:
        for item in file.facts.imports:
            module = item.module
            written = f"{module}.{item.name}" if item.name not in ("", "*") else module
            target = self.world.import_path(file.path, item)
            paths = self._import_paths(declarations, item.scope, target)
            for path in paths or [None]:
                result.imports.append(ImportEdge(path, written, item.line))

    def _import_paths(self, file: FileDeclarations, scope: int, target: str) -> list[str | None]:
        if target.startswith(PATH_PREFIX):
            path = target[len(PATH_PREFIX) :]
            return [path] if path in self.world.files else []
        found = self.names.nearest(file, self.names.import_target(file, scope, target))
        paths = sorted({d.file.path for d in found if d.file is not None and d.file is not file})
        if paths:
            return list(paths)
        spaces = [d for d in found if d.file is None]
        scopes = (self.world.scopes.get(space, ()) for space in spaces)
        paths = sorted({other.path for each in scopes for other, _ in each if other is not file})
        return list(paths[:MAX_IMPORT_FILES])


def _best(edges: list[Edge]) -> list[Edge]:
    """Of the edges between two symbols on one line, the surest."""
    best: dict[tuple[int, int, str, int], Edge] = {}
    for edge in edges:
        key = edge[:4]
        if key not in best or edge.tier < best[key].tier:
            best[key] = edge
    return list(best.values())


def _emit(result: FileEdges, site: Site, source: int, found: Resolution) -> None:
    for definition, tier, rule in found.targets:
        if definition.id:
            edge = Edge(source, definition.id, site.kind, site.line, tier, rule)
            result.edges.append(edge)
    if found.reason and site.extra != "bare":
        result.unresolved.append(
            Unresolved(source, site.kind, site.name, site.line, found.reason, found.candidates)
        )
