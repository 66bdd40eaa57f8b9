"""One question -> ranked files, symbols and edges of a view (DESIGN section 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from typing import NamedTuple

from codeviews.core.config import (
    DOCUMENTATION_FACTOR,
    EXAMPLE_FACTOR,
    GENERATED_FACTOR,
    TEST_FACTOR,
    VENDORED_FACTOR,
)
from codeviews.core.facts import DOCUMENTATION, EXAMPLE, GENERATED, TEST, VENDORED
from codeviews.core.neighbourhood import VIEWS, GraphEdge, Neighbourhood, gather
from codeviews.core.seeds import Seeds, find_seeds
from codeviews.core.store import Definition, Store

_FACTORS = (
    (TEST, TEST_FACTOR),
    (GENERATED, GENERATED_FACTOR),
    (VENDORED, VENDORED_FACTOR),
    (EXAMPLE, EXAMPLE_FACTOR),
    (DOCUMENTATION, DOCUMENTATION_FACTOR),
)


class RankedSymbol(NamedTuple):
    """A definition with its score; scores compare across files."""

    definition: Definition
    score: float
    why: list[str]


class RankedFile(NamedTuple):
    """A file with its score and its symbols, best first."""

    path: str
    score: float
    symbols: list[RankedSymbol]


@dataclass(frozen=True, slots=True)
class Filter:
    """What a caller wants to see: path globs and whether tests count in full."""

    paths: tuple[str, ...] = ()
    include_tests: bool = False

    def keeps(self, path: str) -> bool:
        """Whether the path matches one of the globs (or there are none)."""
        return not self.paths or any(
            fnmatch(path, glob) or path.startswith(glob.rstrip("/") + "/") for glob in self.paths
        )

    def factor(self, marks: int) -> float:
        """How much a file of these marks counts."""
        factor = 1.0
        for mark, weight in _FACTORS:
            if marks & mark and not (mark == TEST and self.include_tests):
                factor *= weight
        return factor


class Exploration(NamedTuple):
    """The ranked answer; ``definitions`` covers every id in ``edges``."""

    files: list[RankedFile]
    edges: list[GraphEdge]
    definitions: dict[int, Definition]
    seeds: Seeds


def explore(store: Store, query: str, view: str, limit: int, wanted: Filter) -> Exploration:
    """Rank a view for a question: seeds, neighbourhood, walk, fusion.

    Args:
        store: the index.
        query: a question, symbol names or a whole bug report.
        view: a key of ``VIEWS``.
        limit: files returned at most.
        wanted: path globs and tests.
    """
    seeds = find_seeds(store, query)
    start = sorted(seeds.weights, key=lambda i: -seeds.weights[i])
    around = gather(store, start, VIEWS[view])
    ranks = around.walk(seeds.weights)
    definitions = store.definitions(around.nodes)
    scored = _score(ranks, seeds, definitions, wanted)
    files = _by_file(scored)[:limit]
    return Exploration(files, _shown_edges(around, scored), definitions, seeds)


def _score(
    ranks: dict[int, float], seeds: Seeds, definitions: dict[int, Definition], wanted: Filter
) -> list[RankedSymbol]:
    """Fuse the walk with the seeds' own weight; ties are broken by place, never by id."""
    top_rank = max(ranks.values(), default=0.0) or 1.0
    top_seed = max(seeds.weights.values(), default=0.0) or 1.0
    out: list[RankedSymbol] = []
    for node, definition in definitions.items():
        if not wanted.keeps(definition.path):
            continue
        score = 0.5 * ranks[node] / top_rank + 0.5 * seeds.weights.get(node, 0.0) / top_seed
        score *= wanted.factor(definition.marks)
        if score > 1e-4:
            out.append(RankedSymbol(definition, score, seeds.reasons.get(node, [])))
    return sorted(out, key=lambda r: (-r.score, r.definition.path, r.definition.start_line))


def _by_file(scored: Sequence[RankedSymbol]) -> list[RankedFile]:
    grouped: dict[str, list[RankedSymbol]] = {}
    for ranked in scored:
        grouped.setdefault(ranked.definition.path, []).append(ranked)
    files = [
        RankedFile(path, _file_score(symbols), [s for s in symbols if s.definition.qualname])
        for path, symbols in grouped.items()
    ]
    return sorted(files, key=lambda f: (-f.score, f.path))


def _file_score(symbols: Sequence[RankedSymbol]) -> float:
    """The best symbol, helped a little by the next four."""
    return symbols[0].score + 0.2 * sum(s.score for s in symbols[1:5])


def _shown_edges(around: Neighbourhood, scored: Sequence[RankedSymbol]) -> list[GraphEdge]:
    """Edges between ranked symbols, those of the best first."""
    score = {ranked.definition.id: ranked.score for ranked in scored}
    shown = [e for e in around.edges if e.source in score and e.target in score]
    return sorted(
        shown, key=lambda e: (-score[e.source] - score[e.target], e.source, e.target, e.line)
    )
