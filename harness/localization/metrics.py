"""Func@k, File@k and MRR (section 4.1, appendix F) and coverage diagnostics (H.3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from codeviews.servers.curaloc.ranking import distinct, distinct_files, normalized
from codeviews.servers.curaloc.records import Localization

CUTOFFS = (1, 3, 5, 10)


class Outcome(NamedTuple):
    """One task under one method in one run. Coverage is None where a method has no such stage.

    ``candidates``: every gold symbol among the candidates; ``selection``: among the symbols that S3
    selected, before the input budget; ``scoped``: every gold file among the first ten of S1.
    """

    func: dict[int, bool]
    file: dict[int, bool]
    mrr: float
    candidates: bool | None = None
    selection: bool | None = None
    scoped: bool | None = None
    failed: bool = False
    selected: int = 0


def outcome(ranked: Sequence[str], gold: Iterable[str], gold_files: Iterable[str]) -> Outcome:
    """Score a ranking of ``path:Qualified.name``; an empty one misses everything.

    File@k looks at the distinct files of the symbol ranking, not at a ranking of its own. MRR is
    the reciprocal rank of the first gold symbol.
    """
    symbols = [normalized(symbol) for symbol in distinct(ranked)]
    files = distinct_files(ranked)
    wanted, wanted_files = set(map(normalized, gold)), set(gold_files)
    return Outcome(
        {k: bool(wanted) and wanted <= set(symbols[:k]) for k in CUTOFFS},
        {k: bool(wanted_files) and wanted_files <= set(files[:k]) for k in CUTOFFS},
        next((1 / rank for rank, found in enumerate(symbols, 1) if found in wanted), 0.0),
    )


def measured(found: Localization, gold: Iterable[str], gold_files: Iterable[str]) -> Outcome:
    """Score a whole localization, with its coverage by stage."""
    names, files = set(map(normalized, gold)), set(gold_files)
    scored = outcome([p.symbol for p in found.predictions], names, files)
    candidates, selected = set[str](), set[str]()
    if found.inventory is not None:
        address = {
            sid: normalized(capsule.definition.address)
            for sid, capsule in found.inventory.capsules.items()
        }
        candidates = set(address.values())
        if found.evidence is not None:
            selected = {address[sid] for sid in found.evidence.selected}
    return scored._replace(
        candidates=names <= candidates,
        selection=names <= selected,
        scoped=files <= set(found.scope.paths[:10]),
        failed=bool(found.failure),
        selected=len(selected),
    )


class Miss(NamedTuple):
    """Func@10 failures by kind (table 6). Where a method has candidates, ``incomplete`` is
    ``not_candidate`` + ``not_selected``."""

    incomplete: int
    not_candidate: int
    not_selected: int
    unrecovered: int
    unknown: int


def failures(outcomes: Iterable[Outcome]) -> Miss:
    """Classify every Func@10 failure: A incomplete coverage, B unrecovered, C unknown."""
    missed = [o for o in outcomes if not o.func[10]]
    incomplete = [o for o in missed if o.selection is False]
    return Miss(
        len(incomplete),
        sum(o.candidates is False for o in incomplete),
        sum(o.candidates is True for o in incomplete),
        sum(o.selection is True for o in missed),
        sum(o.selection is None for o in missed),
    )


def summary(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """Means over tasks. A failed task counts as a miss; none is left out."""
    n = max(len(outcomes), 1)
    out = {f"Func@{k}": sum(o.func[k] for o in outcomes) / n for k in CUTOFFS}
    out |= {f"File@{k}": sum(o.file[k] for o in outcomes) / n for k in CUTOFFS}
    out["MRR"] = sum(o.mrr for o in outcomes) / n
    for name in ("scoped", "candidates", "selection"):
        known = [value for o in outcomes if (value := getattr(o, name)) is not None]
        if known:
            out[f"{name} coverage"] = sum(known) / n
    covered = [o for o in outcomes if o.selection]
    if covered:
        out["recovery when selected"] = sum(o.func[10] for o in covered) / len(covered)
        out["selected symbols, mean"] = sum(o.selected for o in outcomes) / n
    out["failed"] = sum(o.failed for o in outcomes) / n
    return out
