"""Resolution of Go: packages and modules, static types, method sets, function values.

A file's summary is ``(rows, stored, imported folders)``: the types and methods it declares
(``go_methods``) and the function values it stores (``go_flow``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from codeviews.core.facts import (
    AMBIGUOUS,
    DYNAMIC,
    EXTERNAL,
    TEST,
    UNKNOWN,
    Edge,
    FileEdges,
    ImportEdge,
    RepoView,
    Site,
    Unresolved,
)
from codeviews.core.resolve import go_calls, go_statements
from codeviews.core.resolve.go_eval import Evaluator, declared_value, run_unnamed
from codeviews.core.resolve.go_methods import MethodSets, file_rows
from codeviews.core.resolve.go_packages import GoFile, GoWorld
from codeviews.core.resolve.go_types import Context

VERSION = 1

HANDLERS = (go_calls, go_statements)  # they register handlers when imported
MAX_TARGETS = 8
TIERS = "ABC"

Ref = tuple[str, str]


def resolve(repo: RepoView, only: frozenset[str] | None = None) -> Iterator[FileEdges]:
    """Yield the edges of every Go file, or of ``only`` those paths."""
    world = GoWorld(repo)
    evaluator = Evaluator(world)
    methods = MethodSets()
    every = sorted(path for paths in world.modules.folders.values() for path in paths)
    wanted = [path for path in every if only is None or path in only]
    files = [file for file in (world.file(path) for path in wanted) if file is not None]
    rows = {file.path: file_rows(world, file) for file in files}
    for path in every:
        known = repo.summary(path) if path not in rows else None
        if known is not None:
            methods.add(path, known[0])
            evaluator.places.adopt(known[1])
        elif path in rows:
            methods.add(path, rows[path])
    for file in files:
        _run_file(evaluator, file)
    evaluator.places.adopt_all()
    writer = _Writer(evaluator, methods, repo)
    for file in files:
        result = writer.file_edges(file)
        stored = evaluator.places.rows(file.path)
        result.summary = (rows[file.path], stored)
        yield result


def _run_file(evaluator: Evaluator, file: GoFile) -> None:
    for record in file.flow[3]:
        _guarded(_run_values, evaluator, file, record)
    for record in file.flow[2]:
        _guarded(go_statements.run_function, evaluator, file, record)


def _guarded(run: Callable[..., None], evaluator: Evaluator, file: GoFile, record: Any) -> None:
    """Run one declaration; code nested beyond the interpreter's stack is left unresolved."""
    try:
        run(evaluator, file, record)
    except RecursionError:
        evaluator.lazy = 0


def _run_values(evaluator: Evaluator, file: GoFile, record: Any) -> None:
    for name in record[1]:
        decls = [d for d in file.package.names.get(name, []) if d.record is record]
        if name == "_":
            run_unnamed(evaluator, file, record)
        elif decls:
            declared_value(evaluator, decls, name, file)


