"""Localization on SWE-bench Lite or Verified: Func@k, File@k and MRR (CuraLoc, section 4.1)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from codeviews.harness.answers import clean, ranked
from codeviews.harness.benchmarks import Official
from codeviews.harness.records import Prediction, Verdict
from codeviews.harness.tasks import Task, swe_task

NAME = "localize"
TITLE = "SWE-bench localization"
DATASET = "princeton-nlp/SWE-bench_Lite"
SPLIT = "test"
METRICS = ("Func@1", "Func@5", "Func@10", "File@1", "File@5", "File@10", "MRR")
SUCCESS = "File@10"
REPAIR = False
CUTOFFS = (1, 5, 10)

ASK = """\
An issue was reported for the repository in the current directory.
Find the functions, methods or classes that must be edited to resolve it. Do not change anything.

Finish with one JSON object and nothing after it:
{{"symbols": ["path/to/file.py:Class.method", "path/to/other.py:function"]}}
At most ten entries, the most likely first.

{statement}
"""


def task(row: Mapping[str, Any]) -> Task:
    """A SWE-bench row; gold files come from its ``patch`` when it has no ``gold_files``."""
    return swe_task(row)


def prompt(task: Task) -> str:
    """The issue and the form of the answer."""
    return ASK.format(statement=task.statement)


def collect(task: Task, answer: str, patch: str) -> Prediction:
    """Ranked symbols and the distinct files they stand in; bare files are accepted as well."""
    symbols, note = ranked(answer, "symbols")
    if not symbols:
        files, file_note = ranked(answer, "files")
        return Prediction(files=files, note=note if not files else file_note)
    files = list(dict.fromkeys(clean(symbol.partition(":")[0]) for symbol in symbols))
    return Prediction(files=files, symbols=[s for s in symbols if ":" in s], note=note)


def grade(task: Task, prediction: Prediction) -> Verdict:
    """All reference symbols (files) within the first k; MRR of the first hit."""
    metrics: dict[str, float] = {}
    if task.gold.symbols:
        for k in CUTOFFS:
            metrics[f"Func@{k}"] = _all_in(task.gold.symbols, prediction.symbols[:k])
        metrics["MRR"] = _reciprocal(task.gold.symbols, prediction.symbols)
    else:
        metrics["MRR"] = _reciprocal(task.gold.files, prediction.files)
    for k in CUTOFFS:
        metrics[f"File@{k}"] = _all_in(task.gold.files, prediction.files[:k])
    return Verdict(
        success=bool(metrics[SUCCESS]), metrics=metrics, grader="symbols", note=prediction.note
    )


def _all_in(gold: Sequence[str], found: Sequence[str]) -> float:
    return float(bool(gold) and set(gold) <= set(found))


def _reciprocal(gold: Sequence[str], found: Sequence[str]) -> float:
    return next((1 / rank for rank, item in enumerate(found, 1) if item in gold), 0.0)


def write_predictions(predictions: Mapping[str, Prediction], model: str, to: Path) -> Path:
    """JSON lines ``{instance_id, found_files, found_symbols}``."""
    path = to / "predictions.jsonl"
    lines = [
        json.dumps({"instance_id": id, "found_files": p.files, "found_symbols": p.symbols})
        for id, p in predictions.items()
    ]
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def official(predictions: Path, run: str, workers: int) -> Official | None:
    """None: the metrics are computed here."""
    return None


def read_report(folder: Path) -> dict[str, bool]:
    """Nothing to read."""
    return {}
