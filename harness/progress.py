"""Live progress of a run: how far, how it goes, what it has cost so far."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from codeviews.harness.policy import policy
from codeviews.harness.records import TrialRecord


class LiveProgress:
    """An observer that draws a bar, with a line for every failed trial above it."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.cost = 0.0
        self.counts = {"success": 0, "failure": 0, "environment": 0, "ungraded": 0}
        self.progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
        )
        self.bar = self.progress.add_task("trials", total=None)

    def __enter__(self) -> LiveProgress:
        self.progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.progress.stop()

    def begin(self, total: int, done: list[TrialRecord]) -> None:
        """Start the bar where an earlier run left it."""
        for record in done:
            self._count(record)
        self.progress.update(self.bar, total=total, completed=len(done), description=self._text())

    def record(self, record: TrialRecord) -> None:
        """Advance, and name a failure."""
        self._count(record)
        if record.failure:
            where = f"{record.id.benchmark} {record.id.task} {record.id.slug}"
            self.console.print(f"{where}: {record.failure.kind}: {record.failure.message}")
        self.progress.update(self.bar, advance=1, description=self._text())

    def _count(self, record: TrialRecord) -> None:
        self.cost += record.cost_usd or 0.0
        self.counts[outcome(record)] += 1

    def _text(self) -> str:
        parts = [f"{count} {name}" for name, count in self.counts.items() if count]
        return f"trials ({', '.join(parts) or 'none yet'}; ${self.cost:.2f})"


def outcome(record: TrialRecord) -> str:
    """``success``, ``failure``, ``environment`` or ``ungraded``."""
    if record.failure and not policy(record.failure.kind).counts:
        return "environment"
    if record.verdict.success is None:
        return "ungraded"
    return "success" if record.verdict.success else "failure"
