"""A repository held in memory: drives extraction and resolution without a store.

Used by the fixture tests of every language and by ``benchmarks/accuracy.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from codeviews.core.facts import TEST, Edge, FileEdges, ImportEdge, SourceFile, Unresolved
from codeviews.core.languages import LANGUAGES, extractor, language_of
from codeviews.core.resolve import resolver


class NamedEdge(NamedTuple):
    """An edge with ``path:qualname`` in place of ids (``path:`` is the module itself)."""

    source: str
    kind: str
    target: str
    line: int
    tier: str
    rule: str


class MemoryRepo:
    """A :class:`codeviews.core.facts.RepoView` over extracted files of one family."""

    def __init__(self, contents: Mapping[str, bytes], family: str) -> None:
        """Extract the files of ``family`` among ``contents`` (path -> bytes)."""
        self.family = family
        self._contents = dict(contents)
        self._marks = {path: _marks(path) for path in sorted(contents)}
        self._files: dict[str, SourceFile] = {}
        self._summaries: dict[str, Any] = {}
        self._registers: dict[str, list[Edge]] = {}
        self._next_id = 1
        for path in sorted(contents):
            self._extract(path)

    @classmethod
    def from_files(cls, contents: Mapping[str, bytes], family: str) -> MemoryRepo:
        """Extract ``contents`` (root-relative path -> bytes)."""
        return cls(contents, family)

    def edit(self, path: str, source: bytes | None) -> None:
        """Replace, add or (with None) delete one file; the others keep their ids."""
        self._files.pop(path, None)
        if source is None:
            self._contents.pop(path, None)
            self._marks.pop(path, None)
            self._summaries.pop(path, None)
            return
        self._contents[path] = source
        self._marks[path] = _marks(path)
        self._extract(path)

    def name(self) -> str:
        """Contents have no folder of their own."""
        return ""

    def paths(self) -> Mapping[str, int]:
        """Every path with its marks."""
        return self._marks

    def files(self) -> Iterator[SourceFile]:
        """The family's files in path order."""
        for path in sorted(self._files):
            yield self._files[path]

    def file(self, path: str) -> SourceFile | None:
        """One file of the family."""
        return self._files.get(path)

    def read(self, path: str) -> bytes:
        """Bytes of a file; b"" when there is none."""
        return self._contents.get(path, b"")

    def summary(self, path: str) -> Any:
        """What :meth:`keep` stored for ``path``, or None."""
        return self._summaries.get(path)

    def keep(self, edges: FileEdges) -> None:
        """Store the summary of one resolved file, as the index does."""
        self._summaries[edges.path] = edges.summary
        self._registers[edges.path] = [e for e in edges.edges if e.kind == "registers"]

    def symbols_named(self, name: str) -> list[tuple[str, int, str, int]]:
        """(path, id, kind, flags) of the definitions of that last name, in path order."""
        return [
            (path, ident, symbol.kind, symbol.flags)
            for path, file in sorted(self._files.items())
            for symbol, ident in zip(file.facts.symbols, file.ids, strict=True)
            if symbol.name == name
        ]

    def registered(self, prefix: str) -> list[tuple[str, int, str]]:
        """(rule, target id, path) of kept ``registers`` edges by the start of their rule."""
        known = self.names()
        return [
            (edge.rule, edge.target, path)
            for path, edges in sorted(self._registers.items())
            for edge in edges
            if edge.rule.startswith(prefix) and edge.target in known
        ]

    def names(self) -> dict[int, str]:
        """Symbol id -> ``path:qualname``."""
        return {
            number: f"{file.path}:{symbol.qualname}"
            for file in self._files.values()
            for number, symbol in zip(file.ids, file.facts.symbols, strict=True)
        }

    def _extract(self, path: str) -> None:
        language = language_of(path)
        if LANGUAGES[language] != self.family:
            return
        facts = extractor(language)(path, self._contents[path])
        first = self._next_id
        self._next_id += len(facts.symbols)
        ids = range(first, self._next_id)
        self._files[path] = SourceFile(path, self._marks[path], facts, ids)


class Resolved(NamedTuple):
    """What resolution says of a whole repository, with names in place of ids."""

    edges: list[NamedEdge]
    unresolved: list[tuple[str, Unresolved]]
    """(path, site): sites without a target, in the file that holds them."""
    imports: list[tuple[str, ImportEdge]]


def resolve_named(repo: MemoryRepo, family: str, only: frozenset[str] | None = None) -> Resolved:
    """Run a family's resolver and name everything it found; summaries are kept in ``repo``."""
    names = repo.names()
    found = Resolved([], [], [])
    for result in resolver(family).resolve(repo, only):
        repo.keep(result)
        for edge in result.edges:
            source, target = names[edge.source], names[edge.target]
            found.edges.append(
                NamedEdge(source, edge.kind, target, edge.line, edge.tier, edge.rule)
            )
        found.unresolved.extend((result.path, site) for site in result.unresolved)
        found.imports.extend((result.path, edge) for edge in result.imports)
    return found


def named_edges(repo: MemoryRepo, family: str) -> list[NamedEdge]:
    """All edges of a repository as (source, kind, target, line, tier, rule)."""
    return resolve_named(repo, family).edges


def _marks(path: str) -> int:
    parts = path.split("/")
    name = parts[-1]
    in_tests = any(part in ("tests", "test", "testing", "__tests__") for part in parts[:-1])
    is_test = in_tests or name.startswith("test_") or ".test." in name or "_test." in name
    return TEST if is_test else 0
