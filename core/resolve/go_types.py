"""Go types as far as method and field look-up needs them.

Resolved types: ``("N", package key, name, arguments)`` named, ``("X", description)`` from outside,
``("b", name)`` basic, ``("[]", T)``, ``("map", K, V)``, ``("chan", T)``, ``("fn", parameters,
results)``, ``("struct", fields, context)``, ``("iface", methods, embedded, context)``, ``("tup",
types)``, ``("T", name, constraint)`` type parameter. Pointers are looked through; None is unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from codeviews.core.resolve.go_packages import Decl, GoFile, GoWorld

Ty = Any
Ir = Any
MAX_HOPS = 16
MAX_EMBEDDING = 6

BASIC = frozenset(
    [
        "bool", "string", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16",
        "uint32", "uint64", "uintptr", "byte", "rune", "float32", "float64", "complex64",
        "complex128", "error", "any", "comparable",
    ]
)  # fmt: skip
NO_TYPES: Mapping[str, Ty] = {}


class Context(NamedTuple):
    """Where a type is written: the file, and what its type parameters stand for."""

    file: GoFile
    types: Mapping[str, Ty]


class Member(NamedTuple):
    """A field (``type``) or methods (``decls``, or ``interface``) found under a name."""

    type: Ty
    decls: tuple[Decl, ...] = ()
    interface: Ty = None
    field: str = ""
    bindings: Mapping[str, Ty] = NO_TYPES


class GoTypes:
    """Resolves written types and looks up members."""

    def __init__(self, world: GoWorld) -> None:
        self.world = world
        self._underlying: dict[Ty, Ty] = {}

    def resolve(self, where: Context, written: Ir, hops: int = 0) -> Ty:
        """The type that ``written`` means in ``where``."""
        if written is None or hops > MAX_HOPS:
            return None
        match written[0]:
            case "n":
                return self._named(where, written[1], ())
            case "q":
                return self._qualified(where, written[1], written[2], ())
            case "g":
                return self._generic(where, written, hops)
            case "*":
                return self.resolve(where, written[1], hops + 1)
            case "[]" | "chan":
                return (written[0], self.resolve(where, written[1], hops + 1))
            case "map":
                key = self.resolve(where, written[1], hops + 1)
                return ("map", key, self.resolve(where, written[2], hops + 1))
            case "fn":
                return self.function(where, written[1], written[2], hops)
            case "struct":
                return ("struct", written[1], where.file, tuple(where.types.items()))
            case "iface":
                return ("iface", written, where.file, tuple(where.types.items()))
            case _:
                return None

    def function(self, where: Context, parameters: Ir, results: Ir, hops: int = 0) -> Ty:
        """A function type from written parameter and result types."""
        given = tuple(self.resolve(where, kind, hops + 1) for kind in parameters)
        return ("fn", given, tuple(self.resolve(where, kind, hops + 1) for kind in results))

    def _generic(self, where: Context, written: Ir, hops: int) -> Ty:
        arguments = tuple(self.resolve(where, kind, hops + 1) for kind in written[2])
        base = written[1]
        if base is None:
            return None
        if base[0] == "q":
            return self._qualified(where, base[1], base[2], arguments)
        return self._named(where, base[1], arguments)

    def _named(self, where: Context, name: str, arguments: tuple[Ty, ...]) -> Ty:
        if name in where.types:
            return where.types[name]
        decls = self.lookup(where.file, name)
        if decls:
            return self._declared(decls[0], name, arguments)
        if name in BASIC:
            return ("b", name)
        path = self.external_dot(where.file)
        return ("X", f"{path}.{name}") if path is not None else None

    def external_dot(self, file: GoFile) -> str | None:
        """An external package that the file imports with a dot: home of undeclared names."""
        dots = self.world.dots(file)
        return next((path for path in dots if self.world.imported(file, path) is None), None)

    def lookup(self, file: GoFile, name: str) -> list[Decl]:
        """Package-level declarations that a bare name means in a file."""
        found = file.package.lookup(name, file)
        for path in self.world.dots(file) if not found else ():
            package = self.world.imported(file, path)
            found = package.lookup(name, file) if package is not None else []
            if found:
                break
        return found

    def _declared(self, decl: Decl, name: str, arguments: tuple[Ty, ...]) -> Ty:
        if decl.kind != "type":
            return None
        if decl.record[4]:
            return self.underlying(("N", decl.file.package.key, name, arguments))
        return ("N", decl.file.package.key, name, arguments)

    def _qualified(self, where: Context, package: str, name: str, arguments: tuple[Ty, ...]) -> Ty:
        path = self.world.imports(where.file).get(package)
        if path is None:
            return None
        target = self.world.imported(where.file, path)
        if target is None:
            return ("X", f"{path}.{name}")
        decls = target.lookup(name, where.file)
        return self._declared(decls[0], name, arguments) if decls else None

    def declaration(self, named: Ty) -> Decl | None:
        """The declaration of a named type."""
        package = self.world.package(named[1])
        decls = package.names.get(named[2], []) if package is not None else []
        return next((decl for decl in decls if decl.kind == "type"), None)

    def underlying(self, kind: Ty, hops: int = 0) -> Ty:
        """The type a named type is defined as, through definitions of definitions."""
        if kind is None or kind[0] != "N" or hops > MAX_HOPS:
            return kind
        if kind not in self._underlying:
            self._underlying[kind] = None  # cuts cycles
            decl = self.declaration(kind)
            if decl is not None:
                context = Context(decl.file, bind_parameters(decl.record[2], kind[3]))
                resolved = self.resolve(context, decl.record[3])
                is_alias = decl.record[4]
                self._underlying[kind] = (
                    resolved if is_alias else self.underlying(resolved, hops + 1)
                )
        return self._underlying[kind]

    def is_interface(self, kind: Ty) -> bool:
        """Whether a type is an interface of the repository."""
        under = self.underlying(kind)
        return under is not None and under[0] == "iface"

    def member(self, kind: Ty, name: str, viewer: GoFile) -> Member | None:
        """A field or method, own or promoted, breadth first over embedded types."""
        level = [kind]
        seen: set[Ty] = set()
        for _ in range(MAX_EMBEDDING):
            deeper: list[Ty] = []
            for current in level:
                if current is None or current in seen:
                    continue
                seen.add(current)
                found = self._own_member(current, name, viewer, deeper)
                if found is not None:
                    return found
            level = deeper
        return None

    def _own_member(self, kind: Ty, name: str, viewer: GoFile, deeper: list[Ty]) -> Member | None:
        if kind[0] == "X":
            return Member(kind)
        if kind[0] == "T":
            deeper.append(kind[2])
            return None
        if kind[0] == "N":
            found = self._method(kind, name, viewer)
            if found is not None:
                return found
        under = self.underlying(kind)
        if under is not None and under[0] == "struct":
            return self._field(kind, under, name, deeper)
        if under is not None and under[0] == "iface":
            return self._interface_method(kind, under, name, deeper)
        if under is not None and under[0] == "X":
            return Member(under)
        return None

    def _method(self, kind: Ty, name: str, viewer: GoFile) -> Member | None:
        package = self.world.package(kind[1])
        decls = package.method(kind[2], name, viewer) if package is not None else []
        if not decls:
            return None
        record = decls[0].record
        bindings = dict(zip(record[2][2], kind[3], strict=False))
        return Member(self.signature(decls[0], bindings), tuple(decls), bindings=bindings)

    def signature(self, decl: Decl, bindings: Mapping[str, Ty] = NO_TYPES) -> Ty:
        """The function type of a declaration; its own type parameters stay open."""
        record = decl.record
        open_types = {
            name: ("T", name, self.resolve(Context(decl.file, bindings), constraint))
            for name, constraint in record[3]
        }
        where = Context(decl.file, {**bindings, **open_types})
        results = [kind for _, kind in record[5]]
        return self.function(where, [kind for _, kind in record[4]], results)

    def _field(self, owner: Ty, under: Ty, name: str, deeper: list[Ty]) -> Member | None:
        where = Context(under[2], dict(under[3]))
        for field, written, embedded in under[1]:
            if field == name:
                label = f"{owner[1]}.{owner[2]}.{name}" if owner[0] == "N" else ""
                return Member(self.resolve(where, written), field=label)
            if embedded:
                deeper.append(self.resolve(where, written))
        return None

    def _interface_method(self, owner: Ty, under: Ty, name: str, deeper: list[Ty]) -> Member | None:
        where = Context(under[2], dict(under[3]))
        for method, written in under[1][1]:
            if method == name:
                return Member(self.resolve(where, written), interface=owner)
        deeper += [self.resolve(where, written) for written in under[1][2]]
        return None


def bind_parameters(parameters: Ir, arguments: tuple[Ty, ...]) -> dict[str, Ty]:
    """Type parameter names -> given arguments, or open parameters."""
    found: dict[str, Ty] = {name: ("T", name, None) for name, _ in parameters}
    found.update({name: kind for (name, _), kind in zip(parameters, arguments, strict=False)})
    return found


def unify(pattern: Ty, given: Ty, found: dict[str, Ty], depth: int = 0) -> None:
    """Collect what open type parameters of ``pattern`` stand for in ``given``."""
    if pattern is None or given is None or depth > 8:
        return
    if pattern[0] == "T":
        found.setdefault(pattern[1], given)
    elif pattern[0] == given[0]:
        for part, other in zip(pattern[1:], given[1:], strict=False):
            _unify_part(part, other, found, depth + 1)


def _unify_part(part: Any, other: Any, found: dict[str, Ty], depth: int) -> None:
    if not isinstance(part, tuple) or not isinstance(other, tuple):
        return
    pattern, given = cast("Ty", part), cast("Ty", other)
    if pattern and isinstance(pattern[0], str):
        unify(pattern, given, found, depth)
        return
    for left, right in zip(pattern, given, strict=False):
        _unify_part(left, right, found, depth + 1)


def substitute(kind: Ty, found: Mapping[str, Ty], depth: int = 0) -> Ty:
    """``kind`` with open type parameters replaced."""
    if kind is None or not found or depth > 8:
        return kind
    if kind[0] == "T":
        return found.get(kind[1], kind)
    if kind[0] in ("[]", "chan", "map", "fn", "N", "tup"):
        return tuple(_substitute_part(part, found, depth + 1) for part in kind)
    return kind


def _substitute_part(part: Any, found: Mapping[str, Ty], depth: int) -> Any:
    if not isinstance(part, tuple) or not part:
        return cast("Any", part)
    parts = cast("Ty", part)
    if isinstance(parts[0], str):
        return substitute(parts, found, depth)
    return tuple(_substitute_part(inner, found, depth) for inner in parts)
