"""Values of declared types, and the enclosing instance."""

from __future__ import annotations

from collections.abc import Mapping

from codeviews.core.resolve.declarations import NAMESPACE, Definition, FileDeclarations, World
from codeviews.core.resolve.language_rules import LanguageRules
from codeviews.core.resolve.names import Names
from codeviews.core.resolve.type_text import ARRAY, FUNCTION, TUPLE, UNION, Written, parse_type
from codeviews.core.resolve.values import INSTANCE, NO_VALUE, Value, instance, outside, union

MAX_TYPE_DEPTH = 8
UNTYPED = frozenset(["", "var", "let", "val", "auto", "mixed", "dynamic", "_"])
Environment = Mapping[str, Value]
NO_ENVIRONMENT: Environment = {}


class Declared:
    """What written types mean in one language's world."""

    def __init__(self, world: World, rules: LanguageRules) -> None:
        self.world = world
        self.rules = rules
        self.names = Names(world, rules)

    def declared(
        self, text: str, file: FileDeclarations, scope: int, env: Environment = NO_ENVIRONMENT
    ) -> Value:
        """The value that a declaration of that type holds."""
        if text in UNTYPED:
            return NO_VALUE
        return self.written(parse_type(text.lstrip("*~")), file, scope, env)

    def written(
        self, type_: Written, file: FileDeclarations, scope: int, env: Environment, depth: int = 0
    ) -> Value:
        """The instance that a parsed type means at a symbol."""
        name = type_.name
        if not name or depth > MAX_TYPE_DEPTH:
            return NO_VALUE
        if name in env:
            return env[name]
        if name in self.rules.own or name == "Self":
            return self.this(file, scope)
        if name == UNION:
            return union([self.written(t, file, scope, env, depth + 1) for t in type_.args])
        args = tuple(self.written(t, file, scope, env, depth + 1) for t in type_.args)
        if name in (ARRAY, TUPLE, FUNCTION):
            return outside(name, args)
        bound = self._bound(name, file, scope, depth)
        if bound is not None:
            return bound
        found = self.names.written_types(type_, file, scope)
        if not found:
            return outside(name.rpartition(".")[2], args)
        if all(child.kind == "type" for child in found):
            return self._alias(found[0], depth)
        return instance(tuple(found), args)

    def _bound(self, name: str, file: FileDeclarations, scope: int, depth: int) -> Value | None:
        """The bound of a type parameter; None when the name is no type parameter."""
        unbound: Value | None = None
        for index in file.enclosing(scope):
            for parameter, bound in file.generics.get(index, ()):
                if parameter != name:
                    continue
                written = parse_type(bound)
                if written.name in ("", name):
                    unbound = NO_VALUE
                    continue
                outer = max(0, file.parents[index])
                return self.written(written, file, outer, NO_ENVIRONMENT, depth + 1)
            if unbound is not None:
                return unbound
        return None

    def _alias(self, alias: Definition, depth: int) -> Value:
        text = alias.file.types.get(alias.index, "") if alias.file else ""
        if alias.file is None or not text:
            return instance((alias,))
        return self.written(parse_type(text), alias.file, alias.index, NO_ENVIRONMENT, depth + 2)

    def this(self, file: FileDeclarations, scope: int) -> Value:
        """The enclosing instance at a symbol."""
        for index in file.enclosing(scope):
            found = file.definitions[index]
            owner = found if found.is_type else found.parent
            if owner is not None and owner.is_type and index and self._holds(owner):
                return Value(INSTANCE, tuple(self.names.parts(owner)), own=True)
        return NO_VALUE

    def _holds(self, owner: Definition) -> bool:
        return owner.kind != NAMESPACE or (self.rules.partial_types and owner.file is None)

    def parents_of(self, value: Value) -> Value:
        """What ``super`` means: the ancestors of the enclosing type, dispatched statically."""
        own = set(value.definitions)
        found: list[Definition] = []
        for owner in value.definitions:
            found.extend(t for t in self.names.lineage(owner)[0] if t not in own)
        if not found:
            return outside("super")
        return Value(INSTANCE, tuple(found[:1]), exact=True)
