"""Go method sets over the whole repository: which types satisfy which interface.

Works on rows, so that stored summaries and files at hand mix. A type row is ``(name, kind, embedded
types, interface methods)``, a method row ``(type name, method, signature, qualified name)``; types
are named ``package key.Name``. Signatures are written with full package names; ``?`` fits anything.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from codeviews.core.resolve.go_packages import GoFile, GoWorld

Ir = Any
Ref = tuple[str, str]
Rows = tuple[str, tuple[Any, ...], tuple[Any, ...]]

MAX_DEPTH = 6
WILD = "?"


class Spelling:
    """Writes types as text that is equal for equal types of different files."""

    def __init__(self, world: GoWorld) -> None:
        self._world = world

    def signature(
        self, file: GoFile, parameters: Any, results: Any, open_names: frozenset[str]
    ) -> str:
        """``(parameters)(results)`` of a method."""
        given = ",".join(self.spell(file, kind, open_names) for kind in parameters)
        made = ",".join(self.spell(file, kind, open_names) for kind in results)
        return f"({given})({made})"

    def spell(self, file: GoFile, written: Ir, open_names: frozenset[str], depth: int = 0) -> str:
        """One type."""
        if written is None or depth > MAX_DEPTH:
            return WILD
        match written[0]:
            case "n":
                return self.name(file, written[1], open_names)
            case "q":
                return self._qualified(file, written)
            case "*" | "[]" | "chan":
                return written[0] + self.spell(file, written[1], open_names, depth + 1)
            case "map":
                key = self.spell(file, written[1], open_names, depth + 1)
                return f"map[{key}]{self.spell(file, written[2], open_names, depth + 1)}"
            case "fn":
                return "func" + self.signature(file, written[1], written[2], open_names)
            case "iface":
                return "any" if not written[1] and not written[2] else WILD
            case _:
                return WILD

    def name(self, file: GoFile, name: str, open_names: frozenset[str]) -> str:
        """A bare type name; aliases and type parameters fit anything."""
        if name in open_names:
            return WILD
        decls = file.package.names.get(name, [])
        if not decls:
            return {"uint8": "byte", "int32": "rune"}.get(name, name)
        is_plain = decls[0].kind == "type" and not decls[0].record[4]
        return f"{file.package.key}.{name}" if is_plain else WILD

    def _qualified(self, file: GoFile, written: Ir) -> str:
        path = self._world.imports(file).get(written[1])
        if path is None:
            return WILD
        target = self._world.imported(file, path)
        if target is None:
            return f"{path}.{written[2]}"
        decls = target.names.get(written[2], [])
        is_plain = bool(decls) and decls[0].kind == "type" and not decls[0].record[4]
        return f"{target.key}.{written[2]}" if is_plain else WILD


def file_rows(world: GoWorld, file: GoFile) -> Rows:
    """``(package key, type rows, method rows)`` of one file."""
    spelling = Spelling(world)
    types = [_type_row(spelling, file, record) for record in file.flow[1] if not record[4]]
    methods: list[Any] = []
    for record in file.flow[2]:
        if record[2] is not None:
            open_names = frozenset(record[2][2])
            signature = spelling.signature(
                file, [k for _, k in record[4]], [k for _, k in record[5]], open_names
            )
            methods.append((record[2][1], record[1], signature, file.qualname(record[0])))
    return file.package.key, tuple(types), tuple(methods)


def _type_row(spelling: Spelling, file: GoFile, record: Any) -> Any:
    _, name, parameters, written, _, members = record
    open_names = frozenset(parameter for parameter, _ in parameters)
    known = dict(members)
    if written is None or written[0] not in ("struct", "iface"):
        return (name, "type", (), ())
    if written[0] == "struct":
        inner = [kind for _, kind, is_embedded in written[1] if is_embedded]
        return (name, "struct", _embedded(spelling, file, inner, open_names), ())
    methods: Any = tuple(
        (
            method,
            spelling.signature(file, kind[1], kind[2], open_names),
            file.qualname(known[method]),
        )
        for method, kind in written[1]
        if method in known
    )
    return (name, "interface", _embedded(spelling, file, written[2], open_names), methods)


def _embedded(
    spelling: Spelling, file: GoFile, kinds: Any, open_names: frozenset[str]
) -> tuple[str, ...]:
    found: list[str] = []
    for kind in kinds:
        while kind is not None and kind[0] in ("*", "g"):
            kind = kind[1]
        found.append(spelling.spell(file, kind, open_names))
    return tuple(found)


class MethodSets:
    """All types of the repository with what they embed and implement."""

    def __init__(self) -> None:
        self._embedded: dict[str, tuple[str, ...]] = {}
        self._own: dict[str, dict[str, tuple[str, Ref]]] = defaultdict(dict)
        self._required: dict[str, dict[str, str]] = {}
        self._declared: dict[str, dict[str, Ref]] = {}
        self._holders: dict[str, set[str]] = defaultdict(set)
        self._paths: dict[str, str] = {}
        self._satisfying: dict[str, list[str]] = {}

    def add(self, path: str, rows: Any) -> None:
        """Take in the rows of a file."""
        key, types, methods = rows
        for name, kind, embedded, required in types:
            full = f"{key}.{name}"
            self._embedded[full] = tuple(embedded)
            self._paths.setdefault(full, path)
            if kind == "interface":
                self._required[full] = {method: signature for method, signature, _ in required}
                self._declared[full] = {method: (path, qual) for method, _, qual in required}
        for owner, method, signature, qualname in methods:
            self._own[f"{key}.{owner}"].setdefault(method, (signature, (path, qualname)))
            self._holders[method].add(f"{key}.{owner}")

    def interface_methods(self, name: str, depth: int = 0) -> dict[str, str]:
        """Methods an interface requires, with those of embedded interfaces."""
        found = dict(self._required.get(name, {}))
        for inner in self._embedded.get(name, ()) if depth < MAX_DEPTH else ():
            found.update(self.interface_methods(inner, depth + 1))
        return found

    def declared(self, name: str, method: str, depth: int = 0) -> Ref | None:
        """The symbol of an interface's method, own or of an embedded interface."""
        found = self._declared.get(name, {}).get(method)
        if found is not None or depth > MAX_DEPTH:
            return found
        inner = (self.declared(n, method, depth + 1) for n in self._embedded.get(name, ()))
        return next((ref for ref in inner if ref is not None), None)

    def method(self, name: str, method: str, depth: int = 0) -> tuple[str, Ref] | None:
        """(signature, symbol) of a type's method, own or promoted."""
        found = self._own.get(name, {}).get(method)
        if found is not None or depth > MAX_DEPTH:
            return found
        for inner in self._embedded.get(name, ()):
            found = self.method(inner, method, depth + 1)
            if found is not None:
                return found
        return None

    def satisfying(self, interface: str) -> list[str]:
        """Types whose method sets satisfy an interface, in order of name."""
        if interface not in self._satisfying:
            required = self.interface_methods(interface)
            found = [n for n in self._candidates(required) if self._satisfies(n, required)]
            self._satisfying[interface] = sorted(found)
        return self._satisfying[interface]

    def _candidates(self, required: dict[str, str]) -> set[str]:
        """Types that have the rarest required method, themselves or by embedding."""
        if not required:
            return set()
        rarest = min(required, key=lambda method: (len(self._holders.get(method, ())), method))
        found = set(self._holders.get(rarest, ()))
        for name, embedded in self._embedded.items():
            if embedded and name not in self._required and self.method(name, rarest) is not None:
                found.add(name)
        return found

    def _satisfies(self, name: str, required: dict[str, str]) -> bool:
        for method, signature in required.items():
            found = self.method(name, method)
            if found is None or not _fits(signature, found[0]):
                return False
        return True

    def implementations(self, interface: str, method: str) -> list[Ref]:
        """Methods that a call through the interface may reach."""
        found = {self.method(name, method) for name in self.satisfying(interface)}
        return sorted({item[1] for item in found if item is not None})

    def interfaces(self) -> list[str]:
        """All interfaces that require methods."""
        return sorted(name for name in self._required if self.interface_methods(name))


def _fits(left: str, right: str) -> bool:
    if left == right:
        return True
    if WILD not in left and WILD not in right:
        return False
    return left.count(",") == right.count(",") and left.count("(") == right.count("(")
