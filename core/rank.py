"""Scores of files and symbols: a linear function of what points at them, and nothing else.

A score is ``exp(sum of weight x feature)`` relative to the best, so it lies in (0, 1] and symbol
scores compare across files. Weights are named in ``core/config.py`` and fitted by
``benchmarks/fit_weights.py``, cross-validated by repository. Everything here is pure.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from codeviews.core import config
from codeviews.core.facts import CALLABLE_KINDS, DECLARATION, TYPE_KINDS
from codeviews.core.languages import LANGUAGES
from codeviews.core.seeds import Channels, Evidence
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
class Candidates:
    """All that a ranking looks at.

    ``walk`` is the stationary probability by symbol id; ``definitions`` covers its keys, every
    symbol of the evidence, and their owners; ``files`` covers every file among them.
    """

    evidence: Evidence
    definitions: Mapping[int, Definition]
    files: Mapping[int, FileRecord]
    walk: Mapping[int, float] = field(default_factory=dict[int, float])


def rank_files(candidates: Candidates, factor: Factor = lambda marks: 1.0) -> list[Scored]:
    """Files, best first; ties by path."""
    features = file_features(candidates)
    extra = {found: _demotion(candidates.files[found], factor) for found in features}
    path = {found: candidates.files[found].path for found in features}
    return _scored(features, config.FILE_WEIGHTS, extra, lambda found: (path[found],))


def rank_symbols(
    candidates: Candidates, files: Iterable[Scored], factor: Factor = lambda marks: 1.0
) -> list[Scored]:
    """Symbols other than files' own, best first; ties by place. ``files`` is :func:`rank_files`'s
    answer for the same candidates."""
    features = symbol_features(candidates, files)
    known = candidates.definitions
    extra = {found: _demotion(known[found], factor) for found in features}
    return _scored(
        features,
        config.SYMBOL_WEIGHTS,
        extra,
        lambda found: (known[found].path, known[found].start_line),
    )


def _demotion(place: FileRecord | Definition, factor: Factor) -> float:
    """What a file's marks, and holding data or prose instead of code, add to a logit."""
    data = 1.0 if LANGUAGES.get(place.language) else config.DATA_FACTOR
    return math.log(max(factor(place.marks) * data, 1e-6))


def _scored(
    features: Mapping[int, Features],
    weights: Mapping[str, float],
    extra: Mapping[int, float],
    place: Callable[[int], tuple[object, ...]],
) -> list[Scored]:
    weight = weights.get
    logit = {
        found: sum([weight(name, 0.0) * value for name, value in row.items()], extra[found])
        for found, row in features.items()
    }
    top = max(logit.values(), default=0.0)
    order = sorted(logit, key=lambda found: (-round(logit[found], 9), place(found)))
    explained = set(order[: config.EXPLAINED])
    return [
        Scored(
            found,
            math.exp(logit[found] - top),
            _parts(features[found], weights) if found in explained else {},
        )
        for found in order
    ]


def _parts(row: Features, weights: Mapping[str, float]) -> Features:
    return {name: weights[name] * value for name, value in row.items() if name in weights}


# --- features -------------------------------------------------------------------------------------
def file_features(candidates: Candidates) -> dict[int, Features]:
    """File id -> features: its own channels (``file.*``), its best symbol's (``best.*``), those of
    the next three together (``next.*``), the walk's share, size and whether it is a package."""
    own = candidates.evidence.files
    inner = _channels_by_file(candidates)
    walked = _walk_by_file(candidates)
    return {
        found: _file_row(record, own.get(found, {}), inner[found], walked.get(found, 0.0))
        for found, record in candidates.files.items()
    }


def _file_row(
    record: FileRecord, own: Channels, inner: Mapping[str, list[float]], walked: float
) -> Features:
    row = {f"file.{channel}": value for channel, value in own.items()}
    for channel, values in inner.items():
        values.sort(reverse=True)
        row[f"best.{channel}"] = values[0]
        row[f"next.{channel}"] = sum(values[1:4])
    row["walk"] = walked
    row["size"] = math.log1p(record.lines) / 10
    row["package"] = float(record.path.endswith("__init__.py"))
    row["bench"] = float("bench" in record.path)
    return row


