"""Types and function values of Go expressions, and what their calls reach."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from codeviews.core.resolve.go_flow import (
    CARRIED,
    INFERRED,
    LEXICAL,
    NO_FLOW,
    Flow,
    Places,
    Source,
    lowered,
)
from codeviews.core.resolve.go_packages import Decl, GoFile, GoWorld
from codeviews.core.resolve.go_types import (
    BASIC,
    NO_TYPES,
    Context,
    GoTypes,
    Ir,
    Member,
    Ty,
    substitute,
)

BUILTINS = frozenset(
    [
        "append", "cap", "clear", "close", "complex", "copy", "delete", "imag", "len", "make",
        "max", "min", "new", "panic", "print", "println", "real", "recover",
    ]
)  # fmt: skip
MAX_LAZY = 8  # package-level initial values evaluated inside each other
RULES = {LEXICAL: "scope or import", INFERRED: "declared type", CARRIED: "function value"}


class Value(NamedTuple):
    """An expression: ``kind`` is v value, t type, p package, b builtin function or x external."""

    kind: str
    type: Ty = None
    flow: Flow = NO_FLOW
    interface: Ty = None  # a method of this interface
    decl: Decl | None = None  # a function or method named directly
    name: str = ""


NOTHING = Value("v")


class Findings:
    """Targets, dispatches, places and reasons of call sites."""

    def __init__(self) -> None:
        self.targets: dict[tuple[str, int], dict[tuple[str, str], tuple[int, str]]] = {}
        self.dispatches: dict[tuple[str, int], set[tuple[Ty, str]]] = {}
        self.carried: dict[tuple[str, int], set[Source]] = {}
        self.reasons: dict[tuple[str, int], str] = {}
        self.notes: dict[str, dict[tuple[int, str, tuple[str, str], int], str]] = {}

    def hit(self, site: tuple[str, int], ref: tuple[str, str], rank: int, rule: str) -> None:
        """Record a target; the surest finding wins."""
        found = self.targets.setdefault(site, {})
        if ref not in found or rank < found[ref][0]:
            found[ref] = (rank, rule)

    def note(
        self, path: str, scope: int, kind: str, ref: tuple[str, str], line: int, tier: str
    ) -> None:
        """Record an edge without a site of its own."""
        self.notes.setdefault(path, {})[scope, kind, ref, line] = tier


class Evaluator:
    """Evaluates the code of one repository; ``scope`` names are (type, flow) by name."""

    def __init__(self, world: GoWorld) -> None:
        self.world = world
        self.types = GoTypes(world)
        self.places = Places()
        self.findings = Findings()
        self.values: dict[tuple[str, str], Value] = {}
        self.lazy = 0
        self.depth = 0


class Scope:
    """Names of a block; function-wide facts are shared by all blocks of a function."""

    __slots__ = ("function", "names", "parent", "where")

    def __init__(self, parent: Scope | None, where: Context, function: Frame) -> None:
        self.parent = parent
        self.where = where
        self.function = function
        self.names: dict[str, Value] = {}

    def find(self, name: str) -> Scope | None:
        """The nearest block that declares ``name``."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope
            scope = scope.parent
        return None


class Frame(NamedTuple):
    """The function that is evaluated: its symbol's place and name."""

    path: str
    qualname: str
    scope: int
    results: list[Ty]


EXPRESSIONS: dict[str, Callable[[Evaluator, Scope, Ir, Ty], Value]] = {}


def evaluate(e: Evaluator, scope: Scope, ir: Ir, expected: Ty = None) -> Value:
    """The value of an expression; ``expected`` types untyped composite literals."""
    if ir is None:
        return NOTHING
    return EXPRESSIONS[ir[0]](e, scope, ir, expected)


def _name(e: Evaluator, scope: Scope, ir: Ir, expected: Ty) -> Value:
    name = ir[1]
    holder = scope.find(name)
    if holder is not None:
        return holder.names[name]
    if name in scope.where.types:
        return Value("t", scope.where.types[name])
    decls = e.types.lookup(scope.where.file, name)
    if decls:
        return declared_value(e, decls, name, scope.where.file)
    path = e.world.imports(scope.where.file).get(name)
    if path is not None:
        return Value("p", name=path)
    if name in BUILTINS:
        return Value("b", name=name)
    if name in BASIC:
        return Value("t", ("b", name))
    return _dot_imported(e, scope.where.file, name)


