"""Statistics agree with published values and with SciPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats

from codeviews.harness import sampling, stats
from codeviews.harness.errors import BadInput


@pytest.mark.parametrize(("successes", "total"), [(0, 10), (8, 10), (10, 10), (109, 152)])
def test_wilson_intervals_agree_with_scipy(successes: int, total: int) -> None:
    found = stats.wilson(successes, total)
    wanted = scipy.stats.binomtest(successes, total).proportion_ci(0.95, "wilson")
    assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high))
    assert found.value == successes / total


@pytest.mark.parametrize(("win", "loss"), [(17, 0), (17, 9), (9, 18), (0, 0), (5, 5)])
def test_mcnemar_is_the_exact_binomial_test(win: int, loss: int) -> None:
    wanted = scipy.stats.binomtest(win, win + loss).pvalue if win + loss else 1.0
    assert stats.mcnemar(win, loss) == pytest.approx(wanted)


def test_bootstrap_of_equal_differences_is_a_point() -> None:
    assert stats.bootstrap_mean([2.0] * 30) == stats.Interval(2.0, 2.0, 2.0)
    assert math.isnan(stats.bootstrap_mean([]).value)


def test_bootstrap_is_deterministic_and_near_the_normal_interval() -> None:
    values = np.random.Generator(np.random.PCG64(1)).normal(3.0, 2.0, 400).tolist()
    found = stats.bootstrap_mean(values)
    assert found == stats.bootstrap_mean(values)
    half = 1.96 * np.std(values, ddof=1) / 20
    assert found.low == pytest.approx(np.mean(values) - half, abs=0.03)
    assert found.high == pytest.approx(np.mean(values) + half, abs=0.03)


def test_the_change_of_a_mean_is_paired() -> None:
    baseline = [100.0, 1000.0, 10000.0]
    found = stats.ratio_of_means([75.0, 750.0, 7500.0], baseline)
    assert (found.value, found.low, found.high) == pytest.approx((-25.0, -25.0, -25.0))


def test_wins_losses_and_tokens_are_counted_per_pair() -> None:
    outcome = stats.win_loss([True, True, False, False], [True, False, True, False])
    assert (outcome.win, outcome.loss, outcome.net) == (1, 1, 0)
    assert stats.fewer_more([1, 2, 3, 3], [2, 1, 4, 3]) == (2, 1)


@pytest.mark.parametrize(("pool", "sample"), [(250, 152), (731, 253), (276, 161), (1, 1)])
def test_sample_sizes_are_the_studys(pool: int, sample: int) -> None:
    assert sampling.size(pool, 0.95, 0.05) == sample


def test_a_pilot_proportion_makes_the_sample_smaller() -> None:
    assert sampling.size(731, 0.95, 0.05, 0.1) < sampling.size(731, 0.95, 0.05, 0.5)


def test_a_draw_depends_on_the_seed_and_not_on_the_order_of_the_pool() -> None:
    ids = [f"t{n}" for n in range(50)]
    drawn = sampling.draw(ids, 10, seed=7)
    assert drawn == sampling.draw(ids[::-1], 10, seed=7)
    assert drawn != sampling.draw(ids, 10, seed=8)
    assert len(set(drawn)) == 10


@pytest.mark.parametrize("text", ["95", "95/x", "0/5", "95/100"])
def test_a_sample_that_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="--sample takes"):
        sampling.parse(text)
