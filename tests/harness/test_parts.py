"""Answers, patches, flags, tasks, grids, records and formats: the harness's small parts."""

from __future__ import annotations

import errno
import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from codeviews.harness import (
    answers,
    cli_model,
    cli_results,
    contamination,
    grid,
    importers,
    patches,
    results,
    tasks,
)
from codeviews.harness.benchmarks import BENCHMARKS, benchmark
from codeviews.harness.cli import app
from codeviews.harness.errors import BadInput, DiskFull, UnknownName
from codeviews.harness.exchange import Usage
from codeviews.harness.hosts import HOSTS, SeenCall, codex, host, opencode
from codeviews.harness.policy import POLICIES
from codeviews.harness.records import Prediction, TrialRecord
from codeviews.harness.results import RunFolder
from codeviews.harness.tasks import Gold, Task
from codeviews.harness.trial import StopRun
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


def test_tasks_are_read_from_files_and_folders_and_damage_is_located(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"instance_id": "1"}\n\n{"instance_id": "2"}\n')
    (tmp_path / "b.json").write_text('[{"instance_id": "3"}]')
    assert [row["instance_id"] for row in tasks.rows(str(tmp_path), "", "")] == ["1", "2", "3"]
    (tmp_path / "c.jsonl").write_text('{"instance_id": "4"}\n{oops\n')
    with pytest.raises(BadInput, match=r"c\.jsonl:2 is not JSON"):
        tasks.rows(str(tmp_path / "c.jsonl"), "", "")
    with pytest.raises(BadInput, match="no tasks at"):
        tasks.rows(str(tmp_path / "gone"), "", "")
    with pytest.raises(BadInput, match="task 4 has no column 'repo'"):
        tasks.swe_task({"instance_id": "4"})


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("bytes.jsonl", b"\x80\xff", "bytes.jsonl cannot be read as text"),
        ("number.jsonl", b'{"instance_id": "1"}\n3\n', "number.jsonl: row 2 is no JSON object"),
        ("list.json", b"[1, 2]", "list.json: row 1 is no JSON object"),
        ("table.json", b'{"a": "b"}', "table.json: row 1 is no JSON object"),
    ],
)
def test_a_file_that_holds_no_tasks_is_one_sentence(
    tmp_path: Path, name: str, data: bytes, sentence: str
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(BadInput, match=sentence):
        tasks.rows(str(tmp_path / name), "", "")


def test_odd_columns_of_a_task_are_read_or_refused() -> None:
    row = {"instance_id": "1", "repo": "a/b", "base_commit": "HEAD"}
    read = tasks.swe_task({**row, "gold_files": 3, "FAIL_TO_PASS": '["t"]', "PASS_TO_PASS": None})
    assert (read.gold.files, read.gold.fail_to_pass, read.gold.pass_to_pass) == (("3",), ("t",), ())
    with pytest.raises(BadInput, match="a task's script is a table of variables, not 'x'"):
        tasks.swe_task({**row, "script": "x"})


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"\x80\xff", "is not TOML"),
        (b'benchmarks = ["localize"', "is not TOML"),
        (b'benchmarks = ["localize"]\ntasks = "x"\n', "tasks: Input should be a valid dictionary"),
        (b'benchmarks = ["localize"]\n[tasks]\nlocalize = 3\n', "tasks.localize: Input should be"),
        (b'benchmarks = ["localize"]\nworkflow = ["ast"]\n', "workflow: Extra inputs"),
    ],
)
def test_a_damaged_grid_is_one_sentence(tmp_path: Path, text: bytes, sentence: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(text)
    with pytest.raises(BadInput, match=sentence):
        grid.load(str(path))


def test_names_given_twice_run_once_and_spaces_do_not_matter() -> None:
    changes = {"workflows": ["ast", " ast", "baseline"], "benchmarks": ["localize", "localize"]}
    loaded = grid.load("demo", changes)
    assert (loaded.workflows, loaded.benchmarks) == (("ast", "baseline"), ("localize",))


def test_a_script_for_some_workflows_never_sends_the_others_to_a_real_model() -> None:
    changes = {"workflows": ["baseline", "ast"], "script": {"baseline": "lazy"}}
    with pytest.raises(BadInput, match="no behaviour is given for ast: add --script BEHAVIOUR"):
        grid.load("localize", changes)
    assert grid.load("demo", changes).script == {"*": "map-first", "baseline": "lazy"}
    with pytest.raises(UnknownName, match="unknown workflow 'asd'"):
        grid.load("demo", {"script": {"*": "lazy", "asd": "lazy"}})


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


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"host": "emacs"}, "unknown host 'emacs'; choose from: claude-code, codex, opencode"),
        ({"benchmarks": ["humaneval"]}, "unknown benchmark 'humaneval'; choose from: linuxfl"),
        ({"workflows": ["llm"]}, "unknown workflow 'llm'; choose from: ast, baseline"),
        ({"script": {"*": "brave"}}, "unknown behaviour 'brave'; choose from: crashing"),
    ],
)
def test_unknown_names_list_the_choices(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UnknownName, match=sentence):
        grid.load("demo", changes)


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


@pytest.mark.parametrize("reason", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_full_disk_is_one_sentence_and_leaves_no_half_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: int
) -> None:
    def full(path: Path, data: bytes) -> None:
        path.write_bytes(data[:5])
        raise OSError(reason, "no room")

    monkeypatch.setattr(results, "_write_synced", full)
    with pytest.raises(DiskFull, match=r"the disk is full: docs\.0\.json was not written"):
        results.write_whole(tmp_path / "docs.0.json", b"a record")
    assert list(tmp_path.iterdir()) == []


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


