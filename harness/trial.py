"""One trial from task to record: tree, index, host, classification, grading, flags."""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

from codeviews.harness import classify, contamination, mounting, session, trajectory
from codeviews.harness.benchmarks import Benchmark, benchmark
from codeviews.harness.describing import Attempt, Context, describe, grade
from codeviews.harness.errors import DiskFull, HarnessError, Interrupted, MissingProgram
from codeviews.harness.gitrepo import GitError
from codeviews.harness.grid import Grid
from codeviews.harness.hosts import Host, Launch, Mount, host, install, process, replay
from codeviews.harness.mounting import IndexFailed
from codeviews.harness.policy import policy
from codeviews.harness.records import (
    Failure,
    HostInfo,
    IndexCost,
    TrialId,
    TrialRecord,
)
from codeviews.harness.results import RunFolder, load_records, no_room
from codeviews.harness.scripting import variables
from codeviews.harness.session import Session
from codeviews.harness.tasks import Task
from codeviews.harness.workflows import BASELINE, steer
from codeviews.harness.workspace import NoRepository, Slot, locate, slot

_NO_ROOM = ("no space left", "disk is full", "disk quota", "file too large")


class StopRun(HarnessError):
    """Nothing later in the run could work either; says why."""


def run_trial(context: Context, id: TrialId, task: Task) -> TrialRecord:
    """Run one trial, with retries, and write its record; a trial that has a record is not run.

    Raises:
        StopRun: a failure after which no trial can work.
        DiskFull: no room; nothing was written.
        Interrupted: the run is being stopped; nothing was written.
    """
    results = context.results
    if results.done(id):
        return load_records([results.record_path(id)]).records[0]
    earlier: list[Failure] = []
    while True:
        attempt = _attempt(context, id, task)
        process.go_on()
        failure = attempt.record.failure
        if failure is None or not _retry(failure, earlier):
            break
        earlier.append(failure)
    attempt.record.earlier, attempt.record.attempts = earlier, len(earlier) + 1
    if failure and policy(failure.kind).stop:
        raise StopRun(failure.message)
    _save(results, attempt)
    return attempt.record


def _retry(failure: Failure, earlier: list[Failure]) -> bool:
    line = policy(failure.kind)
    before = sum(other.kind == failure.kind for other in earlier)
    if before >= line.retries:
        return False
    time.sleep(line.wait * 2**before)
    return True


def _save(results: RunFolder, attempt: Attempt) -> None:
    """The record last: it says that everything else of the trial is there."""
    record, seen = attempt.record, attempt.session
    if seen is not None:
        results.write(record.id, "streams", ".jsonl", seen.stream)
        results.write(record.id, "sessions", ".json", session.dump(seen))
        told = steer(record.id.workflow)
        document = trajectory.atif(record, seen.outcome, attempt.prompt, told)
        results.write(record.id, "trajectories", ".json", json.dumps(document, indent=1).encode())
    results.save(record)


def _attempt(context: Context, id: TrialId, task: Task) -> Attempt:
    """One attempt; whatever goes wrong becomes a failure of a known kind."""
    started, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
    module = benchmark(id.benchmark)
    run = replay.attempt if context.grid.host == "replay" else _live
    try:
        done = run(context, id, task, module)
    except (DiskFull, Interrupted, KeyboardInterrupt):
        raise
    except Exception as error:
        if _full(error):
            raise DiskFull(f"the disk is full: {error}") from error
        done = Attempt(_failed(context, id, _kind_of(error), error), None, module.prompt(task))
    done.record.started_at = started
    done.record.wall.harness = round(time.monotonic() - clock - _beside(done), 4)
    return done


def _beside(attempt: Attempt) -> float:
    """Seconds of an attempt that are not the harness's own: the host, and a built index."""
    index = attempt.record.index
    built = index.seconds if index and not index.reused else 0.0
    return attempt.record.wall.total + built


