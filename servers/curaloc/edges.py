"""Relations among candidate symbols, by one of two profiles.

``default`` takes the index's own edges of tiers A and B, in every language. ``paper`` resolves call
sites as written by the four rules of appendix C, so that the paper's graph can be compared.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from codeviews.core.facts import CALLABLE_KINDS, TIER_INFERRED, TIER_LEXICAL, TYPE_KINDS
from codeviews.core.store import Definition, Store
from codeviews.servers.curaloc.appendix_c import Link, resolve
from codeviews.servers.curaloc.records import CodeGraph
from codeviews.servers.curaloc.settings import Profile

_SURE = frozenset([TIER_LEXICAL, TIER_INFERRED])
_CALLS = ("calls", "implicit", "registers", "decorates")
_KINDS = (*_CALLS, "inherits", "overrides")


def is_symbol(definition: Definition) -> bool:
    """Whether the method speaks of it: a function, method or class that is not local."""
    return bool(definition.qualname) and definition.kind in CALLABLE_KINDS | TYPE_KINDS


def symbols_of(store: Store, path: str) -> list[Definition]:
    """A file's symbols in source order, without those inside functions."""
    found = store.symbols_of(path)
    local: set[int] = set()
    kept: list[Definition] = []
    for definition in found:
        if definition.parent in local:
            local.add(definition.id)
        elif is_symbol(definition):
            kept.append(definition)
        if definition.kind in CALLABLE_KINDS:
            local.add(definition.id)
    return kept


def build(store: Store, files: Mapping[str, Sequence[Definition]], profile: Profile) -> CodeGraph:
    """The graph of the candidate files; edges that leave them do not count (section 3.2)."""
    links = _stored(store, files) if profile == "default" else resolve(store, files)
    pairs = store.imports_of(list(files))
    imports = frozenset((record.path, record.target) for record in pairs if record.target in files)
    return _graph(links, files, imports)


def _graph(
    links: Iterable[Link],
    files: Mapping[str, Sequence[Definition]],
    imports: frozenset[tuple[str, str | None]],
) -> CodeGraph:
    order = {d.id: place for place, d in enumerate(d for ds in files.values() for d in ds)}
    forward: dict[str, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    backward: dict[str, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    for link in links:
        if link.source in order and link.target in order and link.source != link.target:
            forward[link.kind][link.source].add(link.target)
            backward[link.kind][link.target].add(link.source)

    def table(of: Mapping[int, set[int]]) -> dict[int, tuple[int, ...]]:
        return {sid: tuple(sorted(found, key=order.__getitem__)) for sid, found in of.items()}

    return CodeGraph(
        calls=table(forward["calls"]),
        called_by=table(backward["calls"]),
        bases=table(forward["inherits"]),
        derived=table(backward["inherits"]),
        overrides=table(forward["overrides"]),
        overridden=table(backward["overrides"]),
        imports=frozenset((one, other) for one, other in imports if other and one != other),
    )


def _stored(store: Store, files: Mapping[str, Sequence[Definition]]) -> list[Link]:
    owner = _owners(store, files)
    out: list[Link] = []
    for edge in store.edges("source", list(owner), _KINDS):
        target = owner.get(edge.target)
        if edge.tier in _SURE and target is not None:
            kind = "calls" if edge.kind in _CALLS else edge.kind
            out.append(Link(owner[edge.source], target, kind))
    return out


def _owners(store: Store, files: Mapping[str, Sequence[Definition]]) -> dict[int, int]:
    """Any symbol id -> the candidate that holds it; a local function counts as its owner."""
    owner: dict[int, int] = {}
    for path, kept in files.items():
        known = {definition.id for definition in kept}
        for definition in store.symbols_of(path):
            if definition.id in known:
                owner[definition.id] = definition.id
            elif definition.parent in owner:
                owner[definition.id] = owner[definition.parent]
    return owner
