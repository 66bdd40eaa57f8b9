"""S1: the repository's structure, merging of perspectives, and the supplement (A.1)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, cast

from codeviews.core.facts import TEST, TYPE_KINDS
from codeviews.core.languages import LANGUAGES
from codeviews.core.store import Definition, Store
from codeviews.servers.curaloc.edges import symbols_of
from codeviews.servers.curaloc.records import Proposal, Scope, ScopedFile
from codeviews.servers.curaloc.settings import Settings

_INHERITS, _IMPORTS, _CALLS = 3, 2, 1  # weight of a relation between two files
_SEVERAL = 1  # added when more than one kind of relation supports a neighbour
_FANOUT = 200  # edges looked at from one symbol of a seed


def structure(store: Store) -> str:
    """The file skeleton or the class map of all code files, whichever is smaller.

    The skeleton lists top-level classes and functions, one a line; the class map also lists
    methods, one line a file. Test files are paths only in both.
    """
    skeleton, class_map = list[str](), list[str]()
    for record in store.files():
        if not LANGUAGES.get(record.language):
            continue
        found = [] if record.marks & TEST else symbols_of(store, record.path)
        skeleton += [record.path, *(_line(d) for d in found if "." not in d.qualname)]
        class_map.append(" ".join([record.path, *_classes(found)]))
    return min("\n".join(skeleton), "\n".join(class_map), key=len)


def _line(definition: Definition) -> str:
    return f"  {'class' if definition.kind in TYPE_KINDS else 'def'} {definition.qualname}"


def _classes(found: Sequence[Definition]) -> list[str]:
    """``Class(method method)`` and the names of functions."""
    members: dict[str, list[str]] = {}
    for definition in found:
        owner, _, name = definition.qualname.rpartition(".")
        if owner in members:
            members[owner].append(name)
        else:
            members[definition.qualname] = []
    return [f"{name}({' '.join(inside)})" if inside else name for name, inside in members.items()]


def proposals(raw: Any, perspectives: Sequence[str]) -> dict[str, list[Proposal]]:
    """Perspective -> proposals out of a model's or host's answer, in whatever harmless shape.

    Accepted: ``{perspective: [{"path", "rationale", "consumer"} | "path", ...]}``.
    """
    table: Mapping[str, Any] = cast(Any, raw) if isinstance(raw, Mapping) else {}
    return {
        name: [p for item in _list(table.get(name)) if (p := _proposal(item))]
        for name in perspectives
    }


def _list(value: Any) -> list[Any]:
    return cast(list[Any], value) if isinstance(value, list) else []


def _proposal(item: Any) -> Proposal | None:
    if isinstance(item, str):
        return Proposal(item.strip().removeprefix("./")) if item.strip() else None
    if not isinstance(item, Mapping):
        return None
    table = cast(Mapping[str, Any], item)
    path = str(table.get("path") or table.get("file") or "").strip().removeprefix("./")
    consumer = table.get("consumer", table.get("consumer_probability", 0.0))
    return Proposal(path, str(table.get("rationale") or ""), clamped(consumer)) if path else None


def clamped(value: Any) -> float:
    """A number within [0, 1]; anything else is 0."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return 0.0
    return min(max(number, 0.0), 1.0) if number == number else 0.0


def merge(lists: Mapping[str, Sequence[Proposal]], store: Store, settings: Settings) -> Scope:
    """Files by perspective votes, then first appearance; supplemented when there are too few."""
    votes: dict[str, dict[str, Proposal]] = {}
    for perspective, found in lists.items():
        for proposal in found:
            votes.setdefault(proposal.path, {}).setdefault(perspective, proposal)
    known = {path for path in votes if store.file(path) is not None}
    dropped = tuple(path for path in votes if path not in known)
    order = {path: place for place, path in enumerate(votes)}
    kept = sorted(known, key=lambda path: (-len(votes[path]), order[path]))
    kept = kept[: settings.merged_files]
    files = [ScopedFile(path, votes[path]) for path in kept]
    if kept and len(kept) < settings.candidate_files:
        files += [ScopedFile(path, {}, True) for path in supplement(store, kept, settings)]
    return Scope(tuple(files[: settings.merged_files]), dropped)


def supplement(store: Store, seeds: Sequence[str], settings: Settings) -> list[str]:
    """Structural neighbours of the seeds: inheritance 3, import 2, call 1, +1 for several."""
    out: list[str] = []
    room = min(settings.supplement_total, settings.supplement_nodes - len(seeds))
    for seed in seeds:
        weights = _neighbours(store, seed)
        fresh = [path for path in weights if path not in seeds and path not in out]
        fresh.sort(key=lambda path: (-weights[path], path))
        out += fresh[: settings.supplement_per_seed]
    return out[: max(room, 0)]


def _neighbours(store: Store, seed: str) -> dict[str, int]:
    relations: dict[str, set[int]] = defaultdict(set)
    for record in [*store.imports_of([seed]), *store.importers_of([seed])]:
        other = record.target if record.path == seed else record.path
        if other:
            relations[other].add(_IMPORTS)
    ids = [definition.id for definition in store.symbols_of(seed)]
    edges = store.nearby(ids, ("calls", "inherits"), _FANOUT)
    ends = store.definitions({e.source for e in edges} | {e.target for e in edges})
    for edge in edges:
        weight = _INHERITS if edge.kind == "inherits" else _CALLS
        for end in (edge.source, edge.target):
            if end in ends and not ends[end].marks & TEST:
                relations[ends[end].path].add(weight)
    relations.pop(seed, None)
    return {p: sum(found) + (_SEVERAL if len(found) > 1 else 0) for p, found in relations.items()}
