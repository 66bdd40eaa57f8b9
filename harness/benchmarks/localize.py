"""Localization on SWE-bench Lite or Verified: Func@k, File@k and MRR (CuraLoc, section 4.1)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from codeviews.harness.answers import clean, ranked
from codeviews.harness.benchmarks import Official
from codeviews.harness.localization.metrics import outcome
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
    """All reference symbols (files) within the first k distinct normalized ones; MRR of the first
    hit. Tasks without reference symbols are graded by their files alone."""
    gold = task.gold.symbols
    ranked = prediction.symbols or prediction.files
    files = dict.fromkeys(s.partition(":")[0] for s in gold) if gold else task.gold.files
    found = outcome(ranked, gold or task.gold.files, files)
    metrics = {f"Func@{k}": float(found.func[k]) for k in CUTOFFS} if gold else {}
    metrics["MRR"] = found.mrr
    metrics |= {f"File@{k}": float(found.file[k]) for k in CUTOFFS}
    return Verdict(
        success=bool(metrics[SUCCESS]), metrics=metrics, grader="symbols", note=prediction.note
    )


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