def test_a_results_file_is_read_alone_with_all_its_kinds_of_ids(tmp_path: Path) -> None:
    source = tmp_path / "one.json"
    source.write_text(json.dumps({"resolved_ids": ["a"], "error_ids": ["b"]}))
    (tmp_path / "other.json").write_text(json.dumps({"resolved_ids": ["z"]}))
    (tmp_path / "deep.json").write_text("[" * 100_000)
    for given, ids in ((source, "ab"), (tmp_path, "abz")):
        out = tmp_path / f"run-{ids}"
        importers.import_results(given, "swebench", "swebench", "w", out)
        assert {r.id.task for r in RunFolder(out).load().records} == set(ids)


@pytest.mark.parametrize(
    ("form", "data", "sentence"),
    [
        ("swebench", b"\x80", "cannot be read as JSON"),
        ("swebench", b"[" * 100_000, "cannot be read as JSON"),
        ("swebench", b"[1]", "holds no swebench results"),
        ("inspect", b'{"eval": 3, "samples": [4]}', "is not in the form of inspect results"),
        ("inspect", b'{"samples": [{"scores": {"a": 3}}]}', "is not in the form of inspect"),
        ("harbor", b'{"task_name": "x", "verifier_result": 3}', "is not in the form of harbor"),
    ],
)
def test_foreign_results_of_another_form_are_one_sentence(
    tmp_path: Path, form: str, data: bytes, sentence: str
) -> None:
    source = tmp_path / "result.json"
    source.write_bytes(data)
    given = tmp_path if form == "harbor" else source
    with pytest.raises(BadInput, match=sentence):
        importers.import_results(given, form, "swebench", "w", tmp_path / "run")
    with pytest.raises(BadInput, match="gone does not exist"):
        importers.import_results(tmp_path / "gone", form, "swebench", "w", tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["run", "--grid", "nope"], 2, "unknown grid 'nope'; choose from: demo"),
        (["run", "--grid", "demo", "--host", "vim"], 2, "unknown host 'vim'; choose from:"),
        (["run", "--grid", "demo", "--script", "=x"], 2, "--script takes NAME=VALUE or VALUE"),
        (["resume", "/nonexistent"], 2, "is no run folder: it has no run.json"),
        (["list", "/nonexistent"], 2, "is no run folder"),
        (["list"], 0, "benchmarks: linuxfl, localize, secbench"),
    ],
)
def test_the_command_line_answers_misuse_in_one_sentence(
    arguments: list[str], code: int, said: str
) -> None:
    done = CliRunner().invoke(app, arguments)
    assert (done.exit_code, said in done.output) == (code, True), done.output


def test_a_proof_in_which_nothing_was_graded_proves_nothing(tmp_path: Path) -> None:
    source = tmp_path / "tasks.jsonl"
    source.write_text(json.dumps({"instance_id": "1", "repo": "a/b", "base_commit": "HEAD"}))
    done = CliRunner().invoke(
        cli_results.app, ["grade", "--prove", str(source), "--repos", str(tmp_path / "gone")]
    )
    assert "0 graded, 2 not graded, 0 not as expected" in done.output
    assert done.exit_code == 1


def test_a_port_that_is_taken_is_one_sentence() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = CliRunner().invoke(cli_model.app, ["model", "lazy", "--port", port])
    assert (done.exit_code, f"port {port} cannot be used" in done.output) == (2, True)


@pytest.mark.parametrize("command", ["grade", "compare", "report"])
def test_what_is_no_run_folder_has_no_results(tmp_path: Path, command: str) -> None:
    more = ["a", "b", "c"] if command == "compare" else []
    done = CliRunner().invoke(cli_results.app, [command, str(tmp_path), *more])
    assert (done.exit_code, done.output.count("is no run folder")) == (2, 1)


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (KeyboardInterrupt(), 130, "interrupted; complete records are safe"),
        (DiskFull("the disk is full"), 2, "the disk is full; complete records are safe"),
        (StopRun("the endpoint said 401"), 2, "the endpoint said 401; complete records are safe"),
    ],
)
def test_a_run_that_stops_says_how_to_go_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, error: BaseException, code: int, said: str
) -> None:
    def stop(*_: object) -> None:
        raise error

    monkeypatch.setattr("codeviews.harness.runner.run", stop)
    done = CliRunner().invoke(app, ["run", "--grid", "demo", "--out", str(tmp_path)])
    assert (done.exit_code, said in done.output) == (code, True), done.output
    assert f"continue with: harness resume {tmp_path}" in done.output


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    folder = RunFolder(tmp_path / "file" / "run")
    with pytest.raises(BadInput, match="run cannot be made: Not a directory"):
        folder.begin(grid.load("demo"), {})
    (tmp_path / "run.json").mkdir()
    with pytest.raises(BadInput, match=r"run\.json cannot be written: Is a directory"):
        results.write_whole(tmp_path / "run.json", b"")


def test_any_damage_of_a_record_is_a_sentence(tmp_path: Path) -> None:
    for name, data in (("a", b"[" * 100_000), ("b", b"\x80"), ("c", b"[]"), ("d", b"")):
        (tmp_path / f"{name}.json").write_bytes(data)
    loaded = results.load_records(sorted(tmp_path.iterdir()))
    assert loaded.records == []
    assert [said.split(" ")[1:4] for said in loaded.problems] == [["is", "no", "record"]] * 4


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
