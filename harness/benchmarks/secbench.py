"""SEC-bench: a patch that stops a memory-safety bug (resolved), graded in the benchmark's
containers."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from codeviews.harness import repair
from codeviews.harness.benchmarks import Official
from codeviews.harness.records import Prediction
from codeviews.harness.tasks import Task, swe_task

NAME = "secbench"
TITLE = "SEC-bench (security patching)"
DATASET = "SEC-bench/SEC-bench"
SPLIT = "eval"
METRICS = ("resolved",)
SUCCESS = "resolved"
REPAIR = True

ASK = """\
A security bug was reported for the repository in the current directory. Fix it by editing the
source: the crash below must be impossible afterwards and valid input must still work. When you are
done, say in one sentence what you changed.

{statement}

Sanitizer report:
{report}
"""


task = swe_task
grade = repair.pending


def prompt(task: Task) -> str:
    """The report with the sanitizer's output."""
    report = task.row.get("sanitizer_report") or task.row.get("bug_report") or "none given"
    return ASK.format(statement=task.statement, report=report)


def collect(task: Task, answer: str, patch: str) -> Prediction:
    """The agent's source changes."""
    return repair.collect_fix(patch)


def write_predictions(predictions: Mapping[str, Prediction], model: str, to: Path) -> Path:
    """``preds.json``: ``{id: {model_patch}}``."""
    path = to / "preds.json"
    path.write_text(json.dumps({i: {"model_patch": p.patch} for i, p in predictions.items()}))
    return path


def official(predictions: Path, run: str, workers: int) -> Official | None:
    """``secb.evaluator.eval_instances`` of the benchmark's checkout, in containers."""
    argv = [sys.executable, "-m", "secb.evaluator.eval_instances", "--agent", "swea"]
    argv += ["--input-dir", str(predictions.parent), "--type", "patch", "--split", SPLIT]
    argv += ["--num-workers", str(workers), "--output-dir", str(predictions.parent / "official")]
    needs = ("docker", "checkout:SECBENCH_HOME", "python:docker", "python:datasets")
    return Official("SEC-bench/SEC-bench", "main", argv, "official/*", needs)


def read_report(folder: Path) -> dict[str, bool]:
    """Results ``{instance_id, success}``, in whatever JSON file the evaluator wrote."""
    found: dict[str, bool] = {}
    for path in sorted(folder.rglob("*.json*")):
        for item in _items(path):
            if isinstance(item, dict) and "instance_id" in item and "success" in item:
                found[str(item["instance_id"])] = bool(item["success"])
    return found


def _items(path: Path) -> Iterator[Any]:
    text = path.read_text()
    try:
        data = json.loads(text)
        yield from data if isinstance(data, list) else [data]
    except ValueError:
        for line in text.splitlines():
            try:
                yield json.loads(line)
            except ValueError:
                continue
