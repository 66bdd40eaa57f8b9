"""Statistics of paired experiments: intervals, exact tests, bootstrap; pure functions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
RESAMPLES = 10_000
BLOCK = 2_000_000  # indices drawn at a time: bounds memory to about 16 MB


class Interval(NamedTuple):
    """An estimate with a confidence interval."""

    value: float
    low: float
    high: float


class WinLoss(NamedTuple):
    """Paired outcomes against a baseline (study, table VII)."""

    win: int
    loss: int

    @property
    def net(self) -> int:
        """Wins minus losses."""
        return self.win - self.loss


def wilson(successes: int, total: int, confidence: float = 0.95) -> Interval:
    """Wilson score interval of a proportion; (0, 0, 1) when nothing was observed."""
    if total == 0:
        return Interval(0.0, 0.0, 1.0)
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    rate, z2 = successes / total, z * z
    centre = (rate + z2 / (2 * total)) / (1 + z2 / total)
    spread = z * math.sqrt(rate * (1 - rate) / total + z2 / (4 * total * total)) / (1 + z2 / total)
    return Interval(rate, max(0.0, centre - spread), min(1.0, centre + spread))


def mcnemar(win: int, loss: int) -> float:
    """Exact two-sided McNemar p-value: discordant pairs under a fair coin."""
    discordant = win + loss
    if discordant == 0:
        return 1.0
    tail = sum(math.comb(discordant, k) for k in range(min(win, loss) + 1))
    return min(1.0, 2 * tail / 2**discordant)


def win_loss(view: Sequence[bool], baseline: Sequence[bool]) -> WinLoss:
    """Tasks that only the view solves, and that only the baseline solves."""
    pairs = list(zip(view, baseline, strict=True))
    return WinLoss(sum(v and not b for v, b in pairs), sum(b and not v for v, b in pairs))


def fewer_more(view: Sequence[float], baseline: Sequence[float]) -> tuple[int, int]:
    """Tasks on which the view uses fewer, and more, than the baseline; ties are neither."""
    pairs = list(zip(view, baseline, strict=True))
    return sum(v < b for v, b in pairs), sum(v > b for v, b in pairs)


def resampled_means(values: Sequence[float], resamples: int = RESAMPLES, seed: int = 0) -> Floats:
    """Means of bootstrap resamples of ``values``; shape (resamples,)."""
    array = np.asarray(values, dtype=np.float64)
    generator = np.random.Generator(np.random.PCG64(seed))
    means = np.empty(resamples)
    step = max(1, BLOCK // max(1, len(array)))
    for start in range(0, resamples, step):
        count = min(step, resamples - start)
        picks = generator.integers(0, len(array), size=(count, len(array)))
        means[start : start + count] = array[picks].mean(axis=1)
    return means


def bootstrap_mean(
    values: Sequence[float],
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Interval:
    """Percentile bootstrap interval of a mean; pass paired differences for a paired interval."""
    if not values:
        return Interval(math.nan, math.nan, math.nan)
    means = resampled_means(values, resamples, seed)
    edge = 50 * (1 - confidence)
    low, high = np.percentile(means, [edge, 100 - edge])
    return Interval(float(np.mean(values)), float(low), float(high))


def ratio_of_means(
    view: Sequence[float],
    baseline: Sequence[float],
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Interval:
    """Percent change of a mean against the baseline's, with a paired bootstrap interval."""
    if not view or not sum(baseline):
        return Interval(math.nan, math.nan, math.nan)
    above, below = np.asarray(view, float), np.asarray(baseline, float)
    generator = np.random.Generator(np.random.PCG64(seed))
    changes = np.empty(resamples)
    step = max(1, BLOCK // len(above))
    for start in range(0, resamples, step):
        count = min(step, resamples - start)
        picks = generator.integers(0, len(above), size=(count, len(above)))
        means = below[picks].mean(axis=1)
        means[means == 0] = np.nan
        changes[start : start + count] = 100 * (above[picks].mean(axis=1) / means - 1)
    edge = 50 * (1 - confidence)
    low, high = np.nanpercentile(changes, [edge, 100 - edge])
    return Interval(float(100 * (above.mean() / below.mean() - 1)), float(low), float(high))
