"""Tables over several cohorts, several models and runs that are not finished."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from typer.testing import CliRunner

from codeviews.harness import cli_localize
from codeviews.harness.localization import records as records_file
from codeviews.harness.localization import statistics as st
from codeviews.harness.localization.records import LocalizationRecord
from codeviews.harness.localization.tables import all_tables
from codeviews.harness.tables import Table


def record(task: str, method: str, hit: bool, **more: Any) -> LocalizationRecord:
    return LocalizationRecord.model_validate(
        {
            "cohort": "lite",
            "method": method,
            "task": task,
            "repo": f"r{task[-1]}",
            "ranked": ["a.py:f"] if hit else [],
            "gold": ["a.py:f"],
            "gold_files": ["a.py"],
            "tokens": [{"stage": "rank", "input": 90, "output": 10}],
            **more,
        }
    )


def tables(records: list[LocalizationRecord]) -> dict[str, Table]:
    return {table.name: table for table in all_tables(records, {}, 200)}


COVERED = {"selection_covered": True, "candidates_covered": True}


def test_a_task_of_two_cohorts_counts_in_each_on_its_own() -> None:
    found = [
        record("t1", "curaloc", True, cohort="lite", **COVERED),
        record("t1", "locagent", False, cohort="lite", selection_covered=True),
        record("t1", "curaloc", False, cohort="verified", selection_covered=False),
        record("t1", "locagent", True, cohort="verified", selection_covered=True),
        record("t1", "curaloc", False, cohort="lite", configuration="expand=off"),
        record("t1", "curaloc", True, cohort="verified", configuration="expand=off"),
    ]
    made = tables(found)
    assert made["table-7-lite"].rows == [[0, 1, 1, 0]]
    assert made["table-7-verified"].rows == [[0, 0, 0, 0]]
    assert made["differences-lite"].rows == [["expand=off", 0, 1, 0, 1]]
    assert made["differences-verified"].rows == [["expand=off", 1, 0, 1, 0]]
    assert made["table-6-lite"].rows[0] == ["curaloc", 0, 0, 0, 0, 0, 0, 0, 1, 1, 0]
    assert made["table-6-verified"].rows[0] == ["curaloc", 0, 1, 1, 0, 0, 0, 0, 0, 0, 0]
    assert made["table-6-verified"].title == "Func@10 failures by kind: verified"


def test_models_are_never_averaged_together() -> None:
    found = [record("t1", "curaloc", hit, model=name) for name, hit in (("a", True), ("b", False))]
    found.append(record("t1", "bm25", True))
    made = tables(found)
    assert [row[:4] for row in made["results-lite-(a)"].rows] == [
        ["curaloc", 1, 1, "100.0"],
        ["bm25", 1, 1, "100.0"],
    ]
    assert [row[:4] for row in made["results-lite-(b)"].rows] == [
        ["curaloc", 1, 1, "0.0"],
        ["bm25", 1, 1, "100.0"],
    ]


def test_breadth_and_coverage_are_told_per_run_and_configuration() -> None:
    found = [
        record(f"t{n}", "curaloc", True, candidates=10 * n, starts=n, selected=n + 1, **COVERED)
        for n in (1, 2, 3)
    ]
    found.append(
        record("t1", "curaloc", False, configuration="expand=off", selection_covered=False)
    )
    made = tables(found)
    assert made["breadth"].rows == [["curaloc", 0, 3, 20, 2, 3]]
    assert [row[:2] + row[-1:] for row in made["table-8"].rows] == [
        ["reference", 3, "100.0"],
        ["expand=off", 1, "0.0"],
        ["file scoping only", 3, "–"],
        ["selection-stage readout", 3, "–"],
    ]


def test_a_run_that_is_not_finished_is_named_and_not_compared(tmp_path: Path) -> None:
    file = tmp_path / "localization.jsonl"
    found = [record(f"t{n}", "curaloc", True) for n in (1, 2)]
    found += [record("t1", "locagent", False), *(record(f"t{n}", "bm25", False) for n in (1, 2))]
    records_file.write(found, file)
    given = ["localize-report", str(file), "--resamples", "200", "--csv", str(tmp_path / "csv")]
    done = CliRunner().invoke(cli_localize.app, given, catch_exceptions=False)
    assert done.exit_code == 0
    assert "Not finished: run 0 of locagent has 1 of 2 tasks." in done.stdout
    assert "lite, locagent: not compared, 1 tasks stand on one side only, e.g. t2." in done.stdout
    joint = (tmp_path / "csv" / "joint.csv").read_text().splitlines()
    assert {line.split(",")[1] for line in joint[1:]} == {"bm25"}


def test_a_cohorts_name_stays_inside_the_folder(tmp_path: Path) -> None:
    file, folder = tmp_path / "localization.jsonl", tmp_path / "deep" / "csv"
    records_file.write([record("t1", "lexical", True, cohort="../../x y")], file)
    given = ["localize-report", str(file), "--csv", str(folder)]
    assert CliRunner().invoke(cli_localize.app, given, catch_exceptions=False).exit_code == 0
    assert (folder / "results-x-y.csv").is_file()
    assert {path.parent for path in tmp_path.rglob("*.csv")} == {folder}


def test_task_resamples_are_means_of_the_drawn_tasks() -> None:
    columns = [np.array([0.0, 50.0, 100.0]), np.array([1.0, 2.0, 4.0])]
    means = st.task_means(columns, st.generator(7, "lite", "task"), 50)
    picks = st.generator(7, "lite", "task").integers(0, 3, size=(50, 3))
    expected = [[float(column[pick].mean()) for column in columns] for pick in picks]
    np.testing.assert_allclose(means, expected)


def test_the_same_records_give_the_same_bytes(tmp_path: Path) -> None:
    file = tmp_path / "localization.jsonl"
    names = ("curaloc", "locagent")
    records_file.write(
        [record(f"t{n}", m, (n + len(m)) % 3 == 0) for n in range(9) for m in names], file
    )
    pages = []
    for folder in ("one", "two"):
        given = ["localize-report", str(file), "--csv", str(tmp_path / folder)]
        CliRunner().invoke(cli_localize.app, given, catch_exceptions=False)
        files = sorted((tmp_path / folder).iterdir())
        pages.append({path.name: path.read_bytes() for path in files})
    assert pages[0] == pages[1]
    assert len(pages[0]) == 11
