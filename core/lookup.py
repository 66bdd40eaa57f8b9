"""From what a caller typed to definitions: exact, or not found with the nearest names."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from codeviews.core.config import MAX_NAME_CHARS, NEAREST_NAMES
from codeviews.core.facts import CALLABLE_KINDS, DECLARATION, STATIC, TEST
from codeviews.core.languages import LANGUAGES
from codeviews.core.store import Definition, Store

_SEPARATORS = re.compile(r"::|#|->|\.|/(?=\w+$)")
_LINE = re.compile(r"^(?P<path>.+?):(?P<line>[0-9]{1,9})(?:[:-][0-9]+)?$")


@dataclass(frozen=True, slots=True)
class Lookup:
    """``found`` holds every definition the text names; ``nearest`` only when there is none."""

    text: str
    found: list[Definition]
    nearest: list[str]

    @property
    def one(self) -> Definition | None:
        """The definition when there is exactly one."""
        return self.found[0] if len(self.found) == 1 else None


def look_up(store: Store, text: str) -> Lookup:
    """Definitions for a name, ``Qualified.name``, ``path:Qualified.name``, ``path:line`` or path.

    Also accepted: dotted module paths (``pkg.mod.Class.f``), ``Class::f``, ``Class#f``, a trailing
    ``()`` and a path without its first folders, as long as one file ends with it.
    """
    wanted = text.strip().strip("`'\"").removesuffix("()").strip()
    if len(wanted) > MAX_NAME_CHARS:  # no path or name is as long, and SQLite has limits of its own
        return Lookup(wanted, [], [])
    found = _by_place(store, wanted) or _by_name(store, wanted)
    found = _prefer_definitions(store, found)
    return Lookup(wanted, found, [] if found else nearest(store, wanted))


def _by_place(store: Store, wanted: str) -> list[Definition]:
    at = _LINE.match(wanted)
    if at:
        path = resolve_path(store, at["path"])
        found = path and store.at_line(path, int(at["line"]))
        return [found] if found else []
    if ":" in wanted.replace("::", ""):
        head, _, tail = wanted.partition(":")
        path = resolve_path(store, head)
        return _in_file(store, path, tail.lstrip(":")) if path else []
    path = resolve_path(store, wanted) if "/" in wanted or "." in wanted else None
    if path is None and store.file(wanted):
        path = wanted
    return store.symbols_of(path)[:1] if path else []


def resolve_path(store: Store, text: str) -> str | None:
    """An indexed path for what was typed: exact, or the only file that ends with it."""
    path = str(PurePosixPath(text.replace("\\", "/").removeprefix("./")))
    if store.file(path):
        return path
    ending = store.paths_ending(path)
    return ending[0] if len(ending) == 1 else None


def _in_file(store: Store, path: str, qualname: str) -> list[Definition]:
    wanted = _normal(qualname)
    symbols = store.symbols_of(path)
    exact = [s for s in symbols if _normal(s.qualname) == wanted]
    if "#" in qualname and exact:
        return exact
    twins = [s for s in symbols if _normal(s.qualname.partition("#")[0]) == wanted]
    return twins or exact or [s for s in symbols if s.name == qualname]


def _normal(qualname: str) -> str:
    return qualname.replace("::", ".").replace("#", ".")


def _by_name(store: Store, wanted: str) -> list[Definition]:
    named = store.named(wanted)
    if named:
        return named
    parts = [part for part in _SEPARATORS.split(wanted) if part]
    if len(parts) < 2:
        return []
    return [found for found in store.named(parts[-1]) if _ends_with(found, parts[:-1])]


def _ends_with(found: Definition, owners: Sequence[str]) -> bool:
    """Whether the definition's module path and owners end with ``owners``."""
    path = PurePosixPath(found.path)
    stem = [*path.parts[:-1], path.name.partition(".")[0]]
    if stem[-1] in ("__init__", "index", "mod"):
        stem.pop()
    full = [*stem, *_normal(found.qualname).split(".")[:-1]]
    return full[-len(owners) :] == list(owners)


def _prefer_definitions(store: Store, found: list[Definition]) -> list[Definition]:
    """Prototypes stand in only where no body is known: calls lead to what they declare."""
    bodies = [f for f in found if not f.flags & DECLARATION]
    return bodies or [body for f in found for body in _declared(store, f)] + found


def _declared(store: Store, prototype: Definition) -> list[Definition]:
    """The bodies that a prototype declares: of its file or the script that a stub describes, and in
    C and C++ of any file."""
    if prototype.kind not in CALLABLE_KINDS:
        return []
    family, place = LANGUAGES.get(prototype.language), _module(prototype)
    return [
        other
        for other in store.named(prototype.name)
        if _module(other)[1] == place[1]
        and not other.flags & DECLARATION
        and LANGUAGES.get(other.language) == family
        and (_module(other) == place or (family == "c" and not other.flags & STATIC))
    ]


def _module(found: Definition) -> tuple[str, str]:
    """The path without endings (``.d.ts``, ``.pyi``), and the name without number."""
    path = PurePosixPath(found.path)
    stem = path.with_name(path.name.partition(".")[0] or path.name)
    return str(stem), found.qualname.partition("#")[0]


def nearest(store: Store, wanted: str) -> list[str]:
    """Names close to one that does not exist, as addresses, best first."""
    last = [part for part in re.split(r"\W+", wanted) if part][-1:] or [wanted]
    names = difflib.get_close_matches(last[0], store.names_near(last[0]), NEAREST_NAMES, 0.6)
    out: list[str] = []
    for name in names:
        candidates = sorted(store.named(name, 20), key=lambda d: (d.marks & TEST, d.path))
        out += [candidate.address for candidate in candidates[:2]]
    return out[:NEAREST_NAMES]
