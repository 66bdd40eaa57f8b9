"""Values of names: locals, parameters and fields, at an offset."""

from __future__ import annotations

from abc import ABC, abstractmethod

from codeviews.core.resolve.declarations import Binding, Definition, FileDeclarations, World
from codeviews.core.resolve.declared import UNTYPED, Declared
from codeviews.core.resolve.language_rules import LanguageRules
from codeviews.core.resolve.values import INSTANCE, NO_VALUE, OUTSIDE, REFERENCE, Value, union

ANYWHERE = 1 << 40
"""An offset after every binding of a file."""


class Variables(Declared, ABC):
    """Looks up variables; what their initial expressions mean is for the subclass to say."""

    def __init__(self, world: World, rules: LanguageRules) -> None:
        super().__init__(world, rules)
        self.loops: list[tuple[int, int]] = []
        self._locals: dict[int, Value] = {}

    @abstractmethod
    def value(self, file: FileDeclarations, scope: int, text: str, offset: int) -> Value:
        """The value of a chain that stands at an offset."""

    @abstractmethod
    def member_value(self, member: Definition, receiver: Value) -> Value:
        """The value that a field, constant or property holds."""

    def variable(self, file: FileDeclarations, scope: int, name: str, offset: int) -> Value | None:
        """The value of a local, parameter or field; None when no such name is bound."""
        for index in file.enclosing(scope):
            bindings = file.near(index, name, offset)
            if bindings:
                found = self._local(file, bindings, offset)
                if found is not None:
                    return found
            owner = file.definitions[index]
            if index and owner.is_type and self.rules.implicit_this:
                fields = [c for c in self.names.members(owner, name) if is_value(c)]
                if fields:
                    return self.member_value(fields[0], NO_VALUE)
            assigned = file.assigned.get((index, name))
            if assigned and self.rules.implicit_this:
                return self.assigned_value(file, assigned)
        return None

    def _local(self, file: FileDeclarations, bindings: list[Binding], offset: int) -> Value | None:
        visible = [b for b in bindings if b[4] <= offset < b[5]]
        if not visible:
            return None
        latest = max(visible, key=lambda b: b[4])
        typed_ones = (b for b in reversed(visible) if b[2] not in UNTYPED and b[6] != "u")
        declared = next(typed_ones, None)
        typed = self.declared(declared[2], file, declared[0]) if declared else NO_VALUE
        if self._reassigned(bindings, offset):
            return typed if typed.known else self._any(file, bindings)
        value = self._bound_value(file, latest)
        if value.kind == INSTANCE and (value.exact or not typed.known):
            return value
        if typed.known:
            return typed
        return value if value.known else self._any(file, visible)

    def _bound_value(self, file: FileDeclarations, binding: Binding) -> Value:
        key = id(binding)
        if key not in self._locals:
            self._locals[key] = NO_VALUE
            self._locals[key] = self._bind(file, binding)
        return self._locals[key]

    def start_file(self, loops: list[tuple[int, int]]) -> None:
        """Forget the locals of the file before."""
        self.loops = loops
        self._locals.clear()

    def _bind(self, file: FileDeclarations, binding: Binding) -> Value:
        scope, _, declared, chain, start, _, kind = binding
        if kind == "u":
            return self._unpacked(file, binding)
        if chain:
            value = self.value(file, scope, chain, start - 1)
            unit = value.kind == REFERENCE and self.rules.closed_modules
            if unit and all(child.is_type for child in value.definitions):
                return value._replace(kind=INSTANCE, exact=True)
            return value
        return self.declared(declared, file, scope)

    def _unpacked(self, file: FileDeclarations, binding: Binding) -> Value:
        """The first part of a matched ``Some(x)`` or ``Variant(x)``."""
        scope, _, variant, chain, start = binding[:5]
        name = variant.rpartition("::")[2]
        if name in ("Some", "Ok", "Err"):
            value = self.value(file, scope, chain, start - 1)
            if value.kind != OUTSIDE or not value.args:
                return NO_VALUE
            return value.args[-1] if name == "Err" else value.args[0]
        found = self.names.path(file, scope, variant.replace("::", ".").split("."))
        first = found[0] if isinstance(found, list) and found else None
        parts = first.children.get("0") if first else None
        return self.member_value(parts[0], NO_VALUE) if parts else NO_VALUE

    def _any(self, file: FileDeclarations, bindings: list[Binding]) -> Value:
        values = [self._bound_value(file, binding) for binding in bindings[:8]]
        return union(values)._replace(exact=False)

    def _reassigned(self, bindings: list[Binding], offset: int) -> bool:
        """Whether a later assignment may reach the offset through a loop."""
        later = [b[4] for b in bindings if b[6] == "a" and b[4] > offset]
        return any(
            start <= offset < end and start <= at < end for at in later for start, end in self.loops
        )

    def assigned_value(self, file: FileDeclarations, assigned: list[tuple[int, str]]) -> Value:
        values = [self.value(file, scope, chain, ANYWHERE) for scope, chain in assigned[:8]]
        return union(values)._replace(exact=False)


def is_value(found: Definition) -> bool:
    """Whether a definition holds a value: a field, constant, variable or property."""
    return not found.is_type and (not found.is_callable or found.kind == "property")
