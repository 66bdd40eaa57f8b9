"""Resolving a whole Python index with jedi, as the study did: for comparison, not for daily use.

Every call site is asked of the child process of ``jedi_child``; edges are tier B, rule ``jedi``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from codeviews.core.facts import (
    TIER_INFERRED,
    UNKNOWN,
    Edge,
    FileEdges,
    RepoView,
    Site,
    SourceFile,
    Unresolved,
)
from codeviews.core.resolve.jedi_child import Found, JediChild, Place
from codeviews.core.resolve.python import import_edges, new_state
from codeviews.core.resolve.python_units import Unit

FILE_SECONDS = 120.0  # for all sites of one file


def resolve_all(root: Path, repo: RepoView) -> Iterator[FileEdges]:
    """Yield the ``calls`` edges jedi finds in every Python file of an index of ``root``."""
    state = new_state(repo)
    with JediChild(root) as child:
        for file in repo.files():
            result = _file(child, repo, file)
            unit = Unit(file, len(state.solver.units), state.solver.next_base, live=True)
            state.solver.add_unit(unit)
            result.imports = list(import_edges(state, unit))
            yield result


def places_of(source: bytes, path: str, sites: Sequence[Site]) -> list[Place | None]:
    """Where the called name of each site stands; None when the line does not show it."""
    lines = source.decode("utf-8", "replace").splitlines()
    taken: dict[tuple[int, str], int] = {}
    found: list[Place | None] = []
    for site in sites:
        name = re.split(r"[.\])]", site.name)[-1]
        text = lines[site.line - 1] if site.line <= len(lines) else ""
        start = taken.get((site.line, name), 0)
        match = re.compile(rf"\b{re.escape(name)}\b(?=\s*\()").search(text, start) if name else None
        found.append(Place(path, site.line, match.start()) if match else None)
        if match:
            taken[site.line, name] = match.end()
    return found


def _file(child: JediChild, repo: RepoView, file: SourceFile) -> FileEdges:
    result = FileEdges(file.path)
    sites = [site for site in file.facts.sites if site.kind == "calls" and not site.extra]
    places = places_of(repo.read(file.path), file.path, sites)
    asked = [place for place in places if place is not None]
    answers = child.ask(file.path, [(p.line, p.column) for p in asked], FILE_SECONDS) or []
    by_place = dict(zip(asked, answers, strict=False))
    for site, place in zip(sites, places, strict=True):
        definitions = by_place.get(place, []) if place is not None else []
        _site(repo, file, site, definitions, result)
    return result


def _site(
    repo: RepoView, file: SourceFile, site: Site, definitions: list[Found], result: FileEdges
) -> None:
    source = file.ids[site.scope]
    targets = {symbol_at(repo, found) for found in definitions} - {None}
    for target in sorted(t for t in targets if t is not None):
        result.edges.append(Edge(source, target, site.kind, site.line, TIER_INFERRED, "jedi"))
    if not targets:
        result.unresolved.append(Unresolved(source, site.kind, site.name, site.line, UNKNOWN))


def symbol_at(repo: RepoView, found: Found) -> int | None:
    """The id of the symbol a definition names, None when the index has none there."""
    file = repo.file(found.path)
    if file is None:
        return None
    for number, symbol in zip(file.ids, file.facts.symbols, strict=True):
        if symbol.name == found.name and symbol.start_line <= found.line <= symbol.end_line:
            return number
    return None
