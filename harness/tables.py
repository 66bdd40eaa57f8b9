"""The study's tables, and what it leaves out: intervals, tests, call rate, environment failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from codeviews.harness import stats
from codeviews.harness.benchmarks import benchmark
from codeviews.harness.frame import COSTS, Frame, Row, mean, metric, value
from codeviews.harness.policy import POLICIES
from codeviews.harness.workflows import BASELINE

Cell = str | int | float


@dataclass(slots=True)
class Table:
    """A table for people and for CSV. ``note`` explains it in one paragraph."""

    name: str
    title: str
    columns: list[str]
    rows: list[list[Cell]] = field(default_factory=list[list[Cell]])
    note: str = ""


def results(frame: Frame, name: str) -> Table:
    """Tables III to VI: success metrics and cost per workflow."""
    module = benchmark(name)
    metrics = [m for m in module.METRICS if _has(frame, name, m)] or [module.SUCCESS]
    table = Table(f"results-{name}", f"{module.TITLE}: results per workflow", [])
    table.columns = ["Workflow", "n", *metrics, f"{module.SUCCESS} 95 % interval", *COSTS]
    for workflow in frame.workflows(name):
        rows = frame.of(name, workflow)
        graded = [row for row in rows if row.graded]
        hits = round(sum(value(row, module.SUCCESS) for row in graded))
        interval = stats.wilson(hits, len(graded))
        cells: list[Cell] = [workflow, len(rows)]
        cells += [round(metric(rows, m), 3) for m in metrics]
        cells += [f"{interval.low:.3f} to {interval.high:.3f}"]
        cells += [_average(rows, attribute) for attribute in COSTS.values()]
        table.rows.append(cells)
    ungraded = sum(not row.graded for row in frame.rows if row.benchmark == name)
    if ungraded:
        table.note = f"{ungraded} trials are not graded yet (harness grade) and are in cost only."
    return table


def _has(frame: Frame, name: str, metric_name: str) -> bool:
    rows = [row for row in frame.rows if row.benchmark == name]
    return any(metric_name in row.metrics for row in rows)


def _average(rows: Sequence[Row], attribute: str) -> Cell:
    average = mean(rows, attribute)
    return round(average) if attribute == "tokens" else round(average, 1)


def differences(frame: Frame, name: str) -> Table:
    """Paired differences to the baseline with bootstrap intervals and exact McNemar."""
    module = benchmark(name)
    title = f"{module.TITLE}: paired differences to the baseline"
    columns = ["Workflow", "pairs", f"{module.SUCCESS} points", "95 % interval", "McNemar p"]
    columns += ["tokens %", "95 % interval ", "wall s", "95 % interval  "]
    table = Table(f"differences-{name}", title, columns)
    for workflow in _views(frame, name):
        pairs = frame.pairs(name, workflow)
        graded = [(v, b) for v, b in pairs if v.graded and b.graded]
        points = stats.bootstrap_mean(
            [100 * (value(v, module.SUCCESS) - value(b, module.SUCCESS)) for v, b in graded]
        )
        outcome = stats.win_loss([v.success for v, _ in graded], [b.success for _, b in graded])
        tokens = stats.ratio_of_means([v.tokens for v, _ in pairs], [b.tokens for _, b in pairs])
        wall = stats.bootstrap_mean([v.wall - b.wall for v, b in pairs])
        cells: list[Cell] = [workflow, len(pairs), round(points.value, 1), _span(points)]
        cells += [round(stats.mcnemar(*outcome), 4), round(tokens.value, 1), _span(tokens)]
        table.rows.append([*cells, round(wall.value, 1), _span(wall)])
    table.note = (
        "Pairs are the same task and run. Intervals are percentile bootstrap over pairs "
        f"({stats.RESAMPLES:,} resamples, fixed seed); tokens are the change of the mean."
    )
    return table


def _views(frame: Frame, name: str) -> list[str]:
    return [workflow for workflow in frame.workflows(name) if workflow != BASELINE]


def _span(interval: stats.Interval) -> str:
    return f"{interval.low:.1f} to {interval.high:.1f}"


def divergence(frame: Frame) -> Table:
    """Table VII: wins and losses against the baseline, and fewer or more tokens."""
    columns = ["Benchmark", "Workflow", "Win", "Loss", "Net", "Fewer", "More"]
    table = Table("divergence", "Divergence from the baseline (table VII)", columns)
    for name in frame.benchmarks():
        for workflow in _views(frame, name):
            pairs = frame.pairs(name, workflow)
            graded = [(v, b) for v, b in pairs if v.graded and b.graded]
            outcome = stats.win_loss([v.success for v, _ in graded], [b.success for _, b in graded])
            fewer, more = stats.fewer_more(
                [v.tokens for v, _ in pairs], [b.tokens for _, b in pairs]
            )
            row: list[Cell] = [name, workflow, outcome.win, outcome.loss, outcome.net, fewer, more]
            table.rows.append(row)
    return table


def categories(frame: Frame, labels: Mapping[tuple[str, str, str], Mapping[str, str]]) -> Table:
    """Table VIII's token axis (and the performance axis where labelled): the commonest category.

    Where people gave no labels, the token axis is read from the trial: fewer tokens with fewer
    native reads is read displacement, more tokens with map calls on top is map overhead.
    """
    columns = ["Benchmark", "Workflow", "Axis", "Top category", "n", "N", "By"]
    table = Table("categories", "Categories of divergence (table VIII)", columns)
    for name in frame.benchmarks():
        for workflow in _views(frame, name):
            for axis in ("win", "loss", "fewer", "more"):
                table.rows += _category(frame, labels, name, workflow, axis)
    table.note = (
        "By: people (labels file), or rule (derived from tool counts; see docs/harness.md)."
    )
    return table


def _category(
    frame: Frame,
    labels: Mapping[tuple[str, str, str], Mapping[str, str]],
    name: str,
    workflow: str,
    axis: str,
) -> list[list[Cell]]:
    members = [(v, b) for v, b in frame.pairs(name, workflow) if axis_of(axis, v, b)]
    given = [labels.get((name, workflow, v.task), {}).get(axis, "") for v, _ in members]
    by = "people"
    if not any(given) and axis in ("fewer", "more"):
        given, by = [token_category(v, b) for v, b in members], "rule"
    counted = Counter(label for label in given if label)
    if not counted:
        return []
    label, count = min(counted.items(), key=lambda item: (-item[1], item[0]))
    return [[name, workflow, axis, label, count, len(members), by]]


def axis_of(axis: str, view: Row, baseline: Row) -> bool:
    """Whether a pair belongs to an axis of table VIII."""
    if axis in ("win", "loss"):
        better, worse = (view, baseline) if axis == "win" else (baseline, view)
        graded = view.graded and baseline.graded
        return graded and better.success and not worse.success
    return view.tokens < baseline.tokens if axis == "fewer" else view.tokens > baseline.tokens


def token_category(view: Row, baseline: Row) -> str:
    """What tool counts say about a difference in tokens."""
    browsing = [row.reads + row.greps + row.globs + row.bashes for row in (view, baseline)]
    if view.tokens < baseline.tokens:
        if view.map_calls and browsing[0] < browsing[1]:
            return "read displacement"
        return "fewer turns" if view.model_calls < baseline.model_calls else "smaller payloads"
    if view.map_calls == 0:
        return "map not used"
    if browsing[0] >= browsing[1]:
        return "map overhead"
    if view.map_calls > browsing[1]:
        return "over-exploration"
    return "large map payloads"


def usage(frame: Frame) -> Table:
    """Does the agent use the map at all, and where tokens and time go."""
    columns = ["Benchmark", "Workflow", "n", "call rate", "model calls", "fresh", "cached"]
    columns += ["output", "wall s", "start s", "model s", "tool s", "cost $", "flagged"]
    table = Table("usage", "Map use, tokens and time", columns)
    for name in frame.benchmarks():
        for workflow in frame.workflows(name):
            rows = frame.of(name, workflow)
            rate = sum(row.map_calls > 0 for row in rows) / len(rows)
            cells: list[Cell] = [name, workflow, len(rows)]
            cells += ["-" if workflow == BASELINE else f"{100 * rate:.0f} %"]
            cells += [round(mean(rows, "model_calls"), 1)]
            cells += [round(mean(rows, key)) for key in ("fresh", "cached", "output")]
            cells += [round(mean(rows, key), 1) for key in ("wall", "start", "model", "tool")]
            cells += [round(sum(row.cost for row in rows), 2), sum(row.flagged for row in rows)]
            table.rows.append(cells)
    table.note = "Call rate: trials with at least one map call. Flagged: see the record's flags."
    return table


def environment(frame: Frame) -> Table:
    """Failures that are no result, and the agent's own, by kind."""
    columns = ["Benchmark", "Workflow", "Failure", "trials", "counts", "meaning"]
    table = Table("failures", "Failures, environment and agent apart", columns)
    counted = Counter(
        (record.id.benchmark, record.id.workflow, record.failure.kind)
        for record in frame.records
        if record.failure
    )
    for (name, workflow, kind), count in sorted(counted.items()):
        line = POLICIES[kind]
        counts = "as a result" if line.counts else "not"
        table.rows.append([name, workflow, kind, count, counts, line.meaning])
    total = len(frame.records) or 1
    share = 100 * len(frame.environment) / total
    table.note = (
        f"{len(frame.environment)} of {len(frame.records)} trials ({share:.1f} %) are no result."
    )
    return table


