"""``<view>_explore``: one question -> ranked files, their best source, and the view's edges."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from codeviews.core.explore import Exploration, RankedFile, RankedSymbol, explore
from codeviews.core.neighbourhood import GraphEdge
from codeviews.core.render import Answer
from codeviews.core.report import IDENTIFIER, Report, understand
from codeviews.core.store import Definition
from codeviews.servers.listing import place, source_block, source_of, tier_note
from codeviews.servers.toolkit import Ask, QueryParams, Tool

SOURCE_SYMBOLS = 12  # definitions whose source is shown, best first
SOURCE_LINES = 60  # of each
SHOWN_EDGES = 15
ASKED_NAMES = 5  # up to so many names a query is a question about them...
ASKED_CHARS = 2_000  # ...unless it is longer: a report


def explore_tool(view: str, description: str) -> Tool:
    """The explore tool of a view."""
    run = partial(_explore, view)
    return Tool(f"{view}_explore", description, QueryParams, run, entry=True)


def _explore(view: str, ask: Ask) -> Answer:
    params: QueryParams = ask.params
    result = explore(ask.store, params.query, view, params.limit, ask.filter)
    answer = Answer(found=bool(result.files))
    clues = understand(params.query[:ASKED_CHARS])
    if not result.files:
        answer.add("", [_nothing(clues)])
        answer.note("Try other words, a symbol name, or a path; paths= may be too narrow.")
        answer.note(ask.excuse(params.query))
        answer.data = _data(result, {})
        return answer
    unknown = _unknown_names(ask, clues)
    if unknown:
        answer.add("", unknown)
    best = _best(result.files)
    changed = ask.withheld([ranked.definition for ranked in best])
    sources = _sources(ask, best, changed)
    answer.add("Ranked files", [_file_line(file) for file in result.files])
    if params.explain:
        answer.add("Why these files", [_why(file.path, file) for file in result.files])
        answer.add("Why these definitions", [_why(r.definition.address, r) for r in best])
        answer.add("Seeds", _seed_lines(ask, result))
    answer.add("Source", [_block(ranked, sources) for ranked in best])
    answer.add("Edges", [_edge_line(edge, result) for edge in _edges(result)])
    for path in sorted(changed):
        answer.note(f"{path} changed while this was answered; its source is withheld, ask again")
    answer.data = _data(result, sources)
    return answer


def _nothing(clues: Report) -> str:
    if not clues.clues:
        return "The query has no word to search for: it is made of common words or marks only."
    return "Nothing in this repository matches the query."


def _unknown_names(ask: Ask, clues: Report) -> list[str]:
    """A sentence about names that a short question asks for and nothing has; a long report names
    much that is its author's own."""
    asked = [clue.text for clue in clues.of(IDENTIFIER)]
    if len(asked) > ASKED_NAMES or len(ask.params.query) > ASKED_CHARS:
        return []
    unknown = [name for name in asked if not ask.store.named(name, 1)]
    if not unknown:
        return []
    names = ", ".join(repr(name) for name in unknown)
    return [f"No definition is named {names}; what is listed shares words or is linked to them."]


def _best(files: Sequence[RankedFile]) -> list[RankedSymbol]:
    """The best symbols over all ranked files; a member stands in for its shown owner."""
    ranked = sorted((s for f in files for s in f.symbols), key=lambda s: -s.score)
    chosen: list[RankedSymbol] = []
    for symbol in ranked:
        inside = any(_contains(c.definition, symbol.definition) for c in chosen)
        if not inside:
            chosen.append(symbol)
        if len(chosen) == SOURCE_SYMBOLS:
            break
    return chosen


def _contains(outer: Definition, inner: Definition) -> bool:
    shown = outer.start_line + SOURCE_LINES
    return (
        outer.path == inner.path
        and outer.start_line <= inner.start_line
        and inner.end_line <= min(outer.end_line, shown)
    )


def _sources(ask: Ask, best: Sequence[RankedSymbol], changed: set[str]) -> dict[int, str]:
    texts: dict[int, bytes] = {}
    out: dict[int, str] = {}
    for ranked in best:
        definition = ranked.definition
        if definition.path in changed:
            continue
        if definition.file_id not in texts:
            texts[definition.file_id] = ask.store.text(definition.file_id)
        out[definition.id] = source_of(definition, texts[definition.file_id], SOURCE_LINES)
    return out


def _block(ranked: RankedSymbol, sources: dict[int, str]) -> str:
    text = sources.get(ranked.definition.id, "      (changed since it was indexed: withheld)")
    return source_block(ranked.definition, text)


def _file_line(file: RankedFile) -> str:
    names = ", ".join(
        f"{s.definition.qualname}:{s.definition.start_line}" for s in file.symbols[:4]
    )
    words = list(dict.fromkeys(word for s in file.symbols[:4] for word in s.why)) or file.why
    why = f"  (by {', '.join(words[:4])})" if words else ""
    return f"{file.path}  {names}{why}"[:300]


def _edges(result: Exploration) -> list[GraphEdge]:
    shown = {file.path for file in result.files}
    kept: list[GraphEdge] = []
    for edge in result.edges:
        source, target = result.definitions[edge.source], result.definitions[edge.target]
        if source.path in shown or target.path in shown:
            kept.append(edge)
        if len(kept) == SHOWN_EDGES:
            break
    return kept


def _edge_line(edge: GraphEdge, result: Exploration) -> str:
    source, target = result.definitions[edge.source], result.definitions[edge.target]
    left = source.qualname or source.path
    right = target.qualname or target.path
    where = f"{source.path}:{edge.line}"
    return f"{edge.kind}: {left} -> {right}  {where} -> {place(target)}{tier_note(edge.tier)}"[:300]


def _why(place: str, ranked: RankedFile | RankedSymbol) -> str:
    """A score and what each feature added to its logit, largest first."""
    parts = sorted(ranked.contributions.items(), key=lambda part: -abs(part[1]))
    shown = ", ".join(f"{name} {value:+.2f}" for name, value in parts[:6] if abs(value) > 0.05)
    return f"{ranked.score:.3f}  {place}  {shown}"


def _seed_lines(ask: Ask, result: Exploration) -> list[str]:
    weights = result.seeds.weights
    top = sorted(weights, key=lambda i: -weights[i])[:20]
    known = ask.store.definitions(top)
    return [
        f"{weights[i]:.3f}  {known[i].address}  {', '.join(result.seeds.reasons(known[i]))}"
        for i in top
        if i in known
    ]


def _data(result: Exploration, sources: dict[int, str]) -> dict[str, Any]:
    """The ``--json`` shape of DESIGN section 9."""
    return {
        "files": [
            {
                "path": file.path,
                "score": round(file.score, 6),
                "symbols": [_symbol_data(s, sources) for s in file.symbols],
            }
            for file in result.files
        ],
        "edges": [_edge_data(edge, result) for edge in _edges(result)],
    }


def _symbol_data(ranked: RankedSymbol, sources: dict[int, str]) -> dict[str, Any]:
    definition = ranked.definition
    data: dict[str, Any] = {
        "name": definition.qualname,
        "kind": definition.kind,
        "start_line": definition.start_line,
        "end_line": definition.end_line,
        "score": round(ranked.score, 6),
    }
    if definition.id in sources:
        data["source"] = sources[definition.id]
    return data


def _edge_data(edge: GraphEdge, result: Exploration) -> dict[str, Any]:
    source, target = result.definitions[edge.source], result.definitions[edge.target]
    return {
        "kind": edge.kind,
        "source": source.address,
        "target": target.address,
        "path": source.path,
        "line": edge.line,
        "tier": edge.tier,
    }
