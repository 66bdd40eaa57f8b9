"""Call edges as answers need them: callers and callees by depth, paths, unresolved calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from codeviews.core.facts import AMBIGUOUS, DYNAMIC, TEST, TYPE_KINDS, UNKNOWN
from codeviews.core.kept import files_by_id
from codeviews.core.neighbourhood import CALLS
from codeviews.core.store import Definition, EdgeRecord, Store, UnresolvedRecord

CONSTRUCTORS = frozenset(["__init__", "__new__", "constructor", "initialize", "<init>"])
OPEN_REASONS = (AMBIGUOUS, DYNAMIC, UNKNOWN)
"""Reasons that leave a target in the repository possible; external and builtin do not."""
CALL_SITES = ("calls", "call")
EXAMPLES = 20  # unresolved calls looked at more closely
MAX_NODES = 20_000


class Step(NamedTuple):
    """An edge that leads to a symbol (``other``), ``depth`` edges away. Hubs have thousands, so
    :func:`shown` looks up the definitions of the few that an answer lists."""

    depth: int
    edge: EdgeRecord
    other: int
    path: str  # the file of the edge's line
    test: bool  # whether the symbol is in a test


class Reached(NamedTuple):
    """A symbol at the other end of a call edge, ``depth`` edges away."""

    definition: Definition
    edge: EdgeRecord
    path: str  # the file of the edge's line
    depth: int


@dataclass(frozen=True, slots=True)
class Open:
    """Unresolved calls that could change an answer."""

    total: int
    reasons: dict[str, int]
    examples: list[tuple[Definition, UnresolvedRecord]]

    def sentence(self, name: str) -> str:
        """What the reader must know of them; "" when there are none."""
        if not self.total:
            return ""
        why = ", ".join(f"{n} {reason}" for reason, n in sorted(self.reasons.items()))
        some = ", ".join(f"{d.path}:{u.line}" for d, u in self.examples[:3])
        return (
            f"{self.total} unresolved calls named {name!r} could also lead here ({why}), "
            f"e.g. {some}"
        )


def targets_of(store: Store, definitions: Sequence[Definition]) -> list[int]:
    """Ids whose callers are the callers of these: a class includes its constructor and back."""
    ids = [d.id for d in definitions]
    types = [d.id for d in definitions if d.kind in TYPE_KINDS]
    for child in store.children(types):
        if child.name in CONSTRUCTORS or child.name == _type_name(definitions, child):
            ids.append(child.id)
    ids += [d.parent for d in definitions if d.name in CONSTRUCTORS and d.parent is not None]
    return ids


def _type_name(definitions: Sequence[Definition], child: Definition) -> str:
    return next((d.name for d in definitions if d.id == child.parent), "")


def reach(
    store: Store, start: Sequence[int], column: str, depth: int, kinds: Sequence[str] = CALLS
) -> list[Step]:
    """Breadth first from ``start``: callers (``column`` = target) or callees (source); in order of
    depth, tier and place, tests last in each tier."""
    out: list[Step] = []
    seen: set[int] = set(start)
    frontier = list(start)
    for level in range(1, depth + 1):
        level_steps = _steps(store, frontier, column, level, kinds)
        if level > 1:
            level_steps = [step for step in level_steps if step.other not in seen]
        out += level_steps
        if level == depth:
            break
        frontier = [i for i in dict.fromkeys(s.other for s in level_steps) if i not in seen]
        seen.update(frontier)
        if not frontier or len(seen) > MAX_NODES:
            break
    return out


def _steps(
    store: Store, frontier: Sequence[int], column: str, level: int, kinds: Sequence[str]
) -> list[Step]:
    """The steps of one level in order."""
    files, back = files_by_id(store), column == "target"
    steps = [
        Step(
            level,
            EdgeRecord._make(row[:6]),
            row[0] if back else row[1],
            files[row[6]].path,
            bool(files[row[7]].marks & TEST),
        )
        for row in store.linked(column, frontier, kinds)
    ]
    steps.sort(key=lambda step: (step[1][4], step[4], step[3], step[1][3]))
    return steps if len(frontier) == 1 else _once(steps)


def _once(steps: Sequence[Step]) -> list[Step]:
    """One call of a class leads to it and to its constructor: the surest edge stands for both."""
    found: dict[tuple[int, str, int, str], Step] = {}
    for step in steps:
        found.setdefault((step.other, step.path, step.edge.line, step.edge.kind), step)
    return list(found.values())


def shown(store: Store, steps: Sequence[Step]) -> list[Reached]:
    """The steps that an answer lists, with the definitions they lead to."""
    known = store.definitions({step.other for step in steps})
    return [Reached(known[s.other], s.edge, s.path, s.depth) for s in steps if s.other in known]


def open_calls_named(store: Store, names: Sequence[str]) -> Open:
    """Unresolved calls whose last component is one of the names."""
    counts: Counter[str] = Counter()
    examples: list[UnresolvedRecord] = []
    for name in dict.fromkeys(names):
        for reason, candidates, n in store.unresolved_counts(name, CALL_SITES, OPEN_REASONS):
            counts[_reason(reason, candidates)] += n
        examples += store.unresolved_named(name, CALL_SITES, OPEN_REASONS, EXAMPLES)
        in_part = store.unresolved_in_part(name, OPEN_REASONS)
        counts.update(f"by a name like {site.name}" for site in in_part)
        examples += in_part
    return _open(store, counts, examples)


def open_calls_in(store: Store, ids: Sequence[int]) -> Open:
    """Unresolved calls inside the given symbols."""
    sites = store.unresolved_from(ids)
    found = [u for u in sites if u.reason in OPEN_REASONS and u.kind in CALL_SITES]
    return _open(store, Counter(_reason(u.reason, u.candidates) for u in found), found)


def _reason(reason: str, candidates: int) -> str:
    return f"{reason}({candidates})" if candidates else reason


def _open(store: Store, counts: Counter[str], found: Sequence[UnresolvedRecord]) -> Open:
    owners = store.definitions(u.source for u in found[:EXAMPLES])
    examples = [(owners[u.source], u) for u in found[:EXAMPLES] if u.source in owners]
    return Open(counts.total(), dict(counts.most_common(4)), examples)


def with_members(store: Store, found: Sequence[Definition]) -> list[int]:
    """A class calls what its methods call; a function what its closures do."""
    ids = [d.id for d in found]
    level = [d.id for d in found if d.qualname]
    while level:
        level = [child.id for child in store.children(level)]
        ids += level
    return ids


def reached_data(item: Reached) -> dict[str, Any]:
    """One result of ``--json`` (DESIGN section 9)."""
    return {
        "symbol": item.definition.address,
        "path": item.path,
        "line": item.edge.line,
        "tier": item.edge.tier,
        "depth": item.depth,
        "kind": item.edge.kind,
        "rule": item.edge.rule,
    }


def address_of(found: Sequence[Definition], symbol: str) -> str:
    """The address when the text named one definition, else the text."""
    return found[0].address if len(found) == 1 else symbol
