"""Scores of files and symbols: a linear function of what points at them, and nothing else.

A score is ``exp(sum of weight x feature)`` relative to the best, so it lies in (0, 1] and symbol
scores compare across files. Weights are named in ``core/config.py`` and fitted by
``benchmarks/fit_weights.py``, cross-validated by repository. Everything here is pure.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from codeviews.core import config
from codeviews.core.columns import Columns, Matrix, Table, joined, top_by_group, weight_vector
from codeviews.core.facts import CALLABLE_KINDS, DECLARATION, TYPE_KINDS
from codeviews.core.languages import LANGUAGES
from codeviews.core.seeds import Evidence
from codeviews.core.store import Definition, FileRecord

Features = dict[str, float]
Factor = Callable[[int], float]
"""Marks of a file -> how much it counts (1.0 for production code)."""


class Scored(NamedTuple):
    """``id`` of a file or symbol, its score in (0, 1], and what each feature adds to its logit
    (only of the first ``config.EXPLAINED``)."""

    id: int
    score: float
    contributions: Features


@dataclass(frozen=True, slots=True)
class Pointers:
    """The evidence as columns: what points at each symbol and at each file."""

    symbols: Columns
    files: Columns

    @staticmethod
    def of(evidence: Evidence) -> Pointers:
        """The evidence as it is now; what is added later is not seen."""
        return Pointers(Columns(evidence.symbols), Columns(evidence.files))


@dataclass(frozen=True, slots=True)
class Candidates:
    """All that a ranking looks at.

    ``walk`` is the stationary probability by symbol id; ``definitions`` covers its keys, every
    symbol of the evidence, and their owners; ``files`` covers every file among them.
    """

    evidence: Evidence
    pointers: Pointers
    definitions: Mapping[int, Definition]
    files: Mapping[int, FileRecord]
    walk: Mapping[int, float] = field(default_factory=dict[int, float])


def rank_files(candidates: Candidates, factor: Factor = lambda marks: 1.0) -> list[Scored]:
    """Files, best first; ties by path."""
    records = [*candidates.files.values()]
    table = file_features(candidates)
    return _scored(
        table, config.FILE_WEIGHTS, _demotions(records, factor), [r.path for r in records]
    )


def rank_symbols(
    candidates: Candidates, files: Iterable[Scored], factor: Factor = lambda marks: 1.0
) -> list[Scored]:
    """Symbols other than files' own, best first; ties by place. ``files`` is :func:`rank_files`'s
    answer for the same candidates."""
    table = symbol_features(candidates, files)
    found = [candidates.definitions[i] for i in table.ids]
    places = [(d.path, d.start_line) for d in found]
    return _scored(table, config.SYMBOL_WEIGHTS, _demotions(found, factor), places)


def _demotions(places: Sequence[FileRecord | Definition], factor: Factor) -> Matrix:
    """What each file's marks, and holding data or prose instead of code, add to a logit."""
    known: dict[tuple[int, str], float] = {}
    for marks, language in {(place.marks, place.language) for place in places}:
        data = 1.0 if LANGUAGES.get(language) else config.DATA_FACTOR
        known[marks, language] = math.log(max(factor(marks) * data, 1e-6))
    return np.array([known[place.marks, place.language] for place in places])


def _scored(
    table: Table, weights: Mapping[str, float], extra: Matrix, places: Sequence[object]
) -> list[Scored]:
    if not table.ids:
        return []
    parts = table.values * weight_vector(table.names, weights)
    logit = parts.sum(axis=1) + extra
    scores = np.exp(logit - logit.max()).tolist()
    rounded = (-np.round(logit, 9)).tolist()
    order = sorted(range(len(table.ids)), key=lambda k: (rounded[k], places[k]))
    explained = _contributions(table.names, weights, parts, order[: config.EXPLAINED])
    return [
        Scored(table.ids[k], scores[k], explained[n] if n < len(explained) else {})
        for n, k in enumerate(order)
    ]


def _contributions(
    names: Sequence[str], weights: Mapping[str, float], parts: Matrix, rows: Sequence[int]
) -> list[Features]:
    shown = [i for i, name in enumerate(names) if name in weights]
    kept = [names[i] for i in shown]
    return [dict(zip(kept, row, strict=True)) for row in parts[np.ix_(rows, shown)].tolist()]


# --- features -------------------------------------------------------------------------------------
def file_features(candidates: Candidates) -> Table:
    """A row for each of ``candidates.files``: its own channels (``file.*``), its best symbol's
    (``best.*``), those of the next three together (``next.*``), the walk's share, size and form."""
    records = candidates.files
    own, inner = candidates.pointers.files, candidates.pointers.symbols
    top = _best_by_file(candidates)
    return joined(
        [*records],
        [
            ([f"file.{channel}" for channel in own.names], own.of(records)),
            ([f"best.{channel}" for channel in inner.names], top[0]),
            ([f"next.{channel}" for channel in inner.names], top[1] + top[2] + top[3]),
            (["walk"], _walk_by_file(candidates)),
            (_FILE_FORM, np.array([_file_form(r) for r in records.values()]).reshape(-1, 3)),
        ],
    )


