"""SWT-bench: a test that fails before the fix and passes after it (reproducing-test rate)."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from codeviews.harness import repair
from codeviews.harness.benchmarks import Official
from codeviews.harness.records import Prediction, Verdict
from codeviews.harness.tasks import Task, swe_task

NAME = "swtbench"
TITLE = "SWT-bench (test generation)"
DATASET = "princeton-nlp/SWE-bench_Lite"
SPLIT = "test"
METRICS = ("reproducing",)
SUCCESS = "reproducing"
REPAIR = True

ASK = """\
The issue below was reported for the repository in the current directory, and is not fixed yet.
Write a unit test, in the repository's own test suite, that fails now because of the issue and will
pass once it is fixed. Do not fix the issue. When you are done, name the test.

{statement}
"""


def task(row: Mapping[str, Any]) -> Task:
    """A SWE-bench row; the gold answer is its test patch."""
    return swe_task(row)


def prompt(task: Task) -> str:
    """The issue."""
    return ASK.format(statement=task.statement)


def collect(task: Task, answer: str, patch: str) -> Prediction:
    """The tests-only part of the agent's changes."""
    return repair.collect_tests(patch)


def grade(task: Task, prediction: Prediction) -> Verdict:
    """Empty patches fail; others wait for a grader."""
    return repair.pending(task, prediction)


def write_predictions(predictions: Mapping[str, Prediction], model: str, to: Path) -> Path:
    """SWE-bench JSON lines with tests-only patches."""
    return repair.write_jsonl(predictions, model, to)


def official(predictions: Path, run: str, workers: int) -> Official | None:
    """``src.main`` of the SWT-bench checkout, in containers."""
    argv = [sys.executable, "-m", "src.main", "--dataset_name", DATASET]
    argv += ["--predictions_path", str(predictions), "--run_id", run]
    argv += ["--max_workers", str(workers)]
    needs = ("docker", "checkout:SWTBENCH_HOME")
    return Official("logic-star-ai/swt-bench", "main", argv, "evaluation_results/*.json", needs)


def read_report(folder: Path) -> dict[str, bool]:
    """``resolved_ids`` of the run's report."""
    return repair.read_resolved(folder)
