"""The paper's tables 1-9 and the data of figures 2-5, out of records."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from codeviews.harness.localization import statistics as st
from codeviews.harness.localization.metrics import failures
from codeviews.harness.localization.records import LocalizationRecord
from codeviews.harness.tables import Cell, Table

Records = Sequence[LocalizationRecord]
OURS = "curaloc"
REFERENCE = "reference"
STAGES = ("scope", "summaries", "route", "rank")


def of(
    records: Records, method: str = "", configuration: str = REFERENCE
) -> list[LocalizationRecord]:
    """The records of a method (or all) under a configuration."""
    return [
        r
        for r in records
        if r.configuration == configuration and (not method or r.method == method)
    ]


def methods_in(records: Records) -> list[str]:
    """Methods in order of first appearance, ours first."""
    names = dict.fromkeys(r.method for r in records)
    return sorted(names, key=lambda name: name != OURS)


def _spread(value: st.Spread, digits: int = 1) -> str:
    if math.isnan(value.mean):
        return "–"
    text = f"{value.mean:.{digits}f}"
    return text if math.isnan(value.deviation) else f"{text} ± {value.deviation:.{digits}f}"


def _tokens(records: Records) -> str:
    if not records or not all(r.complete_usage for r in records):
        return "–"
    return _spread(st.over_runs(records, lambda r: r.total_tokens / 1000))


def main_results(records: Records, name: str, title: str) -> Table:
    """Tables 1, 2, 4 and 5: accuracy and tokens per method."""
    columns = ["Method", "n", "runs", "Func@1", "Func@3", "Func@5", "Func@10"]
    columns += ["File@1", "File@5", "File@10", "MRR", "Tokens (K)"]
    table = Table(name, title, columns)
    for method in methods_in(of(records)):
        found = of(records, method)
        row: list[Cell] = [method, len({r.task for r in found}), len({r.run for r in found})]
        row += [_spread(st.over_runs(found, st.func(k))) for k in (1, 3, 5, 10)]
        row += [_spread(st.over_runs(found, st.file(k))) for k in (1, 5, 10)]
        row += [_spread(st.over_runs(found, st.mrr), 3), _tokens(found)]
        table.rows.append(row)
    table.note = (
        "Means over runs with sample standard deviations; accuracy in percent. Failed runs count "
        "as misses. Tokens are input and output of retained executions."
    )
    return table


def _row_of(
    name: str, records: Records, rank: Callable[[LocalizationRecord], list[str]]
) -> list[Cell]:
    scored = [r.scored(rank(r)) for r in records]
    n = max(len(scored), 1)
    row: list[Cell] = [name, len(scored)]
    row += [f"{100 * sum(o.func[k] for o in scored) / n:.1f}" for k in (1, 3, 5, 10)]
    row += [f"{sum(o.mrr for o in scored) / n:.3f}"]
    return [*row, f"{100 * sum(o.file[1] for o in scored) / n:.1f}"]


def interventions(records: Records, name: str) -> Table:
    """Tables 3 and 8: each configuration of our method, with the readouts of S1 and S2."""
    columns = ["Configuration", "n", "Func@1", "Func@3", "Func@5", "Func@10", "MRR", "File@1"]
    table = Table(name, "Component interventions", columns)
    ours = [r for r in records if r.method == OURS]
    for configuration in dict.fromkeys(r.configuration for r in ours):
        found = of(ours, OURS, configuration)
        table.rows.append(_row_of(configuration, found, lambda r: r.ranked))
    reference = of(ours)
    if reference:
        n = len(reference)
        first = sum(set(r.gold_files) <= set(r.scoped[:1]) for r in reference)
        table.rows.append(["file scoping only", n, *["–"] * 5, f"{100 * first / n:.1f}"])
        table.rows.append(_row_of("selection-stage readout", reference, lambda r: r.shortlist))
    table.note = "Paired gains and losses against the reference are in the differences table."
    return table


def differences(records: Records) -> Table:
    """Paired gains and losses of each configuration against the reference (H.4)."""
    table = Table("differences", "Tasks gained and lost against the reference", [])
    table.columns = ["Configuration", "Func@1 gained", "lost", "Func@10 gained", "lost"]
    ours = [r for r in records if r.method == OURS]
    base = {(r.task, r.run): r.scored() for r in of(ours)}
    for configuration in dict.fromkeys(r.configuration for r in ours):
        if configuration == REFERENCE:
            continue
        pairs = [
            (r.scored(), base[r.task, r.run])
            for r in of(ours, OURS, configuration)
            if (r.task, r.run) in base
        ]
        row: list[Cell] = [configuration]
        for k in (1, 10):
            row.append(sum(new.func[k] and not old.func[k] for new, old in pairs))
            row.append(sum(old.func[k] and not new.func[k] for new, old in pairs))
        table.rows.append(row)
    return table


def failure_kinds(records: Records) -> Table:
    """Table 6: why Func@10 failed."""
    table = Table("table-6", "Func@10 failures by kind", [])
    table.columns = ["Method", "run", "failures", "A incomplete", "no candidate", "not selected"]
    table.columns += ["B unrecovered", "C unknown"]
    for method in methods_in(of(records)):
        found = of(records, method)
        for run in sorted({r.run for r in found}):
            kinds = failures(r.scored() for r in found if r.run == run)
            total = kinds.incomplete + kinds.unrecovered + kinds.unknown
            row: list[Cell] = [method, run, total, *kinds]
            table.rows.append(row)
    table.note = "A: a gold symbol was not covered; B: covered, not ranked; C: coverage unknown."
    return table


def jointly_covered(records: Records, baseline: str) -> Table:
    """Table 7: recovery on tasks that both methods cover completely."""
    table = Table("table-7", f"Func@10 where {OURS} and {baseline} both cover the gold", [])
    table.columns = ["run", "tasks", OURS, baseline]
    ours, theirs = of(records, OURS), of(records, baseline)
    other = {(r.task, r.run): r for r in theirs if r.selection_covered}
    for run in sorted({r.run for r in ours}):
        both = [
            (r.scored(), other[r.task, run].scored())
            for r in ours
            if r.run == run and r.selection_covered and (r.task, run) in other
        ]
        mine, its = sum(a.func[10] for a, _ in both), sum(b.func[10] for _, b in both)
        table.rows.append([run, len(both), mine, its])
    return table


def sweep(records: Records) -> Table:
    """Table 9 and figure 4: accuracy and tokens per setting; S1 and summaries are left out."""
    table = Table("table-9", "Settings", ["Setting", "n", "runs", "Func@1", "Func@5", "Func@10"])
    table.columns += ["S2+S3 tokens", "S3 tokens"]
    ours = [r for r in records if r.method == OURS]
    for configuration in dict.fromkeys(r.configuration for r in ours):
        found = of(ours, OURS, configuration)
        row: list[Cell] = [configuration, len({r.task for r in found}), len({r.run for r in found})]
        row += [_spread(st.over_runs(found, st.func(k))) for k in (1, 5, 10)]
        row += [
            _spread(st.over_runs(found, lambda r: r.stage_tokens("route", "rank")), 0),
            _spread(st.over_runs(found, lambda r: r.stage_tokens("rank")), 0),
        ]
        table.rows.append(row)
    return table


def stages(records: Records) -> Table:
    """H.2: tokens by stage, retained and abandoned apart, and failed requests."""
    table = Table("stages", "Tokens per task by stage", ["Method", "Stage", "retained"])
    table.columns += ["abandoned", "failed requests"]
    for method in methods_in(of(records)):
        found = of(records, method)
        for stage in dict.fromkeys(s.stage for r in found for s in r.tokens):
            mine = [s for r in found for s in r.tokens if s.stage == stage]
            row: list[Cell] = [method, stage]
            for kept in (True, False):
                total = sum(s.input + s.output for s in mine if s.retained == kept)
                row.append(round(total / len(found), 1))
            table.rows.append([*row, sum(s.failed for s in mine)])
    return table


def tradeoff(records: Records) -> Table:
    """Figure 2: Func@1 against tokens; methods without complete usage have no point."""
    table = Table("figure-2", "Func@1 against recorded tokens", [])
    table.columns = ["Cohort", "Method", "Func@1", "± ", "Tokens (K)", "±"]
    for cohort, mine in by_cohort(of(records)).items():
        for method in methods_in(mine):
            found = of(mine, method)
            if all(r.complete_usage for r in found):
                accuracy = st.over_runs(found, st.func(1))
                tokens = st.over_runs(found, lambda r: r.total_tokens / 1000)
                row: list[Cell] = [cohort, method, *_numbers(accuracy), *_numbers(tokens)]
                table.rows.append(row)
    return table


def _numbers(value: st.Spread) -> list[Cell]:
    parts = (value.mean, value.deviation)
    return ["–" if math.isnan(part) else round(part, 3) for part in parts]


def by_cohort(records: Records) -> dict[str, list[LocalizationRecord]]:
    """Cohort -> records."""
    out: dict[str, list[LocalizationRecord]] = {}
    for record in records:
        out.setdefault(record.cohort, []).append(record)
    return out


def comparisons(
    records: Records, resamples: int = st.RESAMPLES, seeds: Iterable[int] = (st.SEED, st.CHECK_SEED)
) -> tuple[Table, Table]:
    """Figures 3 and 5 (pointwise intervals) and the joint accuracy-token bounds of appendix G."""
    points = Table("figure-5", f"{OURS} minus baseline, points", [])
    points.columns = ["Cohort", "Baseline", "Metric", "Scheme", "Difference", "Low", "High"]
    points.columns += ["Without one repository"]
    joint = Table("joint", "Joint accuracy-token bounds, nine comparisons", [])
    joint.columns = ["Cohort", "Baseline", "Scheme", "Seed", "Func@1 bound", "Tokens saved bound"]
    joint.columns += ["Ratio of means", "Dominates"]
    for cohort, mine in by_cohort(of(records)).items():
        for baseline in methods_in(mine)[1:]:
            pair = of(mine, OURS), of(mine, baseline)
            _add_points(points, cohort, baseline, pair, resamples)
            for seed in seeds:
                _add_joint(joint, cohort, baseline, pair, seed, resamples)
    joint.note = (
        f"Lower bounds at probability 0.05 / {st.BOUNDS}; dominance needs both above zero. A "
        "second seed checks stability."
    )
    return points, joint


Pair = tuple[list[LocalizationRecord], list[LocalizationRecord]]


def _add_points(table: Table, cohort: str, baseline: str, pair: Pair, resamples: int) -> None:
    for name, measure in (("Func@1", st.func(1)), ("Func@10", st.func(10))):
        ours, theirs = (st.panel(records, measure) for records in pair)
        left_out = st.without_each_repository(ours, theirs).values()
        span = f"{min(left_out):.2f} to {max(left_out):.2f}"
        for scheme in ("task", "repository"):
            means = st.resampled(ours, theirs, cohort, scheme, st.SEED, resamples)
            found = st.difference(means, ours, theirs)
            row: list[Cell] = [cohort, baseline, name, scheme]
            table.rows.append([*row, *(round(v, 2) for v in found), span])


def _add_joint(
    table: Table, cohort: str, baseline: str, pair: Pair, seed: int, resamples: int
) -> None:
    ours, theirs = (st.panel(records, st.func(1)) for records in pair)
    for scheme in ("task", "repository"):
        means = st.resampled(ours, theirs, cohort, scheme, seed, resamples)
        found = st.joint(means, ours, theirs)
        accuracy, saved = found.family
        ratio = "–" if found.ratio is None else f"{found.ratio.value:.2f}"
        verdict = {True: "yes", False: "no", None: "unknown"}[found.dominates]
        row: list[Cell] = [cohort, baseline, scheme, seed, round(accuracy, 2)]
        table.rows.append([*row, "–" if saved is None else round(saved), ratio, verdict])


def all_tables(
    records: Records, subset: Mapping[str, frozenset[str]], resamples: int = st.RESAMPLES
) -> list[Table]:
    """Every table that the records can fill.

    ``subset`` maps the name of a cohort's part to its tasks (table 5): parts are compared as
    cohorts of their own.
    """
    whole = [*records]
    for name, tasks in subset.items():
        part = [r for r in records if r.task in tasks]
        whole += [r.model_copy(update={"cohort": name}) for r in part]
    out: list[Table] = []
    for cohort, mine in by_cohort(whole).items():
        out.append(main_results(mine, f"results-{cohort}", f"Localization on {cohort}"))
    out += [tradeoff(whole), stages(records), failure_kinds(records)]
    names = methods_in(of(records))
    if OURS in names:
        out += [interventions(records, "table-8"), differences(records), sweep(records)]
        out += [jointly_covered(records, "locagent")] if "locagent" in names else []
        out += [*comparisons(whole, resamples)]
    return out
