"""The paper's tables 1-9 and the data of figures 2-5, out of records."""

from __future__ import annotations

import math
from collections.abc import Mapping

from codeviews.harness.localization import statistics as st
from codeviews.harness.localization.comparisons import comparisons
from codeviews.harness.localization.coverage import (
    breadth,
    failure_kinds,
    jointly_covered,
    stages,
)
from codeviews.harness.localization.interventions import differences, interventions, sweep
from codeviews.harness.localization.selection import (
    DASH,
    OURS,
    Records,
    by_cohort,
    by_model,
    incomplete,
    methods_in,
    of,
    slug,
    spread,
)
from codeviews.harness.tables import Cell, Table


def _tokens(records: Records) -> str:
    if not records or not all(r.complete_usage for r in records):
        return DASH
    return spread(st.over_runs(records, lambda r: r.total_tokens / 1000))


def main_results(records: Records, name: str, title: str) -> Table:
    """Tables 1, 2, 4 and 5: accuracy and tokens per method."""
    columns = ["Method", "n", "runs", "Func@1", "Func@3", "Func@5", "Func@10"]
    columns += ["File@1", "File@5", "File@10", "MRR", "Tokens (K)"]
    table = Table(name, title, columns)
    for method in methods_in(of(records)):
        found = of(records, method)
        row: list[Cell] = [method, len({r.task for r in found}), len({r.run for r in found})]
        row += [spread(st.over_runs(found, st.func(k))) for k in (1, 3, 5, 10)]
        row += [spread(st.over_runs(found, st.file(k))) for k in (1, 5, 10)]
        row += [spread(st.over_runs(found, st.mrr), 3), _tokens(found)]
        table.rows.append(row)
    table.note = (
        "Means over runs with sample standard deviations; accuracy in percent. Failed runs count "
        "as misses. Tokens are input and output of retained executions."
    )
    table.note = " ".join([table.note, *incomplete(of(records))])
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
    return [DASH if math.isnan(part) else round(part, 3) for part in parts]


def all_tables(
    records: Records, subset: Mapping[str, frozenset[str]], resamples: int = st.RESAMPLES
) -> list[Table]:
    """Every table that the records can fill.

    ``subset`` maps the name of a cohort's part to its tasks (table 5): parts are compared as
    cohorts of their own. Tables about one method's stages are made for each cohort.
    """
    named = by_model(records)
    whole = [*named]
    for name, tasks in subset.items():
        for cohort, mine in by_cohort(named).items():
            title = name if len(by_cohort(named)) == 1 else f"{name} of {cohort}"
            whole += [r.model_copy(update={"cohort": title}) for r in mine if r.task in tasks]
    out: list[Table] = []
    for cohort, mine in by_cohort(whole).items():
        out.append(main_results(mine, f"results-{slug(cohort)}", f"Localization on {cohort}"))
    out.append(tradeoff(whole))
    for cohort, mine in by_cohort(named).items():
        out += _of_cohort(mine, "" if len(by_cohort(named)) == 1 else cohort)
    if any(r.method == OURS for r in of(named)):
        out += comparisons(whole, resamples)
    return out


def _of_cohort(records: Records, cohort: str) -> list[Table]:
    """The tables of one cohort; its name is told where there are several."""
    out = [stages(records), failure_kinds(records), breadth(records)]
    names = methods_in(of(records))
    if any(r.method == OURS for r in records):
        out += [interventions(records, "table-8"), differences(records), sweep(records)]
        out += [jointly_covered(records, "locagent")] if "locagent" in names else []
    for table in out if cohort else ():
        table.name = f"{table.name}-{slug(cohort)}"
        table.title = f"{table.title}: {cohort}"
    return out
