"""``impact_of``: what a change can reach, and every place that says the name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from pydantic import Field

from codeviews.core.config import CHARS_PER_TOKEN
from codeviews.core.errors import MisuseError
from codeviews.core.facts import TEST
from codeviews.core.graphs import ImportGraph, import_graph
from codeviews.core.neighbourhood import CALLS, HIERARCHY
from codeviews.core.occurrences import Occurrences, occurrences
from codeviews.core.render import Answer
from codeviews.core.store import Definition, FileRecord
from codeviews.servers.calls import (
    Reached,
    Step,
    open_calls_named,
    reach,
    reached_data,
    shown,
    targets_of,
    with_members,
)
from codeviews.servers.listing import edge_line, one_line
from codeviews.servers.naming import PER_FILE, Room, add_places
from codeviews.servers.places import file_of, no_file
from codeviews.servers.toolkit import Ask, Globs, Limit, Params, Tool

KINDS = (*CALLS, *HIERARCHY, "decorates", "references")
MAX_FILES = 3_000  # scanned for the name
GENERIC = frozenset(["__init__.py", "__main__.py", "index.js", "index.ts", "mod.rs", "lib.rs"])
"""File names that say nothing by themselves."""


class ImpactParams(Params):
    """Parameters of impact_of."""

    symbol: str = Field("", description="name, Qualified.name or path:Qualified.name")
    files: Globs = Field([], description="or the files that change")
    depth: int = Field(2, ge=1, le=6, description="1 = direct users only")
    limit: Limit = 100
    paths: Globs = Field([])


class Subject(NamedTuple):
    """What changes: definitions, the names people write for them, and their files."""

    label: str
    definitions: list[Definition]
    names: list[str]
    paths: list[str]


def impact_of(ask: Ask) -> Answer:
    """Users by distance and tier, overriders, importers, tests and every occurrence of the name."""
    params: ImpactParams = ask.params
    if bool(params.symbol.strip()) == bool(params.files):
        raise MisuseError("impact_of needs either symbol= or files=, and not both")
    subject = _of_files(ask) if params.files else _of_symbol(ask)
    if isinstance(subject, Answer):
        return subject
    return _answer(ask, subject)


def _of_symbol(ask: Ask) -> Subject | Answer:
    lookup = ask.look_up(ask.params.symbol)
    if not lookup.found:
        return ask.not_found(lookup)
    if not lookup.found[0].qualname:
        return _subject_of([lookup.found[0].path], lookup.found[:1])
    names = list(dict.fromkeys(d.name for d in lookup.found))
    paths = list(dict.fromkeys(d.path for d in lookup.found))
    label = lookup.found[0].address if lookup.one else f"{len(lookup.found)} definitions"
    return Subject(label, lookup.found, names, paths)


def _of_files(ask: Ask) -> Subject | Answer:
    records: list[FileRecord] = []
    for text in ask.params.files:
        record = file_of(ask, text)
        if record is None:
            return no_file(ask, text)
        records.append(record)
    own = ask.store.modules_of([record.id for record in records])
    return _subject_of([record.path for record in records], own)


def _subject_of(paths: list[str], own: list[Definition]) -> Subject:
    names = [name for path in paths for name in _names_of_file(path)]
    label = paths[0] if len(paths) == 1 else f"{len(paths)} files"
    return Subject(label, own, list(dict.fromkeys(names)), paths)


def _names_of_file(path: str) -> list[str]:
    """How other files may write this one: its path, its file name, its dotted module."""
    pure = PurePosixPath(path)
    stem = path.removesuffix(pure.suffix).removesuffix("/__init__")
    dotted = [stem.replace("/", ".")] if "/" in stem and pure.suffix in (".py", ".java") else []
    return [path, *([] if pure.name in GENERIC else [pure.name]), *dotted]


def _answer(ask: Ask, subject: Subject) -> Answer:
    params: ImpactParams = ask.params
    users = _users(ask, subject)
    graph = import_graph(ask.store)
    importers = _importers(ask, graph, subject)
    keeps = ask.filter.keeps
    said = occurrences(ask.store, subject.names, lambda r: keeps(r.path), MAX_FILES, PER_FILE)
    answer = Answer()
    tests = [step for step in users if step.test]
    code = [step for step in users if not step.test]
    answer.add(
        f"Impact of {subject.label}",
        [*map(one_line, subject.definitions[:4]), _summary(code, tests, importers, said)],
    )
    room = Room(params.max_tokens * CHARS_PER_TOKEN, params.limit)
    _add_users(ask, answer, room, code)
    _add_tests(ask, answer, room, tests, graph, importers)
    _add_importers(answer, room, graph, importers)
    add_places(ask, answer, room, said)
    if subject.definitions[0].qualname:
        answer.note(open_calls_named(ask.store, subject.names).sentence(subject.names[0]))
    if said.unread:
        answer.note(f"{said.unread:,} more files hold the name and were not scanned; use paths=")
    answer.data = _data(ask, subject, code, tests, graph, importers, said)
    return answer


def _users(ask: Ask, subject: Subject) -> list[Step]:
    """Whoever calls, references, decorates with, inherits or overrides, by distance."""
    store = ask.store
    ids = [*targets_of(store, subject.definitions), *with_members(store, subject.definitions)]
    for own in subject.definitions:
        if not own.qualname:
            ids += [d.id for d in store.symbols_of(own.path)]
    start = list(dict.fromkeys(ids))
    found = reach(store, start, "target", ask.params.depth, KINDS)
    inside, keeps = set(start), ask.filter.keeps
    return [s for s in found if keeps(s.path) and not (s.depth == 1 and s.other in inside)]


class Importer(NamedTuple):
    """A file (by its position) that imports the subject's files, at a distance; ``line`` is its
    first import on the way there."""

    distance: int
    node: int
    line: int


def _importers(ask: Ask, graph: ImportGraph, subject: Subject) -> list[Importer]:
    """The files that import the subject's files, nearest first."""
    start = [graph.place[p] for p in subject.paths if p in graph.place]
    found, keeps = graph.importers(start, ask.params.depth), ask.filter.keeps
    level = {**dict.fromkeys(start, 0), **found}
    kept = [
        Importer(d, n, min(graph.edges[n, o].line for o in graph.out[n] if level.get(o) == d - 1))
        for n, d in found.items()
        if keeps(graph.files[n].path)
    ]
    return sorted(kept, key=lambda i: (i.distance, graph.files[i.node].marks & TEST, i.node))


