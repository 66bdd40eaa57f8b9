"""Records as logs of Inspect (``.eval``), for its viewer and its analysis tools."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from codeviews.harness.errors import UnknownName, optional
from codeviews.harness.records import TrialRecord
from codeviews.harness.results import RunFolder, safe


def export_records(form: str, folders: Sequence[Path], target: Path) -> list[Path]:
    """Write one log per benchmark and workflow; gives the files.

    Raises:
        UnknownName: a format that is not ``inspect``.
        MissingProgram: inspect-ai is not installed.
    """
    if form != "inspect":
        raise UnknownName("export", form, ["inspect"])
    log = optional("inspect_ai.log", "inspect")
    groups: dict[tuple[str, str], list[tuple[RunFolder, TrialRecord]]] = {}
    for folder in map(RunFolder, folders):
        for record in folder.load().records:
            groups.setdefault((record.id.benchmark, record.id.workflow), []).append(
                (folder, record)
            )
    target.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for (name, workflow), items in sorted(groups.items()):
        path = target / f"{safe(name)}-{safe(workflow)}.eval"
        log.write_eval_log(log.EvalLog.model_validate(document(name, workflow, items)), str(path))
        written.append(path)
    return written


def document(
    name: str, workflow: str, items: Sequence[tuple[RunFolder, TrialRecord]]
) -> dict[str, Any]:
    """One log of Inspect as plain data."""
    first = items[0][1]
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "task": f"{name}/{workflow}",
            "task_id": f"{name}-{workflow}",
            "run_id": first.config,
            "created": first.started_at or "1970-01-01T00:00:00+00:00",
            "model": f"{first.host.name}/{first.host.snapshot or first.host.model}",
            "dataset": {"name": name, "samples": len(items)},
            "config": {},
        },
        "samples": [_sample(folder, record) for folder, record in items],
    }


def _sample(folder: RunFolder, record: TrialRecord) -> dict[str, Any]:
    path = folder.file(record.id, "trajectories", ".json")
    steps = json.loads(path.read_text())["steps"] if path.exists() else []
    usage = record.usage
    prompt = next((step["message"] for step in steps if step["source"] == "user"), record.id.task)
    tokens = {
        "input_tokens": usage.fresh,
        "input_tokens_cache_read": usage.cache_read,
        "input_tokens_cache_write": usage.cache_write,
        "output_tokens": usage.output,
        "total_tokens": usage.total,
    }
    score = {"value": "C" if record.verdict.success else "I", "explanation": record.verdict.note}
    return {
        "id": record.id.task,
        "epoch": record.id.run + 1,
        "input": prompt,
        "target": "",
        "messages": [m for step in steps for m in _messages(step)],
        "scores": {} if record.verdict.success is None else {"success": score},
        "model_usage": {record.host.model or "model": tokens},
        "total_time": record.wall.total,
        "metadata": {"failure": record.failure.kind if record.failure else None},
    }


def _messages(step: dict[str, Any]) -> list[dict[str, Any]]:
    roles = {"agent": "assistant", "user": "user", "system": "system"}
    message: dict[str, Any] = {"role": roles[step["source"]], "content": step["message"]}
    calls = step.get("tool_calls", [])
    if calls:
        message["tool_calls"] = [
            {"id": c["tool_call_id"], "function": c["function_name"], "arguments": c["arguments"]}
            for c in calls
        ]
    results = step.get("observation", {}).get("results", [])
    answers = [
        {"role": "tool", "content": r["content"], "tool_call_id": r["source_call_id"]}
        for r in results
    ]
    return [message, *answers]
