"""``docs_explore``: BM25 over names, signatures, documentation and headings; no edges, no code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from codeviews.core.config import DOCUMENTATION_FACTOR, QUERY_TERMS, SYMBOL_COLUMNS
from codeviews.core.facts import DOCUMENTATION
from codeviews.core.render import Answer
from codeviews.core.stopwords import ENGLISH
from codeviews.core.store import Definition, quote
from codeviews.servers.listing import one_line
from codeviews.servers.toolkit import Ask, QueryParams

_WORD = re.compile(r"\w{2,}")
_COLUMNS = "{name parts path signature doc} : "
_CANDIDATES = 300
_PER_FILE = 6  # definitions of one file listed
_UNDOCUMENTED, _UNDOCUMENTED_KEY = 0.7, 0.4  # what only its name explains counts less
_DOC_LINES = 8  # of each documentation shown


class Ranked(NamedTuple):
    """A definition with its score; scores compare across files."""

    definition: Definition
    score: float


def docs_explore(ask: Ask) -> Answer:
    """Ranked files with the documentation of their best definitions."""
    params: QueryParams = ask.params
    words = query_words(params.query)
    files = _by_file(_search(ask, words))[: params.limit]
    answer = Answer(found=bool(files))
    if not files:
        answer.add("", ["No name, signature or documentation matches the query."])
        answer.note("Try other words; code itself is searched by the other views.")
        answer.data = {"files": [], "edges": []}
        return answer
    answer.add("Ranked files", [_file_line(symbols) for symbols in files])
    best = sorted((s for f in files for s in f[:_PER_FILE]), key=lambda r: -r.score)
    changed = ask.withheld(ranked.definition for ranked in best)
    shown = [ranked for ranked in best if ranked.definition.path not in changed]
    answer.add("Documentation", [_block(ranked) for ranked in shown])
    for path in sorted(changed):
        answer.note(f"{path} changed while this was answered; its text is withheld, ask again")
    if params.explain:
        answer.add("Words searched", words)
    answer.data = {"files": [_file_data(symbols) for symbols in files], "edges": []}
    return answer


def query_words(query: str) -> list[str]:
    """Distinct words of the query without stop words, the first ``QUERY_TERMS`` * 2 of them."""
    found = dict.fromkeys(word.lower() for word in _WORD.findall(query))
    kept = [w for w in found if w not in ENGLISH and not w.isdigit()]
    return (kept or list(found))[: QUERY_TERMS * 2]


def _search(ask: Ask, words: Sequence[str]) -> list[Ranked]:
    if not words:
        return []
    expression = _COLUMNS + "(" + " OR ".join(map(quote, words)) + ")"
    hits = ask.store.match("symbol_text", expression, [*SYMBOL_COLUMNS.values()], _CANDIDATES)
    known = ask.store.definitions(hit.id for hit in hits)
    ranked = [
        Ranked(d, hit.score * _factor(ask, d) * _coverage(d, words))
        for hit in hits
        if (d := known.get(hit.id)) and ask.filter.keeps(d.path)
    ]
    return sorted(ranked, key=lambda r: (-r.score, r.definition.path, r.definition.start_line))


def _factor(ask: Ask, definition: Definition) -> float:
    """Marks count as elsewhere, but manual pages are what this view is about."""
    factor = ask.filter.factor(definition.marks)
    return factor / DOCUMENTATION_FACTOR if definition.marks & DOCUMENTATION else factor


def _coverage(definition: Definition, words: Sequence[str]) -> float:
    """Documented definitions that say more of the query's words come first."""
    text = f"{definition.qualname} {definition.signature} {definition.doc}".lower()
    said = sum(word in text for word in words[:QUERY_TERMS])
    plain = _UNDOCUMENTED_KEY if definition.kind in ("key", "target") else _UNDOCUMENTED
    return (0.5 + said / min(len(words), QUERY_TERMS)) * (1.0 if definition.doc else plain)


def _by_file(ranked: Sequence[Ranked]) -> list[list[Ranked]]:
    grouped: dict[str, list[Ranked]] = {}
    for item in ranked:
        grouped.setdefault(item.definition.path, []).append(item)
    return sorted(grouped.values(), key=lambda f: (-file_score(f), f[0].definition.path))


def file_score(symbols: Sequence[Ranked]) -> float:
    """The best definition, helped a little by the next four."""
    return symbols[0].score + 0.1 * sum(s.score for s in symbols[1:5])


def _file_line(symbols: Sequence[Ranked]) -> str:
    first = symbols[0].definition
    names = ", ".join(
        f"{s.definition.qualname}:{s.definition.start_line}"
        for s in symbols[:4]
        if s.definition.qualname
    )
    return f"{first.path}:{first.start_line}  {names}".rstrip()[:300]


def _block(ranked: Ranked) -> str:
    definition = ranked.definition
    lines = [line for line in definition.doc.strip().split("\n") if line.strip()]
    shown = [f"    {line.strip()[:300]}" for line in lines[:_DOC_LINES]]
    more = [f"    … {len(lines) - _DOC_LINES} more lines"] if len(lines) > _DOC_LINES else []
    return "\n".join([one_line(definition), *shown, *more])


def _file_data(symbols: Sequence[Ranked]) -> dict[str, Any]:
    return {
        "path": symbols[0].definition.path,
        "score": round(file_score(symbols), 6),
        "symbols": [
            {
                "name": s.definition.qualname,
                "kind": s.definition.kind,
                "start_line": s.definition.start_line,
                "end_line": s.definition.end_line,
                "score": round(s.score, 6),
                "doc": s.definition.doc,
            }
            for s in symbols
            if s.definition.qualname
        ],
    }
