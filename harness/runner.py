"""A run: check that it can work, find what is left to do, do it, tell the observer."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple, Protocol

import platformdirs

from codeviews.harness import grid as grids
from codeviews.harness import session
from codeviews.harness.describing import Context
from codeviews.harness.errors import BadInput, optional
from codeviews.harness.executors import EXECUTORS, Job
from codeviews.harness.grid import Grid
from codeviews.harness.hosts import host, install
from codeviews.harness.policy import policy
from codeviews.harness.records import TrialRecord
from codeviews.harness.results import RunFolder, make_folder
from codeviews.harness.tasks import Task
from codeviews.harness.workspace import locked


class Observer(Protocol):
    """Is told what happens while a run goes on."""

    def begin(self, total: int, done: list[TrialRecord]) -> None:
        """The run has ``total`` trials, of which these were done before."""
        ...

    def record(self, record: TrialRecord) -> None:
        """One more trial is done."""
        ...


class Silent:
    """An observer that says nothing."""

    def begin(self, total: int, done: list[TrialRecord]) -> None:
        """Nothing."""

    def record(self, record: TrialRecord) -> None:
        """Nothing."""


class Summary(NamedTuple):
    """What a run came to. ``environment`` counts trials that failed for no fault of the agent."""

    folder: str
    trials: int
    ran: int
    successes: int
    ungraded: int
    failures: dict[str, int]
    environment: int
    cost_usd: float
    problems: list[str]


def slots_folder(chosen: str = "") -> Path:
    """Where working trees and their indexes are kept, for this run and later ones."""
    named = chosen or os.environ.get("CODEVIEWS_SLOTS", "")
    return Path(named) if named else Path(platformdirs.user_cache_dir("codeviews")) / "slots"


def run(grid: Grid, folder: Path, slots: Path, observer: Observer | None = None) -> Summary:
    """Run every trial of a grid that has no record yet.

    Raises:
        HarnessError: nothing can work (no host, no key, no tasks), another harness runs the
            folder, or a trial ended the run.
    """
    check(grid)
    chosen = {name: grids.chosen(grid, name) for name in grid.benchmarks}
    make_folder(folder)
    try:
        with locked(folder / "run.lock", wait=False):
            return _run(grid, chosen, folder, slots, observer or Silent())
    except BlockingIOError as error:
        raise BadInput(f"another harness runs {folder}: wait for it, or give --out") from error


def _run(
    grid: Grid, chosen: dict[str, dict[str, Task]], folder: Path, slots: Path, observer: Observer
) -> Summary:
    results = RunFolder(folder)
    results.begin(grid, {name: list(tasks) for name, tasks in chosen.items()})
    results.sweep()
    jobs = [
        Job(id, chosen[name][id.task])
        for name in grid.benchmarks
        for id in grids.trials(grid, name, list(chosen[name]))
    ]
    loaded = results.load()
    finished = {record.id for record in loaded.records}
    left = [job for job in jobs if job.id not in finished]
    _drop_damaged(results, left)
    observer.begin(len(jobs), loaded.records)
    context = Context(grid, str(folder.resolve()), str(slots.resolve()))
    ran = 0
    for record in EXECUTORS[grid.executor](context, left):
        observer.record(record)
        ran += 1
    return summary(results, ran)


def _drop_damaged(results: RunFolder, left: list[Job]) -> None:
    """A record that cannot be read is put aside, so that its trial runs again."""
    for job in left:
        path = results.record_path(job.id)
        if path.exists():
            path.replace(path.with_suffix(".damaged"))


def check(grid: Grid) -> None:
    """Whether a run can work at all.

    Raises:
        MissingProgram: the host's program, the key or an optional package is absent.
        BadInput: ``replay`` without a recording, no folder of repositories, or limits that the
            host would not keep.
    """
    program = host(grid.host)
    if (grid.max_turns or grid.budget_usd) and not program.LIMITS:
        raise BadInput(f"host '{grid.host}' knows no --max-turns, no --budget-usd")
    if grid.host == "replay":
        if not grid.replay:
            raise BadInput("the replay host needs the run to replay: --replay FOLDER")
        RunFolder(Path(grid.replay)).grid()
    else:
        install.find(program)
        session.key(grid, program)
        for name in grid.benchmarks:
            if not Path(grid.repos_of(name) or "/nonexistent").is_dir():
                given = grid.repos_of(name) or "none given"
                raise BadInput(f"{name} needs a folder of repositories ({given}): --repos FOLDER")
    if grid.executor == "dask":
        optional("distributed", "cluster")
    elif grid.scheduler:
        raise BadInput("--scheduler is the address of a Dask scheduler: add --executor dask")


def resume(folder: Path, slots: Path, observer: Observer | None = None) -> Summary:
    """Continue a run where it stopped, under its own configuration."""
    return run(RunFolder(folder).grid(), folder, slots, observer)


def summary(results: RunFolder, ran: int = 0) -> Summary:
    """What the records of a run come to."""
    loaded = results.load()
    failures: dict[str, int] = {}
    for record in loaded.records:
        if record.failure:
            failures[record.failure.kind] = failures.get(record.failure.kind, 0) + 1
    environment = sum(n for kind, n in failures.items() if not policy(kind).counts)
    verdicts = [record.verdict.success for record in loaded.records]
    return Summary(
        folder=str(results.path),
        trials=len(loaded.records),
        ran=ran,
        successes=verdicts.count(True),
        ungraded=verdicts.count(None) - environment,
        failures=failures,
        environment=environment,
        cost_usd=round(sum(record.cost_usd or 0.0 for record in loaded.records), 6),
        problems=loaded.problems,
    )
