"""What to beat: FTS5's BM25 by itself, and ``bm25s`` over whole files. Only code counts:
tests, documents, examples, generated and vendored files are left out, which helps both."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable

import bm25s

from codeviews.core.config import FILE_COLUMNS, SYMBOL_COLUMNS
from codeviews.core.facts import CALLABLE_KINDS
from codeviews.core.languages import LANGUAGES
from codeviews.core.stopwords import STOP
from codeviews.core.store import Store, quote

Answer = tuple[list[str], list[str]]
_WORD = re.compile(r"[A-Za-z_]\w{2,}")
_TERMS = 30
_WORDS = 400  # of a report looked up
_DEFINITIONS, _FILES = 5000, 1000  # hits read, tests among them


def fts5(store: Store, report: str) -> Answer:
    """Thirty terms by inverse document frequency; BM25 of definitions and of files, each as a share
    of the best one's, added up by file."""
    terms = _terms(store, report)
    if not terms:
        return [], []
    expression = " OR ".join(terms)
    code = {r.id: r.path for r in store.files() if not r.marks and LANGUAGES[r.language]}
    texts = store.match("file_text", expression, [*FILE_COLUMNS.values()], _FILES)
    hits = store.match("symbol_text", expression, [*SYMBOL_COLUMNS.values()], _DEFINITIONS)
    known = store.definitions(hit.id for hit in hits)
    symbols = [(known[hit.id], hit.score) for hit in hits if known[hit.id].file_id in code]
    best: dict[str, float] = {}
    for definition, score in symbols:
        best.setdefault(definition.path, score)
    whole = {code[hit.id]: hit.score for hit in texts if hit.id in code}
    worth = Counter(_shares(whole)) + Counter(_shares(best))
    functions = [d.address for d, _ in symbols if d.kind in CALLABLE_KINDS]
    return sorted(worth, key=lambda path: (-worth[path], path))[:20], functions[:50]


def _shares(scores: dict[str, float]) -> dict[str, float]:
    top = max(scores.values(), default=1.0)
    return {path: score / top for path, score in scores.items()}


def _terms(store: Store, report: str) -> list[str]:
    """What a word tells is its rarity, somewhat more when it is repeated; stop words are out."""
    total = store.row_count("symbol_text")
    said = Counter(word for word in _WORD.findall(report.lower()) if word not in STOP)
    told: dict[str, float] = {}
    for word in list(said)[:_WORDS]:
        term = quote(word)
        found = store.match_count("symbol_text", term)
        if found:
            told[term] = math.log(total / found) * (1 + math.log(said[word]))
    return sorted(told, key=lambda term: -told[term])[:_TERMS]


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
