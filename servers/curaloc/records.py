"""What the steps of the pipeline hand to each other. SIDs are the index's own symbol ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from codeviews.core.store import Definition


class Proposal(NamedTuple):
    """A file proposed under one perspective; ``consumer`` >= 0.5 marks a consumer-facing file."""

    path: str
    rationale: str = ""
    consumer: float = 0.0


class Proposals(NamedTuple):
    """S1's answer by perspective, and what of it was dropped or mended, by kind."""

    lists: Mapping[str, Sequence[Proposal]]
    faults: Mapping[str, int]


class ScopedFile(NamedTuple):
    """A candidate file after merging; ``votes`` maps a perspective to its proposal."""

    path: str
    votes: Mapping[str, Proposal]
    supplement: bool = False


@dataclass(frozen=True, slots=True)
class Scope:
    """S1's outcome: at most 15 files in order, paths that are not in the index, and the counts of
    everything that was dropped or mended."""

    files: tuple[ScopedFile, ...]
    dropped: tuple[str, ...] = ()
    faults: Mapping[str, int] = field(default_factory=dict[str, int])

    @property
    def paths(self) -> list[str]:
        """Paths in order."""
        return [file.path for file in self.files]


@dataclass(frozen=True, slots=True)
class CodeGraph:
    """Relations among the symbols of the candidate files, targets in source order.

    ``calls``: caller -> callees; ``called_by`` its reverse; ``bases`` and ``derived`` of classes;
    ``overrides``: method -> base methods and ``overridden``; ``imports``: unordered file pairs.
    """

    calls: Mapping[int, tuple[int, ...]]
    called_by: Mapping[int, tuple[int, ...]]
    bases: Mapping[int, tuple[int, ...]]
    derived: Mapping[int, tuple[int, ...]]
    overrides: Mapping[int, tuple[int, ...]]
    overridden: Mapping[int, tuple[int, ...]]
    imports: frozenset[tuple[str, str]]

    def near(self, sid: int) -> set[int]:
        """Every symbol one relation away."""
        tables = (
            self.calls,
            self.called_by,
            self.bases,
            self.derived,
            self.overrides,
            self.overridden,
        )
        return {other for table in tables for other in table.get(sid, ())}

    def imported(self, one: str, other: str) -> bool:
        """Whether either file imports the other."""
        return (one, other) in self.imports or (other, one) in self.imports


class Capsule(NamedTuple):
    """What S2 is told of a symbol instead of its body. ``rank`` is the file's, from 1."""

    sid: int
    definition: Definition
    rank: int
    top: bool
    role: str
    degree: int
    consumer: float | None
    summary: str


@dataclass(frozen=True, slots=True)
class Inventory:
    """The candidate symbols in file and source order, and their graph."""

    capsules: Mapping[int, Capsule]
    graph: CodeGraph

    def __contains__(self, sid: int) -> bool:
        return sid in self.capsules


class Assessment(NamedTuple):
    """S2's view of one symbol."""

    sid: int
    relevance: float
    role: str = ""
    rationale: str = ""


class Start(NamedTuple):
    """A starting symbol, its one retrieval action and a hypothesis about the edit."""

    sid: int
    action: str
    hypothesis: str = ""


@dataclass(frozen=True, slots=True)
class RouteMap:
    """The validated plan of S2. ``faults`` counts what was mended or dropped, by kind."""

    assessments: tuple[Assessment, ...]
    starts: tuple[Start, ...]
    hypotheses: tuple[str, ...] = ()
    faults: Mapping[str, int] = field(default_factory=dict[str, int])


class Block(NamedTuple):
    """Source evidence of one symbol. ``assessed`` parts candidates from adjacent evidence."""

    sid: int
    text: str
    assessed: bool
    truncated: bool
    warning: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """S3's input: the selected symbols in priority order, and the blocks that fit the budget."""

    selected: tuple[int, ...]
    blocks: tuple[Block, ...]
    tokens: int
    omitted: int = 0


class Prediction(NamedTuple):
    """A ranked edit location; ``score`` is the normalized Borda score in (0, 1]."""

    symbol: str
    path: str
    kind: str
    start_line: int
    end_line: int
    score: float


@dataclass(frozen=True, slots=True)
class Spent:
    """Recorded tokens of one stage; cached input is part of ``input`` (H.2).

    ``unreported``: answers whose tokens the endpoint did not report; they are unknown, not zero.
    """

    stage: str
    input: int = 0
    output: int = 0
    cached_input: int = 0
    calls: int = 0
    failed: int = 0
    retained: bool = True
    unreported: int = 0

    def plus(self, other: Spent, sign: int = 1) -> Spent:
        """The sum with (or without, ``sign`` -1) what another line of the stage spent."""
        counts = ("input", "output", "cached_input", "calls", "failed", "unreported")
        more = {name: getattr(self, name) + sign * getattr(other, name) for name in counts}
        return replace(self, **more)


@dataclass(frozen=True, slots=True)
class Localization:
    """A whole run: the answer, the plan behind it, what it cost and how it ended."""

    predictions: tuple[Prediction, ...]
    scope: Scope
    route_map: RouteMap | None
    inventory: Inventory | None
    evidence: Evidence | None
    usage: tuple[Spent, ...] = ()
    failure: str = ""
    diagnostics: Mapping[str, int] = field(default_factory=dict[str, int])