def _full(error: Exception) -> bool:
    """Whether an error, or the words of a program that failed, say that there is no room."""
    if isinstance(error, OSError) and no_room(error):
        return True
    said = str(error).lower()
    return any(word in said for word in _NO_ROOM)


def _kind_of(error: Exception) -> str:
    kinds: dict[type[Exception], str] = {
        NoRepository: "no_repository",
        IndexFailed: "index_failed",
        MissingProgram: "no_host",
    }
    return next((name for kind, name in kinds.items() if isinstance(error, kind)), "harness_error")


def _failed(context: Context, id: TrialId, kind: str, error: Exception) -> TrialRecord:
    message = str(error) if isinstance(error, HarnessError) else f"{type(error).__name__}: {error}"
    grid = context.grid
    told = HostInfo(name=grid.host, model=grid.model, effort=grid.effort)
    failure = Failure(kind=kind, message=message[:500])
    return TrialRecord(id=id, config=grid.digest(), host=told, failure=failure)


def _live(context: Context, id: TrialId, task: Task, module: Benchmark) -> Attempt:
    """Run the host on a fresh tree."""
    grid, program = context.grid, host(context.grid.host)
    slots = Path(context.slots)
    with ExitStack() as stack:
        source = locate(task, grid.repos_of(id.benchmark), slots / "mirrors")
        tree = stack.enter_context(slot(source, slots))
        scratch = Path(stack.enter_context(_scratch(slots)))
        index, mount = _map(grid, id.workflow, tree)
        values = variables(task, str(tree.repo))
        model = stack.enter_context(session.endpoint(grid, program, id.workflow, values))
        launch = _launch(grid, program, id, module, task, tree, scratch, mount, model.url)
        seen = session.play(program, launch, model.log, tree.child)
        record = describe(context, id, program, seen)
        record.index, record.repo = index, task.repo
        record.failure = classify.failure(launch, seen.ended, seen.outcome, model.log)
        _finish(record, task, module, seen, tree)
        calls = seen.outcome.calls()
        record.flags = contamination.flags(task, calls, tree.repo, scratch, tree.index)
        return Attempt(record, seen, launch.prompt)


def _map(grid: Grid, workflow: str, tree: Slot) -> tuple[IndexCost | None, Mount | None]:
    """The index and the server of a view; nothing for the baseline."""
    if workflow == BASELINE:
        return None, None
    index = mounting.prepare_index(tree, grid.index)
    return index, mounting.mount(workflow, tree, grid.server)


def _launch(
    grid: Grid,
    program: Host,
    id: TrialId,
    module: Benchmark,
    task: Task,
    tree: Slot,
    scratch: Path,
    mount: Mount | None,
    base_url: str,
) -> Launch:
    return Launch(
        binary=install.find(program),
        workdir=tree.repo,
        scratch=scratch,
        prompt=module.prompt(task),
        base_url=base_url,
        key=session.key(grid, program),
        model=grid.model,
        effort=grid.effort,
        steer=steer(id.workflow),
        mount=mount,
        gate=grid.gated(module.REPAIR) and mount is not None,
        max_turns=grid.max_turns,
        budget_usd=grid.budget_usd,
        timeout=grid.timeout,
    )


def _scratch(slots: Path) -> tempfile.TemporaryDirectory[str]:
    slots.mkdir(parents=True, exist_ok=True)
    return tempfile.TemporaryDirectory(dir=slots, prefix="trial-", ignore_cleanup_errors=True)


def _finish(record: TrialRecord, task: Task, module: Benchmark, seen: Session, tree: Slot) -> None:
    """Collect the answer and grade it, as the policy says."""
    patch = ""
    try:
        if not any(path.name != ".git" for path in tree.repo.iterdir()):
            raise GitError("the tree is empty")
        patch = tree.changes()
    except (OSError, GitError) as error:
        shutil.rmtree(tree.folder / "git", ignore_errors=True)
        record.failure = record.failure or Failure(kind="repository_deleted", message=str(error))
    grade(record, task, module, seen.outcome.text, patch)
