from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from codeviews.harness import cli_localize, workspace
from codeviews.harness.behaviour import Behaviour, Call, Step, load
from codeviews.harness.benchmarks import localize as benchmark
from codeviews.harness.errors import BadInput, UnknownName
from codeviews.harness.localization import runner
from codeviews.harness.localization.configurations import configuration
from codeviews.harness.localization.records import LocalizationRecord, StageTokens, read
from codeviews.harness.localization.scripted import ScriptedLocalizer
from codeviews.harness.tasks import Task
from codeviews.servers.curaloc.settings import Settings

BOTH = ["shop/cart.py:total", "shop/tax.py:taxed"]
FAST = Settings(pause_s=0.0, attempts=2, request_s=5.0)


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture
def row(shop: Path) -> dict[str, Any]:
    return {
        "instance_id": "shop-1",
        "repo": "acme/shop",
        "base_commit": "main",
        "problem_statement": "total of a cart is one too high",
        "gold_files": ["shop/cart.py"],
        "gold_symbols": ["shop/cart.py:total"],
    }


@pytest.fixture
def task(row: dict[str, Any]) -> Task:
    return benchmark.task(row)


def ran(
    shop: Path, out: Path, task: Task, methods: list[str], behaviour: Behaviour | None = None
) -> list[LocalizationRecord]:
    with ScriptedLocalizer(behaviour or load("localizing")) as model:
        plan = runner.Plan(
            cohort="lite",
            methods=methods,
            repos=str(shop),
            out=out,
            provider="anthropic",
            model="m",
            base_url=model.url,
            settings=FAST,
        )
        return list(runner.run(plan, [task]))


def replaced(stage: str, *steps: Step) -> Behaviour:
    kept = [s for s in load("localizing").steps if s.when != stage]
    return Behaviour(name="b", steps=(*kept, *steps))


def test_every_method_answers_the_scripted_task(shop: Path, tmp_path: Path, task: Task) -> None:
    names = [
        "bm25",
        "hybrid_explore",
        "lexical",
        "curaloc",
        "agentless",
        "reposearcher",
        "locagent",
    ]
    found = {r.method: r for r in ran(shop, tmp_path / "out", task, names)}
    assert {name: r.ranked for name, r in found.items()} == dict.fromkeys(names, BOTH)
    assert {name: [(s.stage, s.calls) for s in r.tokens] for name, r in found.items()} == {
        "bm25": [],
        "hybrid_explore": [],
        "lexical": [],
        "curaloc": [("scope", 1), ("summaries", 1), ("route", 1), ("rank", 1)],
        "agentless": [("files", 1), ("related", 1), ("edits", 4)],
        "reposearcher": [("search", 4)],
        "locagent": [("search", 8)],
    }
    assert found["curaloc"].selection_covered is True
    assert found["locagent"].selection_covered is True
    assert found["agentless"].selection_covered is None
    assert found["curaloc"].total_tokens == 3 * 240 + 1020


def test_what_has_a_record_is_not_run_again(shop: Path, tmp_path: Path, task: Task) -> None:
    out = tmp_path / "out"
    assert len(ran(shop, out, task, ["lexical"])) == 1
    again = ran(shop, out, task, ["lexical", "bm25"])
    assert [r.method for r in again] == ["bm25"]
    assert len(read([out / "localization.jsonl"])) == 2


def test_a_run_that_was_cut_in_a_record_goes_on_in_its_place(
    shop: Path, tmp_path: Path, task: Task
) -> None:
    out, file = tmp_path / "out", tmp_path / "out" / "localization.jsonl"
    ran(shop, out, task, ["lexical", "bm25"])
    whole = file.read_bytes()
    first = whole.index(b"\n") + 1
    file.write_bytes(whole[: first + 40])
    assert [r.method for r in ran(shop, out, task, ["lexical", "bm25", "hybrid_explore"])] == [
        "bm25",
        "hybrid_explore",
    ]
    assert [r.method for r in read([file])] == ["lexical", "bm25", "hybrid_explore"]


def test_a_second_run_in_one_folder_is_refused(shop: Path, tmp_path: Path, task: Task) -> None:
    with (
        workspace.locked(tmp_path / "run.lock"),
        pytest.raises(BadInput, match="another run uses"),
    ):
        ran(shop, tmp_path, task, ["lexical"])


def test_record_files_that_cannot_be_read_or_written_are_one_sentence(
    shop: Path, tmp_path: Path, task: Task
) -> None:
    with pytest.raises(BadInput, match="gone cannot be read: No such file"):
        read([tmp_path / "gone"])
    (tmp_path / "bytes").write_bytes(b"\x80\n\x81\n")
    with pytest.raises(BadInput, match="bytes:1 is not a localization record"):
        read([tmp_path / "bytes"])
    with pytest.raises(BadInput, match="bytes cannot be made"):
        ran(shop, tmp_path / "bytes", task, ["lexical"])


