"""What C resolution knows of the whole repository after one pass over the facts.

Only what other files can see is kept: external functions, what headers define, struct fields that
are pointers, and where functions are stored. A file's own statics come with its own facts.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from sys import intern
from typing import Any, NamedTuple

from codeviews.core.facts import DECLARATION, STATIC, RepoView, SourceFile, Symbol
from codeviews.core.resolve.c_includes import Includes, closures
from codeviews.core.resolve.cpp_index import CppIndex, flow_of

FUNCTION, MACRO, PROTOTYPE, INLINE = range(4)


class Definition(NamedTuple):
    """A definition other files can see: file number, symbol id and one of the codes above."""

    file: int
    id: int
    code: int


class Stored(NamedTuple):
    """A function name stored or passed somewhere, before it is known what the name means.

    ``where`` is the ``extra`` of its site; ``own`` the ids of its file's functions so named.
    """

    file: int
    name: str
    where: str
    holder: str
    own: tuple[int, ...]


@dataclass(slots=True)
class Index:
    """Tables of the whole repository."""

    paths: list[str] = field(default_factory=list[str])
    marks: list[int] = field(default_factory=list[int])
    number: dict[str, int] = field(default_factory=dict[str, int])
    direct: list[tuple[int, ...]] = field(default_factory=list[tuple[int, ...]])
    names: dict[str, list[Definition]] = field(default_factory=dict[str, list[Definition]])
    types: dict[str, list[tuple[int, dict[str, str]]]] = field(
        default_factory=lambda: defaultdict[str, list[tuple[int, dict[str, str]]]](list)
    )
    orders: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    typedefs: dict[str, str] = field(default_factory=dict[str, str])
    variables: dict[str, str] = field(default_factory=dict[str, str])
    expansions: dict[int, tuple[str, ...]] = field(default_factory=dict[int, tuple[str, ...]])
    stored: list[Stored] = field(default_factory=list[Stored])
    bits: dict[int, int] = field(default_factory=dict[int, int])
    masks: list[int] = field(default_factory=list[int])
    cpp: CppIndex = field(default_factory=CppIndex)

    def mask(self, file: int) -> int:
        """The included files of ``file`` as a bit set over ``bits``."""
        if file in self.bits:
            return self.masks[self.bits[file]]
        mask = 0
        for target in self.direct[file]:
            mask |= self.masks[self.bits[target]]
        return mask

    def reaches(self, mask: int, file: int) -> bool:
        """Whether a mask holds ``file``."""
        bit = self.bits.get(file)
        return bit is not None and bool(mask >> bit & 1)


def build(repo: RepoView) -> Index:
    """One pass over the family's files."""
    index = Index()
    included: set[str] = set()
    pending: list[tuple[int, list[str]]] = []
    for source in repo.files():
        number = _number(index, source.path, source.marks)
        modules = [entry.module for entry in source.facts.imports]
        included.update(module.strip("<>").rsplit("/", 1)[-1] for module in modules)
        pending.append((number, modules))
        _add_file(index, source, number)
    _link_includes(index, repo, pending)
    _add_included_sources(index, repo)
    index.cpp.finish()
    return index


def _number(index: Index, path: str, marks: int) -> int:
    number = len(index.paths)
    index.paths.append(path)
    index.marks.append(marks)
    index.number[path] = number
    index.direct.append(())
    return number


def _link_includes(index: Index, repo: RepoView, pending: list[tuple[int, list[str]]]) -> None:
    includes = Includes(index.number, repo.read("compile_commands.json"))
    counts: dict[int, int] = defaultdict(int)
    for number, modules in pending:
        path = index.paths[number]
        targets = {includes.find(path, module) for module in modules}
        found = tuple(sorted(index.number[target] for target in targets if target))
        index.direct[number] = found
        for target in found:
            counts[target] += 1
    order = sorted(counts, key=lambda file: (-counts[file], file))
    index.bits = {file: bit for bit, file in enumerate(order)}
    bits = index.bits
    index.masks = closures([[bits[t] for t in index.direct[file]] for file in order])


def is_header(path: str) -> bool:
    """Whether a file is meant to be included."""
    return not path.endswith((".c", ".cc", ".cpp", ".cxx", ".c++"))


