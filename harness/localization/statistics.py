"""Appendix G: run variability, paired bootstrap over tasks and repositories, joint bounds."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from codeviews.harness.localization.records import LocalizationRecord

Floats = NDArray[np.float64]
RESAMPLES = 50_000
SEED = 20260923
CHECK_SEED = 20260924
COMPARISONS = 9
BOUNDS = 2 * COMPARISONS
FAMILY_TAIL = 0.05 / BOUNDS  # lower-tail probability of one bound, Bonferroni over 18
BLOCK = 4_000_000

Measure = Callable[[LocalizationRecord], float]


class Spread(NamedTuple):
    """A mean over runs and their sample standard deviation (NaN for a single run)."""

    mean: float
    deviation: float


class Interval(NamedTuple):
    """A paired difference and its 95 % percentile interval."""

    value: float
    low: float
    high: float


class Joint(NamedTuple):
    """Accuracy advantage (points) and token savings of ours over a baseline, with lower bounds.

    ``alone`` bounds use the 2.5th percentile each, ``family`` ones 0.05 / 18. None: token usage is
    incomplete, so no token or dominance conclusion is drawn, but its slot in the family stays.
    """

    accuracy: float
    savings: float | None
    alone: tuple[float, float | None]
    family: tuple[float, float | None]
    ratio: Interval | None

    @property
    def dominates(self) -> bool | None:
        """Strict Pareto dominance, family-adjusted; None when it cannot be said."""
        accuracy, savings = self.family
        return None if savings is None else accuracy > 0 and savings > 0


class Panel(NamedTuple):
    """A method on a cohort: per task, the mean over its runs. ``tokens`` None: incomplete."""

    tasks: tuple[str, ...]
    repos: tuple[str, ...]
    accuracy: Floats
    tokens: Floats | None


def func(k: int) -> Measure:
    """Func@k in percent."""
    return lambda record: 100.0 * record.scored().func[k]


def file(k: int) -> Measure:
    """File@k in percent."""
    return lambda record: 100.0 * record.scored().file[k]


def mrr(record: LocalizationRecord) -> float:
    """Reciprocal rank of the first gold symbol."""
    return record.scored().mrr


def over_runs(records: Sequence[LocalizationRecord], measure: Measure) -> Spread:
    """The measure per run, then mean and sample deviation over runs."""
    runs: dict[int, list[float]] = {}
    for record in records:
        runs.setdefault(record.run, []).append(measure(record))
    means = [sum(values) / len(values) for values in runs.values()]
    if not means:
        return Spread(math.nan, math.nan)
    deviation = float(np.std(means, ddof=1)) if len(means) > 1 else math.nan
    return Spread(sum(means) / len(means), deviation)


def panel(records: Sequence[LocalizationRecord], measure: Measure) -> Panel:
    """Average each task's outcomes over its runs."""
    tasks = sorted({record.task for record in records})
    by_task: dict[str, list[LocalizationRecord]] = {task: [] for task in tasks}
    for record in records:
        by_task[record.task].append(record)
    accuracy = np.array([_mean(map(measure, by_task[t])) for t in tasks])
    complete = all(record.complete_usage for record in records)
    tokens = [_mean(float(r.total_tokens) for r in by_task[t]) for t in tasks]
    repos = tuple(by_task[task][0].repo for task in tasks)
    return Panel(tuple(tasks), repos, accuracy, np.array(tokens) if complete else None)


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / len(found)


def paired(ours: Panel, baseline: Panel) -> None:
    """Check that both panels hold the same tasks.

    Raises:
        ValueError: they do not; no statistic is made over a reduced subset.
    """
    if ours.tasks != baseline.tasks:
        missing = set(ours.tasks) ^ set(baseline.tasks)
        raise ValueError(f"{len(missing)} tasks stand on one side only, e.g. {min(missing)}")


# --- resampling -----------------------------------------------------------------------------------
def generator(seed: int, *stream: str) -> np.random.Generator:
    """PCG64 with a separate deterministic stream for each cohort and resampling scheme."""
    digest = hashlib.blake2b("\0".join(stream).encode(), digest_size=8).digest()
    sequence = np.random.SeedSequence([seed, int.from_bytes(digest, "big")])
    return np.random.Generator(np.random.PCG64(sequence))


