"""Figures 3 and 5, and the joint accuracy-token bounds of appendix G."""

from __future__ import annotations

from collections.abc import Iterable

from codeviews.harness.localization import statistics as st
from codeviews.harness.localization.records import LocalizationRecord
from codeviews.harness.localization.selection import DASH, OURS, Records, by_cohort, methods_in, of
from codeviews.harness.tables import Cell, Table

METRICS = {
    "Func@1": st.func(1),
    "Func@5": st.func(5),
    "Func@10": st.func(10),
    "File@10": st.file(10),
    "MRR": st.mrr,
}
Pair = tuple[list[LocalizationRecord], list[LocalizationRecord]]


def comparisons(
    records: Records, resamples: int = st.RESAMPLES, seeds: Iterable[int] = (st.SEED, st.CHECK_SEED)
) -> tuple[Table, Table]:
    """Pointwise intervals, and joint bounds. A pair whose tasks differ is named, not compared."""
    points, joint = _points(), _joint()
    refused: list[str] = []
    for cohort, mine in by_cohort(of(records)).items():
        for baseline in methods_in(mine)[1:] if of(mine, OURS) else ():
            pair = of(mine, OURS), of(mine, baseline)
            try:
                _add_points(points, cohort, baseline, pair, resamples)
            except ValueError as error:
                refused.append(f"{cohort}, {baseline}: not compared, {error}.")
                continue
            for seed in seeds:
                _add_joint(joint, cohort, baseline, pair, seed, resamples)
    for table in (points, joint):
        table.note = " ".join([table.note, *refused])
    return points, joint


def _points() -> Table:
    table = Table("figure-5", f"{OURS} minus baseline, points", [])
    table.columns = ["Cohort", "Baseline", "Metric", "Scheme", "Difference", "Low", "High"]
    table.columns += ["Without one repository"]
    table.note = (
        "Accuracy in points, MRR from 0 to 1. Pointwise 95 % percentile intervals over tasks or "
        "whole repositories, not adjusted for several comparisons."
    )
    return table


def _joint() -> Table:
    table = Table("joint", "Joint accuracy-token bounds, nine comparisons", [])
    table.columns = ["Cohort", "Baseline", "Scheme", "Seed", "Func@1 bound", "Tokens saved bound"]
    table.columns += ["Func@1 bound alone", "Tokens bound alone", "Ratio of means", "Low", "High"]
    table.columns += ["Dominates"]
    table.note = (
        f"Lower bounds at probability 0.05 / {st.BOUNDS}, alone at 0.025; dominance needs both of "
        "the family above zero. The family is three baselines with a model on three cohorts; other "
        "rows are descriptive, and so are single runs. A second seed checks stability."
    )
    return table


def _add_points(table: Table, cohort: str, baseline: str, pair: Pair, resamples: int) -> None:
    rows: list[list[Cell]] = []
    for name, measure in METRICS.items():
        digits = 4 if name == "MRR" else 2
        ours, theirs = (st.panel(records, measure) for records in pair)
        left_out = st.without_each_repository(ours, theirs).values()
        span = f"{min(left_out):.{digits}f} to {max(left_out):.{digits}f}"
        for scheme in ("task", "repository"):
            means = st.resampled(ours, theirs, cohort, scheme, st.SEED, resamples)
            found = st.difference(means, ours, theirs)
            row: list[Cell] = [cohort, baseline, name, scheme]
            rows.append([*row, *(round(v, digits) for v in found), span])
    table.rows += rows


def _add_joint(
    table: Table, cohort: str, baseline: str, pair: Pair, seed: int, resamples: int
) -> None:
    ours, theirs = (st.panel(records, st.func(1)) for records in pair)
    for scheme in ("task", "repository"):
        means = st.resampled(ours, theirs, cohort, scheme, seed, resamples)
        found = st.joint(means, ours, theirs)
        row: list[Cell] = [cohort, baseline, scheme, str(seed)]
        for accuracy, saved in (found.family, found.alone):
            row += [round(accuracy, 2), DASH if saved is None else round(saved)]
        row += [DASH] * 3 if found.ratio is None else [f"{part:.2f}" for part in found.ratio]
        verdict = {True: "yes", False: "no", None: "unknown"}[found.dominates]
        table.rows.append([*row, verdict])