def visible(symbol: Symbol, header: bool) -> int | None:
    """The code of a symbol that other files can name as in C, or None."""
    if symbol.kind == "function":
        if "." in symbol.qualname:
            return None
        if symbol.flags & DECLARATION:
            return PROTOTYPE
        if symbol.flags & STATIC:
            return INLINE if header else None
        return FUNCTION
    if symbol.kind == "macro" and header:
        return MACRO
    return None


def _add_file(index: Index, source: SourceFile, number: int) -> None:
    header = is_header(source.path)
    expansions = macro_bodies(source)
    for symbol, ident in zip(source.facts.symbols, source.ids, strict=True):
        code = visible(symbol, header)
        if code is None or (code == MACRO and not _is_callable(symbol, ident, expansions)):
            continue
        index.names.setdefault(intern(symbol.name), []).append(Definition(number, ident, code))
        if code == MACRO and ident in expansions:
            index.expansions[ident] = expansions[ident]
    if source.facts.language == "cpp":
        index.cpp.add(source, number)
    _add_flow(index, flow_of(source), number)
    _add_stored(index, source, number)


def _is_callable(symbol: Symbol, ident: int, expansions: dict[int, tuple[str, ...]]) -> bool:
    return ident in expansions or f"{symbol.name}(" in symbol.signature


def macro_bodies(source: SourceFile) -> dict[int, tuple[str, ...]]:
    """Macro id -> names its expansion calls, in order."""
    facts = source.facts
    found: dict[int, dict[str, None]] = {}
    for site in facts.sites:
        if site.kind == "calls" and facts.symbols[site.scope].kind == "macro" and not site.extra:
            found.setdefault(source.ids[site.scope], {})[intern(site.name)] = None
    alias: dict[str, str] = flow_of(source).get("alias", {})
    if alias:
        for symbol, ident in zip(facts.symbols, source.ids, strict=True):
            if symbol.kind == "macro" and symbol.name in alias:
                found.setdefault(ident, {})[intern(alias[symbol.name])] = None
    return {ident: tuple(names) for ident, names in found.items()}


def _add_flow(index: Index, flow: dict[str, Any], number: int) -> None:
    for tag, fields in flow.get("types", {}).items():
        kept = {intern(name): intern(kind) for name, kind in fields.items() if kind}
        if kept:
            index.types[intern(tag)].append((number, kept))
        if "(*)" in kept.values() and tag not in index.orders:
            index.orders[intern(tag)] = tuple(map(intern, fields))
    for name, kind in flow.get("typedefs", {}).items():
        index.typedefs.setdefault(intern(name), intern(kind))
    for name, kind in flow.get("variables", {}).items():
        index.variables.setdefault(intern(name), intern(kind))


def _add_stored(index: Index, source: SourceFile, number: int) -> None:
    sites = [site for site in source.facts.sites if site.kind == "registers"]
    if not sites:
        return
    own = own_functions(source)
    symbols = source.facts.symbols
    for site in sites:
        ids = tuple(own.get(site.name, ()))
        holder = intern(symbols[site.scope].name)
        index.stored.append(Stored(number, intern(site.name), intern(site.extra), holder, ids))


def own_functions(source: SourceFile) -> dict[str, list[int]]:
    """Name -> ids of the functions a file defines itself."""
    found: dict[str, list[int]] = {}
    for symbol, ident in zip(source.facts.symbols, source.ids, strict=True):
        if symbol.kind == "function" and not symbol.flags & DECLARATION:
            found.setdefault(symbol.name, []).append(ident)
    return found


def _add_included_sources(index: Index, repo: RepoView) -> None:
    """Statics and macros of ``.c`` files that others include are visible there."""
    targets = sorted(file for file in index.bits if not is_header(index.paths[file]))
    for number in targets:
        source = repo.file(index.paths[number])
        if source is None:
            continue
        bodies = macro_bodies(source)
        for symbol, ident in zip(source.facts.symbols, source.ids, strict=True):
            code = visible(symbol, True)
            if code in (INLINE, MACRO):
                index.names.setdefault(symbol.name, []).append(Definition(number, ident, code))
                if ident in bodies:
                    index.expansions[ident] = bodies[ident]
