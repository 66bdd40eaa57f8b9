"""``repo_map``: the documented outline of the repository that fits a budget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pydantic import Field

from codeviews.core.config import CHARS_PER_TOKEN
from codeviews.core.explore import Filter
from codeviews.core.facts import TYPE_KINDS
from codeviews.core.graphs import ImportGraph, import_graph
from codeviews.core.kept import kept
from codeviews.core.languages import LANGUAGES
from codeviews.core.render import Answer
from codeviews.core.store import Definition, Store
from codeviews.core.walk import Link, random_walk
from codeviews.servers.toolkit import Ask, Globs, Params, Tool

HEADER_CHARS = 700  # kept free for the first line, the cut line and the notes
MAX_FILES = 400  # looked at for one map
_BATCH = 25  # files whose symbols are read at a time
KINDS = frozenset(["function", "macro", "constant", "variable", "heading"]) | TYPE_KINDS
_STEPS = ((12, 12), (40, 6), (MAX_FILES, 3))
"""(rank below which, symbols shown): the first files are shown in more detail."""


class MapParams(Params):
    """Parameters of repo_map."""

    cursor: str = ""
    paths: Globs = Field([])
    include_tests: bool = False


class RankedRecord(NamedTuple):
    """A file position in the import graph and its importance."""

    node: int
    score: float


def repo_map(ask: Ask) -> Answer:
    """The most imported files first, each with its first sentence and its main definitions."""
    params: MapParams = ask.params
    graph = import_graph(ask.store)
    wanted = Filter(tuple(params.paths), params.include_tests)
    ranked = _ranked(ask.store, graph, wanted)
    page = ranked[ask.offset : ask.offset + MAX_FILES]
    budget = params.max_tokens * CHARS_PER_TOKEN
    items = _fit(ask, graph, page, budget - min(HEADER_CHARS, budget * 2 // 5))
    answer = Answer(found=bool(items))
    title = f"Map: {len(items)} of {len(ranked):,} files, the most central first"
    section = answer.add(title, [text for text, _ in items], len(ranked))
    section.offset = ask.offset
    if page and not items:
        answer.add("", ["Not even one file's outline fits; raise max_tokens."])
    if not ranked:
        answer.add("", ["No indexed file matches these paths."])
    answer.data = {
        "files": [
            {
                "path": graph.files[entry.node].path,
                "score": round(entry.score, 6),
                "symbols": [
                    {"name": d.qualname, "kind": d.kind, "line": d.start_line} for d in symbols
                ],
            }
            for entry, (_, symbols) in zip(page, items, strict=False)
        ],
        "total": len(ranked),
    }
    return answer


def importance(store: Store, graph: ImportGraph, include_tests: bool) -> list[float]:
    """Probability of each file in a walk over the import graph that restarts anywhere."""

    def make() -> list[float]:
        wanted = Filter((), include_tests)
        seeds = {n: wanted.factor(f.marks) * _code(f.language) for n, f in enumerate(graph.files)}
        links = [Link(e.source, e.target, 1.0) for e in graph.edges.values()]
        return random_walk(len(graph.files), links, seeds)

    return kept(store, f"importance {include_tests}", make)


def _code(language: str) -> float:
    """Prose and data are mapped behind code."""
    return 1.0 if LANGUAGES.get(language) else 0.1


def _ranked(store: Store, graph: ImportGraph, wanted: Filter) -> list[RankedRecord]:
    def make() -> list[RankedRecord]:
        scores = importance(store, graph, wanted.include_tests)
        found = [
            RankedRecord(n, scores[n] * wanted.factor(f.marks))
            for n, f in enumerate(graph.files)
            if wanted.keeps(f.path)
        ]
        return sorted(found, key=lambda r: (-r.score, r.node))

    return kept(store, f"map {wanted}", make)


def _fit(
    ask: Ask, graph: ImportGraph, page: Sequence[RankedRecord], room: int
) -> list[tuple[str, list[Definition]]]:
    """As many files as fit, each as text with the definitions shown."""
    out: list[tuple[str, list[Definition]]] = []
    for start in range(0, len(page), _BATCH):
        for text, shown in _items(ask, graph, page[start : start + _BATCH], ask.offset + start):
            room -= len(text) + 1
            if room < 0:
                return out
            out.append((text, shown))
    return out


def _items(
    ask: Ask, graph: ImportGraph, entries: Sequence[RankedRecord], first: int
) -> Iterator[tuple[str, list[Definition]]]:
    """Each file's text and the definitions in it; ``first`` is the rank of the first file."""
    own, members = _symbols(ask.store, graph, entries)
    for place, entry in enumerate(entries, first):
        module = own.get(graph.files[entry.node].id)
        if module is not None:
            shown = members.get(module.id, [])[: _symbols_at(place)]
            shown = sorted(shown, key=lambda d: d.start_line)
            yield "\n".join([_file_line(module), *map(_symbol_line, shown)]), shown


def _symbols_at(place: int) -> int:
    return next(shown for bound, shown in _STEPS if place < bound)


def _symbols(
    store: Store, graph: ImportGraph, page: Sequence[RankedRecord]
) -> tuple[dict[int, Definition], dict[int, list[Definition]]]:
    """File id -> own symbol; own symbol id -> its top definitions, the most used first."""
    files = [graph.files[entry.node].id for entry in page]
    own = {d.file_id: d for d in store.modules_of(files)}
    children = [d for d in store.children([d.id for d in own.values()]) if d.kind in KINDS]
    used = store.in_degrees([d.id for d in children])
    members: dict[int, list[Definition]] = {}
    for child in sorted(children, key=lambda d: (-_weight(d, used), d.start_line)):
        if child.parent is not None:
            members.setdefault(child.parent, []).append(child)
    return own, members


def _weight(definition: Definition, used: dict[int, int]) -> float:
    """Uses count most; types and documented, public names come before the rest."""
    bonus = 3 * (definition.kind in TYPE_KINDS) + 2 * bool(definition.doc)
    private = definition.name.startswith("_") or definition.kind in ("variable", "constant")
    return used.get(definition.id, 0) + bonus - 5 * private


def first_sentence(doc: str) -> str:
    """The first sentence of a documentation, on one line, at most 120 characters."""
    text = " ".join(doc.split("\n\n", 1)[0].split())
    end = text.find(". ")
    text = text[: end + 1] if end >= 0 else text
    return text if len(text) <= 120 else text[:117] + "..."


def _file_line(own: Definition) -> str:
    doc = first_sentence(own.doc)
    return f"{own.path}:1" + (f"  {doc}" if doc else "")


def _symbol_line(definition: Definition) -> str:
    signature = " ".join(definition.signature.split()) or definition.name
    shown = signature if definition.name in signature else f"{definition.name} {signature}"
    doc = first_sentence(definition.doc)
    head = shown.partition(" {")[0] if definition.kind in TYPE_KINDS else shown
    return f"  {definition.start_line}: {head[:160]}" + (f"  — {doc}" if doc else "")


MAP_TOOL = Tool(
    "repo_map",
    "What is in this repository? A documented outline, the most central files first, that fits "
    "max_tokens.",
    MapParams,
    repo_map,
)
