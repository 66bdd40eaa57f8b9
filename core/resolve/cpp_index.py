"""C++ classes, functions and using-declarations of the whole repository."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from codeviews.core.facts import DECLARATION, STATIC, SourceFile


class Function(NamedTuple):
    """A function or method; ``scope`` is the class or namespace it belongs to (``ns.A``)."""

    id: int
    file: int
    name: str
    scope: str
    result: str
    types: tuple[str, ...]
    required: int
    virtual: bool
    flags: int

    @property
    def is_declaration(self) -> bool:
        """Whether the body stands elsewhere."""
        return bool(self.flags & DECLARATION)


def flow_of(source: SourceFile) -> dict[str, Any]:
    """A file's ``flow``; empty when its language gave none."""
    return cast("dict[str, Any]", source.facts.flow or {})


@dataclass(slots=True)
class Class:
    """All definitions of one class name."""

    qualname: str
    ids: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])  # (file, symbol)
    bases: list[str] = field(default_factory=list[str])
    fields: dict[str, str] = field(default_factory=dict[str, str])
    methods: dict[str, list[Function]] = field(default_factory=dict[str, list[Function]])
    is_final: bool = False

    @property
    def scope(self) -> str:
        """Where the class stands."""
        return self.qualname.rpartition(".")[0]


@dataclass(slots=True)
class CppIndex:
    """Tables over every C++ file."""

    classes: dict[str, Class] = field(default_factory=dict[str, Class])
    functions: dict[str, list[Function]] = field(default_factory=dict[str, list[Function]])
    aliases: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    opened: dict[int, list[tuple[str, str]]] = field(
        default_factory=lambda: defaultdict[int, list[tuple[str, str]]](list)
    )
    variables: dict[str, str] = field(default_factory=dict[str, str])
    derived: dict[str, list[str]] = field(default_factory=lambda: defaultdict[str, list[str]](list))
    method_owners: dict[str, set[str]] = field(
        default_factory=lambda: defaultdict[str, set[str]](set)
    )
    by_id: dict[int, Function] = field(default_factory=dict[int, Function])

    def add(self, source: SourceFile, number: int) -> None:
        """Take in one file's facts."""
        flow = flow_of(source)
        classes: dict[int, tuple[str, list[str], dict[str, str], bool]] = flow.get("classes", {})
        for index, (name, bases, fields, final) in classes.items():
            known = self.classes.setdefault(name, Class(name))
            known.ids.append((number, source.ids[index]))
            known.bases.extend(base for base in bases if base not in known.bases)
            known.fields.update(fields)
            known.is_final = known.is_final or final
        functions: dict[int, tuple[str, str, list[str], int, bool]] = flow.get("functions", {})
        for index, (scope, result, types, required, virtual) in functions.items():
            symbol = source.facts.symbols[index]
            function = Function(
                source.ids[index],
                number,
                symbol.name,
                scope,
                result,
                tuple(types),
                required,
                virtual,
                symbol.flags,
            )
            self.by_id[function.id] = function
        for scope, kind, name, target in flow.get("usings", ()):
            self._using(number, scope, kind, name, target)
        self.variables.update(flow.get("variables", {}))

    def _using(self, number: int, scope: str, kind: str, name: str, target: str) -> None:
        if kind == "namespace":
            self.opened[number].append((scope, target))
        elif kind == "name":
            self.aliases.setdefault((scope, name), target.replace(".", "::"))
        else:
            self.aliases.setdefault((scope, name), target)

    def finish(self) -> None:
        """Give every function to its class or namespace once all files are known."""
        for number, function in sorted(self.by_id.items()):
            owner = self._owner(function)
            function = function._replace(scope=owner)
            self.by_id[number] = function
            if owner in self.classes:
                methods = self.classes[owner].methods
                methods.setdefault(function.name, []).append(function)
                self.method_owners[function.name].add(owner)
            else:
                name = f"{owner}.{function.name}" if owner else function.name
                self.functions.setdefault(name, []).append(function)
        for known in self.classes.values():
            for base in known.bases:
                found = self.find_class(base, known.scope, known.ids[0][0])
                if found:
                    self.derived[found].append(known.qualname)

    def _owner(self, function: Function) -> str:
        scope = function.scope
        if not scope or scope in self.classes:
            return scope
        for _, target in self.opened.get(function.file, ()):
            if f"{target}.{scope}" in self.classes:
                return f"{target}.{scope}"
        return scope

    def find_class(self, text: str, scope: str, file: int, depth: int = 0) -> str:
        """The class that a type's text names in a scope, through aliases; "" when none does."""
        name = text.split("<", 1)[0].strip("*&").replace("::", ".").lstrip(".")
        if not name or depth > 8:
            return ""
        for prefix in self.scopes(scope, file):
            path = f"{prefix}.{name}" if prefix else name
            if path in self.classes:
                return path
            first, _, rest = name.rpartition(".")
            key = (f"{prefix}.{first}" if prefix and first else prefix or first, rest or name)
            target = self.aliases.get(key)
            if target and target != text:
                return self.find_class(target, prefix, file, depth + 1)
        return ""

    def scopes(self, scope: str, file: int) -> Iterator[str]:
        """Scopes a name is sought in: outwards (a class with its bases), then opened namespaces."""
        seen = {""}
        while scope:
            if scope not in seen:
                seen.add(scope)
                yield scope
            scope = scope.rpartition(".")[0]
        yield ""
        for _, target in self.opened.get(file, ()):
            if target not in seen:
                seen.add(target)
                yield target

    def lineage(self, name: str) -> list[str]:
        """A class and its ancestors, nearest first."""
        order: dict[str, None] = {}
        work = [name]
        while work and len(order) < 500:
            current = work.pop(0)
            known = self.classes.get(current)
            if current in order or known is None:
                continue
            order[current] = None
            for base in known.bases:
                found = self.find_class(base, known.scope, known.ids[0][0])
                if found and found != current:
                    work.append(found)
        return list(order)

    def has_outside_base(self, name: str) -> bool:
        """Whether a class or an ancestor derives from a class that is not in the repository."""
        for current in self.lineage(name):
            known = self.classes[current]
            file = known.ids[0][0]
            if any(not self.find_class(base, known.scope, file) for base in known.bases):
                return True
        return False

    def methods(self, name: str, method: str) -> list[Function]:
        """The overloads of a method that a class has or inherits from its nearest ancestor."""
        for current in self.lineage(name):
            found = self.classes[current].methods.get(method)
            if found:
                return found
        return []

    def field_type(self, name: str, field_name: str) -> tuple[str, str]:
        """(type, scope of the class that declares it) of a field, inherited ones included."""
        for current in self.lineage(name):
            found = self.classes[current].fields.get(field_name)
            if found:
                return found, current
        return "", ""

    def descendants(self, name: str) -> list[str]:
        """Every class that derives from ``name``, nearest first."""
        order: dict[str, None] = {}
        work = list(self.derived.get(name, ()))
        while work and len(order) < 500:
            current = work.pop(0)
            if current not in order and current != name:
                order[current] = None
                work.extend(self.derived.get(current, ()))
        return list(order)

    def is_virtual(self, function: Function) -> bool:
        """Whether calls of a method are dispatched: it or what it overrides is virtual."""
        if function.flags & STATIC:
            return False
        for current in self.lineage(function.scope):
            for other in self.classes[current].methods.get(function.name, ()):
                if other.virtual and len(other.types) == len(function.types):
                    return True
        return False