def _dot_imported(e: Evaluator, file: GoFile, name: str) -> Value:
    """A name that nothing declares comes from an external package imported with a dot."""
    path = e.types.external_dot(file)
    return Value("x", ("X", f"{path}.{name}")) if path is not None else NOTHING


def declared_value(e: Evaluator, decls: list[Decl], name: str, viewer: GoFile) -> Value:
    """The value of a package-level name."""
    decl = decls[0]
    if decl.kind == "type":
        named = ("N", decl.file.package.key, name, ())
        return Value("t", e.types.underlying(named) if decl.record[4] else named)
    if decl.kind == "func":
        flow: Flow = {("F", *each.ref): LEXICAL for each in decls if each.kind == "func"}
        return Value("v", e.types.signature(decl), flow, decl=decl)
    return _package_value(e, decl, name)


def _package_value(e: Evaluator, decl: Decl, name: str) -> Value:
    key = (decl.file.path, name)
    known = e.values.get(key)
    if known is not None or e.lazy >= MAX_LAZY:
        return known or NOTHING
    e.values[key] = NOTHING  # cuts cycles
    e.lazy += 1
    e.values[key] = _initial_value(e, decl, name)
    e.lazy -= 1
    return e.values[key]


def _initial_value(e: Evaluator, decl: Decl, name: str) -> Value:
    symbol, names, written, expressions = decl.record
    where = Context(decl.file, NO_TYPES)
    declared = e.types.resolve(where, written)
    scope = Scope(None, where, Frame(decl.file.path, "", symbol, []))
    index = names.index(name)
    place: Source = ("C", "var", decl.file.package.key, name)
    value = NOTHING
    if len(expressions) == len(names):
        value = evaluate(e, scope, expressions[index], declared)
        if expressions[index] is not None and expressions[index][0] == "fn":
            qualname = decl.file.qualname(symbol)
            own: Flow = {("F", decl.file.path, qualname): LEXICAL}
            value = value._replace(flow=own if len(names) == 1 else NO_FLOW)
    elif len(expressions) == 1:
        value = part_of(evaluate(e, scope, expressions[0], declared), index)
    e.places.give(decl.file.path, place, value.flow)
    kind = declared if declared is not None else value.type
    flow: Flow = dict(value.flow)
    if holds_functions(e, kind):
        flow[place] = CARRIED
    return Value("v", kind, flow)


def run_unnamed(e: Evaluator, file: GoFile, record: Any) -> None:
    """Evaluate what is assigned to ``_`` at package level."""
    symbol, _, written, expressions = record
    where = Context(file, NO_TYPES)
    scope = Scope(None, where, Frame(file.path, "", symbol, []))
    declared = e.types.resolve(where, written)
    for expression in expressions:
        evaluate(e, scope, expression, declared)


def part_of(value: Value, index: int) -> Value:
    """One of several results."""
    if value.type is not None and value.type[0] == "tup":
        kinds = value.type[1]
        kind = kinds[index] if index < len(kinds) else None
        flow = {s: r for s, r in value.flow.items() if s[-1] == str(index)}
        return Value("v", kind, flow)
    if value.type is not None and value.type[0] == "X":
        return Value("v", value.type)
    return value if index == 0 else NOTHING


def holds_functions(e: Evaluator, kind: Ty, depth: int = 0) -> bool:
    """Whether values of a type are functions or containers of them."""
    under = e.types.underlying(kind)
    if under is None or depth > 4:
        return False
    if under[0] == "fn":
        return True
    return under[0] in ("[]", "map", "chan") and holds_functions(e, under[-1], depth + 1)


def _selector(e: Evaluator, scope: Scope, ir: Ir, expected: Ty) -> Value:
    owner = evaluate(e, scope, ir[1])
    name = ir[2]
    if owner.kind == "p":
        return _package_member(e, scope, owner.name, name)
    if owner.kind == "x":
        return owner
    if owner.type is None:
        return NOTHING
    found = e.types.member(owner.type, name, scope.where.file)
    if found is None:
        under = e.types.underlying(owner.type)
        return Value("b", name="error." + name) if under == ("b", "error") else NOTHING
    return member_value(e, owner, found, name)