_FILE_FORM = ("size", "package", "bench")


def _file_form(record: FileRecord) -> tuple[float, ...]:
    return (
        math.log1p(record.lines) / 10,
        float(record.path.endswith("__init__.py")),
        float("bench" in record.path),
    )


def _best_by_file(candidates: Candidates) -> Matrix:
    """The four largest values of each channel among each file's symbols."""
    known, symbols = candidates.definitions, candidates.pointers.symbols
    place = {found: i for i, found in enumerate(candidates.files)}
    inside = [found for found in symbols.ids if found in known]
    groups = np.array([place[known[found].file_id] for found in inside], dtype=np.int64)
    return top_by_group(groups, symbols.of(inside), 4, len(place))


def _walk_by_file(candidates: Candidates) -> Matrix:
    total: dict[int, float] = defaultdict(float)
    for found, value in candidates.walk.items():
        if found in candidates.definitions:
            total[candidates.definitions[found].file_id] += value
    top = max(total.values(), default=0.0) or 1.0
    shares = np.array([total.get(found, 0.0) for found in candidates.files])
    return np.sqrt(shares / top).reshape(-1, 1)


def symbol_features(candidates: Candidates, files: Iterable[Scored]) -> Table:
    """A row for each symbol of the best files: its channels, its class's (``owner.*``), the file's
    share (``file``, a log-probability), the walk, its size and form."""
    share = _log_shares(list(files)[: config.LISTED_FILES])
    known, points = candidates.definitions, candidates.pointers.symbols
    found = [d for d in known.values() if d.qualname and d.file_id in share]
    owners = [known.get(d.parent or 0) for d in found]
    types = [o.id if o is not None and o.kind in TYPE_KINDS else 0 for o in owners]
    top = max(candidates.walk.values(), default=0.0) or 1.0
    walked = np.array([candidates.walk.get(d.id, 0.0) for d in found])
    rows = [(share[d.file_id], *_form(d, o)) for d, o in zip(found, owners, strict=True)]
    ids = [d.id for d in found]
    return joined(
        ids,
        [
            (points.names, points.of(ids)),
            ([f"owner.{channel}" for channel in points.names], points.of(types)),
            (["walk"], np.sqrt(walked / top).reshape(-1, 1)),
            (("file", *_FORM), np.array(rows, dtype=float).reshape(-1, 1 + len(_FORM))),
        ],
    )


def _log_shares(files: Iterable[Scored]) -> dict[int, float]:
    scores = {scored.id: scored.score for scored in files}
    total = sum(scores.values()) or 1.0
    return {found: max(math.log(max(s / total, 1e-6)), -12.0) for found, s in scores.items()}


_FORM = ("size", "nested", "method", "initializer", "dunder", "type", "value", "declaration")


def _form(definition: Definition, owner: Definition | None) -> tuple[float, ...]:
    name, kind = definition.name, definition.kind
    dunder = name.startswith("__") and name.endswith("__")
    initializer = name in ("__init__", "constructor")
    lines = definition.end_line - definition.start_line
    return (
        math.log1p(min(lines, config.LONG_SYMBOL)),
        owner is not None and owner.kind in CALLABLE_KINDS,
        owner is not None and owner.kind in TYPE_KINDS,
        initializer,
        dunder and not initializer,
        kind in TYPE_KINDS,
        kind not in CALLABLE_KINDS and kind not in TYPE_KINDS,
        bool(definition.flags & DECLARATION),
    )


# --- the walk's seeds -----------------------------------------------------------------------------
def seed_weights(pointers: Pointers, file_symbols: Mapping[int, int]) -> dict[int, float]:
    """Symbol id -> restart weight. ``file_symbols`` maps a file to its own symbol, which stands for
    what points at the file."""
    out = _seeds(pointers.symbols, config.SEED_CHANNELS)
    for found, value in _seeds(pointers.files, config.FILE_SEED_CHANNELS).items():
        if found in file_symbols:
            symbol = file_symbols[found]
            out[symbol] = out.get(symbol, 0.0) + value
    return out


def _seeds(points: Columns, weights: Mapping[str, float]) -> dict[int, float]:
    value = points.weighted(weights)
    sharp = np.where(value > 0, value, 0.0) ** config.SEED_POWER
    return {found: v for found, v in zip(points.ids, sharp.tolist(), strict=True) if v > 0}
