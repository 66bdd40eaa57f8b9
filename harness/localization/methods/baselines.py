"""Baselines without a model: BM25 over definitions, and the ranking of ``hybrid_explore``."""

from __future__ import annotations

import math

from codeviews.core import config
from codeviews.core.explore import Filter, rank
from codeviews.core.facts import TEST
from codeviews.core.report import CONFIG, IDENTIFIER, WORD, understand
from codeviews.core.seeds import weighted_terms
from codeviews.harness.localization.methods import Found
from codeviews.servers.curaloc.edges import is_symbol
from codeviews.servers.curaloc.planners import Inquiry
from codeviews.servers.curaloc.planners.client import ModelClient
from codeviews.servers.curaloc.ranking import distinct


def bm25(inquiry: Inquiry, client: ModelClient | None, helper: ModelClient | None) -> Found:
    """FTS5's BM25 of the report's words over definitions; tests are left out."""
    store = inquiry.store
    clues = understand(inquiry.report).of(WORD, IDENTIFIER, CONFIG)
    total = store.row_count("symbol_text")

    def rarity(term: str) -> float:
        found = store.match_count("symbol_text", term)
        return math.log(1 + total / found) if found else 0.0

    terms = weighted_terms(rarity, clues, config.QUERY_TERMS)
    if not terms:
        return Found([], failure="no word of the report is in the index")
    columns = [*config.SYMBOL_COLUMNS.values()]
    hits = store.match("symbol_text", " OR ".join(terms), columns, config.SYMBOLS_FOUND)
    known = store.definitions(hit.id for hit in hits)
    found = [known[hit.id] for hit in hits if hit.id in known]
    ranked = distinct(d.address for d in found if is_symbol(d) and not d.marks & TEST)
    return Found(ranked[: inquiry.settings.predictions])


def hybrid_explore(
    inquiry: Inquiry, client: ModelClient | None, helper: ModelClient | None
) -> Found:
    """The symbols of one ``hybrid_explore`` call in the order of their scores."""
    ranking = rank(inquiry.store, inquiry.report, "hybrid", Filter())
    known = ranking.candidates.definitions
    ranked = distinct(known[s.id].address for s in ranking.symbols if is_symbol(known[s.id]))
    return Found(ranked[: inquiry.settings.predictions])
