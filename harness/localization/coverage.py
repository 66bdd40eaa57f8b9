"""Tables 6 and 7, the breadth of section 4.3 and tokens by stage (H.2, H.3)."""

from __future__ import annotations

from statistics import median

from codeviews.harness.localization.metrics import failures
from codeviews.harness.localization.selection import OURS, Records, methods_in, of
from codeviews.harness.tables import Cell, Table


def failure_kinds(records: Records) -> Table:
    """Table 6: why Func@10 failed."""
    table = Table("table-6", "Func@10 failures by kind", [])
    table.columns = ["Method", "run", "failures", "A incomplete", "no candidate", "not selected"]
    table.columns += ["B unrecovered", "C unknown", "covered", "recovered", "hits uncovered"]
    for method in methods_in(of(records)):
        found = of(records, method)
        for run in sorted({r.run for r in found}):
            scored = [r.scored() for r in found if r.run == run]
            kinds = failures(scored)
            total = kinds.incomplete + kinds.unrecovered + kinds.unknown
            hits = [o.selection for o in scored if o.func[10]]
            row: list[Cell] = [method, run, total, *kinds, sum(o.selection is True for o in scored)]
            table.rows.append([*row, hits.count(True), hits.count(False)])
    table.note = (
        "A: a gold symbol was not covered; B: covered, not ranked; C: coverage unknown. Recovered: "
        "Func@10 among the covered; hits uncovered: Func@10 without recorded coverage."
    )
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


def breadth(records: Records) -> Table:
    """Section 4.3: medians of candidate descriptions, starts and selected symbols in each run."""
    table = Table("breadth", "Symbols per task, medians", [])
    table.columns = ["Method", "run", "tasks", "candidates", "starts", "selected"]
    for method in methods_in(of(records)):
        found = [r for r in of(records, method) if r.candidates]
        for run in sorted({r.run for r in found}):
            mine = [r for r in found if r.run == run]
            row: list[Cell] = [method, run, len(mine)]
            row += [median(r.candidates for r in mine), median(r.starts for r in mine)]
            table.rows.append([*row, median(r.selected for r in mine)])
    table.note = "Counts are before the input budget; tasks without candidates are left out."
    return table
