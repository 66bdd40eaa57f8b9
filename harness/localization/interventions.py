"""Tables 3, 8 and 9: configurations of our method against each other (H.4, I)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from codeviews.harness.localization import statistics as st
from codeviews.harness.localization.records import LocalizationRecord
from codeviews.harness.localization.selection import DASH, OURS, REFERENCE, Records, of, spread
from codeviews.harness.tables import Cell, Table


def _row_of(
    name: str, records: Records, rank: Callable[[LocalizationRecord], list[str]]
) -> list[Cell]:
    scored = [r.scored(rank(r)) for r in records]
    n = max(len(scored), 1)
    row: list[Cell] = [name, len({r.task for r in records})]
    row += [f"{100 * sum(o.func[k] for o in scored) / n:.1f}" for k in (1, 3, 5, 10)]
    row += [f"{sum(o.mrr for o in scored) / n:.3f}"]
    row += [f"{100 * sum(o.file[1] for o in scored) / n:.1f}"]
    return [*row, _share([r.selection_covered for r in records])]


def _share(known: Sequence[bool | None]) -> str:
    """Percent of what is known."""
    told = [value for value in known if value is not None]
    return f"{100 * sum(told) / len(told):.1f}" if told else DASH


def interventions(records: Records, name: str) -> Table:
    """Tables 3 and 8: each configuration of our method, with the readouts of S1 and S2."""
    columns = ["Configuration", "n", "Func@1", "Func@3", "Func@5", "Func@10", "MRR", "File@1"]
    columns += ["All gold selected"]
    table = Table(name, "Component interventions", columns)
    ours = [r for r in records if r.method == OURS]
    for configuration in dict.fromkeys(r.configuration for r in ours):
        found = of(ours, OURS, configuration)
        table.rows.append(_row_of(configuration, found, lambda r: r.ranked))
    reference = of(ours)
    if reference:
        n, tasks = len(reference), len({r.task for r in reference})
        first = sum(set(r.gold_files) <= set(r.scoped[:1]) for r in reference)
        table.rows.append(["file scoping only", tasks, *[DASH] * 5, f"{100 * first / n:.1f}", DASH])
        readout = _row_of("selection-stage readout", reference, lambda r: r.shortlist)
        table.rows.append([*readout[:-1], DASH])
    table.note = (
        "Paired gains and losses against the reference are in the differences table. An "
        "intervention keeps the reference's unchanged stages unless it was run with --fresh."
    )
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


def sweep(records: Records) -> Table:
    """Table 9 and figure 4: accuracy and tokens per setting; S1 and summaries are left out."""
    table = Table("table-9", "Settings", ["Setting", "n", "runs", "Func@1", "Func@5", "Func@10"])
    table.columns += ["S2+S3 tokens", "S3 tokens"]
    ours = [r for r in records if r.method == OURS]
    for configuration in dict.fromkeys(r.configuration for r in ours):
        found = of(ours, OURS, configuration)
        row: list[Cell] = [configuration, len({r.task for r in found}), len({r.run for r in found})]
        row += [spread(st.over_runs(found, st.func(k))) for k in (1, 5, 10)]
        row += [
            spread(st.over_runs(found, lambda r: r.stage_tokens("route", "rank")), 0),
            spread(st.over_runs(found, lambda r: r.stage_tokens("rank")), 0),
        ]
        table.rows.append(row)
    return table
