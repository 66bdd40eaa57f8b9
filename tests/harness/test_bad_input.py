"""Bad input of the harness: every mistake is one sentence, and nothing half done remains."""

from __future__ import annotations

import errno
import json
import socket
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from codeviews.harness import (
    cli_model,
    cli_results,
    grid,
    importers,
    results,
    tasks,
)
from codeviews.harness.cli import app
from codeviews.harness.errors import BadInput, DiskFull, UnknownName
from codeviews.harness.results import RunFolder
from codeviews.harness.trial import StopRun


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
