"""Reports say what the records say, as Markdown, CSV and a page that opens in a real browser."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from codeviews.harness import compare, report, results, tables
from codeviews.harness.cli import app
from codeviews.harness.errors import BadInput, UnknownName
from codeviews.harness.frame import frame
from codeviews.harness.grid import Grid
from codeviews.harness.records import TrialRecord
from codeviews.harness.results import RunFolder


@pytest.fixture
def run_folder(four_tasks: list[TrialRecord], tmp_path: Path) -> RunFolder:
    """A run folder that holds the four tasks."""
    folder = RunFolder(tmp_path / "run")
    folder.begin(Grid(name="four", benchmarks=("linuxfl",)), {})
    for record in four_tasks:
        folder.save(record)
    return folder


def test_results_are_the_studys_columns_and_leave_environment_failures_out(
    four_tasks: list[TrialRecord],
) -> None:
    table = tables.results(frame(four_tasks), "linuxfl")
    assert table.columns == [
        *("Workflow", "n", "fR@1", "fR@10", "fR@10 95 % interval", "avg tokens", "avg wall s"),
        *("avg MCP", "avg builtin", "avg read", "avg grep", "avg glob", "avg bash"),
    ]
    assert table.rows == [
        ["baseline", 4, 0.5, 0.5, "0.150 to 0.850", 1000, 10.0, 0.0, 5.0, 5.0, 0.0, 0.0, 0.0],
        ["docs", 3, 0.667, 0.667, "0.208 to 0.939", 867, 16.0, 2.7, 1.3, 1.3, 0.0, 0.0, 0.0],
    ]


def test_differences_pair_the_same_task_and_test_exactly(four_tasks: list[TrialRecord]) -> None:
    row = tables.differences(frame(four_tasks), "linuxfl").rows[0]
    assert row[:3] == ["docs", 3, 33.3]
    assert row[4:6] == [1.0, -13.3]
    assert row[7:] == [6.0, "6.0 to 6.0"]


def test_divergence_and_categories_count_wins_losses_and_token_reasons(
    four_tasks: list[TrialRecord],
) -> None:
    whole = frame(four_tasks)
    assert tables.divergence(whole).rows == [["linuxfl", "docs", 2, 1, 1, 2, 1]]
    assert tables.categories(whole, {}).rows == [
        ["linuxfl", "docs", "fewer", "read displacement", 2, 2, "rule"],
        ["linuxfl", "docs", "more", "map overhead", 1, 1, "rule"],
    ]
    labels = {("linuxfl", "docs", "a"): {"win": "terms match"}}
    assert tables.categories(whole, labels).rows[0] == [
        *("linuxfl", "docs", "win", "terms match", 1, 2, "people")
    ]


def test_environment_failures_are_shown_apart(four_tasks: list[TrialRecord]) -> None:
    table = tables.environment(frame(four_tasks))
    assert [row[:5] for row in table.rows] == [["linuxfl", "docs", "mcp_not_connected", 1, "not"]]
    assert table.note == "1 of 8 trials (12.5 %) are no result."


def test_the_report_command_writes_markdown_csv_and_one_page(run_folder: RunFolder) -> None:
    pytest.importorskip("matplotlib", reason="the report extra is not installed")
    done = CliRunner().invoke(_app(), ["report", str(run_folder.path), "--json"])
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    assert said["warnings"] == []
    folder = run_folder.path / "report"
    rows = list(csv.DictReader((folder / "results-linuxfl.csv").read_text().splitlines()))
    assert [(row["Workflow"], row["avg tokens"]) for row in rows] == [
        ("baseline", "1000"),
        ("docs", "867"),
    ]
    text = (folder / "report.md").read_text()
    assert "| docs | 3 | 0.667 | 0.667 | 0.208 to 0.939 | 867 |" in text
    page = (folder / "report.html").read_text()
    assert page.count("<svg") == 3
    assert "src=" not in page
    assert "<script" not in page


def test_the_page_opens_in_a_browser(run_folder: RunFolder, tmp_path: Path) -> None:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("no browser here: install the package chromium")
    pytest.importorskip("matplotlib", reason="the report extra is not installed")
    whole = frame(run_folder.load().records)
    report.write(tmp_path, "Four tasks", whole, tables.all_tables(whole), [])
    shot = tmp_path / "page.png"
    flags = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'b'}"]
    flags += ["--window-size=1100,1600", f"--screenshot={shot}"]
    flags += ["--no-first-run", "--disable-background-networking", "--disable-sync"]
    url = (tmp_path / "report.html").as_uri()
    subprocess.run([chromium, *flags, url], capture_output=True, timeout=120, check=True)
    assert shot.read_bytes().startswith(b"\x89PNG")
    assert shot.stat().st_size > 20_000
    dom = subprocess.run(
        [chromium, *flags[:4], "--dump-dom", url], capture_output=True, text=True, timeout=120
    ).stdout
    assert dom.count("<figure>") == 3
    assert dom.count("<section") == len(tables.all_tables(whole))
    assert "<td>read displacement</td>" in dom


def test_two_trials_are_compared_turn_by_turn(run_folder: RunFolder) -> None:
    text = compare.diff(run_folder, "docs", "baseline", "a")
    assert "| tokens | 500 | 1,000 |" in text
    for first, second in (("docs", "baseline"), ("baseline", "docs")):
        text = compare.diff(run_folder, first, second, "a")
        assert "Axes of docs: win, fewer; by tool counts: read displacement" in text
        assert 'Label it in labels.toml: [linuxfl."a".docs]' in text
    with pytest.raises(UnknownName, match="unknown run '3'; choose from: 0"):
        compare.diff(run_folder, "docs", "baseline", "a", 3)
    with pytest.raises(UnknownName, match="unknown task 'z'; choose from: a, b, c, d"):
        compare.diff(run_folder, "docs", "baseline", "z")
    with pytest.raises(UnknownName, match="unknown workflow 'ast'; choose from: baseline, docs"):
        compare.diff(run_folder, "ast", "baseline", "a")


def test_labels_with_an_unknown_axis_are_refused(run_folder: RunFolder) -> None:
    (run_folder.path / compare.LABELS).write_text('[linuxfl."a".docs]\nfaster = "x"\n')
    with pytest.raises(BadInput, match="the axes are: win, loss, fewer, more"):
        compare.labels(run_folder)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [(b"[linuxfl]\na = 3\n", "holds no labels: linuxfl.a"), (b"\xff", "is not TOML")],
)
def test_a_damaged_file_of_labels_is_one_sentence(
    run_folder: RunFolder, data: bytes, sentence: str
) -> None:
    (run_folder.path / compare.LABELS).write_bytes(data)
    with pytest.raises(BadInput, match=sentence):
        compare.labels(run_folder)


def test_pooled_runs_pair_within_themselves_and_one_folder_counts_once(
    run_folder: RunFolder, four_tasks: list[TrialRecord], tmp_path: Path
) -> None:
    other = RunFolder(tmp_path / "other")
    other.begin(Grid(name="other", benchmarks=("linuxfl",)), {})
    for record in four_tasks:
        usage = record.usage.model_copy(update={"fresh": record.usage.fresh + 5000})
        other.save(record.model_copy(update={"usage": usage}))
    path = run_folder.path
    pool = results.pooled([path, other.path, path / ".." / path.name])
    assert len(pool.records) == 16
    assert [said.partition(" ")[2] for said in pool.problems] == [
        "repeats trials of an earlier folder: they count as further runs"
    ]
    pairs = frame(pool.records).pairs("linuxfl", "docs")
    differences = {(view.task, view.run): view.tokens - base.tokens for view, base in pairs}
    once = {"a": -500, "b": -400, "c": 500}
    assert differences == {(task, run): d for task, d in once.items() for run in (0, 1)}


def test_a_damaged_record_is_named_in_the_report(run_folder: RunFolder) -> None:
    path = next((run_folder.path / "trials").rglob("docs.0.json"))
    path.write_text('{"version": 9}')
    done = CliRunner().invoke(_app(), ["report", str(run_folder.path), "--json"])
    assert "version 9, not 1" in json.loads(done.stdout)["warnings"][0]


def test_without_matplotlib_the_report_names_the_extra(
    run_folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    svgs, warnings = report.draw(frame(run_folder.load().records))
    assert svgs == []
    wanted = "this needs matplotlib: install it with pip install 'codeviews[report]'"
    assert warnings == [f"No figures: {wanted}"]


def _app() -> object:
    from codeviews.harness import cli_model, cli_results

    for module in (cli_results, cli_model):
        known = {command.callback for command in app.registered_commands}
        app.registered_commands += [
            c for c in module.app.registered_commands if c.callback not in known
        ]
    return app
