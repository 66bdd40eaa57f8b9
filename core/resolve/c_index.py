"""What C resolution knows of the whole repository after one pass over the facts.

Only what other files can see is kept: external functions, what headers define, struct fields that
are pointers, and where functions are stored. A file's own statics come with its own facts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from sys import intern
from typing import Any, Generic, NamedTuple, TypeVar

from codeviews.core.facts import DECLARATION, STATIC, RepoView, SourceFile, Symbol
from codeviews.core.resolve.c_includes import Includes, closures
from codeviews.core.resolve.cpp_index import CppIndex, flow_of

FUNCTION, MACRO, PROTOTYPE, INLINE, SOURCE = range(5)
"""External function; macro, prototype and static function of a header; static of an included .c."""

_K = TypeVar("_K")
_V = TypeVar("_V")
Hook = tuple[Sequence[int], Sequence[tuple[int, str, int]]]
"""Parameters a macro calls; (parameter, callee, position) of those it hands on."""
Bodies = tuple[tuple[str, ...], ...]
"""The names that a macro's expansion calls, one tuple for each ``#ifdef`` twin."""


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


class Lookup(dict[_K, _V], Generic[_K, _V]):
    """A dict that asks for what it does not hold; ``keep`` remembers the answer."""

    def __init__(self, load: Callable[[_K], _V], keep: bool = False) -> None:
        super().__init__()
        self._load = load
        self._keep = keep

    def __missing__(self, key: _K) -> _V:
        value = self._load(key)
        if self._keep:
            self[key] = value
        return value


def _nothing(_: Any) -> Any:
    return ()


def _no_hook(_: str) -> Hook:
    return ((), ())


def _no_text(_: str) -> str:
    return ""


class Index:
    """Tables of the whole repository, filled by :func:`build`."""

    is_whole = True

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.marks: list[int] = []
        self.number: dict[str, int] = {}
        self.direct: list[tuple[int, ...]] = []
        self.names: Lookup[str, Sequence[Definition]] = Lookup(_nothing)
        self.types: Lookup[str, Sequence[tuple[int, dict[str, str]]]] = Lookup(_nothing)
        self.orders: Lookup[str, tuple[str, ...]] = Lookup(_nothing)
        self.typedefs: Lookup[str, str] = Lookup(_no_text)
        self.variables: Lookup[str, str] = Lookup(_no_text)
        self.bodies: Lookup[int, Bodies] = Lookup(_nothing)
        self.hooks: Lookup[str, Hook] = Lookup(_no_hook)
        self.stored: list[Stored] = []
        self.bits: dict[int, int] = {}
        self.masks: list[int] = []
        self.cpp = CppIndex()

    def mask(self, file: int) -> int:
        """The included files of ``file`` as a bit set over ``bits``."""
        if file in self.bits:
            return self.masks[self.bits[file]]
        mask = 0
        for target in self.direct[file]:
            mask |= self.masks[self.bits[target]]
        return mask

    def bit(self, file: int) -> int | None:
        """The bit of a file in every mask; None when nobody includes it."""
        return self.bits.get(file)

    def reaches(self, mask: int, file: int) -> bool:
        """Whether a mask holds ``file``."""
        bit = self.bit(file)
        return bit is not None and bool(mask >> bit & 1)

    def add_path(self, path: str, marks: int) -> int:
        """Number a path."""
        number = len(self.paths)
        self.paths.append(path)
        self.marks.append(marks)
        self.number[path] = number
        self.direct.append(())
        return number


def build(repo: RepoView, includes: Includes) -> Index:
    """One pass over the family's files."""
    index = Index()
    pending: list[tuple[int, list[str]]] = []
    for source in repo.files():
        number = index.add_path(source.path, source.marks)
        pending.append((number, [entry.module for entry in source.facts.imports]))
        _add_file(index, source, number)
    _link_includes(index, includes, pending)
    _add_included_sources(index, repo)
    index.cpp.finish()
    return index


def _link_includes(index: Index, includes: Includes, pending: list[tuple[int, list[str]]]) -> None:
    counts: dict[int, int] = defaultdict(int)
    for number, modules in pending:
        folder = index.paths[number].rpartition("/")[0]
        targets = {includes.find(folder, module) for module in modules}
        found = tuple(sorted(index.number[t] for t in targets if t and t in index.number))
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


def visible(kind: str, flags: int, path: str) -> int | None:
    """The code of a definition that other files can name, or None."""
    if kind == "function":
        if flags & DECLARATION:
            return PROTOTYPE
        if flags & STATIC:
            return INLINE if is_header(path) else SOURCE
        return FUNCTION
    if kind == "macro":
        return MACRO if is_header(path) else SOURCE
    return None


