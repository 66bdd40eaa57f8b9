"""``<view>_search``: symbols by name."""

from __future__ import annotations

from functools import partial

from pydantic import Field

from codeviews.core.config import MAX_NAME_CHARS, SYMBOL_COLUMNS
from codeviews.core.facts import TEST
from codeviews.core.lookup import nearest
from codeviews.core.render import Answer
from codeviews.core.store import Definition, quote
from codeviews.core.text import name_parts
from codeviews.servers.listing import one_line
from codeviews.servers.toolkit import Ask, ListParams, Text, Tool


class SearchParams(ListParams):
    """Parameters of ``_search``."""

    query: Text = Field(description="a name, a part of one, words of one, or a * pattern")
    kind: str = Field("", description="function, method, class, struct, macro, variable, key...")


def search_tool(view: str) -> Tool:
    """The search tool of a view."""
    text = "Which symbols have this name, or one like it? Exact names first."
    return Tool(f"{view}_search", text, SearchParams, partial(_search, view))


def _search(view: str, ask: Ask) -> Answer:
    params: SearchParams = ask.params
    query = params.query.strip()[:MAX_NAME_CHARS]
    candidates = _candidates(ask, query)
    found = [d for d in candidates if _wanted(ask, d)]
    answer = Answer(found=bool(found))
    page = [d.id for d in found[ask.offset : ask.offset + params.limit]]
    known = ask.store.definitions(page)
    shown = [known[i] for i in page]
    section = answer.add(f"Symbols like {params.query[:80]!r}", map(one_line, shown), len(found))
    section.offset = ask.offset
    elsewhere = sum(bool(d.qualname) for d in candidates)
    if elsewhere and not found:
        answer.add("", [f"None of this kind in these paths; {elsewhere:,} elsewhere."])
    elif not found:
        close = nearest(ask.store, query)
        answer.add("", ["No symbol has a name like this."])
        answer.add("Nearest names" if close else "", close)
        answer.note(ask.excuse(query))
    answer.data = {
        "query": params.query,
        "view": view,
        "results": [
            {"symbol": d.address, "kind": d.kind, "path": d.path, "line": d.start_line}
            for d in shown
        ],
        "total": len(found),
    }
    return answer


def _wanted(ask: Ask, found: Definition) -> bool:
    kind = ask.params.kind
    return bool(found.qualname) and ask.filter.keeps(found.path) and kind in ("", found.kind)


def _candidates(ask: Ask, query: str) -> list[Definition]:
    """Exact names, then patterns or prefixes, then names that share the words; tests last."""
    store = ask.store
    exact = ask.look_up(query).found
    like = store.named_like(query if "*" in query else f"{query}*") if " " not in query else []
    words = [quote(word) for word in name_parts(query).split()[:8]]
    by_words: list[Definition] = []
    if words:
        expression = "{name parts} : (" + " AND ".join(words) + ")"
        hits = store.match("symbol_text", expression, [*SYMBOL_COLUMNS.values()], 200)
        known = store.outlines(hit.id for hit in hits)
        by_words = [known[hit.id] for hit in hits if hit.id in known]
    groups = [sorted(group, key=lambda d: d.marks & TEST) for group in (exact, like, by_words)]
    return list({d.id: d for group in groups for d in group}.values())
