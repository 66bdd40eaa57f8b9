"""Whole runs with the real host, a real map server and scripted agents whose truth is known."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from codeviews.harness import behaviour, runner, scripting
from codeviews.harness.benchmarks import benchmark
from codeviews.harness.errors import BadInput, DiskFull, MissingProgram
from codeviews.harness.grid import Grid, chosen
from codeviews.harness.records import TrialId, TrialRecord
from codeviews.harness.results import RunFolder

MakeGrid = Callable[..., Grid]


def go(grid: Grid, home: Path) -> dict[str, TrialRecord]:
    """Run a grid; records by workflow."""
    folder = RunFolder(home / "run")
    runner.run(grid, folder.path, home / "slots")
    loaded = folder.load()
    assert loaded.problems == []
    return {record.id.workflow: record for record in loaded.records}


def test_records_equal_the_scripts_truth_in_every_field(
    claude: Path, shop_grid: MakeGrid, tmp_path: Path
) -> None:
    script = {"*": "map-first", "deps": "never-map", "docs": "lazy"}
    grid = shop_grid(workflows=("baseline", "callgraph", "deps", "docs"), script=script)
    records = go(grid, tmp_path)
    task = chosen(grid, "localize")["shop-1"]
    for workflow, record in records.items():
        values = scripting.variables(task, "")
        script_of = behaviour.load(grid.behaviour_of(workflow))
        truth = scripting.truth(script_of, workflow != "baseline", values)
        assert scripting.differences(record, truth, task, benchmark("localize")) == []
        assert record.host.snapshot == "claude-haiku-4-5"
        assert record.host.command[1:3] == ["-p", benchmark("localize").prompt(task)]
        assert record.wall.total >= record.wall.start + record.wall.model
        assert record.context_left is not None
        assert not record.flags.any
        trajectory = RunFolder(tmp_path / "run").file(record.id, "trajectories", ".json")
        document = json.loads(trajectory.read_text())
        agent = [step for step in document["steps"] if step["source"] == "agent"]
        assert len(agent) == len(record.calls)
        assert document["final_metrics"]["total_completion_tokens"] == record.usage.output
    kinds = {name: [tool.kind for tool in r.tools] for name, r in records.items()}
    assert kinds == {
        "baseline": ["grep", "glob", "read"],
        "callgraph": ["map", "read"],
        "deps": ["grep", "read", "bash"],
        "docs": [],
    }
    assert records["callgraph"].index is not None
    assert records["baseline"].index is None
    assert (records["callgraph"].index.files, records["callgraph"].index.cpu_seconds) == (4, 0.1)


def test_failures_are_told_apart_and_only_the_agents_own_count(
    claude: Path, shop_grid: MakeGrid, tmp_path: Path
) -> None:
    script = {"baseline": "looping", "ast": "crashing", "callgraph": "failing", "deps": "flaky"}
    grid = shop_grid(workflows=("baseline", "ast", "callgraph", "deps"), script=script, max_turns=3)
    records = go(grid, tmp_path)
    kinds = {name: r.failure.kind if r.failure else "" for name, r in records.items()}
    assert kinds == {
        "baseline": "max_turns",
        "ast": "no_result",
        "callgraph": "api_error",
        "deps": "",
    }
    attempts = {name: r.attempts for name, r in records.items()}
    assert attempts == {"baseline": 1, "ast": 2, "callgraph": 3, "deps": 1}
    assert records["baseline"].verdict.success is False
    assert records["ast"].verdict.success is None
    assert [call.usage.total for call in records["deps"].calls] == [930, 1090]


@pytest.mark.parametrize(
    ("server", "kind"),
    [
        (("no-such-program",), "mcp_not_connected"),
        ((), "mcp_tools_missing"),
    ],
)
def test_a_run_without_its_map_is_an_environment_failure_never_a_result(
    claude: Path,
    shop_grid: MakeGrid,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    server: tuple[str, ...],
    kind: str,
) -> None:
    if not server:  # our own tools are expected, and this server offers two of nine
        from codeviews.harness import mounting
        from codeviews.harness.hosts import Mount

        template = shop_grid().server

        def two_tools(view: str, slot: Any, _: tuple[str, ...]) -> Mount:
            command = mounting.fill(template, view, slot.repo)
            return Mount(view, command, {}, mounting.TOOLS[view])

        monkeypatch.setattr(mounting, "mount", two_tools)
    grid = shop_grid(workflows=("callgraph",), server=server or ("x",))
    record = go(grid, tmp_path)["callgraph"]
    assert record.failure is not None
    assert record.failure.kind == kind
    assert (record.attempts, record.verdict.success) == (2, None)


def test_a_repair_is_gated_collected_as_a_patch_and_the_next_trial_starts_clean(
    claude: Path, shop_grid: MakeGrid, tmp_path: Path
) -> None:
    values = {"old": "sum(prices) + 1", "new": "sum(prices)", "file": "shop/cart.py"}
    rows = [shop_row(script=values)]
    grid = shop_grid(benchmarks=("swebench",), rows=rows, script={"*": "repairing"}, jobs=1)
    records = go(grid, tmp_path)
    for record in records.values():
        assert record.failure is None
        removed, added = "-    return sum(prices) + 1\n", "+    return sum(prices)\n"
        assert record.prediction.patch.endswith(removed + added)
        assert record.verdict.success is None
    assert records.keys() == {"baseline", "callgraph"}


def shop_row(**more: Any) -> dict[str, Any]:
    return {
        "instance_id": "shop-1",
        "repo": "codeviews/shop",
        "base_commit": "HEAD",
        "problem_statement": "The total is one too high",
        "gold_files": ["shop/cart.py"],
        **more,
    }


def test_an_agent_that_deletes_the_repository_fails_and_harms_no_later_trial(
    claude: Path, shop_grid: MakeGrid, tmp_path: Path
) -> None:
    wrecker = tmp_path / "wrecker.json"
    destroy = {"command": "python3 -c \"import shutil; shutil.rmtree('{repo}')\""}
    steps = [{"calls": [{"tool": "Bash", "arguments": destroy}]}, {"text": "oops"}]
    wrecker.write_text(json.dumps({"steps": steps}))
    script = {"baseline": str(wrecker), "callgraph": "map-first"}
    records = go(shop_grid(script=script, jobs=1), tmp_path)
    assert records["baseline"].failure is not None
    assert records["baseline"].failure.kind == "repository_deleted"
    assert records["baseline"].verdict.success is False
    assert records["callgraph"].verdict.success is True


def test_a_task_without_its_repository_is_one_clear_sentence(
    claude: Path, shop_grid: MakeGrid, tmp_path: Path
) -> None:
    empty = tmp_path / "empty"
    (empty / "other" / ".git").mkdir(parents=True)
    grid = shop_grid(repos={"*": str(empty)}, workflows=("baseline",))
    record = go(grid, tmp_path)["baseline"]
    assert record.failure is not None
    assert record.failure.kind == "no_repository"
    assert record.failure.message.startswith("no repository for codeviews/shop in")


def test_resume_needs_the_same_configuration_but_not_the_same_number_of_jobs(
    claude: Path, shop_grid: MakeGrid, tmp_path: Path
) -> None:
    grid = shop_grid(workflows=("baseline",), script={"*": "lazy"})
    go(grid, tmp_path)
    again = runner.run(grid.model_copy(update={"jobs": 1}), tmp_path / "run", tmp_path / "slots")
    assert (again.trials, again.ran) == (1, 0)
    other = grid.model_copy(update={"model": "claude-opus-4-5", "jobs": 7})
    with pytest.raises(BadInput, match=r"n: model: 'claude-haiku-4-5' -> 'claude-opus-4-5'$"):
        runner.run(other, tmp_path / "run", tmp_path / "slots")


def test_a_damaged_record_is_put_aside_and_its_trial_runs_again(
    claude: Path, shop_grid: MakeGrid, tmp_path: Path
) -> None:
    grid = shop_grid(workflows=("baseline",), script={"*": "lazy"})
    before = go(grid, tmp_path)["baseline"]
    folder = RunFolder(tmp_path / "run")
    path = folder.record_path(TrialId(benchmark="localize", task="shop-1", workflow="baseline"))
    path.write_text('{"version": 1, "id"')
    assert "is no record and was left out" in folder.load().problems[0]
    summary = runner.run(grid, folder.path, tmp_path / "slots")
    assert (summary.ran, summary.problems) == (1, [])
    assert folder.load().records[0].stable() == before.stable()


def test_no_room_stops_the_run_whoever_meets_it(
    claude: Path, shop_grid: MakeGrid, tmp_path: Path
) -> None:
    index = ("{python}", "-c", "raise SystemExit('write failed: No space left on device')")
    with pytest.raises(DiskFull, match="the disk is full: the index was not built"):
        go(shop_grid(workflows=("callgraph",), index=index), tmp_path)
    assert RunFolder(tmp_path / "run").load().records == []


def test_limits_that_a_host_would_not_keep_are_refused(shop_grid: MakeGrid, tmp_path: Path) -> None:
    for limit in ({"max_turns": 3}, {"budget_usd": 0.5}):
        with pytest.raises(BadInput, match="host 'codex' knows no --max-turns, no --budget-usd"):
            runner.run(shop_grid(host="codex", **limit), tmp_path / "run", tmp_path / "slots")


def test_a_missing_host_or_key_is_said_before_anything_runs(
    shop_grid: MakeGrid, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEVIEWS_CLAUDE", str(tmp_path / "absent"))
    monkeypatch.setenv("CODEVIEWS_HOSTS", str(tmp_path / "none"))
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(MissingProgram, match="harness doctor --install-hosts claude-code"):
        runner.run(shop_grid(), tmp_path / "run", tmp_path / "slots")
    program = tmp_path / "claude"
    program.touch()
    monkeypatch.setenv("CODEVIEWS_CLAUDE", str(program))
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(MissingProgram, match="needs a key in ANTHROPIC_API_KEY"):
        runner.run(shop_grid(script={}), tmp_path / "run", tmp_path / "slots")
    with pytest.raises(BadInput, match="localize needs a folder of repositories"):
        runner.run(shop_grid(repos={}), tmp_path / "run", tmp_path / "slots")
    assert not (tmp_path / "run").exists()
