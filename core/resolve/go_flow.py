"""Where Go function values go: through parameters, fields, variables and results.

A flow is a dict ``source -> rank`` (0 lexical, 1 inferred, 2 carried). A source is ``("F", path,
qualified name)``, a function itself, or ``("C", place...)``, whatever a place was given anywhere.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

Source = tuple[str, ...]
Flow = dict[Source, int]
NO_FLOW: Flow = {}

LEXICAL, INFERRED, CARRIED = 0, 1, 2
MAX_SOURCES = 64


def merged(left: Flow, right: Flow) -> Flow:
    """Either of two flows, each source with its surest rank."""
    if not right:
        return left
    if not left:
        return right
    both = dict(left)
    for source, rank in right.items():
        both[source] = min(rank, both.get(source, rank))
    return both if len(both) <= MAX_SOURCES else left


def lowered(flow: Flow, rank: int) -> Flow:
    """The flow with no rank better than ``rank``."""
    return {source: max(rank, known) for source, known in flow.items()}


class Places:
    """What was stored in each place, by the file that stored it."""

    def __init__(self) -> None:
        self._given: dict[Source, set[Source]] = defaultdict(set)
        self._by_file: dict[str, set[tuple[Source, Source]]] = defaultdict(set)

    def give(self, path: str, place: Source, flow: Flow) -> None:
        """Record that code in ``path`` stores ``flow`` in ``place``."""
        for source in flow:
            self._by_file[path].add((place, source))

    def rows(self, path: str) -> tuple[tuple[Source, Source], ...]:
        """What a file stores, for its summary."""
        return tuple(sorted(self._by_file.get(path, ())))

    def adopt(self, rows: Any) -> None:
        """Take in the rows of a file's summary."""
        for place, source in rows:
            self._given[tuple(place)].add(tuple(source))

    def adopt_all(self) -> None:
        """Take in everything recorded in this run."""
        for rows in self._by_file.values():
            self.adopt(rows)

    def functions(self, place: Source) -> list[Source]:
        """Functions that may be in a place, following places stored in it."""
        seen: set[Source] = {place}
        waiting = [place]
        found: set[Source] = set()
        while waiting and len(seen) < 4 * MAX_SOURCES:
            for source in self._given.get(waiting.pop(), ()):
                if source[0] == "F":
                    found.add(source)
                elif source not in seen:
                    seen.add(source)
                    waiting.append(source)
        return sorted(found)
