"""The C index after an edit: only what the edited files ask for, from stored summaries.

A file's summary is ``{"includes": paths, "macros": {name: bodies}, "types": {tag: {field: type}},
"orders": {tag: fields}, "typedefs": {name: type}, "variables": {name: type}, "hooks": ...}``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

from codeviews.core.facts import ImportEdge, RepoView, SourceFile
from codeviews.core.resolve.c_includes import Includes
from codeviews.core.resolve.c_index import (
    MACRO,
    SOURCE,
    Bodies,
    Definition,
    Hook,
    Index,
    Lookup,
    macro_bodies,
    stored_by,
    visible,
)
from codeviews.core.resolve.c_names import Shared
from codeviews.core.resolve.c_pointers import Functions, Pointers
from codeviews.core.resolve.cpp_index import flow_of

Summary = dict[str, Any]


def summarise(source: SourceFile, imports: list[ImportEdge], macros: dict[int, Bodies]) -> Summary:
    """What other files' resolution needs of this one."""
    flow = flow_of(source)
    types: dict[str, dict[str, str]] = flow.get("types", {})
    names = macro_names(source, macros)
    parts: Summary = {
        "includes": sorted({edge.target for edge in imports if edge.target}),
        "macros": {names[ident]: bodies for ident, bodies in macros.items()},
        "types": {tag: {n: k for n, k in fields.items() if k} for tag, fields in types.items()},
        "orders": {tag: tuple(fields) for tag, fields in types.items() if "(*)" in fields.values()},
        "typedefs": flow.get("typedefs", {}),
        "variables": flow.get("variables", {}),
        "hooks": flow.get("hooks", {}),
    }
    return {name: part for name, part in parts.items() if part}


def macro_names(source: SourceFile, macros: dict[int, Bodies]) -> dict[int, str]:
    """The names of a file's callable macros by id."""
    if not macros:
        return {}
    return {
        ident: symbol.name
        for symbol, ident in zip(source.facts.symbols, source.ids, strict=True)
        if ident in macros
    }


class PartialIndex(Index):
    """An index whose tables fill as they are asked."""

    is_whole = False

    def __init__(self, repo: RepoView, sources: Sequence[SourceFile], includes: Includes) -> None:
        super().__init__()
        self._repo = repo
        for path, marks in repo.paths().items():
            self.add_path(path, marks)
        self._summaries: dict[str, Summary] = {
            s.path: summarise(s, includes.edges(s), macro_bodies(s)) for s in sources
        }
        self.fresh = frozenset(self._summaries)
        self.names = Lookup(self._load_name, True)
        self.types = Lookup(self._load_type, True)
        self.orders = Lookup(self._load_order, True)
        self.typedefs = Lookup(lambda name: self._load_text(name, "type", "typedefs"), True)
        self.variables = Lookup(lambda name: self._load_text(name, "variable", "variables"), True)
        self.hooks = Lookup(self._load_hook, True)
        self._reach: dict[int, int] = {}
        for source in sources:
            self.stored.extend(stored_by(source, self.number[source.path]))

    def summary(self, path: str) -> Summary:
        """A file's summary; empty when it never was resolved."""
        if path not in self._summaries:
            self._summaries[path] = cast("Summary", self._repo.summary(path) or {})
        return self._summaries[path]

    def bit(self, file: int) -> int:
        """The bit of a file in every mask; given out as files come up."""
        return self.bits.setdefault(file, len(self.bits))

    def mask(self, file: int) -> int:
        """The files that ``file`` includes, transitively."""
        if file not in self._reach:
            self._reach[file] = self._closure(file)
        return self._reach[file]

    def _closure(self, file: int) -> int:
        mask = 0
        seen: set[str] = set()
        work = [self.paths[file]]
        while work:
            for target in self.summary(work.pop()).get("includes", ()):
                if target not in seen and target in self.number:
                    seen.add(target)
                    work.append(target)
                    mask |= 1 << self.bit(self.number[target])
        return mask

    def _named(self, name: str, kinds: Iterable[str]) -> list[str]:
        """Paths that define a symbol of one of the kinds under a name, in order."""
        found = self._repo.symbols_named(name)
        return list(dict.fromkeys(path for path, _, kind, _ in found if kind in kinds))

    def _load_name(self, name: str) -> Sequence[Definition]:
        found: list[Definition] = []
        macros: dict[str, int] = {}
        for path, ident, kind, flags in self._repo.symbols_named(name):
            code = visible(kind, flags, path)
            if code is None:
                continue
            if kind == "macro":
                if name in self.summary(path).get("macros", {}):
                    macros[path] = min(ident, macros.get(path, ident))
                continue
            found.append(Definition(self.number[path], ident, code))
        for path, ident in macros.items():
            code = visible("macro", 0, path)
            self.bodies[ident] = self.summary(path)["macros"][name]
            found.append(Definition(self.number[path], ident, MACRO if code == MACRO else SOURCE))
        return sorted(found, key=lambda d: (self.paths[d.file], d.id))

    def _load_type(self, tag: str) -> Sequence[tuple[int, dict[str, str]]]:
        paths = self._named(tag, ("struct", "union"))
        known = [
            (self.number[path], self.summary(path).get("types", {}).get(tag)) for path in paths
        ]
        return [(file, fields) for file, fields in known if fields]

    def _load_order(self, tag: str) -> tuple[str, ...]:
        for path in self._named(tag, ("struct", "union")):
            order = self.summary(path).get("orders", {}).get(tag)
            if order:
                return tuple(order)
        return ()

    def _load_hook(self, name: str) -> Hook:
        for path in self._named(name, ("macro",)):
            found = self.summary(path).get("hooks", {}).get(name)
            if found:
                return cast("Hook", found)
        return ((), ())

    def _load_text(self, name: str, kind: str, part: str) -> str:
        for path in self._named(name, (kind,)):
            found = self.summary(path).get(part, {}).get(name)
            if found:
                return str(found)
        return ""


class PartialPointers(Pointers):
    """Stored functions by what the ``registers`` edges of the other files say."""

    def __init__(self, index: PartialIndex, shared: Shared, repo: RepoView) -> None:
        super().__init__(index, shared)
        self._repo = repo
        self._fresh = index.fresh
        self.by_field = Lookup(self._load_field, True)
        self.by_variable = Lookup(self._load_variable, True)
        self.by_argument = Lookup(self._load_argument, True)

    def _rows(self, prefix: str) -> list[tuple[str, int, int]]:
        """(rest of the rule, function id, file) of the registrations under a prefix."""
        number = self.index.number
        return [
            (rule[len(prefix) :], target, number[path])
            for rule, target, path in self._repo.registered(prefix)
            if path not in self._fresh
        ]

    def _load_field(self, name: str) -> dict[str, Functions]:
        found: dict[str, Functions] = {}
        for kind, target, _ in self._rows(f"field {name} of "):
            found.setdefault(kind.strip("?"), {})[target] = None
        return found

    def _load_variable(self, name: str) -> dict[int, Functions]:
        return self._by_file(f"variable {name}")

    def _load_argument(self, key: tuple[str, int]) -> dict[int, Functions]:
        return self._by_file(f"argument {key[1]} of {key[0]}")

    def _by_file(self, rule: str) -> dict[int, Functions]:
        found: dict[int, Functions] = {}
        for rest, target, file in self._rows(rule):
            if not rest:
                found.setdefault(file, {})[target] = None
        return found
