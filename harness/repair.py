"""What the repair benchmarks share: the collected patch, its checks and the official formats."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from codeviews.harness.patches import is_test_path, only
from codeviews.harness.records import Prediction, Verdict
from codeviews.harness.tasks import Task, listed


def collect_fix(patch: str) -> Prediction:
    """The agent's changes as a prediction; tests it wrote along the way are left out, as the
    official graders bring their own."""
    fix = only(patch, lambda path: not is_test_path(path))
    note = "" if fix else "the agent changed no source file"
    return Prediction(patch=fix, note=note)


def collect_tests(patch: str) -> Prediction:
    """Only the test files of the agent's changes."""
    tests = only(patch, is_test_path)
    return Prediction(patch=tests, note="" if tests else "the agent changed no test file")


def pending(task: Task, prediction: Prediction) -> Verdict:
    """An empty patch fails at once; anything else waits for ``harness grade``."""
    if not prediction.patch:
        return Verdict(success=False, grader="empty patch", note=prediction.note)
    return Verdict()


def write_jsonl(predictions: Mapping[str, Prediction], model: str, to: Path) -> Path:
    """SWE-bench and SWT-bench: JSON lines ``{instance_id, model_name_or_path, model_patch}``."""
    path = to / "predictions.jsonl"
    lines = [
        json.dumps({"instance_id": id, "model_name_or_path": model, "model_patch": p.patch})
        for id, p in predictions.items()
    ]
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def read_resolved(folder: Path) -> dict[str, bool]:
    """Success by id out of a SWE-bench style report (``resolved_ids``, ``unresolved_ids``...)."""
    found: dict[str, bool] = {}
    for path in sorted(folder.rglob("*.json")):
        data = _load(path)
        if isinstance(data, dict) and "resolved_ids" in data:
            found |= verdicts(cast(dict[str, Any], data))
    return found


def verdicts(report: Mapping[str, Any]) -> dict[str, bool]:
    """Success by id out of one report."""
    found: dict[str, bool] = {}
    for key in ("unresolved_ids", "error_ids", "empty_patch_ids"):
        found |= dict.fromkeys(listed(report.get(key)), False)
    return found | dict.fromkeys(listed(report.get("resolved_ids")), True)


def _load(path: Path) -> Any:
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError, RecursionError):
        return None
