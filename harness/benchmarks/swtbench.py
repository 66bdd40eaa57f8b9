"""SWT-bench: a test that fails before the fix and passes after it (reproducing-test rate)."""

from __future__ import annotations

import sys
from pathlib import Path

from codeviews.harness import repair
from codeviews.harness.benchmarks import Official
from codeviews.harness.records import Prediction
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


task = swe_task
grade = repair.pending
write_predictions = repair.write_jsonl
read_report = repair.read_resolved


def prompt(task: Task) -> str:
    """The issue."""
    return ASK.format(statement=task.statement)


def collect(task: Task, answer: str, patch: str) -> Prediction:
    """The tests-only part of the agent's changes."""
    return repair.collect_tests(patch)


def official(predictions: Path, run: str, workers: int) -> Official | None:
    """``src.main`` of the SWT-bench checkout, in containers."""
    argv = [sys.executable, "-m", "src.main", "--dataset_name", DATASET]
    argv += ["--predictions_path", str(predictions), "--run_id", run]
    argv += ["--max_workers", str(workers)]
    needs = ("docker", "checkout:SWTBENCH_HOME")
    return Official("logic-star-ai/swt-bench", "main", argv, "evaluation_results/*.json", needs)
