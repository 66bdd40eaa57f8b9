"""A second look at the best symbols: what their source says that a text index cannot tell.

Word pairs that the report and the source share, the report's names inside the body, how much of a
name is said, and whether a caller is named. Only ``config.LOOKED_AT`` symbols are read, so that it
costs milliseconds.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from codeviews.core import config
from codeviews.core.columns import Table
from codeviews.core.facts import TYPE_KINDS
from codeviews.core.neighbourhood import CALLS, GraphEdge
from codeviews.core.rank import Candidates
from codeviews.core.store import Definition, Store
from codeviews.core.wording import Pair, Wording, stems

NAMES = (
    "name.said",
    "owner.said",
    "method.said",
    "source.pairs",
    "source.runs",
    "source.names",
    "caller.said",
    "undocumented",
    "branches",
    "private",
    "looked",
)
_BRANCH = re.compile(r"\b(?:if|elif|for|while|return|raise|except|else)\b")
_RUN = 3  # pairs in a row: four words as the report has them


def source_features(
    store: Store,
    wording: Wording,
    candidates: Candidates,
    edges: Iterable[GraphEdge],
    ids: Sequence[int],
) -> Table:
    """A row of :data:`NAMES` for each symbol of ``ids``, which ``candidates`` know.

    ``edges`` are those of the neighbourhood; callers outside it are not seen.
    """
    known = candidates.definitions
    found = [known[i] for i in ids]
    callers = _said_callers(wording, known, edges)
    documented = store.documented(ids)
    sources = _sources(store, found)
    rows = [
        (
            *_said(wording, d, known.get(d.parent or 0)),
            *_read(wording, d.name, sources[d.id]),
            callers.get(d.id, 0.0),
            d.id not in documented,
            math.log1p(len(_BRANCH.findall(sources[d.id]))),
            d.name.startswith("_") and not d.name.endswith("__"),
            True,
        )
        for d in found
    ]
    return Table(list(ids), list(NAMES), np.array(rows, dtype=float).reshape(-1, len(NAMES)))


def _sources(store: Store, found: Sequence[Definition]) -> dict[int, str]:
    by_file: dict[int, list[Definition]] = defaultdict(list)
    for definition in found:
        by_file[definition.file_id].append(definition)
    out: dict[int, str] = {}
    for file_id, inside in by_file.items():
        text = store.text(file_id)
        for d in inside:
            end = min(d.end_byte, d.start_byte + config.READ_BYTES)
            out[d.id] = text[d.start_byte : end].decode("utf-8", "replace")
    return out


def _said(wording: Wording, found: Definition, owner: Definition | None) -> tuple[float, ...]:
    """The name's share of what the report tells, how much of the class is said, and both."""
    name = sum(wording.terms.get(part, 0.0) for part in set(stems(found.name)))
    if owner is None or owner.kind not in TYPE_KINDS:
        return name, 0.0, 0.0
    parts = set(stems(owner.name))
    said = sum(part in wording.words for part in parts) / max(len(parts), 1)
    return name, said, float({owner.name, found.name} <= wording.tokens)


def _read(wording: Wording, name: str, source: str) -> tuple[float, ...]:
    """Distinct word pairs and runs of four words in common, and names of the report inside."""
    pairs = [*pairwise(stems(source))]
    common = wording.pairs.intersection(pairs)
    runs = _runs(pairs, common) if len(common) >= _RUN else 0
    inside = sum(w for known, w in wording.names.items() if known != name and known in source)
    return math.log1p(len(common)), math.log1p(runs), math.log1p(inside)


def _runs(pairs: Sequence[Pair], common: frozenset[Pair]) -> int:
    """How many different runs of ``_RUN`` pairs are all in common."""
    hits = [pair in common for pair in pairs]
    starts = range(len(pairs) - _RUN + 1)
    return len({tuple(pairs[i : i + _RUN]) for i in starts if all(hits[i : i + _RUN])})


def _said_callers(
    wording: Wording, known: Mapping[int, Definition], edges: Iterable[GraphEdge]
) -> dict[int, float]:
    """Symbol id -> 1 for a caller that the report names, less for one that calls much."""
    calls = {(e.source, e.target) for e in edges if e.kind in CALLS and e.source != e.target}
    fan = Counter(source for source, _ in calls)
    out: dict[int, float] = {}
    for source, target in calls:
        if source in known and known[source].name in wording.tokens:
            out[target] = max(out.get(target, 0.0), 1 / math.sqrt(fan[source]))
    return out
