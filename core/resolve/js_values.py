"""Abstract values of JavaScript: which functions, classes, objects and types an expression may be.

A value is a dict ``object -> rank``; the empty dict is "unknown". The rank becomes the tier of the
edges made from it: 0 lexical (A), 1 inferred (B), 2 carried through arguments or dispatch (C).
Values are never changed in place.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

MAX_ITEMS = 16  # values a variable may hold; above, it is known to be one of many
MAX_CHAIN = 64

LEXICAL, INFERRED, FLOW = 0, 1, 2

SymbolRef = tuple[str, int]  # (path, index into the file's symbols)


class Obj:
    """A JavaScript object as far as calls need it.

    Kinds: ``fn`` function or class, ``inst`` instance or object literal, ``arr`` array, map, set or
    iterator, ``ns`` module namespace, ``str`` constant key, ``ext`` anything from outside,
    ``builtin`` of the language (``name`` says which), ``alias`` type alias, ``fntype`` a value
    known only by its function type, ``many`` too many values to list.
    """

    __slots__ = (
        "bound",
        "cls",
        "elem",
        "env",
        "epoch",
        "fields",
        "fixed",
        "flows",
        "given",
        "home",
        "index",
        "initial",
        "is_class",
        "is_interface",
        "kind",
        "length",
        "module",
        "name",
        "parameters",
        "props",
        "proto",
        "protos",
        "record",
        "scope",
        "shared",
        "symbol",
        "this",
    )

    def __init__(self, kind: str, name: str = "", epoch: int = -1) -> None:
        self.kind = kind
        self.name = name
        self.epoch = epoch
        self.props: dict[str, Value] = {}
        self.protos: tuple[Obj, ...] = ()
        self.symbol: SymbolRef | None = None
        self.proto: Obj | None = None  # of a function: what its instances inherit from
        self.record: Any = None  # of a function: its lowered record; of an alias: its type
        self.env: Any = None
        self.module: Any = None
        self.home: Obj | None = None  # of a function: the object or prototype that holds it
        # Of a function: made by bind, ``this`` and ``bound`` are settled. Of an instance: it stands
        # for all instances of its class, so subclasses may hide behind it.
        self.fixed = False
        self.parameters: tuple[str, ...] = ()  # of a class: its type parameters
        self.given: dict[str, Any] | None = None  # of an instance: what they stand for
        self.this: Value | None = None
        self.bound: tuple[Value, ...] = ()
        self.cls: Obj | None = None  # of an instance or prototype: the function that makes it
        self.elem: Value = EMPTY
        self.length: int | None = None
        self.fields: dict[str, Any] | None = None  # of a prototype: declared types of its fields
        self.is_class = False
        self.is_interface = False
        self.shared: Obj | None = None  # of a class: the instance that stands for all of them
        self.scope = 0  # symbol that calls made in the body belong to
        self.index = -1  # of a function: its record's place in the file
        self.flows: dict[str, Value] = {}  # of a class: all that was ever stored in a field
        self.initial: list[Any] = []  # of a class: (name, expression, scope) of its fields


Value = dict[Obj, int]
EMPTY: Value = {}
MAP = "map"  # the name of an array that is iterated in pairs; its elements are the values
RECORD = "record"  # of one whose every member is an element
MANY = Obj("many")


def only(item: Obj, rank: int = LEXICAL) -> Value:
    """The value that is surely ``item``."""
    return {item: rank}


def join(left: Value, right: Value) -> Value:
    """Either of two values, each item with its surest rank."""
    if not right or left is right:
        return left
    if not left:
        return right
    merged = dict(left)
    for item, rank in right.items():
        known = merged.get(item)
        if known is None or rank < known:
            merged[item] = rank
    if len(merged) > MAX_ITEMS and MANY not in left:
        merged = _one_closure_each(merged)
    if len(merged) > MAX_ITEMS and MANY not in left:
        kept = list(merged.items())[:MAX_ITEMS]
        merged = {**dict(kept), MANY: FLOW}
    return merged if len(merged) <= MAX_ITEMS + 1 else left


def _one_closure_each(value: Value) -> Value:
    """Of many closures of one function, the surest: they run the same code."""
    kept: dict[int, tuple[Obj, int]] = {}
    for item, rank in value.items():
        is_closure = item.kind == "fn" and not item.is_class and item.record is not None
        key = id(item.record) if is_closure else id(item)
        if key not in kept or rank < kept[key][1]:
            kept[key] = (item, rank)
    return dict(kept.values())


def raised(value: Value, rank: int) -> Value:
    """The value with no rank better than ``rank``."""
    for known in value.values():
        if known < rank:
            return {item: max(known, rank) for item, known in value.items()}
    return value


def chain(obj: Obj) -> Iterator[Obj]:
    """The object and what it inherits from, nearest first, cycles cut."""
    seen: set[Obj] = set()
    waiting = [obj]
    while waiting and len(seen) < MAX_CHAIN:
        current = waiting.pop(0)
        if current not in seen:
            seen.add(current)
            yield current
            waiting[:0] = current.protos


def find_property(obj: Obj, name: str) -> tuple[Value, Obj] | None:
    """The nearest property of that name and the object that holds it."""
    for _ in range(MAX_CHAIN):
        value = obj.props.get(name)
        if value is not None:
            return value, obj
        if len(obj.protos) != 1:
            break
        obj = obj.protos[0]
    if not obj.protos:
        return None
    for holder in chain(obj):
        value = holder.props.get(name)
        if value is not None:
            return value, holder
    return None


def find_field_type(obj: Obj, name: str) -> tuple[Any, Any] | None:
    """The declared (type, environment) of a field along the chain."""
    for holder in chain(obj):
        if holder.fields is not None and name in holder.fields:
            return holder.fields[name]
    return None


class Env:
    """A scope: names bound so far. ``home`` is the nearest function's or module's scope."""

    __slots__ = ("carries", "epoch", "home", "module", "parent", "this", "vars")

    def __init__(self, parent: Env | None, module: Any, epoch: int, *, home: bool = False) -> None:
        self.vars: dict[str, Value] = {}
        self.parent = parent
        self.module = module
        self.epoch = epoch
        self.home: Env = self if home or parent is None else parent.home
        self.this: Value | None = None
        # The call that made this scope handed over functions; closures in it may call them.
        self.carries = False

    def holder(self, name: str) -> Env | None:
        """The nearest scope that binds ``name``."""
        env: Env | None = self
        while env is not None:
            if name in env.vars:
                return env
            env = env.parent
        return None

    def receiver(self) -> Value:
        """What ``this`` is here; arrow functions take it from around them."""
        env: Env | None = self
        while env is not None:
            if env.this is not None:
                return env.this
            env = env.parent
        return EMPTY