def task_means(
    columns: Sequence[Floats], draw: np.random.Generator, resamples: int = RESAMPLES
) -> Floats:
    """Means of task resamples, the same draws for every column; (resamples, columns)."""
    table = np.stack(columns, axis=1)
    n = len(table)
    out = np.empty((resamples, table.shape[1]))
    step = max(1, BLOCK // max(n, 1))
    for start in range(0, resamples, step):
        count = min(step, resamples - start)
        picks = draw.integers(0, n, size=(count, n))
        picks += n * np.arange(count)[:, None]  # a task of one resample is a place of its own
        times = np.bincount(picks.ravel(), minlength=count * n).reshape(count, n)
        out[start : start + count] = times @ table / n
    return out


def repository_means(
    columns: Sequence[Floats],
    repos: Sequence[str],
    draw: np.random.Generator,
    resamples: int = RESAMPLES,
) -> Floats:
    """The same over whole repositories with replacement; means stay weighted by task."""
    names = sorted(set(repos))
    member = np.array([names.index(repo) for repo in repos])
    sizes = np.bincount(member, minlength=len(names)).astype(float)
    sums = np.stack([np.bincount(member, c, minlength=len(names)) for c in columns], axis=1)
    picks = draw.integers(0, len(names), size=(resamples, len(names)))
    return sums[picks].sum(axis=1) / sizes[picks].sum(axis=1)[:, None]


def resampled(
    ours: Panel, baseline: Panel, cohort: str, scheme: str, seed: int, resamples: int = RESAMPLES
) -> Floats:
    """Columns: our accuracy, theirs, our tokens, theirs (NaN where incomplete)."""
    paired(ours, baseline)
    unknown = np.full(len(ours.tasks), math.nan)
    columns = [
        ours.accuracy,
        baseline.accuracy,
        unknown if ours.tokens is None else ours.tokens,
        unknown if baseline.tokens is None else baseline.tokens,
    ]
    draw = generator(seed, cohort, scheme)
    if scheme == "task":
        return task_means(columns, draw, resamples)
    return repository_means(columns, ours.repos, draw, resamples)


def difference(means: Floats, ours: Panel, baseline: Panel) -> Interval:
    """Accuracy difference with its pointwise 95 % interval."""
    low, high = np.percentile(means[:, 0] - means[:, 1], [2.5, 97.5])
    value = float(ours.accuracy.mean() - baseline.accuracy.mean())
    return Interval(value, float(low), float(high))


def joint(means: Floats, ours: Panel, baseline: Panel) -> Joint:
    """Accuracy and tokens together, from the same draws."""
    gain = means[:, 0] - means[:, 1]
    value = float(ours.accuracy.mean() - baseline.accuracy.mean())
    bounds = [float(np.percentile(gain, q)) for q in (2.5, 100 * FAMILY_TAIL)]
    if ours.tokens is None or baseline.tokens is None:
        return Joint(value, None, (bounds[0], None), (bounds[1], None), None)
    saved = means[:, 3] - means[:, 2]
    saving = [float(np.percentile(saved, q)) for q in (2.5, 100 * FAMILY_TAIL)]
    return Joint(
        value,
        float(baseline.tokens.mean() - ours.tokens.mean()),
        (bounds[0], saving[0]),
        (bounds[1], saving[1]),
        _ratio(means, ours.tokens, baseline.tokens),
    )


def _ratio(means: Floats, ours: Floats, baseline: Floats) -> Interval | None:
    """Baseline mean divided by our mean, a ratio of means in every resample."""
    if ours.mean() <= 0 or bool((means[:, 2] <= 0).any()):
        return None
    low, high = np.percentile(means[:, 3] / means[:, 2], [2.5, 97.5])
    return Interval(float(baseline.mean() / ours.mean()), float(low), float(high))


def without_each_repository(ours: Panel, baseline: Panel) -> Mapping[str, float]:
    """The accuracy difference with one repository left out, for each repository."""
    paired(ours, baseline)
    gain = ours.accuracy - baseline.accuracy
    repos = np.array(ours.repos)
    out: dict[str, float] = {}
    for name in sorted(set(ours.repos)):
        rest = gain[repos != name]
        out[name] = float(rest.mean()) if len(rest) else math.nan
    return out
