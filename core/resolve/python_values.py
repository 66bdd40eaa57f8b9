"""Abstract values of the Python resolver, interned as small integers.

A value set is a dict ``value -> tier`` (0 = A, 1 = B, 2 = C): the best tier by which the value was
found. ``MANY`` in a set says that there were more values than the bound allows.
"""

# Nodes and values are tuples of several shapes, told apart by their first element.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from typing import Any

Values = dict[int, int]

FUNCTION = 0  # (unit, symbol, environment number or 0)
CLASS = 1  # (class number): exactly this class
SUBCLASS = 2  # (class number): this class or one below it (``cls``, ``type[X]``)
INSTANCE = 3  # (class number): made by the constructor
DECLARED = 4  # (class number): of the class or one below it (``self``, annotations)
METHOD = 5  # (function value, receiver value)
MODULE = 6  # (path; a namespace directory ends in "/")
BUILTIN = 7  # (type name): an instance of a builtin type
BUILTIN_NAME = 8  # (name): a builtin function or class
BUILTIN_METHOD = 9  # (type name, method, receiver value or -1)
EXTERNAL = 10  # (dotted name): something from outside the repository
CONSTANT = 11  # (str or int)
CONTAINER = 12  # (unit, node): made by the display, store or call at that node
GENERATOR = 13  # (unit, symbol, environment number or 0)
SUPER = 14  # (class number, receiver value)
PARTIAL = 15  # (callable value, number of bound arguments)
VIEW = 16  # (container value, mode): list(x), x.values(), sorted(x)
MAPPED = 17  # (callable value): map(f, ...)
PROPERTY = 18  # (function value): property(f)
MANY_VALUE = 19
GETTER = 20  # (maker in ``operator``, names or keys): attrgetter("name")
RESULT = "()"  # name of EXTERNAL for whatever something from outside gives

A, B, C = 0, 1, 2
LIMIT = 16  # values a variable may hold
RECEIVERS = 8  # targets of one overriding dispatch

CALLABLE = frozenset([FUNCTION, CLASS, SUBCLASS, METHOD, PARTIAL])
INSTANCES = frozenset([INSTANCE, DECLARED])
CLASSES = frozenset([CLASS, SUBCLASS])


class ValueTable:
    """Interns values; ``items[number]`` is the tuple ``(kind, ...)``."""

    __slots__ = ("index", "items", "kinds")

    def __init__(self) -> None:
        self.items: list[tuple[Any, ...]] = []
        self.kinds: list[int] = []
        self.index: dict[tuple[Any, ...], int] = {}
        self.make((MANY_VALUE,))

    def make(self, value: tuple[Any, ...]) -> int:
        """The number of a value."""
        found = self.index.get(value)
        if found is None:
            found = self.index[value] = len(self.items)
            self.items.append(value)
            self.kinds.append(value[0])
        return found

    def constant(self, value: str | int) -> int:
        """The number of a constant; ``1`` and ``"1"`` differ."""
        return self.make((CONSTANT, value))


MANY = 0  # number of the value that stands for "more than the bound"
EMPTY: Values = {}


def add(out: Values, value: int, tier: int) -> None:
    """Add a value unless it is there with a better tier; above the bound only MANY is left."""
    known = out.get(value)
    if known is not None:
        if tier < known:
            out[value] = tier
        return
    if MANY in out:
        return
    if len(out) >= LIMIT:
        out.clear()
        out[MANY] = C
        return
    out[value] = tier


def join(out: Values, other: Values, floor: int = 0) -> None:
    """Add all of ``other``, no better than ``floor``."""
    if not out and MANY not in other and len(other) <= LIMIT:
        if not floor:
            out.update(other)
            return
        for value, tier in other.items():
            out[value] = tier if tier > floor else floor
        return
    for value, tier in other.items():
        add(out, value, tier if tier > floor else floor)
