"""What an expression may be: an instance of project types, a reference, or from outside."""

from __future__ import annotations

from typing import NamedTuple

from codeviews.core.resolve.declarations import Definition

INSTANCE = "instance"
REFERENCE = "reference"
OUTSIDE = "outside"
UNKNOWN_VALUE = "unknown"


class Value(NamedTuple):
    """The result of typing an expression.

    ``definitions`` are the types of an instance (several for a union or a type in several parts)
    or what a reference names; ``args`` are type arguments; ``exact`` says that no subtype can be
    meant; ``name`` is the type's name when it is outside the repository.
    """

    kind: str
    definitions: tuple[Definition, ...] = ()
    args: tuple[Value, ...] = ()
    name: str = ""
    exact: bool = False
    own: bool = False
    """The receiver is the enclosing instance itself (``this``)."""

    @property
    def known(self) -> bool:
        return self.kind != UNKNOWN_VALUE


NO_VALUE = Value(UNKNOWN_VALUE)


def instance(
    definitions: tuple[Definition, ...], args: tuple[Value, ...] = (), exact: bool = False
) -> Value:
    """An instance of project types; unknown when there are none."""
    return Value(INSTANCE, definitions[:8], args, "", exact) if definitions else NO_VALUE


def outside(name: str, args: tuple[Value, ...] = ()) -> Value:
    """An instance of a type outside the repository."""
    return Value(OUTSIDE, (), args, name)


def reference(definitions: list[Definition]) -> Value:
    """A name that stands for definitions."""
    return Value(REFERENCE, tuple(definitions[:32])) if definitions else NO_VALUE


def union(values: list[Value]) -> Value:
    """One value that may be any of several."""
    known = [value for value in values if value.known]
    instances = [value for value in known if value.kind == INSTANCE]
    if len(known) <= 1 or not instances:
        return known[0] if known else NO_VALUE
    definitions = tuple(dict.fromkeys(d for value in instances for d in value.definitions))
    exact = all(value.exact for value in instances)
    return Value(INSTANCE, definitions[:16], instances[0].args, "", exact)
