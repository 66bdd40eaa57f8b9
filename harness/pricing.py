"""List prices, for hosts that do not tell the cost and for estimates before a run.

US dollars per million tokens: fresh input, cache read, cache write, output. Prices change; an
estimate made from them is called an estimate wherever it is shown.
"""

from __future__ import annotations

from typing import NamedTuple

from codeviews.harness.records import Tokens


class Price(NamedTuple):
    """US dollars per million tokens."""

    fresh: float
    cache_read: float
    cache_write: float
    output: float


PRICES: dict[str, Price] = {
    "claude-haiku-4-5": Price(1.0, 0.10, 1.25, 5.0),
    "claude-sonnet-4-5": Price(3.0, 0.30, 3.75, 15.0),
    "claude-opus-4-5": Price(5.0, 0.50, 6.25, 25.0),
    "gpt-5.2": Price(1.75, 0.175, 1.75, 14.0),
}


def cost(model: str, tokens: Tokens) -> float | None:
    """US dollars of some tokens, or None when the model's price is not known here."""
    price = next((p for name, p in PRICES.items() if model.startswith(name)), None)
    if price is None:
        return None
    dollars = (
        tokens.fresh * price.fresh
        + tokens.cache_read * price.cache_read
        + tokens.cache_write * price.cache_write
        + tokens.output * price.output
    )
    return dollars / 1e6
