"""Records as rows: one per trial, with the figures the study's tables need (section IV-D b)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from codeviews.harness.policy import policy
from codeviews.harness.records import TrialRecord
from codeviews.harness.workflows import BASELINE, WORKFLOWS

Pair = tuple["Row", "Row"]

# name in tables -> attribute of Row
COSTS = {
    "avg tokens": "tokens",
    "avg wall s": "wall",
    "avg MCP": "map_calls",
    "avg builtin": "native_calls",
    "avg read": "reads",
    "avg grep": "greps",
    "avg glob": "globs",
    "avg bash": "bashes",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One trial that counts."""

    benchmark: str
    task: str
    workflow: str
    run: int
    repo: str
    success: bool
    graded: bool
    metrics: dict[str, float]
    tokens: int
    fresh: int
    cached: int
    output: int
    wall: float
    start: float
    model: float
    tool: float
    map_calls: int
    native_calls: int
    reads: int
    greps: int
    globs: int
    bashes: int
    edits: int
    model_calls: int
    cost: float
    flagged: bool

    @property
    def key(self) -> tuple[str, int]:
        """What pairs a view's trial with the baseline's."""
        return self.task, self.run


@dataclass(slots=True)
class Frame:
    """Rows of all trials that count, and the records of those that do not."""

    rows: list[Row]
    environment: list[TrialRecord] = field(default_factory=list[TrialRecord])
    records: list[TrialRecord] = field(default_factory=list[TrialRecord])
    _groups: dict[tuple[str, str], list[Row]] = field(
        default_factory=dict[tuple[str, str], list[Row]]
    )

    def benchmarks(self) -> list[str]:
        """Benchmarks that have rows, sorted."""
        return sorted({row.benchmark for row in self.rows})

    def workflows(self, benchmark: str) -> list[str]:
        """Workflows of a benchmark: the study's order, then others by name."""
        found = {row.workflow for row in self.rows if row.benchmark == benchmark}
        return sorted(found, key=lambda w: (_order(w), w))

    def of(self, benchmark: str, workflow: str) -> list[Row]:
        """Rows of one cell of the grid, by task and run."""
        if not self._groups:
            for row in sorted(self.rows, key=lambda r: r.key):
                self._groups.setdefault((row.benchmark, row.workflow), []).append(row)
        return self._groups.get((benchmark, workflow), [])

    def pairs(self, benchmark: str, workflow: str) -> list[Pair]:
        """``(view, baseline)`` rows of the same task and run; tasks that lack one are left out."""
        baseline = {row.key: row for row in self.of(benchmark, BASELINE)}
        rows = self.of(benchmark, workflow)
        return [(row, baseline[row.key]) for row in rows if row.key in baseline]


def _order(workflow: str) -> int:
    return WORKFLOWS.index(workflow) if workflow in WORKFLOWS else len(WORKFLOWS)


def frame(records: Iterable[TrialRecord]) -> Frame:
    """Split records into those that count and those that failed for the environment's fault."""
    whole = Frame([])
    for record in records:
        whole.records.append(record)
        if record.failure and not policy(record.failure.kind).counts:
            whole.environment.append(record)
        else:
            whole.rows.append(_row(record))
    return whole


def _row(record: TrialRecord) -> Row:
    usage, wall, id = record.usage, record.wall, record.id
    return Row(
        benchmark=id.benchmark,
        task=id.task,
        workflow=id.workflow,
        run=id.run,
        repo=record.repo,
        success=bool(record.verdict.success),
        graded=record.verdict.success is not None,
        metrics=record.verdict.metrics,
        tokens=usage.total,
        fresh=usage.fresh,
        cached=usage.cache_read + usage.cache_write,
        output=usage.output,
        wall=wall.total,
        start=wall.start,
        model=wall.model,
        tool=wall.tool,
        map_calls=record.count("map"),
        native_calls=record.count("read", "grep", "glob", "bash", "edit", "write"),
        reads=record.count("read"),
        greps=record.count("grep"),
        globs=record.count("glob"),
        bashes=record.count("bash"),
        edits=record.count("edit", "write"),
        model_calls=len(record.calls),
        cost=record.cost_usd or 0.0,
        flagged=record.flags.any,
    )


def mean(rows: Sequence[Row], name: str) -> float:
    """Mean of an attribute, 0 for no rows."""
    return sum(getattr(row, name) for row in rows) / len(rows) if rows else 0.0


def metric(rows: Sequence[Row], name: str) -> float:
    """Mean of a metric over graded rows; rows without it count as 0 (nothing was answered)."""
    graded = [row for row in rows if row.graded]
    return sum(value(row, name) for row in graded) / len(graded) if graded else 0.0


def value(row: Row, name: str) -> float:
    """A row's metric; success itself for graders that only say yes or no."""
    if name in row.metrics:
        return row.metrics[name]
    return float(row.success) if name in ("resolved", "reproducing") else 0.0
