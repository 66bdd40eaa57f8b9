"""Answers, patches, flags, tasks, grids, records and formats: the harness's small parts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from codeviews.harness import (
    answers,
    contamination,
    grid,
    importers,
    patches,
)
from codeviews.harness.benchmarks import BENCHMARKS, benchmark
from codeviews.harness.errors import BadInput, UnknownName
from codeviews.harness.exchange import Usage
from codeviews.harness.hosts import HOSTS, SeenCall, codex, host, opencode
from codeviews.harness.policy import POLICIES
from codeviews.harness.records import Prediction, TrialRecord
from codeviews.harness.results import RunFolder, safe
from codeviews.harness.tasks import Gold, Task
from codeviews.harness.workflows import TOOLS, steer

TASK = Task("t", "o/n", "c", "s", Gold(files=("a.c",), symbols=("a.c:f",)))
PATCH = """\
diff --git a/src/cart.py b/src/cart.py
--- a/src/cart.py
+++ b/src/cart.py
@@ -1 +1 @@
-a
+return the_longest_line_of_this_fix(anywhere)
diff --git a/tests/test_cart.py b/tests/test_cart.py
--- a/tests/test_cart.py
+++ b/tests/test_cart.py
@@ -1 +1 @@
-b
+c
"""


@pytest.mark.parametrize(
    ("text", "files", "note"),
    [
        ('Done.\n{"files": ["a.c", "./b.c", "a.c"]}', ["a.c", "b.c"], ""),
        ('```json\n{"files": ["`a.c`"]}\n```\nBye {x}', ["a.c"], ""),
        ("1. fs/a.c\n2. `fs/b.c` likely\nnot a path", ["fs/a.c", "fs/b.c"], ""),
        ("I do not know.", [], "the answer names no files"),
        ("", [], "the answer names no files"),
    ],
)
def test_ranked_files_are_read_from_json_or_lines(text: str, files: list[str], note: str) -> None:
    assert answers.ranked(text, "files") == (files, note)


def test_of_eleven_files_the_first_ten_count_and_it_is_said() -> None:
    names = [f"f{n}.c" for n in range(11)]
    found, note = answers.ranked(json.dumps({"files": names}), "files")
    assert found == names[:10]
    assert note == "the answer names 11 files; the first ten count"


def test_file_recall_needs_the_file_among_the_first_k() -> None:
    linuxfl = benchmark("linuxfl")
    third = Prediction(files=["x.c", "y.c", "a.c"])
    assert linuxfl.grade(TASK, third).metrics == {"fR@1": 0.0, "fR@10": 1.0}
    assert linuxfl.grade(TASK, Prediction()).success is False


def test_localization_needs_all_symbols_and_ranks_the_first_hit() -> None:
    task = Task("t", "o/n", "c", "s", Gold(files=("a.py", "b.py"), symbols=("a.py:f", "b.py:g")))
    found = Prediction(files=["z.py", "a.py", "b.py"], symbols=["z.py:h", "a.py:f", "b.py:g"])
    assert benchmark("localize").grade(task, found).metrics == {
        "Func@1": 0.0,
        "Func@5": 1.0,
        "Func@10": 1.0,
        "File@1": 0.0,
        "File@5": 1.0,
        "File@10": 1.0,
        "MRR": 0.5,
    }


def test_source_and_tests_of_a_patch_are_told_apart() -> None:
    assert [path for path, _ in patches.files(PATCH)] == ["src/cart.py", "tests/test_cart.py"]
    fix = benchmark("swebench").collect(TASK, "", PATCH).patch
    tests = benchmark("swtbench").collect(TASK, "", PATCH).patch
    assert fix + tests == PATCH
    assert benchmark("swtbench").collect(TASK, "", fix).note == "the agent changed no test file"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("swebenchpro", [{"instance_id": "t", "patch": "P", "prefix": "m"}]),
        ("secbench", {"t": {"model_patch": "P"}}),
    ],
)
def test_predictions_are_written_in_the_official_formats(
    tmp_path: Path, name: str, expected: Any
) -> None:
    path = benchmark(name).write_predictions({"t": Prediction(patch="P")}, "m", tmp_path)
    assert json.loads(path.read_text()) == expected


def test_official_reports_are_read(tmp_path: Path) -> None:
    report = {"resolved_ids": ["a"], "unresolved_ids": ["b"], "error_ids": ["c"]}
    (tmp_path / "m.run.json").write_text(json.dumps(report))
    assert benchmark("swtbench").read_report(tmp_path) == {"a": True, "b": False, "c": False}
    (tmp_path / "official").mkdir()
    (tmp_path / "official" / "eval_results.json").write_text('{"a": true, "b": false}')
    assert benchmark("swebenchpro").read_report(tmp_path) == {"a": True, "b": False}
    lines = '{"instance_id": "a", "success": true}\n{"instance_id": "b", "success": false}\n'
    (tmp_path / "official" / "report.jsonl").write_text(lines)
    assert benchmark("secbench").read_report(tmp_path) == {"a": True, "b": False}


def call(name: str, output: str = "", **arguments: str) -> SeenCall:
    return SeenCall("id", name, dict(arguments), output)


def test_flags_name_what_was_touched_beyond_the_task(tmp_path: Path) -> None:
    repo, scratch, index = tmp_path / "repo", tmp_path / "scratch", tmp_path / "index"
    task = Task("t", "o/n", "c", "s", Gold(patch=PATCH))
    fix = "return the_longest_line_of_this_fix(anywhere)"
    found = contamination.flags(
        task,
        [
            call("Read", file_path=f"{repo}/src/cart.py"),
            call("Read", file_path="/root/other/secret.txt"),
            call("Bash", command="git log --all | head"),
            call("Bash", command=f"curl -s x.example; ls {index}/db"),
            call("mcp__codeviews__ast_explore", output=f"12 {fix}", query="/root/x"),
            call("Edit", file_path=f"{repo}/src/cart.py"),
            call("Read", output=fix, file_path=f"{repo}/src/cart.py"),
        ],
        repo,
        scratch,
        index,
    )
    assert found.outside == ["/root/other/secret.txt"]
    assert found.history == ["git log"]
    assert found.network == ["curl"]
    assert len(found.index) == 1
    assert found.leaked == [fix]


@pytest.mark.parametrize(
    ("command", "outside", "index"),
    [
        ("cat /home/u/s/0/repo/../git/HEAD", ["/home/u/s/0/git/HEAD"], 0),
        ("echo junk > ../index/db", [], 1),
        ("cat src/../../../1/repo/a.py", ["/home/u/s/1/repo/a.py"], 0),
        ("cat /home/u/s/0/repo2/a.py /tmpfiles/x", ["/home/u/s/0/repo2/a.py", "/tmpfiles/x"], 0),
        ("cd .. && ls ../..", ["/home/u/s/0"], 0),
        ("cat src/../a.py; git diff HEAD..main; cd src && cat ../a.py", [], 0),
    ],
)
def test_paths_that_lead_out_of_the_tree_are_flagged_however_they_are_written(
    command: str, outside: list[str], index: int
) -> None:
    home = Path("/home/u/s/0")
    calls = [call("Bash", command=command)]
    found = contamination.flags(TASK, calls, home / "repo", home / "scratch", home / "index")
    assert (found.outside, len(found.index)) == (outside, index)


def test_an_agent_that_stays_inside_is_not_flagged(tmp_path: Path) -> None:
    calls = [
        call("Bash", command="ls && python -m pytest tests 2>/dev/null"),
        call("Grep", path="."),
    ]
    assert not contamination.flags(TASK, calls, tmp_path, tmp_path, tmp_path / "i").any


def test_a_lone_task_source_counts_for_every_benchmark(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps({"id": "203475", "title": "boot hangs", "paths": ["a.c"]}) + "\n")
    loaded = grid.load("linuxfl", {"tasks": {"*": str(path)}})
    assert list(grid.chosen(loaded, "linuxfl")) == ["203475"]


def test_every_name_of_the_registries_loads() -> None:
    assert all(name == host(name).NAME for name in HOSTS)
    assert all(name == benchmark(name).NAME for name in BENCHMARKS)
    assert {view: len(tools) for view, tools in TOOLS.items()} == {
        "ast": 8,
        "callgraph": 9,
        "deps": 8,
        "docs": 6,
        "hybrid": 6,
        "curaloc": 6,
    }
    assert steer("baseline") == ""
    assert "Begin with callgraph_explore" in steer("callgraph")


def test_the_shipped_grids_load_and_the_study_is_the_studys() -> None:
    assert grid.names() == ["demo", "study"]
    study = grid.load("study")
    assert study.benchmarks == ("linuxfl", "swebenchpro", "swtbench", "secbench")
    assert study.workflows == ("baseline", "ast", "callgraph", "deps", "docs", "hybrid")
    assert (study.effort, study.sample, study.runs) == ("low", "95/5", 1)
    demo = grid.load("demo")
    assert list(grid.chosen(demo, "localize")) == [f"ledger-{n}" for n in range(1, 6)]
    with pytest.raises(UnknownName, match="unknown grid 'nope'; choose from: demo, linuxfl"):
        grid.load("nope")
    with pytest.raises(BadInput, match=r"grid demo: runs: Input should be greater than or equal"):
        grid.load("demo", {"runs": 0})


def test_the_first_record_of_a_trial_stays(four_tasks: list[TrialRecord], tmp_path: Path) -> None:
    folder, record = RunFolder(tmp_path), four_tasks[0]
    assert folder.save(record) is True
    assert folder.save(record.model_copy(update={"attempts": 9})) is False
    assert folder.load().records == [record]


def test_only_failures_of_the_agent_count_and_none_that_counts_is_retried() -> None:
    counting = {kind for kind, line in POLICIES.items() if line.counts}
    assert counting == {
        "timeout",
        "max_turns",
        "budget",
        "repository_deleted",
        "no_prediction",
        "patch_does_not_apply",
    }
    assert all(POLICIES[kind].retries == 0 for kind in counting)


def test_codex_streams_are_read() -> None:
    call_item = {
        "id": "i1",
        "type": "mcp_tool_call",
        "server": "codeviews",
        "tool": "ast_explore",
        "arguments": {"query": "x"},
        "result": {"content": [{"type": "text", "text": "found"}]},
        "status": "completed",
    }
    usage = {"input_tokens": 100, "cached_input_tokens": 60, "output_tokens": 9}
    lines = [
        {"type": "thread.started", "thread_id": "th"},
        {"type": "item.completed", "item": {"id": "i0", "type": "agent_message", "text": "map"}},
        {"type": "item.completed", "item": call_item},
        {"type": "item.completed", "item": {"id": "i2", "type": "agent_message", "text": "end"}},
        {"type": "turn.completed", "usage": usage},
    ]
    outcome = codex.read([json.dumps(line) for line in lines])
    assert (outcome.session, outcome.text, outcome.finished) == ("th", "end", True)
    assert [(c.name, c.output) for c in outcome.calls()] == [("codeviews/ast_explore", "found")]
    assert outcome.usage == Usage(40, 60, 0, 9)


def test_opencode_streams_are_read() -> None:
    tool = {
        "callID": "c",
        "tool": "codeviews_ast_explore",
        "state": {"status": "completed", "input": {"query": "x"}, "output": "found"},
    }
    tokens = {"input": 10, "output": 2, "reasoning": 1, "cache": {"read": 5, "write": 0}}
    lines = [
        {"type": "step_start", "sessionID": "s", "part": {}},
        {"type": "tool_use", "sessionID": "s", "part": tool},
        {"type": "step_finish", "part": {"reason": "tool-calls", "tokens": tokens}},
        {"type": "step_start", "part": {}},
        {"type": "text", "part": {"text": "end"}},
        {"type": "step_finish", "part": {"reason": "stop", "tokens": tokens}},
    ]
    outcome = opencode.read([json.dumps(line) for line in lines])
    assert (outcome.session, outcome.text, outcome.finished) == ("s", "end", True)
    assert outcome.usage == Usage(20, 10, 0, 6)
    assert not opencode.read([json.dumps(line) for line in lines[:3]]).finished


def test_foreign_results_become_records(tmp_path: Path) -> None:
    source = tmp_path / "theirs.json"
    source.write_text(json.dumps({"resolved_ids": ["a"], "unresolved_ids": ["b"]}))
    out = tmp_path / "run"
    count = importers.import_results(source, "swebench", "swebench", "sweagent", out)
    found = {r.id.task: r.verdict.success for r in RunFolder(out).load().records}
    assert (count, found) == (2, {"a": True, "b": False})
    with pytest.raises(UnknownName, match="unknown format 'csv'; choose from: harbor, inspect"):
        importers.import_results(source, "csv", "swebench", "x", out)


def test_where_the_tree_lay_is_no_difference_of_records(four_tasks: list[TrialRecord]) -> None:
    def at(tree: str) -> dict[str, Any]:
        record = four_tasks[0].model_copy(deep=True)
        record.tools[0].arguments["file_path"] = f"{tree}/repo/a.py"
        return record.stable()

    assert at("/c/slots/shop-0103d3@5ddd8a5585cd/0") == at("/d/slots/shop-0103d3@5ddd8a5585cd/12")
    assert at("/c/slots/shop-0103d3@5ddd8a5585cd/0") != at("/c/slots/shop-0103d3@5ddd8a5585cd/0/x")


def test_the_relay_passes_everything_on_and_sees_what_the_model_saw(
    claude: Path, shop: Path, map_server: Callable[..., Any], run_host: Callable[..., Any]
) -> None:
    from codeviews.harness import behaviour
    from codeviews.harness.hosts import Launch
    from codeviews.harness.relay import Relay
    from codeviews.harness.scripted_model import ScriptedModel

    values = {"query": "total", "repo": str(shop), "file": "shop/cart.py", "answer": "done"}
    with ScriptedModel(behaviour.load("map-first"), values) as model, Relay(model.url) as relay:
        given = Launch(
            claude, shop, shop.parent / "s", "Why?", relay.url, "scripted", "claude-haiku-4-5",
            mount=map_server("ast", shop),
        )  # fmt: skip
        _, outcome = run_host("claude-code", given)
    assert outcome.text == "done"
    assert [e.usage for e in relay.log.turns()] == [e.usage for e in model.log.turns()]
    assert [e.requested for e in relay.log.turns()] == [e.requested for e in model.log.turns()]
    assert relay.log.first_tools() == model.log.first_tools()


def test_task_ids_that_look_alike_as_file_names_stay_apart() -> None:
    names = ["a/b", "a_b", "a:b", ".a", "a", "", "/", "x" * 300, "x" * 301, "django__django-1"]
    kept = [safe(name) for name in names]
    assert len(set(kept)) == len(names)
    assert (kept[1], kept[4], kept[-1]) == ("a_b", "a", "django__django-1")
    assert all(0 < len(name) < 200 and "/" not in name for name in kept)