def _package_member(e: Evaluator, scope: Scope, path: str, name: str) -> Value:
    target = e.world.imported(scope.where.file, path)
    if target is None:
        return Value("x", ("X", f"{path}.{name}"))
    decls = target.lookup(name, scope.where.file)
    return declared_value(e, decls, name, scope.where.file) if decls else NOTHING


def member_value(e: Evaluator, owner: Value, found: Member, name: str) -> Value:
    """A field, method, interface method or something of an external type."""
    if found.decls:
        kind = found.type
        if owner.kind == "t" and kind is not None:  # a method expression takes its receiver first
            kind = ("fn", (owner.type, *kind[1]), kind[2])
        flow: Flow = {("F", *decl.ref): INFERRED for decl in found.decls}
        return Value("v", kind, flow, decl=found.decls[0], name=name)
    if found.interface is not None:
        return Value("v", found.type, interface=found.interface, name=name)
    if found.type is not None and found.type[0] == "X" and not found.field:
        return Value("x", found.type)
    flow = {}
    if found.field and holds_functions(e, found.type):
        flow[("C", "field", found.field)] = CARRIED
    return Value("v", found.type, flow)


def _index(e: Evaluator, scope: Scope, ir: Ir, expected: Ty) -> Value:
    owner = evaluate(e, scope, ir[1])
    indexes = [evaluate(e, scope, part) for part in ir[2]]
    if owner.kind == "t" and owner.type is not None and owner.type[0] == "N":
        return Value("t", (*owner.type[:3], tuple(index.type for index in indexes)))
    if owner.kind == "x":
        return owner
    if owner.decl is not None and owner.decl.kind == "func":
        names = [name for name, _ in owner.decl.record[3]]
        given = dict(zip(names, (index.type for index in indexes), strict=False))
        return owner._replace(type=substitute(owner.type, given))
    return Value("v", element_type(e, owner.type), lowered(owner.flow, CARRIED))


def element_type(e: Evaluator, kind: Ty) -> Ty:
    """What a slice, array, map, channel or external container holds."""
    under = e.types.underlying(kind)
    if under is None:
        return None
    if under[0] in ("[]", "map", "chan"):
        return under[-1]
    return under if under[0] == "X" else ("b", "byte") if under == ("b", "string") else None


def _assertion(e: Evaluator, scope: Scope, ir: Ir, expected: Ty) -> Value:
    value = evaluate(e, scope, ir[1])
    kind = e.types.resolve(scope.where, ir[2]) if ir[2] is not None else value.type
    return Value("v", kind)


def written_type(e: Evaluator, scope: Scope, written: Ir) -> Ty:
    """Resolve a type written inside a function."""
    return e.types.resolve(scope.where, written)


def _type(e: Evaluator, scope: Scope, ir: Ir, expected: Ty) -> Value:
    return Value("t", written_type(e, scope, ir[1]))


def _receive(e: Evaluator, scope: Scope, ir: Ir, expected: Ty) -> Value:
    value = evaluate(e, scope, ir[1])
    return Value("v", element_type(e, value.type), lowered(value.flow, CARRIED))


def _binary(e: Evaluator, scope: Scope, ir: Ir, expected: Ty) -> Value:
    values = [evaluate(e, scope, part) for part in ir[1]]
    if ir[2]:
        return Value("v", ("b", "bool"))
    kinds = [value.type for value in values if value.type is not None]
    named = [kind for kind in kinds if kind[0] != "b"]
    return Value("v", (named or kinds or [None])[0])


def _slice(e: Evaluator, scope: Scope, ir: Ir, expected: Ty) -> Value:
    for part in ir[2]:
        evaluate(e, scope, part)
    return evaluate(e, scope, ir[1])


def _basic(e: Evaluator, scope: Scope, ir: Ir, expected: Ty) -> Value:
    return Value("v", ("b", ir[1]))


def _sequence(e: Evaluator, scope: Scope, ir: Ir, expected: Ty) -> Value:
    for part in ir[1]:
        evaluate(e, scope, part)
    return Value("v", written_type(e, scope, ir[2])) if len(ir) > 2 else NOTHING


_TABLE: dict[str, Any] = {
    "v": _name,
    ".": _selector,
    "idx": _index,
    "slice": _slice,
    "as": _assertion,
    "ty": _type,
    "recv": _receive,
    "bin": _binary,
    "b": _basic,
    "seq": _sequence,
}
EXPRESSIONS.update(_TABLE)
