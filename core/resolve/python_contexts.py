"""Results of functions told apart by call: environments, and nodes evaluated in them.

A context is a node in an environment. Its values are remembered by number, like those of a node.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from codeviews.core.resolve.python_values import Values

_NUMBER_BITS = 24


class Environment:
    """Values of parameters in one call: parameter node key -> values."""

    __slots__ = ("depth", "memo", "number", "params")

    def __init__(self, number: int, depth: int, params: dict[int, Values]) -> None:
        self.number = number
        self.depth = depth
        self.params = params
        self.memo: dict[int, Values] | None = None  # node key -> values, while a context is read


class Contexts:
    """All environments and contexts met so far."""

    def __init__(self) -> None:
        self.environments: list[Environment] = [Environment(0, 0, {})]
        self.values: list[Values | None] = []
        self.final = bytearray()
        self._numbers: dict[tuple[int, ...], int] = {}
        self._sets: dict[tuple[Any, ...], int] = {}
        self._index: dict[int, int] = {}
        self._places: list[int] = []

    def environment(self, params: dict[int, Values], depth: int) -> int:
        """The number of the environment for these parameter values, the same for equal ones."""
        parts = [depth]
        for key, values in params.items():
            parts += (key, self._set_number(values))
        key = tuple(parts)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.environments)
            self.environments.append(Environment(number, depth, params))
        return number

    def _set_number(self, values: Values) -> int:
        if len(values) == 1:
            (value,) = values
            return (value << 2 | values[value]) << 1
        key = tuple(sorted(values.items()))
        return self._sets.setdefault(key, len(self._sets)) << 1 | 1

    def index(self, node: int, number: int) -> tuple[int, bool]:
        """The number of a context by node key and environment, and whether it is new."""
        place = node << _NUMBER_BITS | number
        found = self._index.get(place)
        if found is not None:
            return found, False
        found = self._index[place] = len(self._places)
        self._places.append(place)
        self.values.append(None)
        self.final.append(0)
        return found, True

    def place(self, index: int) -> tuple[int, Environment]:
        """Node key of a context and its environment, with nothing remembered."""
        place = self._places[index]
        env = self.environments[place & (1 << _NUMBER_BITS) - 1]
        return place >> _NUMBER_BITS, Environment(env.number, env.depth, env.params)


Readers = dict[Any, int | tuple[int, ...] | set[int]]
"""Who read a value; most have one or two readers."""

_FEW = 6


def add_reader(readers: Readers, key: Any, reader: int) -> None:
    """``reader`` wants to know when ``key`` grows."""
    known = readers.get(key)
    if known is None:
        readers[key] = reader
    elif isinstance(known, set):
        known.add(reader)
    elif isinstance(known, int):
        if known != reader:
            readers[key] = (known, reader)
    elif reader not in known:
        readers[key] = (*known, reader) if len(known) < _FEW else {*known, reader}


def readers_of(readers: Readers, key: Any) -> Sequence[int]:
    """All readers of a key, in order."""
    known = readers.get(key)
    if known is None:
        return ()
    return (known,) if isinstance(known, int) else sorted(known)
