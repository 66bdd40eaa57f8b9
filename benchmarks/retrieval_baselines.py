"""What to beat: FTS5's BM25 by itself, and ``bm25s`` over whole files. Only code counts:
tests, documents, examples, generated and vendored files are left out, which helps both."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import bm25s

from codeviews.core.config import FILE_COLUMNS, SYMBOL_COLUMNS
from codeviews.core.facts import CALLABLE_KINDS
from codeviews.core.languages import LANGUAGES
from codeviews.core.store import Store, quote

Answer = tuple[list[str], list[str]]
_WORD = re.compile(r"[A-Za-z_]\w{2,}")
_TERMS = 30


def fts5(store: Store, report: str) -> Answer:
    """Thirty terms by inverse document frequency; BM25 of definitions and of files, added up."""
    terms = _terms(store, report)
    if not terms:
        return [], []
    expression = " OR ".join(terms)
    symbols = store.match("symbol_text", expression, [*SYMBOL_COLUMNS.values()], 2000)
    files = store.match("file_text", expression, [*FILE_COLUMNS.values()], 1000)
    places = {i: r.path for i, r in store.file_paths(h.id for h in files).items()}
    other = {r.path for r in store.files() if r.marks or not LANGUAGES[r.language]}
    score: dict[str, float] = {}
    for hit in files:
        score[places[hit.id]] = hit.score / files[0].score
    known = store.definitions(hit.id for hit in symbols)
    best: dict[str, float] = {}
    for hit in symbols:
        best.setdefault(known[hit.id].path, hit.score / symbols[0].score)
    ranked = {p: score.get(p, 0.0) + best.get(p, 0.0) for p in score.keys() | best.keys()}
    found = [known[hit.id] for hit in symbols if known[hit.id].kind in CALLABLE_KINDS]
    return (
        [p for p in sorted(ranked, key=lambda p: (-ranked[p], p)) if p not in other][:20],
        [d.address for d in found if d.path not in other][:50],
    )


def _terms(store: Store, report: str) -> list[str]:
    total = store.row_count("symbol_text")
    rarity: dict[str, float] = {}
    for word in dict.fromkeys(_WORD.findall(report.lower())):
        term = quote(word)
        found = store.match_count("symbol_text", term) if len(rarity) < 400 else 0
        if found:
            rarity[term] = math.log(total / found)
    return sorted(rarity, key=lambda term: -rarity[term])[:_TERMS]


def bm25s_files(store: Store, report: str) -> Answer:
    """BM25 as ``bm25s`` ships it, one document a file, the whole report as the query."""
    files = [r for r in store.files() if not r.marks and LANGUAGES[r.language]]
    texts = [f"{r.path} {store.text(r.id).decode('utf-8', 'replace')}" for r in files]
    retriever = bm25s.BM25()
    retriever.index(bm25s.tokenize(texts, show_progress=False), show_progress=False)
    query = bm25s.tokenize([report], show_progress=False)
    found, _ = retriever.retrieve(query, k=min(20, len(files)), show_progress=False)
    return [files[int(place)].path for place in found[0]], []


BASELINES: dict[str, Callable[[Store, str], Answer]] = {"fts5": fts5, "bm25s": bm25s_files}
