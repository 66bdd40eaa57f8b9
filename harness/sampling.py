"""The study's sample: Cochran's size with finite-population correction, deterministic by seed."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from statistics import NormalDist

from codeviews.harness.errors import BadInput


def size(population: int, confidence: float, margin: float, proportion: float = 0.5) -> int:
    """How many of ``population`` tasks to draw (Cochran 1977; study, section IV-D a).

    Args:
        population: number of tasks in the pool.
        confidence: for example 0.95.
        margin: half width of the interval, for example 0.05.
        proportion: success rate a pilot estimated; 0.5 is the cautious choice.
    """
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    infinite = z * z * proportion * (1 - proportion) / (margin * margin)
    return min(population, math.ceil(infinite / (1 + (infinite - 1) / population)))


def parse(text: str) -> tuple[float, float]:
    """``95/5`` as (0.95, 0.05).

    Raises:
        BadInput: it is not CONFIDENCE/MARGIN in percent.
    """
    try:
        confidence, margin = (float(part) / 100 for part in text.split("/"))
    except ValueError as error:
        raise BadInput(f"--sample takes CONFIDENCE/MARGIN, as 95/5, not {text}") from error
    if not (0 < confidence < 1 and 0 < margin < 1):
        raise BadInput(f"--sample takes percentages between 0 and 100, not {text}")
    return confidence, margin


def draw(ids: Sequence[str], count: int, seed: int) -> list[str]:
    """``count`` ids, the same for the same set and seed whatever the order of ``ids``; sorted."""
    return sorted(random.Random(seed).sample(sorted(ids), min(count, len(ids))))
