"""S1: the repository's structure, merging of perspectives, and the supplement (A.1)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from codeviews.core.facts import TEST, TYPE_KINDS
from codeviews.core.languages import LANGUAGES
from codeviews.core.store import Definition, FileRecord, Store
from codeviews.servers.curaloc.edges import symbols_of
from codeviews.servers.curaloc.records import Proposal, Proposals, Scope, ScopedFile
from codeviews.servers.curaloc.settings import DEFAULT, Settings
from codeviews.servers.curaloc.tokens import tokens_of

MAX_ENTRIES = 400  # of a list in an answer; longer ones are cut and counted
TEXT_CHARS = 600  # of a rationale or hypothesis
_FANOUT = 200  # edges looked at from one symbol of a seed


def structure(
    store: Store, near: Callable[[], Sequence[str]] = tuple, settings: Settings = DEFAULT
) -> str:
    """The file skeleton or the class map of all code files, whichever has fewer tokens.

    The skeleton lists top-level classes and functions, one a line; the class map also lists
    methods, one line a file. Test files are paths only in both. Of a repository whose outline no
    prompt holds only the paths are listed, and if these are too many as well, those in the folders
    of ``near()`` (files that match the report), with a count for every other folder.
    """
    records = [record for record in store.files() if LANGUAGES.get(record.language)]
    limit = settings.outline_chars
    paths = [record.path for record in records]
    return _outline(store, records, limit) or _paths(paths, near, limit)


def _outline(store: Store, records: Sequence[FileRecord], limit: int) -> str:
    """ "" when both representations are too long."""
    skeleton, class_map = list[str](), list[str]()
    sizes = [0, 0]
    for record in records:
        found = [] if record.marks & TEST else symbols_of(store, record.path)
        lines = [record.path, *(_line(d) for d in found if "." not in d.qualname)]
        skeleton += lines
        class_map.append(" ".join([record.path, *_classes(found)]))
        sizes[0] += sum(map(len, lines)) + len(lines)
        sizes[1] += len(class_map[-1]) + 1
        if min(sizes) > limit:
            return ""
    return min("\n".join(skeleton), "\n".join(class_map), key=tokens_of)


def _paths(paths: Sequence[str], near: Callable[[], Sequence[str]], limit: int) -> str:
    head = f"({len(paths):,} code files; their names are too many to be listed"
    if sum(map(len, paths)) + len(paths) <= limit:
        return "\n".join([f"{head}: paths only)", *paths])
    open_folders = {path.rpartition("/")[0] for path in near()}
    folders: dict[str, list[str]] = {}
    for path in paths:
        folders.setdefault(path.rpartition("/")[0], []).append(path)
    lines = [f"{head}: folders, and paths where files match the report)"]
    for folder, members in folders.items():
        shown = folder in open_folders
        lines += members if shown else [f"{folder or '.'}/ ({len(members)} files)"]
    return "\n".join(lines)


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


def proposals(raw: Any, perspectives: Sequence[str]) -> Proposals:
    """Perspective -> proposals out of a model's or host's answer, in whatever harmless shape.

    Accepted: ``{perspective: [{"path", "rationale", "consumer"} | "path", ...]}``.
    """
    faults: Counter[str] = Counter()
    table: Mapping[str, Any] = cast(Any, raw) if isinstance(raw, Mapping) else {}
    faults["unknown keys"] = len(set(table) - set(perspectives))
    lists = {name: _proposals(table.get(name), faults) for name in perspectives}
    return Proposals(lists, dict(+faults))


def _proposals(value: Any, faults: Counter[str]) -> list[Proposal]:
    if not isinstance(value, list):
        faults["lists of files that are none"] += value is not None
        return []
    items = cast(list[Any], value)
    faults["list entries cut"] += max(len(items) - MAX_ENTRIES, 0)
    found = [p for item in items[:MAX_ENTRIES] if (p := _proposal(item, faults))]
    faults["duplicates"] += len(found) - len({p.path for p in found})
    return found


def _proposal(item: Any, faults: Counter[str]) -> Proposal | None:
    table = cast(Mapping[str, Any], item) if isinstance(item, Mapping) else {"path": item}
    path = table.get("path", table.get("file"))
    path = path.strip().removeprefix("./") if isinstance(path, str) else ""
    if not path:
        faults["entries without a path"] += 1
        return None
    consumer = table.get("consumer", table.get("consumer_probability", 0.0))
    faults["probabilities clamped"] += clamped(consumer) != consumer
    return Proposal(path, str(table.get("rationale") or "")[:TEXT_CHARS], clamped(consumer))


def clamped(value: Any) -> float:
    """A number within [0, 1]; anything else is 0."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return 0.0
    return min(max(number, 0.0), 1.0) if number == number else 0.0