def _channels_by_file(candidates: Candidates) -> dict[int, dict[str, list[float]]]:
    inner: dict[int, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for found, channels in candidates.evidence.symbols.items():
        definition = candidates.definitions.get(found)
        if definition is not None:
            for channel, value in channels.items():
                inner[definition.file_id][channel].append(value)
    return inner


def _walk_by_file(candidates: Candidates) -> dict[int, float]:
    total: dict[int, float] = defaultdict(float)
    for found, value in candidates.walk.items():
        if found in candidates.definitions:
            total[candidates.definitions[found].file_id] += value
    top = max(total.values(), default=0.0) or 1.0
    return {found: math.sqrt(value / top) for found, value in total.items()}


def symbol_features(candidates: Candidates, files: Iterable[Scored]) -> dict[int, Features]:
    """Symbol id -> features: its channels, its class's (``owner.*``), the file's share (``file``, a
    log-probability), the walk, its size and form."""
    share = _log_shares(list(files)[: config.LISTED_FILES])
    top = max(candidates.walk.values(), default=0.0) or 1.0
    return {
        found: _symbol_row(candidates, definition, share, candidates.walk.get(found, 0.0) / top)
        for found, definition in candidates.definitions.items()
        if definition.qualname and definition.file_id in share
    }


def _log_shares(files: Iterable[Scored]) -> dict[int, float]:
    scores = {scored.id: scored.score for scored in files}
    total = sum(scores.values()) or 1.0
    return {found: max(math.log(max(s / total, 1e-6)), -12.0) for found, s in scores.items()}


def _symbol_row(
    candidates: Candidates, definition: Definition, share: Mapping[int, float], walked: float
) -> Features:
    row = dict(candidates.evidence.symbols.get(definition.id, {}))
    owner = candidates.definitions.get(definition.parent or 0)
    if owner is not None and owner.kind in TYPE_KINDS:
        channels = candidates.evidence.symbols.get(owner.id, {})
        row.update((f"owner.{channel}", value) for channel, value in channels.items())
    row["walk"] = math.sqrt(walked)
    row["file"] = share[definition.file_id]
    lines = definition.end_line - definition.start_line
    row["size"] = math.log1p(min(lines, config.LONG_SYMBOL))
    row.update(_form(definition, owner))
    return row


def _form(definition: Definition, owner: Definition | None) -> Features:
    name, kind = definition.name, definition.kind
    dunder = name.startswith("__") and name.endswith("__")
    initializer = name in ("__init__", "constructor")
    return {
        "nested": float(owner is not None and owner.kind in CALLABLE_KINDS),
        "method": float(owner is not None and owner.kind in TYPE_KINDS),
        "initializer": float(initializer),
        "dunder": float(dunder and not initializer),
        "type": float(kind in TYPE_KINDS),
        "value": float(kind not in CALLABLE_KINDS and kind not in TYPE_KINDS),
        "declaration": float(bool(definition.flags & DECLARATION)),
    }


# --- the walk's seeds -----------------------------------------------------------------------------
def seed_weights(evidence: Evidence, file_symbols: Mapping[int, int]) -> dict[int, float]:
    """Symbol id -> restart weight. ``file_symbols`` maps a file to its own symbol, which stands for
    what points at the file."""
    out: dict[int, float] = {}
    for found, channels in evidence.symbols.items():
        _seed(out, found, channels, config.SEED_CHANNELS)
    for found, channels in evidence.files.items():
        if found in file_symbols:
            _seed(out, file_symbols[found], channels, config.FILE_SEED_CHANNELS)
    return out


def _seed(
    out: dict[int, float], found: int, channels: Channels, weights: Mapping[str, float]
) -> None:
    value = sum(weights.get(channel, 0.0) * v for channel, v in channels.items())
    if value > 0:
        out[found] = out.get(found, 0.0) + value**config.SEED_POWER
