"""SWE-bench Pro: long repairs in four languages (resolved), graded in its own containers."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

from codeviews.harness import repair
from codeviews.harness.benchmarks import Official
from codeviews.harness.records import Prediction
from codeviews.harness.tasks import Task, swe_task

NAME = "swebenchpro"
TITLE = "SWE-bench Pro (program repair)"
DATASET = "ScaleAI/SWE-bench_Pro"
SPLIT = "test"
METRICS = ("resolved",)
SUCCESS = "resolved"
REPAIR = True

ASK = """\
Resolve the issue below by editing the source of the repository in the current directory.
Hidden tests will check the behaviour; do not edit existing tests. When you are done, say in one
sentence what you changed.

{statement}

Requirements:
{requirements}

Interface:
{interface}
"""


task = swe_task
grade = repair.pending


def prompt(task: Task) -> str:
    """The issue with its requirements and interface, as the benchmark gives them."""
    return ASK.format(
        statement=task.statement,
        requirements=task.row.get("requirements") or "none given",
        interface=task.row.get("interface") or "none given",
    )


def collect(task: Task, answer: str, patch: str) -> Prediction:
    """The agent's source changes."""
    return repair.collect_fix(patch)


def write_predictions(predictions: Mapping[str, Prediction], model: str, to: Path) -> Path:
    """A JSON list of ``{instance_id, patch, prefix}``."""
    path = to / "predictions.json"
    items = [{"instance_id": i, "patch": p.patch, "prefix": model} for i, p in predictions.items()]
    path.write_text(json.dumps(items, indent=1))
    return path


def official(predictions: Path, run: str, workers: int) -> Official | None:
    """``swe_bench_pro_eval.py`` of the benchmark's checkout with local containers."""
    argv = [sys.executable, "swe_bench_pro_eval.py", "--raw_sample_path=swe_bench_pro_full.csv"]
    argv += [f"--patch_path={predictions}", f"--output_dir={predictions.parent / 'official'}"]
    argv += ["--scripts_dir=run_scripts", f"--num_workers={workers}"]
    argv += ["--dockerhub_username=jefzda", "--use_local_docker"]
    needs = ("docker", "checkout:SWEBENCHPRO_HOME", "python:docker", "python:pandas")
    return Official("scaleapi/SWE-bench_Pro-os", "main", argv, "official/eval_results.json", needs)


def read_report(folder: Path) -> dict[str, bool]:
    """``eval_results.json``: success by instance id."""
    found: dict[str, bool] = {}
    for path in sorted(folder.rglob("eval_results.json")):
        data = json.loads(path.read_text())
        found.update({str(id): bool(value) for id, value in data.items()})
    return found
