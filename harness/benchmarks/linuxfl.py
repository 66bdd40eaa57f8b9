"""LinuxFLBench: from a kernel bug report to a ranked list of at most ten files (fR@1, fR@10)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from codeviews.harness.answers import ranked
from codeviews.harness.benchmarks import Official
from codeviews.harness.errors import BadInput
from codeviews.harness.records import Prediction, Verdict
from codeviews.harness.tasks import Gold, Task, listed, script_of

NAME = "linuxfl"
TITLE = "LinuxFLBench (fault localization)"
DATASET = "LinuxFLBench/LinuxFLBench"
SPLIT = "train"
METRICS = ("fR@1", "fR@10")
SUCCESS = "fR@10"
REPAIR = False

ASK = """\
A user reported the bug below against this Linux kernel tree (the current directory).
Find the source files that must change to fix it. Do not change anything.

Finish with one JSON object and nothing after it:
{{"files": ["most/likely.c", "next/likely.c"]}}
At most ten paths, relative to the tree, the most likely first.

Title: {title}
Kernel version: {version}
Product: {product}
Component: {component}

{description}
"""


def task(row: Mapping[str, Any]) -> Task:
    """One row: ``id``, ``title``, ``description``, ``Kernel Version``, ``paths``."""
    if "id" not in row or not row.get("paths"):
        raise BadInput(f"a LinuxFLBench row needs id and paths: {sorted(row)}")
    version = str(row.get("Kernel Version") or "")
    return Task(
        id=str(row["id"]),
        repo="torvalds/linux",
        commit=f"v{version}" if version else "",
        statement=f"{row.get('title', '')}\n\n{row.get('description', '')}",
        gold=Gold(files=listed(row["paths"]), symbols=listed(row.get("methods"))),
        script=script_of(row),
        row=row,
    )


def prompt(task: Task) -> str:
    """The bug report and the form of the answer."""
    return ASK.format(
        title=task.row.get("title", ""),
        version=task.row.get("Kernel Version", "unknown"),
        product=task.row.get("Product", ""),
        component=task.row.get("Component", ""),
        description=task.row.get("description", ""),
    )


def collect(task: Task, answer: str, patch: str) -> Prediction:
    """The ranked files."""
    files, note = ranked(answer, "files")
    return Prediction(files=files, note=note)


def grade(task: Task, prediction: Prediction) -> Verdict:
    """File recall at k: 1 when a faulty file is among the first k (study, table II)."""
    gold = set(task.gold.files)
    metrics = {f"fR@{k}": float(bool(gold & set(prediction.files[:k]))) for k in (1, 10)}
    return Verdict(
        success=bool(metrics[SUCCESS]), metrics=metrics, grader="paths", note=prediction.note
    )


def write_predictions(predictions: Mapping[str, Prediction], model: str, to: Path) -> Path:
    """JSON lines ``{id, ranked_files}``: the benchmark has no grader process."""
    path = to / "predictions.jsonl"
    lines = [json.dumps({"id": id, "ranked_files": p.files}) for id, p in predictions.items()]
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def official(predictions: Path, run: str, workers: int) -> Official | None:
    """None: recall is computed here."""
    return None


def read_report(folder: Path) -> dict[str, bool]:
    """Nothing to read."""
    return {}
