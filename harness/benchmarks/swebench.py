"""SWE-bench Lite and Verified repair: a patch that makes the hidden tests pass (resolved)."""

from __future__ import annotations

import sys
from pathlib import Path

from codeviews.harness import repair
from codeviews.harness.benchmarks import Official
from codeviews.harness.records import Prediction
from codeviews.harness.tasks import Task, swe_task

NAME = "swebench"
TITLE = "SWE-bench (program repair)"
DATASET = "princeton-nlp/SWE-bench_Lite"
SPLIT = "test"
METRICS = ("resolved",)
SUCCESS = "resolved"
REPAIR = True

ASK = """\
Resolve the issue below by editing the source of the repository in the current directory.
Hidden tests will check the behaviour; do not edit existing tests. When you are done, say in one
sentence what you changed.

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
    """The agent's source changes."""
    return repair.collect_fix(patch)


def official(predictions: Path, run: str, workers: int) -> Official | None:
    """``swebench.harness.run_evaluation`` in containers."""
    argv = [sys.executable, "-m", "swebench.harness.run_evaluation", "--dataset_name", DATASET]
    argv += ["--predictions_path", str(predictions), "--run_id", run]
    argv += ["--max_workers", str(workers)]
    needs = ("docker", "python:swebench")
    return Official("SWE-bench/SWE-bench", "v4.1.0", argv, "*.json", needs)
