"""Guesses by name (tier D): the one method, or the one family of methods, a call can mean.

Asked when nothing is known of the receiver. A method counts when its parameters accept the call.
What is left must be one method, or methods of one class and the classes below it.
"""

# Nodes and values are tuples of several shapes, told apart by their first element.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from typing import Any, NamedTuple

from codeviews.core.languages import python_nodes as op
from codeviews.core.resolve.python_names import Method, NameIndex
from codeviews.core.resolve.python_state import State

_FAMILY = 6  # methods of one family that are all named; of more only the root


class Shape(NamedTuple):
    """How a call passes its arguments; ``open`` when a starred argument hides some."""

    positional: int
    keywords: tuple[str, ...]
    open: bool


class Guesser:
    """Answers for one resolution, remembered by name and shape of the call."""

    def __init__(self, state: State, names: NameIndex) -> None:
        self.state = state
        self.names = names
        self._found: dict[tuple[str, bool, Shape], tuple[list[Method], str]] = {}

    def guess(self, name: str, call: Any, from_test: bool) -> tuple[list[Method], str]:
        """(methods, rule) for a CALL record; no methods when the name leaves a choice."""
        shape = _shape(call)
        key = (name, from_test, shape)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._guess(name, shape, from_test)
        return found

    def _guess(self, name: str, shape: Shape, from_test: bool) -> tuple[list[Method], str]:
        named = self.names.candidates(name, from_test)
        if len(named) == 1:
            return named, "unique-name"
        fitting = [method for method in named if self._accepts(method, shape)]
        if len(fitting) == 1:
            return fitting, "unique-signature"
        root = self._root(fitting) if fitting else None
        if root is not None:
            return (fitting if len(fitting) <= _FAMILY else [root]), "unique-family"
        return [], ""

    def _accepts(self, method: Method, shape: Shape) -> bool:
        record = self.state.solver.units[method[0]].functions[method[1]]
        names, plain, vararg, kwarg = record[0]
        skip = 0 if record[7] & op.IS_STATIC else 1
        if shape.positional > plain - skip and vararg < 0:
            return False
        taken = names[skip : skip + shape.positional]
        if any(word in taken or (word not in names and kwarg < 0) for word in shape.keywords):
            return False
        needed = [
            index for index in range(skip + shape.positional, plain) if index not in record[1]
        ]
        return shape.open or all(names[index] in shape.keywords for index in needed)

    def _root(self, methods: list[Method]) -> Method | None:
        """The method whose class is an ancestor of all the others', when there is one."""
        classes = self.state.classes
        owners = [self._owner(method) for method in methods]
        shared = set(classes.mro(owners[0])).intersection(*map(classes.mro, owners))
        return next((m for m, owner in zip(methods, owners, strict=True) if owner in shared), None)

    def _owner(self, method: Method) -> int:
        unit = self.state.solver.units[method[0]]
        return self.state.classes.number(unit, unit.functions[method[1]][6])


def _shape(call: Any) -> Shape:
    positional, keywords = call[2], call[3]
    is_open = any(isinstance(arg, tuple) for arg in positional) or any(
        w is None for w, _ in keywords
    )
    plain = sum(isinstance(arg, int) for arg in positional)
    return Shape(plain, tuple(word for word, _ in keywords if word is not None), is_open)
