"""A query -> weighted seed symbols: exact names and paths, then BM25 over every definition."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from codeviews.core.config import FILE_COLUMNS, QUERY_TERMS, SEED_LIMIT, SYMBOL_COLUMNS
from codeviews.core.facts import TEST
from codeviews.core.lookup import look_up, resolve_path
from codeviews.core.store import Store, quote

_WORD = re.compile(r"[^\W_][\w$]*(?:(?:\.|::|->)[\w$]+)*")
_PATH = re.compile(r"(?:[\w.+-]+/)+[\w.+-]+")
_STOP = frozenset(
    "a an and are as at be but by can do does for from has have how i if in is it its not of on or "
    "that the then there this to was we what when where which who why will with you".split()
)


@dataclass
class Seeds:
    """Symbol id -> weight, and the words that made it a seed."""

    weights: dict[int, float] = field(default_factory=dict[int, float])
    reasons: dict[int, list[str]] = field(default_factory=dict[int, list[str]])

    def add(self, symbol: int, weight: float, reason: str) -> None:
        """Add a clue; clues of one symbol sum up."""
        self.weights[symbol] = self.weights.get(symbol, 0.0) + weight
        why = self.reasons.setdefault(symbol, [])
        if reason not in why:
            why.append(reason)


def find_seeds(store: Store, query: str) -> Seeds:
    """Seeds of a question or report, at most ``SEED_LIMIT`` by full text."""
    seeds = Seeds()
    words = words_of(query)
    for path in dict.fromkeys(_PATH.findall(query)):
        known = resolve_path(store, path.rstrip(".,:;"))
        if known:
            seeds.add(store.symbols_of(known)[0].id, 2.0, f"path {known}")
    for word in words:
        _add_named(store, seeds, word)
    _add_matches(store, seeds, words)
    return seeds


def words_of(query: str) -> list[str]:
    """Distinct words and dotted names of the query, in order, stop words left out."""
    found = dict.fromkeys(_WORD.findall(query))
    return [w for w in found if len(w) > 1 and w.lower() not in _STOP]


def _add_named(store: Store, seeds: Seeds, word: str) -> None:
    plain = word.islower() and "_" not in word and "." not in word
    found = [d for d in look_up(store, word).found if d.qualname]
    usual = sorted(found, key=lambda d: (d.marks & TEST, d.path))[:8]
    for definition in usual:
        weight = (0.5 if plain else 1.5) / len(usual) ** 0.5
        seeds.add(definition.id, weight, word)


def _add_matches(store: Store, seeds: Seeds, words: list[str]) -> None:
    terms = [quote(word) for word in words[: QUERY_TERMS * 2]]
    if not terms:
        return
    expression = " OR ".join(terms)
    hits = store.match("symbol_text", expression, [*SYMBOL_COLUMNS.values()], SEED_LIMIT)
    top = hits[0].score if hits else 1.0
    for hit in hits:
        seeds.add(hit.id, hit.score / top, "text")
    files = store.match("file_text", expression, [*FILE_COLUMNS.values()], 15)
    records = store.file_paths(hit.id for hit in files)
    for hit in files:
        own = store.symbols_of(records[hit.id].path)[0]
        seeds.add(own.id, 0.5 * hit.score / files[0].score, "file text")
