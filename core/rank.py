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
from itertools import islice
from typing import NamedTuple

import numpy as np

from codeviews.core import config
from codeviews.core.columns import (
    Columns,
    Matrix,
    Table,
    joined,
    top_by_group,
    weight_vector,
    widened,
)
from codeviews.core.facts import CALLABLE_KINDS, DECLARATION, TYPE_KINDS
from codeviews.core.languages import LANGUAGES
from codeviews.core.places import HEADERS
from codeviews.core.seeds import Evidence
from codeviews.core.store import Definition, FileRecord
from codeviews.core.wording import field_said, path_said, shares

Features = dict[str, float]
Factor = Callable[[int], float]
"""Marks of a file -> how much it counts (1.0 for production code)."""
Look = Callable[[Sequence[int]], Table]
"""Ids of symbols -> more features of them (``core/rank_source.py``)."""


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


class Ranked(NamedTuple):
    """Files and symbols, best first; ``tables`` hold the features behind each, for the fit."""

    files: list[Scored]
    symbols: list[Scored]
    tables: tuple[Table, Table]


def rank_all(
    candidates: Candidates, look: Look | None = None, factor: Factor = lambda marks: 1.0
) -> Ranked:
    """Files and symbols other than files' own, best first; ties by place.

    Files are scored by what points at them, and symbols by that and their file. Then ``look`` reads
    the best callables, which scores the symbols anew, and files gain by the symbols they hold.
    """
    records, known = [*candidates.files.values()], candidates.definitions
    files, damped = file_features(candidates), _demotions(records, factor)
    weights = config.FILE_WEIGHTS
    symbols = symbol_features(candidates, _log_shares(files, _logits(files, weights) + damped))
    found = [known[i] for i in symbols.ids]
    lowered = _demotions(found, factor)
    if look is not None and found:
        logits = _logits(symbols, config.SYMBOL_WEIGHTS) + lowered
        symbols = widened(symbols, look(_best_callables(symbols.ids, known, logits)))
        files = _gaining(files, symbols, lowered, candidates)
        share = _log_shares(files, _logits(files, weights) + damped, len(records))
        symbols.column("file")[:] = [share[d.file_id] for d in found]
    paths, places = [r.path for r in records], [(d.path, d.start_line) for d in found]
    return Ranked(
        _scored(files, weights, damped, paths),
        _scored(symbols, config.SYMBOL_WEIGHTS, lowered, places),
        (files, symbols),
    )


def leaders(candidates: Candidates, factor: Factor) -> dict[int, float]:
    """The ``config.LEADERS`` files that are best by what points at them, and the share of belief
    that each has among them."""
    files = file_features(candidates)
    logits = _logits(files, config.FILE_WEIGHTS)
    logits += _demotions([*candidates.files.values()], factor)
    best = np.argsort(-np.round(logits, 9), kind="stable")[: config.LEADERS]
    belief = np.exp(logits[best] - logits.max(initial=0.0))
    shares = belief / max(float(belief.sum()), 1e-300)
    return {files.ids[k]: v for k, v in zip(best.tolist(), shares.tolist(), strict=True)}


def _logits(table: Table, weights: Mapping[str, float]) -> Matrix:
    return table.values @ weight_vector(table.names, weights)


def _best_callables(
    ids: Sequence[int], known: Mapping[int, Definition], logits: Matrix
) -> list[int]:
    order = np.argsort(-np.round(logits, 9), kind="stable").tolist()
    found = (known[ids[k]] for k in order)
    with_body = (d.id for d in found if d.kind in CALLABLE_KINDS and not d.flags & DECLARATION)
    return list(islice(with_body, config.LOOKED_AT))


def _gaining(files: Table, symbols: Table, lowered: Matrix, candidates: Candidates) -> Table:
    """The files with what their symbols are worth by themselves: the best one's logit and the log
    of the sum, both relative to the best of all."""
    own = {name: weight for name, weight in config.SYMBOL_WEIGHTS.items() if name != "file"}
    logits = np.maximum(_logits(symbols, own) + lowered, -50.0)
    worth = np.full((len(files.ids), 2), config.NO_SYMBOL)
    inside: dict[int, list[float]] = defaultdict(list)
    for found, logit in zip(symbols.ids, (logits - logits.max()).tolist(), strict=True):
        inside[candidates.definitions[found].file_id].append(logit)
    for place, found in enumerate(files.ids):
        if found in inside:
            total = math.log(sum(map(math.exp, inside[found])))
            worth[place] = max(inside[found]), total
    worth = np.maximum(worth, config.NO_SYMBOL)
    return joined(files.ids, [(files.names, files.values), (_WORTH, worth)])


_WORTH = ("symbol.best", "symbol.sum")


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
    (``best.*``), those of the next three together (``next.*``), the walk's share, how much of the
    report its path says, size and form."""
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
            (_PATH, _paths_said(candidates)),
            (_FILE_FORM, _forms(records.values())),
        ],
    )


_PATH = ("stem.said", "directory.said", "field.said")


def _paths_said(candidates: Candidates) -> Matrix:
    share = shares(candidates.evidence.terms)
    subjects = candidates.evidence.subjects
    said = [
        (*path_said(record.path, share), field_said(record.path, subjects))
        for record in candidates.files.values()
    ]
    return np.array(said).reshape(-1, len(_PATH))


_FILE_FORM = ("size", "package", "bench", "header")


def _forms(records: Iterable[FileRecord]) -> Matrix:
    return np.array([_file_form(record) for record in records]).reshape(-1, len(_FILE_FORM))


def _file_form(record: FileRecord) -> tuple[float, ...]:
    return (
        math.log1p(record.lines) / 10,
        float(record.path.endswith("__init__.py")),
        float("bench" in record.path),
        float(record.path.endswith(HEADERS)),
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


def symbol_features(candidates: Candidates, share: Mapping[int, float]) -> Table:
    """A row for each symbol of the files in ``share`` (file id -> log-probability): its channels,
    its class's (``owner.*``), that ``file`` share, the walk, its size and form."""
    known, points = candidates.definitions, candidates.pointers.symbols
    found = [d for d in known.values() if d.qualname and d.file_id in share]
    owners = [known.get(d.parent or 0) for d in found]
    types = [o.id if o is not None and o.kind in TYPE_KINDS else 0 for o in owners]
    top = max(candidates.walk.values(), default=0.0) or 1.0
    walked = np.array([candidates.walk.get(d.id, 0.0) for d in found])
    crowd = {i: math.log1p(candidates.files[i].lines) for i in share}
    rows = [
        (share[d.file_id], crowd[d.file_id], *_form(d, o))
        for d, o in zip(found, owners, strict=True)
    ]
    ids = [d.id for d in found]
    return joined(
        ids,
        [
            (points.names, points.of(ids)),
            ([f"owner.{channel}" for channel in points.names], points.of(types)),
            (["walk"], np.sqrt(walked / top).reshape(-1, 1)),
            (("file", "crowd", *_FORM), np.array(rows, dtype=float).reshape(-1, 2 + len(_FORM))),
        ],
    )


def _log_shares(files: Table, logits: Matrix, limit: int = config.LISTED_FILES) -> dict[int, float]:
    """File id -> log-probability, of the ``limit`` best."""
    if not files.ids:
        return {}
    relative = logits - logits.max()
    best = np.argsort(-relative, kind="stable")[:limit]
    share = np.maximum(relative - math.log(np.exp(relative[best]).sum()), -12.0).tolist()
    return {files.ids[k]: share[k] for k in best.tolist()}


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