def _add_file(index: Index, source: SourceFile, number: int) -> None:
    bodies = macro_bodies(source)
    for symbol, ident in zip(source.facts.symbols, source.ids, strict=True):
        if symbol.kind not in ("function", "macro") or "." in symbol.qualname:
            continue
        code = visible(symbol.kind, symbol.flags, source.path)
        if code is None or code == SOURCE:
            continue
        if code == MACRO:
            if ident not in bodies:
                continue
            index.bodies[ident] = bodies[ident]
        _add_name(index, symbol.name, Definition(number, ident, code))
    if source.facts.language == "cpp":
        index.cpp.add(source, number)
    _add_flow(index, flow_of(source), number)
    index.stored.extend(stored_by(source, number))


def _add_name(index: Index, name: str, definition: Definition) -> None:
    known = index.names.get(name)
    if known is None:
        index.names[intern(name)] = (definition,)
    else:
        index.names[name] = (*known, definition)


def macro_bodies(source: SourceFile) -> dict[int, Bodies]:
    """Id of each macro that can be called -> what it calls; ``#ifdef`` twins share the least id."""
    symbols = source.facts.symbols
    macros = {index for index, symbol in enumerate(symbols) if symbol.kind == "macro"}
    if not macros:
        return {}
    calls: dict[int, dict[str, None]] = {}
    for kind, name, _, scope, extra in source.facts.sites:
        if scope in macros and kind == "calls" and not extra:
            calls.setdefault(scope, {})[intern(name)] = None
    alias: dict[str, str] = flow_of(source).get("alias", {})
    groups: dict[str, list[int]] = {}
    for index in sorted(macros):
        symbol = symbols[index]
        if _is_callable(symbol, index, calls, alias):
            groups.setdefault(symbol.name, []).append(index)
    return {
        min(source.ids[i] for i in group): tuple(_body(symbols[i], i, calls, alias) for i in group)
        for group in groups.values()
    }


def _is_callable(
    symbol: Symbol, index: int, calls: dict[int, dict[str, None]], alias: dict[str, str]
) -> bool:
    return index in calls or symbol.name in alias or f"{symbol.name}(" in symbol.signature


def _body(
    symbol: Symbol, index: int, calls: dict[int, dict[str, None]], alias: dict[str, str]
) -> tuple[str, ...]:
    if index in calls:
        return tuple(calls[index])
    name = alias.get(symbol.name)
    return (intern(name),) if name and f"{symbol.name}(" not in symbol.signature else ()


def _add_flow(index: Index, flow: dict[str, Any], number: int) -> None:
    for tag, fields in flow.get("types", {}).items():
        add_type(index, tag, fields, number)
    for name, hook in flow.get("hooks", {}).items():
        index.hooks.setdefault(intern(name), hook)
    for name, kind in flow.get("typedefs", {}).items():
        index.typedefs.setdefault(intern(name), intern(kind))
    for name, kind in flow.get("variables", {}).items():
        index.variables.setdefault(intern(name), intern(kind))


def add_type(index: Index, tag: str, fields: dict[str, str], number: int) -> None:
    """Keep the fields of a struct that hold pointers, and their order when one is a function."""
    kept = {intern(name): intern(kind) for name, kind in fields.items() if kind}
    if kept:
        index.types[intern(tag)] = (*index.types.get(tag, ()), (number, kept))
    if "(*)" in kept.values() and tag not in index.orders:
        index.orders[intern(tag)] = tuple(map(intern, fields))


def stored_by(source: SourceFile, number: int) -> Iterable[Stored]:
    """Every name a file stores or passes as a value."""
    sites = [site for site in source.facts.sites if site.kind == "registers"]
    if not sites:
        return
    own = own_functions(source)
    symbols = source.facts.symbols
    for site in sites:
        ids = tuple(own.get(site.name, ()))
        holder = intern(symbols[site.scope].name)
        yield Stored(number, intern(site.name), intern(site.extra), holder, ids)


def own_functions(source: SourceFile) -> dict[str, list[int]]:
    """Name -> ids of the functions a file defines itself."""
    found: dict[str, list[int]] = {}
    for symbol, ident in zip(source.facts.symbols, source.ids, strict=True):
        if symbol.kind == "function" and not symbol.flags & DECLARATION:
            found.setdefault(symbol.name, []).append(ident)
    return found


def _add_included_sources(index: Index, repo: RepoView) -> None:
    """Statics and macros of ``.c`` files that others include are visible there."""
    for number in sorted(file for file in index.bits if not is_header(index.paths[file])):
        source = repo.file(index.paths[number])
        if source is None:
            continue
        bodies = macro_bodies(source)
        for symbol, ident in zip(source.facts.symbols, source.ids, strict=True):
            code = visible(symbol.kind, symbol.flags, source.path)
            if code != SOURCE or (symbol.kind == "macro" and ident not in bodies):
                continue
            _add_name(index, symbol.name, Definition(number, ident, SOURCE))
            if ident in bodies:
                index.bodies[ident] = bodies[ident]