def index_cost(frame: Frame) -> Table:
    """What the maps cost to build, which the study leaves out of its costs."""
    columns = ["Benchmark", "Workflow", "indexes", "seconds", "CPU s", "peak MB", "DB MB"]
    table = Table("index", "Cost of building the maps (outside the trials' clock)", columns)
    groups: dict[tuple[str, str], list[tuple[float, ...]]] = {}
    for record in frame.records:
        if record.index and not record.index.reused:
            i = record.index
            built = (i.seconds, i.cpu_seconds, i.peak_rss_mb, i.db_mb)
            groups.setdefault((record.id.benchmark, record.id.workflow), []).append(built)
    for (name, workflow), items in sorted(groups.items()):
        means = [round(sum(column) / len(items), 2) for column in zip(*items, strict=True)]
        table.rows.append([name, workflow, len(items), *means])
    table.note = "Means over indexes built; a later trial on the same tree reuses its index."
    return table


def all_tables(
    frame: Frame, labels: Mapping[tuple[str, str, str], Mapping[str, str]] | None = None
) -> list[Table]:
    """Every table of the report, those without rows left out."""
    found: list[Table] = []
    for name in frame.benchmarks():
        found += [results(frame, name), differences(frame, name)]
    found += [divergence(frame), categories(frame, labels or {}), usage(frame)]
    found += [environment(frame), index_cost(frame)]
    return [table for table in found if table.rows]