class _Writer:
    """Writes what evaluation found as edges between store-wide ids."""

    def __init__(self, evaluator: Evaluator, methods: MethodSets, repo: RepoView) -> None:
        self._evaluator = evaluator
        self._world = evaluator.world
        self._findings = evaluator.findings
        self._methods = methods
        self._marks = repo.paths()
        self._symbols: dict[str, dict[str, int]] = {}

    def file_edges(self, file: GoFile) -> FileEdges:
        """Edges, unresolved sites and imports of one file."""
        result = FileEdges(file.path)
        self._write_imports(file, result)
        for index, site in enumerate(file.source.facts.sites):
            if site.kind == "calls":
                self._write_call(file, index, site, result)
        for record in file.flow[1]:
            self._write_embedded(file, record, result)
        self._write_notes(file, result)
        self._write_overrides(file, result)
        return result

    def _id(self, ref: Ref, source: str) -> int | None:
        """The id of a symbol that ``source`` may refer to: production never to tests."""
        path, qualname = ref
        if self._marks.get(path, 0) & TEST and not self._marks.get(source, 0) & TEST:
            return None
        if path not in self._symbols:
            file = self._world.file(path)
            pairs = zip(file.source.facts.symbols, file.source.ids, strict=True) if file else ()
            self._symbols[path] = {symbol.qualname: number for symbol, number in pairs}
        return self._symbols[path].get(qualname)

    def _write_imports(self, file: GoFile, result: FileEdges) -> None:
        for item in file.source.facts.imports:
            package = self._world.imported(file, item.module)
            targets = [f.path for f in package.files if not f.is_test] if package else [None]
            for target in targets:
                result.imports.append(ImportEdge(target, item.module, item.line))

    def _write_call(self, file: GoFile, index: int, site: Site, result: FileEdges) -> None:
        where = (file.path, index)
        source = file.source.ids[site.scope]
        found: dict[int, Edge] = {}
        many = 0
        for ref, (rank, rule) in sorted(self._findings.targets.get(where, {}).items()):
            self._add(found, source, self._id(ref, file.path), site, TIERS[rank], rule)
        for interface, method in sorted(self._findings.dispatches.get(where, ()), key=str):
            many += self._dispatch(file, source, site, interface, method, found)
        many += self._carried(file, where, source, site, found)
        result.edges.extend(found.values())
        if many:
            left = Unresolved(source, site.kind, site.name, site.line, AMBIGUOUS, many)
            result.unresolved.append(left)
        elif not found:
            self._write_unresolved(file, where, source, site, result)

    def _write_unresolved(
        self, file: GoFile, where: tuple[str, int], source: int, site: Site, result: FileEdges
    ) -> None:
        reason = self._findings.reasons.get(where, UNKNOWN)
        if where in self._findings.carried or where in self._findings.targets:
            reason = DYNAMIC
        if where in self._findings.dispatches:
            reason = EXTERNAL
        if reason:
            left = Unresolved(source, site.kind, site.name, site.line, reason)
            result.unresolved.append(left)

    def _add(
        self,
        found: dict[int, Edge],
        source: int,
        target: int | None,
        site: Site,
        tier: str,
        rule: str,
    ) -> None:
        if target is not None and target not in found:
            found[target] = Edge(source, target, site.kind, site.line, tier, rule)

    def _dispatch(
        self,
        file: GoFile,
        source: int,
        site: Site,
        interface: Any,
        method: str,
        found: dict[int, Edge],
    ) -> int:
        """Edges to an interface's method and its implementations; n when they are too many."""
        if interface[0] != "N":
            return 0
        name = f"{interface[1]}.{interface[2]}"
        declared = self._methods.declared(name, method)
        if declared is not None:
            self._add(found, source, self._id(declared, file.path), site, "B", "interface method")
        refs = self._methods.implementations(name, method)
        targets = [t for t in (self._id(ref, file.path) for ref in refs) if t is not None]
        if len(targets) > MAX_TARGETS:
            return len(targets)
        for target in targets:
            self._add(found, source, target, site, "C", "implements interface")
        return 0

    def _carried(
        self, file: GoFile, where: tuple[str, int], source: int, site: Site, found: dict[int, Edge]
    ) -> int:
        refs: set[Ref] = set()
        for place in self._findings.carried.get(where, ()):
            refs |= {(s[1], s[2]) for s in self._evaluator.places.functions(place)}
        targets = [t for t in (self._id(ref, file.path) for ref in sorted(refs)) if t is not None]
        if len(targets) > MAX_TARGETS:
            return len(targets)
        for target in targets:
            self._add(found, source, target, site, "C", "function value")
        return 0

    def _write_embedded(self, file: GoFile, record: Any, result: FileEdges) -> None:
        written = record[3]
        members: dict[str, int] = dict(record[5])
        kinds: list[tuple[str, Any]] = []
        if written is not None and written[0] == "struct":
            kinds = [(name, kind) for name, kind, embedded in written[1] if embedded]
        elif written is not None and written[0] == "iface":
            kinds = [(_base_name(kind), kind) for kind in written[2]]
        where = Context(file, {})
        for name, kind in kinds:
            index = members.get("<" + name)
            if index is not None:
                self._write_base(file, file.source.facts.sites[index], where, kind, result)

    def _write_base(
        self, file: GoFile, site: Site, where: Context, written: Any, result: FileEdges
    ) -> None:
        source = file.source.ids[site.scope]
        while written is not None and written[0] in ("*", "g"):
            written = written[1]
        kind = self._evaluator.types.resolve(where, written)
        decl = None
        if kind is not None and kind[0] == "N":
            decl = self._evaluator.types.declaration(kind)
        target = self._id(decl.ref, file.path) if decl is not None else None
        if target is not None:
            edge = Edge(source, target, "inherits", site.line, "A", "embedded type")
            result.edges.append(edge)
        else:
            reason = EXTERNAL if kind is not None else UNKNOWN
            left = Unresolved(source, "inherits", site.name, site.line, reason)
            result.unresolved.append(left)

    def _write_notes(self, file: GoFile, result: FileEdges) -> None:
        found = self._findings.notes.get(file.path, {})
        for (scope, kind, ref, line), tier in sorted(found.items()):
            target = self._id(ref, file.path)
            if target is not None:
                source = file.source.ids[scope]
                rule = "stored" if kind == "registers" else "passed as value"
                result.edges.append(Edge(source, target, kind, line, tier, rule))

    def _write_overrides(self, file: GoFile, result: FileEdges) -> None:
        """Methods of this file that implement an interface of the repository."""
        symbols = file.source.facts.symbols
        owned = {symbol.qualname: index for index, symbol in enumerate(symbols)}
        mine = {f"{file.package.key}.{record[2][1]}" for record in file.flow[2] if record[2]}
        for interface in self._methods.interfaces() if mine else ():
            if mine.isdisjoint(self._methods.satisfying(interface)):
                continue
            for name in sorted(mine.intersection(self._methods.satisfying(interface))):
                self._override(file, interface, name, owned, result)

    def _override(
        self, file: GoFile, interface: str, name: str, owned: dict[str, int], result: FileEdges
    ) -> None:
        for method in sorted(self._methods.interface_methods(interface)):
            own = self._methods.method(name, method)
            declared = self._methods.declared(interface, method)
            if own is None or declared is None or own[1][0] != file.path:
                continue
            target, index = self._id(declared, file.path), owned.get(own[1][1])
            if target is not None and index is not None:
                line = file.source.facts.symbols[index].start_line
                source = file.source.ids[index]
                edge = Edge(source, target, "overrides", line, "C", "satisfies interface")
                result.edges.append(edge)


def _base_name(written: Any) -> str:
    while written is not None and written[0] in ("*", "g"):
        written = written[1]
    return str(written[-1]) if written is not None and written[0] in ("n", "q") else ""