def merge(proposed: Proposals, store: Store, settings: Settings) -> Scope:
    """Files by perspective votes, then first appearance; supplemented when there are too few."""
    votes: dict[str, dict[str, Proposal]] = {}
    for perspective, found in proposed.lists.items():
        for proposal in found:
            votes.setdefault(proposal.path, {}).setdefault(perspective, proposal)
    known = {path for path in votes if store.file(path) is not None}
    dropped = tuple(path for path in votes if path not in known)
    order = {path: place for place, path in enumerate(votes)}
    kept = sorted(known, key=lambda path: (-len(votes[path]), order[path]))
    faults = Counter(proposed.faults)
    faults["files dropped"] = len(dropped)
    faults[f"files beyond {settings.merged_files}"] = max(len(kept) - settings.merged_files, 0)
    kept = kept[: settings.merged_files]
    files = [ScopedFile(path, votes[path]) for path in kept]
    if kept and len(kept) < settings.candidate_files:
        files += [ScopedFile(path, {}, True) for path in supplement(store, kept, settings)]
    return Scope(tuple(files[: settings.merged_files]), dropped, dict(+faults))


def supplement(store: Store, seeds: Sequence[str], settings: Settings) -> list[str]:
    """Structural neighbours of the seeds: inheritance 3, import 2, call 1, +1 for several."""
    out: list[str] = []
    room = min(settings.supplement_total, settings.supplement_nodes - len(seeds))
    for seed in seeds:
        weights = _neighbours(store, seed, settings)
        fresh = [path for path in weights if path not in seeds and path not in out]
        fresh.sort(key=lambda path: (-weights[path], path))
        out += fresh[: settings.supplement_per_seed]
    return out[: max(room, 0)]


def _neighbours(store: Store, seed: str, settings: Settings) -> dict[str, int]:
    marked = _is_test(store, seed)
    relations: dict[str, set[str]] = defaultdict(set)
    for record in [*store.imports_of([seed]), *store.importers_of([seed])]:
        other = record.target if record.path == seed else record.path
        if other and (marked or not _is_test(store, other)):
            relations[other].add("imports")
    ids = [definition.id for definition in store.symbols_of(seed)]
    edges = store.nearby(ids, ("calls", "inherits"), _FANOUT)
    ends = store.definitions({e.source for e in edges} | {e.target for e in edges})
    for edge in edges:
        for end in (edge.source, edge.target):
            if end in ends and (marked or not ends[end].marks & TEST):
                relations[ends[end].path].add(edge.kind)
    relations.pop(seed, None)
    weights = {
        "inherits": settings.inherits_weight,
        "imports": settings.imports_weight,
        "calls": settings.calls_weight,
    }
    several = settings.several_weight
    return {
        path: sum(weights[kind] for kind in kinds) + (several if len(kinds) > 1 else 0)
        for path, kinds in relations.items()
    }


def _is_test(store: Store, path: str) -> bool:
    record = store.file(path)
    return record is not None and bool(record.marks & TEST)