@pytest.mark.parametrize(
    ("method", "stage"),
    [("agentless", "edits"), ("reposearcher", "search"), ("locagent", "search")],
)
def test_an_overloaded_endpoint_is_a_counted_failure(
    shop: Path, tmp_path: Path, task: Task, method: str, stage: str
) -> None:
    script = replaced(stage, Step(when=stage, error=529))
    (record,) = ran(shop, tmp_path / "out", task, [method], script)
    assert record.ranked == []
    assert "failed 2 times" in record.failure
    assert sum(s.failed for s in record.tokens) in (2, 4)
    assert not any(record.scored().func.values())


def test_a_search_that_never_finishes_is_a_failure(shop: Path, tmp_path: Path, task: Task) -> None:
    for answer in (
        Step(when="search", text="let me think"),
        Step(when="search", calls=(Call(tool="search", arguments={"action": "dance"}),)),
    ):
        out = tmp_path / answer.text.replace(" ", "-")[:3]
        (record,) = ran(shop, out, task, ["reposearcher"], replaced("search", answer))
        assert record.failure == "the search did not finish within 12 turns"


def test_methods_that_need_a_model_say_so(shop: Path, tmp_path: Path, task: Task) -> None:
    plan = runner.Plan("lite", ["curaloc"], str(shop), tmp_path)
    with pytest.raises(BadInput, match="curaloc need --provider anthropic"):
        list(runner.run(plan, [task]))
    with pytest.raises(UnknownName, match="unknown method 'oracle'"):
        list(runner.run(runner.Plan("lite", ["oracle"], str(shop), tmp_path), [task]))


def test_a_cut_last_record_is_run_again_and_any_other_is_refused(tmp_path: Path) -> None:
    line = LocalizationRecord(
        cohort="c",
        method="m",
        task="t",
        gold=["a.py:f"],
        gold_files=["a.py"],
        tokens=[StageTokens(stage="rank", input=2)],
    ).model_dump_json()
    file = tmp_path / "r.jsonl"
    file.write_text(f"{line}\n{line[:20]}")
    assert [r.total_tokens for r in read([file])] == [2]
    file.write_text(f"{line[:20]}\n{line}\n")
    with pytest.raises(BadInput, match="is not a localization record"):
        read([file])


def test_settings_are_changed_by_name() -> None:
    name, settings = configuration({"window_lines": "30", "expand": "off", "profile": "paper"})
    assert name == "window_lines=30, expand=off, profile=paper"
    assert (settings.window_lines, settings.expand, settings.profile) == (30, False, "paper")
    with pytest.raises(BadInput, match="--change takes SETTING=VALUE, not 'depth'"):
        configuration({"*": "depth"})
    with pytest.raises(UnknownName, match="unknown setting 'depth'"):
        configuration({"depth": "3"})
    for text in ("many", "-1", "nan"):
        with pytest.raises(BadInput, match="takes a number"):
            configuration({"temperature": text})


def test_the_command_runs_and_reports(shop: Path, tmp_path: Path, row: dict[str, Any]) -> None:
    tasks = tmp_path / "tasks.jsonl"
    tasks.write_text(json.dumps(row) + "\n")
    out = tmp_path / "run"
    arguments = ["localize", "--tasks", str(tasks), "--repos", str(shop), "--out", str(out)]
    done = CliRunner().invoke(cli_localize.app, [*arguments, "--methods", "lexical,bm25", "--json"])
    assert done.exit_code == 0, done.output
    scores = json.loads(done.stdout)
    assert (scores["lexical"]["Func@1"], scores["lexical"]["selection coverage"]) == (1.0, 1.0)
    page = tmp_path / "page.html"
    report = ["localize-report", str(out / "localization.jsonl"), "--html", str(page)]
    shown = CliRunner().invoke(cli_localize.app, report)
    assert "| lexical | 1 | 1 | 100.0 |" in shown.stdout
    assert '<section id="results-lite">' in page.read_text()


def test_a_missing_key_or_an_empty_report_is_one_sentence(
    shop: Path, tmp_path: Path, row: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    tasks, out = tmp_path / "tasks.jsonl", tmp_path / "out"
    tasks.write_text(json.dumps(row) + "\n")
    model = ["--methods", "curaloc", "--provider", "anthropic", "--model", "m"]
    given = ["localize", "--tasks", str(tasks), "--repos", str(shop), "--out", str(out), *model]
    done = CliRunner().invoke(cli_localize.app, given)
    assert (done.exit_code, done.output.count("set ANTHROPIC_API_KEY")) == (2, 1)
    tasks.write_text(json.dumps({**row, "gold_symbols": []}) + "\n")
    done = CliRunner().invoke(cli_localize.app, given)
    assert (done.exit_code, "has no task with gold functions" in done.output) == (2, True)
    (tmp_path / "none.jsonl").touch()
    done = CliRunner().invoke(cli_localize.app, ["localize-report", str(tmp_path / "none.jsonl")])
    assert (done.exit_code, "holds no records yet" in done.output) == (2, True)
