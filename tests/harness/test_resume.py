"""A run survives kill -9 at any point, on threads and on a Dask cluster, with the same records."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from codeviews.harness import runner, workspace
from codeviews.harness.describing import Context
from codeviews.harness.errors import BadInput, MissingProgram
from codeviews.harness.executors import Job
from codeviews.harness.grid import Grid, chosen, trials
from codeviews.harness.records import TrialId, TrialRecord
from codeviews.harness.results import RunFolder

MakeGrid = Callable[..., Grid]
TASKS = 5


@pytest.fixture
def recorded(shop_grid: MakeGrid, tmp_path: Path) -> MakeGrid:
    """Grids that replay a recording of five tasks, made by hand from one stream."""
    folder = tmp_path / "recording"
    base = shop_grid(count=TASKS, host="claude-code")
    RunFolder(folder).begin(base, {})
    for number in range(1, TASKS + 1):
        for workflow in base.workflows:
            _record(RunFolder(folder), f"shop-{number}", workflow, number)

    def make(**changes: Any) -> Grid:
        return shop_grid(count=TASKS, host="replay", replay=str(folder), script={}, **changes)

    return make


def _record(folder: RunFolder, task: str, workflow: str, number: int) -> None:
    """One recorded trial: a stream in Claude Code's format, the endpoint's log, a record."""
    id = TrialId(benchmark="localize", task=task, workflow=workflow)
    found = "shop/cart.py" if number % 2 else "shop/tax.py"
    answer = json.dumps({"symbols": [f"{found}:total"]})
    usage = {"input_tokens": 100 + number, "output_tokens": 10}
    stream = [
        {"type": "system", "subtype": "init", "session_id": task, "model": "claude-haiku-4-5"},
        {
            "type": "assistant",
            "message": {"id": "m0", "content": [{"type": "text", "text": answer}]},
        },
        {"type": "result", "result": answer, "usage": usage, "total_cost_usd": 0.001},
    ]
    lines = "".join(json.dumps(event) + "\n" for event in stream)
    exchange = {
        "started": 1.0,
        "ended": 1.5,
        "status": 200,
        "model": "claude-haiku-4-5",
        "tools": ["Read"],
        "requested": [],
        "usage": {"fresh": 100 + number, "cache_read": 0, "cache_write": 0, "output": 10},
    }
    ended = {"returncode": 0, "started": 0.5, "ended": 2.0, "timed_out": False}
    session = {"command": ["claude"], "ended": ended, "exchanges": [exchange]}
    folder.write(id, "streams", ".jsonl", lines.encode())
    folder.write(id, "sessions", ".json", json.dumps(session).encode())
    host = {"name": "claude-code", "version": "1"}
    folder.save(TrialRecord.model_validate({"id": id.model_dump(), "config": "c", "host": host}))


def stable(folder: Path) -> dict[str, dict[str, Any]]:
    """Records without times, by trial."""
    loaded = RunFolder(folder).load()
    assert loaded.problems == []
    return {f"{r.id.task} {r.id.slug}": r.stable() for r in loaded.records}


def test_replay_derives_the_same_verdicts_and_tokens_again(
    recorded: MakeGrid, tmp_path: Path
) -> None:
    runner.run(recorded(), tmp_path / "run", tmp_path / "slots")
    records = RunFolder(tmp_path / "run").load().records
    assert [(r.verdict.success, r.usage.total) for r in records if r.id.workflow == "baseline"] == [
        (True, 111),
        (False, 112),
        (True, 113),
        (False, 114),
        (True, 115),
    ]
    assert records[0].wall.model == 0.5


SLOW = """
import sys, time
from pathlib import Path
from codeviews.harness import results, runner
from codeviews.harness.results import RunFolder
stop_at, folder, grid_file = int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
from codeviews.harness.grid import Grid
grid = Grid.model_validate_json(Path(grid_file).read_text())
whole, count = results.write_whole, 0
def counting(path, data, replace=True):
    global count
    count += 1
    if count == stop_at:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_name(f".{path.name}.part").write_bytes(data[: len(data) // 2])
        import os, signal
        os.kill(os.getpid(), signal.SIGKILL)
    return whole(path, data, replace)
results.write_whole = counting
runner.run(grid, folder, folder.parent / "slots")
"""


@pytest.mark.parametrize("stop_at", [1, 4, 5, 23])
def test_kill_9_at_any_write_then_resume_gives_the_same_records(
    recorded: MakeGrid, tmp_path: Path, stop_at: int
) -> None:
    grid = recorded(jobs=1)
    runner.run(grid, tmp_path / "whole", tmp_path / "slots")
    (tmp_path / "grid.json").write_text(grid.model_dump_json())
    argv = [sys.executable, "-c", SLOW, str(stop_at), str(tmp_path / "cut")]
    killed = subprocess.run([*argv, str(tmp_path / "grid.json")], capture_output=True, text=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    done = stable(tmp_path / "cut") if (tmp_path / "cut" / "trials").exists() else {}
    assert len(done) < 2 * TASKS
    summary = runner.run(grid, tmp_path / "cut", tmp_path / "slots")
    assert summary.ran == 2 * TASKS - len(done)
    assert stable(tmp_path / "cut") == stable(tmp_path / "whole")


LOOPING = """
import sys
from codeviews.harness import cli, runner
from codeviews.harness.grid import Grid
from pathlib import Path
class Told(runner.Silent):
    def record(self, record):
        print("one is done", flush=True)
cli.LiveProgress = lambda console: __import__("contextlib").nullcontext(Told())
sys.argv = ["harness", *sys.argv[1:]]
cli.main()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_ends_its_hosts_and_records_nothing_of_them(
    claude: Path, shop_grid: MakeGrid, tmp_path: Path, number: int
) -> None:
    grid = shop_grid(script={"baseline": "lazy", "callgraph": "looping"})
    path = tmp_path / "run"
    RunFolder(path).begin(grid, {})
    argv = [sys.executable, "-c", LOOPING, "resume", str(path), "--slots", str(tmp_path / "slots")]
    started = subprocess.Popen(
        argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert started.stdout is not None
    assert started.stdout.readline() == "one is done\n"
    started.send_signal(number)
    _, said = started.communicate(timeout=60)
    assert (started.returncode, f"continue with: harness resume {path}" in said) == (130, True)
    assert [r.id.workflow for r in RunFolder(path).load().records] == ["baseline"]
    assert list((tmp_path / "slots").rglob("child.json")) == []


def test_a_host_left_by_a_killed_harness_is_ended_before_its_tree_is_reused(
    tmp_path: Path,
) -> None:
    from codeviews.harness.hosts import process

    child = subprocess.Popen(["sleep", "600"], start_new_session=True)
    process.remember(tmp_path / "child.json", child.pid)
    assert process.end_orphan(tmp_path / "child.json") is True
    assert child.wait(10) == -signal.SIGKILL
    process.remember(tmp_path / "child.json", os.getpid())
    noted = json.loads((tmp_path / "child.json").read_text())
    (tmp_path / "child.json").write_text(json.dumps({**noted, "born": "1"}))
    assert process.end_orphan(tmp_path / "child.json") is False


@pytest.mark.filterwarnings("default")
def test_a_dask_worker_killed_midway_loses_no_trial_and_repeats_none(
    recorded: MakeGrid, tmp_path: Path
) -> None:
    distributed = pytest.importorskip("distributed", reason="the cluster extra is not installed")
    from codeviews.harness import executors

    threads = recorded(runs=6, jobs=2)
    runner.run(threads, tmp_path / "threads", tmp_path / "slots")
    grid = threads.model_copy(update={"executor": "dask"})
    folder = RunFolder(tmp_path / "dask")
    tasks = chosen(grid, "localize")
    folder.begin(grid, {})
    context = Context(grid, str(folder.path), str(tmp_path / "slots"))
    jobs = [Job(id, tasks[id.task]) for id in trials(grid, "localize", list(tasks))]
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
    ) as cluster:
        on = grid.model_copy(update={"scheduler": cluster.scheduler_address})
        seen: Counter[TrialId] = Counter()
        with distributed.Client(cluster, set_as_default=False) as client:
            pids = list(client.run(os.getpid).values())
        for record in executors.dask(Context(on, context.folder, context.slots), jobs):
            seen[record.id] += 1
            if len(seen) == 20:
                os.kill(pids[0], signal.SIGKILL)
    assert len(jobs) == 2 * TASKS * 6
    assert seen == Counter(job.id for job in jobs)
    expected = {k: {**v, "config": grid.digest()} for k, v in stable(tmp_path / "threads").items()}
    assert stable(folder.path) == expected


def test_a_second_harness_on_a_run_folder_is_refused(recorded: MakeGrid, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    with (
        workspace.locked(tmp_path / "run" / "run.lock"),
        pytest.raises(BadInput, match="another harness runs"),
    ):
        runner.run(recorded(), tmp_path / "run", tmp_path / "slots")
    assert runner.run(recorded(), tmp_path / "run", tmp_path / "slots").ran == 2 * TASKS


def test_a_scheduler_that_is_not_there_is_one_sentence(recorded: MakeGrid, tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="the cluster extra is not installed")
    import dask.config

    with pytest.raises(BadInput, match="add --executor dask"):
        runner.run(recorded(scheduler="tcp://h:1"), tmp_path / "run", tmp_path / "slots")
    grid = recorded(executor="dask", scheduler="nonsense")
    with pytest.raises(BadInput, match="'nonsense' is no address of a Dask scheduler"):
        runner.run(grid, tmp_path / "run", tmp_path / "slots")
    grid = grid.model_copy(update={"scheduler": "tcp://127.0.0.1:1"})
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "200ms"}),
        pytest.raises(MissingProgram, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:1"),
    ):
        runner.run(grid, tmp_path / "run", tmp_path / "slots")


def test_the_executor_does_not_change_the_configuration(recorded: MakeGrid) -> None:
    grid = recorded()
    moved = grid.model_copy(update={"executor": "dask", "jobs": 9, "scheduler": "tcp://x:1"})
    assert moved.digest() == grid.digest()
    assert grid.model_copy(update={"timeout": 5.0}).digest() != grid.digest()
