"""What a report says, in the form in which names and source are compared with it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import PurePosixPath

from codeviews.core import config
from codeviews.core.places import PACKAGE_STEMS
from codeviews.core.report import IDENTIFIER, WORD, Report
from codeviews.core.seeds import stem
from codeviews.core.stopwords import STOP

_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_a-zA-Z]+")
_TOKEN = re.compile(r"\w{4,}")

Pair = tuple[str, str]


@lru_cache(1 << 15)
def _stem(piece: str) -> str:
    return stem(piece.lower())


def stems(text: str) -> list[str]:
    """The words of prose or code in order: names are cut into their pieces, endings are gone."""
    return [_stem(piece) for piece in _PIECE.findall(text)]


@dataclass(frozen=True, slots=True)
class Wording:
    """What a report says, in the form in which source is compared with it.

    ``terms`` are shares of its weight by stem (they sum to 1), ``words`` all its stems, ``names``
    its identifiers with their weights, ``tokens`` everything as written.
    """

    terms: Mapping[str, float]
    words: frozenset[str]
    pairs: frozenset[Pair]
    names: Mapping[str, float]
    tokens: frozenset[str]


def wording_of(query: str, report: Report, terms: Mapping[str, float]) -> Wording:
    """Read ``query`` once; ``terms`` are FTS terms of it by what they tell (``core/seeds.py``)."""
    text = query[: config.WORDING_CHARS]
    pairs = (p for p in pairwise(stems(text)) if not (p[0] in STOP and p[1] in STOP))
    names = {c.text: min(c.weight, 1.5) for c in report.of(IDENTIFIER) if len(c.text) > 3}
    return Wording(
        shares(terms),
        frozenset(_stem(clue.text) for clue in report.of(WORD)),
        frozenset(pairs),
        names,
        frozenset(_TOKEN.findall(text)),
    )


def shares(terms: Mapping[str, float]) -> dict[str, float]:
    """FTS terms as stems, with their shares of what all tell."""
    total = sum(terms.values()) or 1.0
    return {term.strip('"*').lower(): value / total for term, value in terms.items()}


def path_said(path: str, share: Mapping[str, float]) -> tuple[float, float]:
    """The shares of a report that a file's own name and its directories' names hold. A package's
    name is that of its directory."""
    own, around = _path_stems(path)
    return (
        sum(share.get(part, 0.0) for part in own),
        sum(share.get(part, 0.0) for part in around),
    )


@lru_cache(1 << 14)
def _path_stems(path: str) -> tuple[frozenset[str], frozenset[str]]:
    place = PurePosixPath(path)
    name, folder = place.name.partition(".")[0], place.parent
    if name in PACKAGE_STEMS:
        name, folder = folder.name, folder.parent
    own = frozenset(stems(name))
    return own, frozenset(stems(str(folder))) - own


def field_said(path: str, subjects: frozenset[str]) -> float:
    """How many words of a tracker's fields the path holds; what is only alike counts in part:
    ``networking`` for ``net``, ``sounds`` for ``sound``."""
    parts = _path_words(path) if subjects else frozenset[str]()
    return sum(max((_alike(word, part) for part in parts), default=0.0) for word in subjects)


@lru_cache(1 << 14)
def _path_words(path: str) -> frozenset[str]:
    names = [part.partition(".")[0] for part in path.lower().split("/")]
    pieces = (piece for name in names for piece in re.split(r"[_\-]", name))
    return frozenset(filter(None, (*names, *pieces)))


@lru_cache(1 << 14)
def _alike(word: str, part: str) -> float:
    if word == part:
        return 1.0
    if len(part) > 2 and word.startswith(part):
        return 0.7
    return 0.5 if len(word) > 3 and part.startswith(word) else 0.0
