"""Lexical name lookup: scopes, imports, re-exports, namespaces, inherited members."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from codeviews.core.facts import STATIC
from codeviews.core.resolve.declarations import (
    NAMESPACE,
    Base,
    Definition,
    FileDeclarations,
    World,
)
from codeviews.core.resolve.language_rules import LanguageRules
from codeviews.core.resolve.type_text import UNION, Written, parse_type

MAX_ANCESTORS = 64
MAX_FOUND = 64
TEST_MODULES = frozenset(["tests", "test"])
PATH_PREFIX = "#file:"
"""Import target that names a file of the repository instead of a namespace."""

Want = Callable[[Definition], bool]
Found = list[Definition]
Seen = frozenset[tuple[int, str]]


class External:
    """Singleton: the name is known to come from outside the repository."""


EXTERNAL = External()
NO_SEEN: Seen = frozenset()


def any_kind(found: Definition) -> bool:
    """Accept every definition."""
    return True


def is_type(found: Definition) -> bool:
    """Accept types and namespaces."""
    return found.is_type


def is_callable(found: Definition) -> bool:
    """Accept functions, methods, macros and properties."""
    return found.is_callable and found.kind != "macro"


def is_macro(found: Definition) -> bool:
    """Accept macros."""
    return found.kind == "macro"


def is_variant(found: Definition) -> bool:
    """Accept variants of enums."""
    return found.kind == "constant" and found.parent is not None and found.parent.kind == "enum"


class Names:
    """Lookup in one language's world. Bounded everywhere; never recurses without a guard."""

    def __init__(self, world: World, rules: LanguageRules) -> None:
        self.world = world
        self.rules = rules
        self._cache: dict[tuple[FileDeclarations, int, str, Want], Found | External] = {}

    def lookup(
        self, file: FileDeclarations, index: int, name: str, want: Want = any_kind,
        seen: Seen = NO_SEEN,
    ) -> Found | External:  # fmt: skip
        """What a simple name means at a symbol: definitions, EXTERNAL, or [] when unknown."""
        key = (file, index, name, want)
        if key not in self._cache:
            if len(self._cache) > 200_000:
                self._cache.clear()
            if seen:
                return self._lookup(file, index, name, want, seen)
            self._cache[key] = self._lookup(file, index, name, want, seen)
        return self._cache[key]

    def _lookup(
        self, file: FileDeclarations, index: int, name: str, want: Want, seen: Seen
    ) -> Found | External:
        for scope in file.enclosing(index):
            found = self._in_scope(file, scope, name, want, seen)
            if found:
                return found
            closed = self.rules.closed_modules and scope
            if closed and file.definitions[scope].kind == NAMESPACE:
                return self._crate(file, name, want)
        return self._beyond_file(file, name, want, seen)

    def _in_scope(
        self, file: FileDeclarations, scope: int, name: str, want: Want, seen: Seen
    ) -> Found | External:
        holder = file.definitions[scope]
        if scope == 0:
            own = holder.children.get(name, [])
            if not self.rules.closed_modules:
                own = [child for child in own if child.file is file]
        elif holder.is_type and (self.rules.implicit_this or holder.kind == NAMESPACE):
            own = self.members(holder, name)
        elif holder.is_type:
            own = [child for child in self.members(holder, name) if child.is_type]
        else:
            own = holder.children.get(name, [])
        found = [child for child in own if want(child)]
        if found:
            return found
        imported = self._imported(file, scope, name, want, seen)
        if imported or not self.rules.closed_modules:
            return imported
        return self._wildcard(file, scope, name, want, seen)

    def _imported(
        self, file: FileDeclarations, scope: int, name: str, want: Want, seen: Seen
    ) -> Found | External:
        targets = file.imports.get(scope, {}).get(name)
        if not targets:
            return []
        found: Found = []
        outside = False
        for target in targets:
            hit = self.import_target(file, scope, target, seen)
            outside |= not hit
            found.extend(child for child in hit if want(child))
        if found:
            return found[:MAX_FOUND]
        return EXTERNAL if outside else []

    def import_target(
        self, file: FileDeclarations, scope: int, target: str, seen: Seen = NO_SEEN
    ) -> Found:
        """The definitions an import path means; [] when it is outside the repository."""
        if target.startswith(PATH_PREFIX):
            other = self.world.files.get(target[len(PATH_PREFIX) :])
            return [other.definitions[0]] if other else []
        if (id(file), target) in seen or len(seen) > 24:
            return []
        seen = seen | {(id(file), target)}
        if not self.rules.closed_modules:
            return self.find([self.world.root], target.split("."), seen)
        found = self.path(file, scope, target.split("."), any_kind, seen)
        if not found and target.startswith("self."):
            return self._crate(file, target[5:], any_kind)
        return [] if isinstance(found, External) else found

    def path(
        self, file: FileDeclarations, scope: int, parts: list[str], want: Want = any_kind,
        seen: Seen = NO_SEEN,
    ) -> Found | External:  # fmt: skip
        """What a dotted path means at a symbol."""
        first = self._special(file, scope, parts[0])
        if first is None:
            step = want if len(parts) == 1 else is_type
            first = self.lookup(file, scope, parts[0], step, seen)
            if not first:
                first = [c for c in self.world.root.children.get(parts[0], ()) if c.is_type]
        if isinstance(first, External) or not first:
            return first
        found = self.find(first, parts[1:], seen)
        return [child for child in found if want(child)]

    def _special(self, file: FileDeclarations, scope: int, name: str) -> Found | None:
        if not self.rules.closed_modules or name not in ("crate", "self", "super", "Self"):
            return None
        module = self.module(file, scope)
        if name == "self":
            return [module]
        if name == "super":
            return [module.parent or module]
        while name == "crate" and module.parent is not None and module.parent.parent is not None:
            module = module.parent
        return [module] if name == "crate" else None

    def module(self, file: FileDeclarations, scope: int) -> Definition:
        """The innermost namespace around a symbol."""
        spaces = (file.definitions[index] for index in file.enclosing(scope))
        return next(space for space in spaces if space.kind == NAMESPACE)

    def find(self, start: Iterable[Definition], parts: list[str], seen: Seen = NO_SEEN) -> Found:
        """Descend from definitions by member names."""
        current = list(start)
        for position, name in enumerate(parts):
            if name == "super" and self.rules.closed_modules:
                current = [found.parent or found for found in current]
                continue
            below = [child for found in current for child in self.step(found, name, seen)]
            if position < len(parts) - 1:
                below = [child for child in below if child.is_type]
            current = below[:MAX_FOUND]
        return current

    def step(self, holder: Definition, name: str, seen: Seen = NO_SEEN) -> Found:
        """The members of that name of a type or namespace, re-exported ones included."""
        if holder.kind != NAMESPACE:
            return self.members(holder, name)
        found = holder.children.get(name, [])
        if not self.rules.closed_modules:
            return found or self.members(holder, name)
        if any(child.kind != NAMESPACE for child in found):
            return found
        if (id(holder), name) in seen or len(seen) > 24:
            return found
        again = self._reexported(holder, name, seen | {(id(holder), name)})
        return found + [child for child in again if child not in found]

    def _reexported(self, holder: Definition, name: str, seen: Seen) -> Found:
        for file, scope in self.world.scopes.get(holder, ()):
            found = self._imported(file, scope, name, any_kind, seen)
            if not found:
                found = self._wildcard(file, scope, name, any_kind, seen)
            if isinstance(found, list) and found:
                return found
        return []

    def _wildcard(
        self, file: FileDeclarations, scope: int, name: str, want: Want, seen: Seen
    ) -> Found:
        for target in file.wildcards.get(scope, ()):
            for holder in self.import_target(file, scope, target, seen):
                found = [child for child in self.step(holder, name, seen) if want(child)]
                if found:
                    return found
        return []

    def _crate(self, file: FileDeclarations, name: str, want: Want) -> Found:
        """Other crates of the workspace, and modules beside a test root."""
        found = [child for child in self.world.root.children.get(name, ()) if want(child)]
        if not found:
            parent = file.definitions[0].parent
            if parent is not None and parent.name.endswith("$"):
                found = [child for child in parent.children.get(name, ()) if want(child)]
        return found

    def _beyond_file(
        self, file: FileDeclarations, name: str, want: Want, seen: Seen
    ) -> Found | External:
        if self.rules.closed_modules:
            return self._crate(file, name, want)
        space: Definition | None = file.definitions[0]
        while space is not None:
            found = [child for child in space.children.get(name, ()) if want(child)]
            if found and (space.parent is not None or not file.package or self.rules.free_names):
                return found
            space = space.parent if self.rules.outer_namespaces else None
        for scope in file.wildcards:
            found = self._wildcard(file, scope, name, want, seen)
            if found:
                return found
        if self.rules.free_names:
            return [child for child in self.world.root.children.get(name, ()) if want(child)]
        return []

    # inheritance

    def members(self, holder: Definition, name: str) -> Found:
        """Members of that name of a type, own ones first, then inherited ones."""
        found: Found = []
        for ancestor in self.lineage(holder)[0]:
            for child in ancestor.children.get(name, ()):
                if child not in found:
                    found.append(child)
            if len(found) > MAX_FOUND:
                break
        return found

    def lineage(self, holder: Definition) -> tuple[tuple[Definition, ...], bool]:
        """A type, its other parts and its ancestors; and whether one is outside the repository."""
        if holder.lineage is None:
            holder.lineage = ((holder,), False)
            holder.lineage = self._lineage(holder)
        return holder.lineage

    def _lineage(self, holder: Definition) -> tuple[tuple[Definition, ...], bool]:
        order: list[Definition] = []
        outside = False
        todo = [holder]
        while todo and len(order) < MAX_ANCESTORS:
            current = todo.pop(0)
            if current in order:
                continue
            order.append(current)
            todo[:0] = [part for part in self.parts(current) if part is not current]
            for base in current.bases:
                found = self.base_types(base)
                outside |= not found
                todo.extend(found)
        return tuple(order), outside

    def parts(self, holder: Definition) -> Found:
        """The definitions that make up one type."""
        if not self.rules.partial_types or holder.parent is None:
            return [holder]
        siblings = holder.parent.children.get(holder.name, [holder])
        return [child for child in siblings if child.is_type]

    def base_types(self, base: Base) -> Found:
        """The project types a base names; [] when it is outside."""
        return self.written_types(parse_type(base.text), base.file, base.scope)

    def written_types(self, written: Written, file: FileDeclarations, scope: int) -> Found:
        """The project types that a parsed type's own name means."""
        if written.name == UNION:
            return [t for part in written.args for t in self.written_types(part, file, scope)]
        if not written.name or not (written.name[0].isalpha() or written.name[0] in "_$"):
            return []
        found = self.path(file, scope, written.name.split("."), is_type)
        if isinstance(found, External):
            return []
        made = [child for child in found if not child.flags & STATIC]
        return self.nearest(file, made or found, scope)

    def in_tests(self, file: FileDeclarations, scope: int) -> bool:
        """Whether a place is test code: a test file, or a module of tests inside another file."""
        if file.is_test():
            return True
        around = (file.definitions[index] for index in file.enclosing(scope))
        return any(d.kind == NAMESPACE and d.name in TEST_MODULES for d in around)

    def nearest(self, file: FileDeclarations, found: Found, scope: int = 0) -> Found:
        """Of same-named definitions in several files, those that a place in ``file`` would see."""
        if any(child.is_test for child in found) and not self.in_tests(file, scope):
            found = [child for child in found if not child.is_test]
        if self.rules.partial_types or len({id(child.file) for child in found}) < 2:
            return found
        best = max(_closeness(file.path, child) for child in found)
        return [child for child in found if _closeness(file.path, child) == best]


def _closeness(path: str, found: Definition) -> int:
    other = found.file.path if found.file else ""
    if other == path:
        return 1_000
    shared = 0
    for mine, theirs in zip(path.split("/"), other.split("/"), strict=False):
        if mine != theirs:
            break
        shared += 1
    return shared
