"""Ranked symbols: normalization (appendix F), de-duplication and positional Borda scores (A.7)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from codeviews.servers.curaloc.records import Inventory, Prediction

_NUMBER = re.compile(r"#\d+(?=$|\.)")
_ARGUMENTS = re.compile(r"\(.*\)?\s*$", re.DOTALL)
_RECEIVER = re.compile(r"^\((?:\w+\s+)?(\w+)\)\s*\.\s*")  # of a Go method: (*T).Name
_CONSTRUCTORS = (".__init__",)


def normalized(symbol: str) -> str:
    """``file.py:Class.__init__(self)`` -> ``file.py:Class``; backticks and asterisks go too."""
    text = symbol.strip().replace("`", "").replace("*", "").strip()
    path, colon, name = text.partition(":")
    name = _RECEIVER.sub(r"\1.", name.strip())
    name = _NUMBER.sub("", _ARGUMENTS.sub("", name).strip())
    for suffix in _CONSTRUCTORS:
        name = name.removesuffix(suffix)
    return f"{path.strip().removeprefix('./')}{colon}{name}"


def distinct(symbols: Iterable[str]) -> list[str]:
    """Without later duplicates of the same normalized symbol."""
    seen: dict[str, str] = {}
    for symbol in symbols:
        seen.setdefault(normalized(symbol), symbol)
    return list(seen.values())


def distinct_files(symbols: Iterable[str]) -> list[str]:
    """Files of a symbol ranking by first occurrence."""
    return list(dict.fromkeys(normalized(symbol).partition(":")[0] for symbol in symbols))


def borda(count: int) -> list[float]:
    """Positional scores of one ranking, normalized so that the first has 1."""
    return [(count - place) / count for place in range(count)]


def predictions(sids: Sequence[int], inventory: Inventory, limit: int) -> tuple[Prediction, ...]:
    """The first ``limit`` distinct symbols with their places in the repository."""
    kept: dict[str, int] = {}
    for sid in sids:
        if sid in inventory:
            kept.setdefault(normalized(inventory.capsules[sid].definition.address), sid)
    chosen = list(kept.values())[:limit]
    return tuple(
        Prediction(d.address, d.path, d.kind, d.start_line, d.end_line, round(score, 4))
        for d, score in zip(
            (inventory.capsules[sid].definition for sid in chosen), borda(len(chosen)), strict=True
        )
    )
