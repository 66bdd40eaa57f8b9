"""Call edges as answers need them: callers and callees by depth, paths, unresolved calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from codeviews.core.facts import AMBIGUOUS, DYNAMIC, TEST, TYPE_KINDS, UNKNOWN
from codeviews.core.neighbourhood import CALLS
from codeviews.core.store import Definition, EdgeRecord, Store, UnresolvedRecord

CONSTRUCTORS = frozenset(["__init__", "__new__", "constructor", "initialize", "<init>"])
OPEN_REASONS = frozenset([AMBIGUOUS, DYNAMIC, UNKNOWN])
"""Reasons that leave a target in the repository possible; external and builtin do not."""
MAX_NODES = 20_000


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
) -> list[Reached]:
    """Breadth first from ``start``: callers (``column`` = target) or callees (source)."""
    out: list[Reached] = []
    seen: set[int] = set(start)
    frontier = list(start)
    for level in range(1, depth + 1):
        edges = store.edges(column, frontier, kinds)
        ends = store.definitions({e.source for e in edges} | {e.target for e in edges})
        found: list[int] = []
        for edge in edges:
            other = ends.get(edge.source if column == "target" else edge.target)
            source = ends.get(edge.source)
            if other is None or source is None:
                continue
            if level > 1 and other.id in seen:
                continue
            out.append(Reached(other, edge, source.path, level))
            if other.id not in seen:
                found.append(other.id)
        seen.update(found)
        frontier = found
        if not frontier or len(seen) > MAX_NODES:
            break
    return sorted(out, key=_order)


def _order(item: Reached) -> tuple[int, str, int, str, int]:
    tests = item.definition.marks & TEST
    return (item.depth, item.edge.tier, tests, item.path, item.edge.line)


def open_calls_named(store: Store, names: Sequence[str]) -> Open:
    """Unresolved calls whose last component is one of the names."""
    found = [u for name in dict.fromkeys(names) for u in store.unresolved_named(name)]
    return _open(store, found)


def open_calls_in(store: Store, ids: Sequence[int]) -> Open:
    """Unresolved calls inside the given symbols."""
    return _open(store, store.unresolved_from(ids))


def _open(store: Store, found: Sequence[UnresolvedRecord]) -> Open:
    relevant = [u for u in found if u.reason in OPEN_REASONS and u.kind in ("calls", "call")]
    reasons = Counter(f"{u.reason}({u.candidates})" if u.candidates else u.reason for u in relevant)
    owners = store.definitions(u.source for u in relevant[:20])
    examples = [(owners[u.source], u) for u in relevant[:20] if u.source in owners]
    return Open(len(relevant), dict(reasons.most_common(4)), examples)


def shortest_path(
    store: Store, start: Sequence[int], goal: Sequence[int], kinds: Sequence[str] = CALLS
) -> list[EdgeRecord] | None:
    """Edges of a shortest call path, fewest edges first, or None; bounded to ``MAX_NODES``."""
    wanted = set(goal)
    came: dict[int, EdgeRecord | None] = dict.fromkeys(start)
    frontier = list(start)
    while frontier and len(came) < MAX_NODES:
        reached: list[int] = []
        for edge in sorted(store.edges("source", frontier, kinds), key=_certainty):
            if edge.target in came:
                continue
            came[edge.target] = edge
            if edge.target in wanted:
                return _trace(came, edge)
            reached.append(edge.target)
        frontier = reached
    return None


def _certainty(edge: EdgeRecord) -> tuple[str, int, int]:
    return (edge.tier, edge.source, edge.line)


def _trace(came: dict[int, EdgeRecord | None], last: EdgeRecord) -> list[EdgeRecord]:
    path = [last]
    while (before := came[path[-1].source]) is not None:
        path.append(before)
    return path[::-1]


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
