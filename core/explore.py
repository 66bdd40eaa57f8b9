"""One question -> ranked files, symbols and edges of a view (DESIGN section 6)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import translate
from functools import lru_cache, partial
from types import MappingProxyType
from typing import NamedTuple

from codeviews.core.columns import Columns, Table
from codeviews.core.companions import add_companions, add_messages
from codeviews.core.config import (
    DOCUMENTATION_FACTOR,
    EXAMPLE_FACTOR,
    GENERATED_FACTOR,
    SEED_LIMIT,
    TEST_FACTOR,
    VENDORED_FACTOR,
)
from codeviews.core.facts import DOCUMENTATION, EXAMPLE, GENERATED, TEST, VENDORED
from codeviews.core.fulltext import beside, of_tests
from codeviews.core.kept import files_by_id
from codeviews.core.neighbourhood import VIEWS, GraphEdge, Neighbourhood, gather
from codeviews.core.rank import (
    Candidates,
    Pointers,
    Scored,
    leaders,
    rank_all,
    seed_weights,
)
from codeviews.core.rank_source import source_features
from codeviews.core.report import understand
from codeviews.core.seeds import Evidence, find_evidence
from codeviews.core.store import Definition, Store
from codeviews.core.wording import wording_of

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
    contributions: Mapping[str, float] = MappingProxyType({})


class RankedFile(NamedTuple):
    """A file with its score and its symbols, best first; ``why`` holds what points at the file."""

    path: str
    score: float
    symbols: list[RankedSymbol]
    contributions: Mapping[str, float] = MappingProxyType({})
    why: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Filter:
    """What a caller wants to see: path globs and whether tests count in full."""

    paths: tuple[str, ...] = ()
    include_tests: bool = False

    def keeps(self, path: str) -> bool:
        """Whether the path matches one of the globs (or there are none)."""
        return not self.paths or _matcher(self.paths)(path) is not None

    def factor(self, marks: int) -> float:
        """How much a file of these marks counts."""
        factor = 1.0
        for mark, weight in _FACTORS:
            if marks & mark and not (mark == TEST and self.include_tests):
                factor *= weight
        return factor


@lru_cache(maxsize=64)
def _matcher(globs: tuple[str, ...]) -> Callable[[str], object]:
    """Paths that match a glob, or lie in the folder it names: one expression for all of them."""
    parts = [translate(glob) for glob in globs]
    parts += [re.escape(glob.rstrip("/") + "/") for glob in globs]
    return re.compile("|".join(parts)).match


class Seeds(NamedTuple):
    """Restart weights of the walk and the clues behind each symbol."""

    weights: dict[int, float]
    reasons: Callable[[Definition], list[str]]


class Exploration(NamedTuple):
    """The ranked answer; ``definitions`` covers every id in ``edges``."""

    files: list[RankedFile]
    edges: list[GraphEdge]
    definitions: dict[int, Definition]
    seeds: Seeds


class Ranking(NamedTuple):
    """Everything a question ranks: ``candidates`` holds the evidence and the definitions,
    ``tables`` the features of files and of symbols."""

    files: list[Scored]
    symbols: list[Scored]
    candidates: Candidates
    around: Neighbourhood
    seeds: dict[int, float]
    tables: tuple[Table, Table]


def rank(store: Store, query: str, view: str, wanted: Filter = Filter()) -> Ranking:
    """Rank files and symbols for a question or report over one view's relations.

    Reads the index only; deterministic; no text is rendered. Scores are those of
    :mod:`codeviews.core.rank`, with each feature's contribution.
    """
    report = understand(query)
    evidence = find_evidence(store, report, wanted.include_tests)
    apart = 0 if wanted.include_tests else TEST
    add_messages(store, report, evidence, beside(store, "file_text", apart))
    pointers = Pointers.of(evidence)
    seeds = seed_weights(pointers, store.file_symbols(evidence.files))
    start = sorted(seeds, key=lambda i: (-seeds[i], i))[:SEED_LIMIT]
    around = gather(store, start, VIEWS[view], of_tests(store, "symbol_text", apart))
    walk = around.walk({i: seeds[i] for i in start})
    found = _candidates(store, evidence, pointers, walk, wanted)
    found = _with_companions(store, found, wanted)
    wording = wording_of(query, report, evidence.terms)
    look = partial(source_features, store, wording, found, around.edges)
    ranked = rank_all(found, look, wanted.factor)
    return Ranking(ranked.files, ranked.symbols, found, around, seeds, ranked.tables)


def _candidates(
    store: Store, evidence: Evidence, pointers: Pointers, walk: dict[int, float], wanted: Filter
) -> Candidates:
    known = store.outlines({*evidence.symbols, *walk})
    owners = {d.parent for d in known.values() if d.parent is not None} - known.keys()
    known |= store.outlines(owners)
    records = files_by_id(store)
    places = {i: records[i] for i in {*evidence.files, *(d.file_id for d in known.values())}}
    files = {i: record for i, record in places.items() if wanted.keeps(record.path)}
    kept = {i: d for i, d in known.items() if d.file_id in files}
    return Candidates(evidence, pointers, kept, files, walk)


def _with_companions(store: Store, found: Candidates, wanted: Filter) -> Candidates:
    """The candidates and the files that go with the best of them."""
    evidence, records = found.evidence, files_by_id(store)
    add_companions(store, evidence, leaders(found, wanted.factor))
    more = {i: records[i] for i in evidence.files if wanted.keeps(records[i].path)}
    pointers = replace(found.pointers, files=Columns(evidence.files))
    return replace(found, pointers=pointers, files={**found.files, **more})


def explore(store: Store, query: str, view: str, limit: int, wanted: Filter) -> Exploration:
    """Rank a view for a question: seeds, neighbourhood, walk, fusion.

    Args:
        store: the index.
        query: a question, symbol names or a whole bug report.
        view: a key of ``VIEWS``.
        limit: files returned at most.
        wanted: path globs and tests.
    """
    ranking = rank(store, query, view, wanted)
    known, places = ranking.candidates.definitions, ranking.candidates.files
    listed = ranking.files[:limit]
    by_file: dict[int, list[RankedSymbol]] = {f.id: [] for f in listed}
    for scored in ranking.symbols:
        definition = known[scored.id]
        if definition.file_id in by_file:
            why = _reasons(ranking.candidates, definition)
            ranked = RankedSymbol(definition, scored.score, why, scored.contributions)
            by_file[definition.file_id].append(ranked)
    why = ranking.candidates.evidence.reasons
    files = [
        RankedFile(places[f.id].path, f.score, by_file[f.id], f.contributions, why.get(-f.id, ()))
        for f in listed
    ]
    score = {scored.id: scored.score for scored in ranking.symbols}
    definitions = {i: d for i, d in known.items() if i in score or not d.qualname}
    seeds = Seeds(ranking.seeds, partial(_reasons, ranking.candidates))
    return Exploration(files, _shown_edges(ranking.around, score), definitions, seeds)


def _reasons(candidates: Candidates, definition: Definition) -> list[str]:
    """Why a symbol is there: the clues that name it, or that its text matches."""
    reasons, by_file = candidates.evidence.reasons, candidates.evidence.files
    own = candidates.evidence.symbols.get(definition.id, {})
    why = reasons.get(definition.id, [])
    if not definition.qualname:
        own, why = by_file.get(definition.file_id, {}), reasons.get(-definition.file_id, [])
    return why or (["text"] if own.keys() & {"text", "title", "code"} else ["edges"])


def _shown_edges(around: Neighbourhood, score: Mapping[int, float]) -> list[GraphEdge]:
    """Edges between ranked symbols, those of the best first."""
    shown = [e for e in around.edges if e.source in score and e.target in score]
    return sorted(
        shown, key=lambda e: (-score[e.source] - score[e.target], e.source, e.target, e.line)
    )