def _summary(
    code: Sequence[Step],
    tests: Sequence[Step],
    importers: Sequence[Importer],
    said: Occurrences,
) -> str:
    tiers = Counter(r.edge.tier for r in (*code, *tests))
    sure = ", ".join(f"{tier} {n}" for tier, n in sorted(tiers.items()))
    return (
        f"{len(code):,} uses in code, {len(tests):,} in tests"
        + (f" (tiers {sure})" if sure else "")
        + f"; {len(importers):,} importing files; the name on {said.total:,} lines of "
        f"{len(said.files):,} files"
    )


def _add_users(ask: Ask, answer: Answer, room: Room, code: Sequence[Step]) -> None:
    below = _places([s for s in code if s.edge.kind in HIERARCHY])
    users = _places([s for s in code if s.edge.kind not in HIERARCHY])
    title = f"Overriders and subtypes: {len(below)}" if below else ""
    room.add(answer, title, _lines(ask, below, room), 0.12, len(below))
    title = f"Users by distance: {len(users)}"
    room.add(answer, title, _lines(ask, users, room), 0.28, len(users))


def _places(found: Sequence[Step]) -> list[Step]:
    """One step a place: a call with several possible targets stays one line."""
    out: dict[tuple[object, ...], Step] = {}
    for step in found:
        _, _, kind, line, tier, rule = step.edge
        sure = "" if tier == "A" else rule
        out.setdefault((step.path, line, step.other, kind, tier, sure, step.depth), step)
    return [*out.values()]


def _lines(ask: Ask, found: Sequence[Step], room: Room) -> list[str]:
    return [_with_depth(item) for item in shown(ask.store, found[: room.limit])]


def _with_depth(item: Reached) -> str:
    far = f"  (distance {item.depth})" if item.depth > 1 else ""
    return edge_line(item.edge, item.definition, item.path) + far


def _add_tests(
    ask: Ask,
    answer: Answer,
    room: Room,
    tests: Sequence[Step],
    graph: ImportGraph,
    importers: Sequence[Importer],
) -> None:
    places = _places(tests)
    lines = _lines(ask, places, room)
    total = len(places)
    named = {step.path for step in tests}
    for distance, node, line in importers:
        record = graph.files[node]
        if record.marks & TEST and distance == 1 and record.path not in named:
            lines.append(f"{record.path}:{line}  imports it, no resolved call")
            total += 1
    if not lines:
        lines = ["none found by resolved edges or imports; other ways of reaching it are not seen"]
    room.add(answer, f"Tests: {len(named)} files with resolved uses", lines, 0.15, total)


def _add_importers(
    answer: Answer, room: Room, graph: ImportGraph, importers: Sequence[Importer]
) -> None:
    lines = [
        f"{graph.files[n].path}:{line}" + (f"  (distance {d})" if d > 1 else "")
        for d, n, line in importers
    ]
    room.add(answer, f"Importing files: {len(importers)}" if lines else "", lines, 0.1)


def _data(
    ask: Ask,
    subject: Subject,
    code: Sequence[Step],
    tests: Sequence[Step],
    graph: ImportGraph,
    importers: Sequence[Importer],
    said: Occurrences,
) -> dict[str, Any]:
    params: ImpactParams = ask.params
    listed = [shown(ask.store, steps[: params.limit]) for steps in (code, tests)]
    return {
        "symbol": subject.label,
        "definitions": [d.address for d in subject.definitions],
        "results": [reached_data(r) for r in listed[0]],
        "tests": [reached_data(r) for r in listed[1]],
        "importers": [
            {"path": graph.files[n].path, "line": line, "distance": d}
            for d, n, line in importers[: params.limit]
        ],
        "occurrences": [
            {"path": f.file.path, "lines": [p.line for p in f.places], "total": f.total}
            for f in said.files[: params.limit]
        ],
        "total": {"code": len(code), "tests": len(tests), "importers": len(importers)},
    }


IMPACT_TOOL = Tool(
    "impact_of",
    "What must I look at when I change this? Users by distance and certainty, overriders, "
    "importers, tests, and every line that says the name in code, configuration and prose.",
    ImpactParams,
    impact_of,
    entry=True,
)
