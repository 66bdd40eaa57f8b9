"""Metrics of a ranking (papers: CuraLoc section 4.1 and appendix F) and their intervals."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

CUTOFFS = (1, 5, 10)
RESAMPLES = 10_000


@dataclass(frozen=True, slots=True)
class Result:
    """What one method answered for one task: paths and ``path:name`` symbols, best first, and the
    symbols whose source the answer holds."""

    task: str
    method: str
    files: list[str]
    symbols: list[str]
    shown: list[str]
    tokens: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Scores:
    """One task's metrics; function metrics are 0 where the task has no gold function. ``shown`` is
    1 when the source of every gold function is in the answer."""

    file: tuple[float, ...]
    function: tuple[float, ...]
    mrr: float
    shown: float
    tokens: float
    seconds: float


def normalized(symbol: str) -> str:
    """``path:Class.__init__`` is ``path:Class``; ``#2`` of a second definition is dropped."""
    path, _, name = symbol.strip().strip("*`").rpartition(":")
    name = re.sub(r"#\d+|\(.*\)$", "", name)
    return f"{path}:{name.removesuffix('.__init__')}"


def score(result: Result, gold_files: Iterable[str], gold_functions: Iterable[str]) -> Scores:
    """All gold within the first k distinct predictions, for each cut-off."""
    files = list(dict.fromkeys(result.files))
    symbols = list(dict.fromkeys(map(normalized, result.symbols)))
    functions = set(map(normalized, gold_functions))
    return Scores(
        tuple(float(set(gold_files) <= set(files[:k])) for k in CUTOFFS),
        tuple(float(bool(functions) and functions <= set(symbols[:k])) for k in CUTOFFS),
        _reciprocal(symbols, functions) if functions else _reciprocal(files, set(gold_files)),
        float(bool(functions) and functions <= set(map(normalized, result.shown))),
        float(result.tokens),
        result.seconds,
    )


def _reciprocal(ranked: Sequence[str], gold: set[str]) -> float:
    return next((1 / place for place, found in enumerate(ranked, 1) if found in gold), 0.0)


def summary(scores: Sequence[Scores]) -> dict[str, float]:
    """Means over tasks; latency as median and 95th percentile in milliseconds."""
    n = max(len(scores), 1)
    out = {f"file@{k}": sum(s.file[i] for s in scores) / n for i, k in enumerate(CUTOFFS)}
    out |= {f"func@{k}": sum(s.function[i] for s in scores) / n for i, k in enumerate(CUTOFFS)}
    out["mrr"] = sum(s.mrr for s in scores) / n
    out["shown"] = sum(s.shown for s in scores) / n
    out["tokens"] = sum(s.tokens for s in scores) / n
    times = sorted(s.seconds for s in scores) or [0.0]
    out["ms_p50"] = 1000 * times[len(times) // 2]
    out["ms_p95"] = 1000 * times[min(int(len(times) * 0.95), len(times) - 1)]
    return {name: round(value, 4) for name, value in out.items()}


def interval(
    left: Mapping[str, Scores], right: Mapping[str, Scores], pick: Callable[[Scores], float]
) -> tuple[float, float, float]:
    """Mean difference ``left - right`` over common tasks and its paired bootstrap 95 % interval."""
    tasks = sorted(left.keys() & right.keys())
    deltas = [pick(left[task]) - pick(right[task]) for task in tasks]
    if not deltas:
        return 0.0, 0.0, 0.0
    draw = random.Random(0)
    n = len(deltas)
    means = sorted(sum(draw.choices(deltas, k=n)) / n for _ in range(RESAMPLES))
    low, high = means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES) - 1]
    return sum(deltas) / n, low, high


def as_json(scores: Scores) -> dict[str, object]:
    """For the record of a run."""
    return asdict(scores)
