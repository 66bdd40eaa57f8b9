"""Paired trajectories side by side, and the categories people give them (study, section V-B).

Labels are a TOML file next to the run: one table per benchmark, task and workflow, an axis
(``win``, ``loss``, ``fewer``, ``more``) to a category::

    [linuxfl."203475".callgraph]
    fewer = "read displacement"
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from codeviews.harness.errors import BadInput, UnknownName
from codeviews.harness.frame import frame
from codeviews.harness.records import TrialId, TrialRecord
from codeviews.harness.results import RunFolder
from codeviews.harness.tables import axis_of, token_category

LABELS = "labels.toml"
AXES = ("win", "loss", "fewer", "more")
Labels = dict[tuple[str, str, str], dict[str, str]]


def labels(folder: RunFolder) -> Labels:
    """The labels of a run, {} when there are none.

    Raises:
        BadInput: the file is damaged or names an unknown axis.
    """
    path = folder.path / LABELS
    if not path.exists():
        return {}
    try:
        data: dict[str, Any] = tomllib.loads(path.read_text())
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{path} is not TOML: {error}") from error
    found: Labels = {}
    for benchmark, tasks in data.items():
        for task, workflows in tasks.items():
            for workflow, given in workflows.items():
                _check_axes(path, given)
                found[benchmark, workflow, task] = given
    return found


def _check_axes(path: Path, given: Mapping[str, Any]) -> None:
    unknown = set(given) - set(AXES)
    if unknown:
        axes = ", ".join(AXES)
        raise BadInput(f"{path} names the axis '{min(unknown)}'; the axes are: {axes}")


def record_of(folder: RunFolder, workflow: str, task: str, run: int) -> TrialRecord:
    """One trial's record.

    Raises:
        UnknownName: the run has no such trial; the choices are listed.
    """
    records = folder.load().records
    found = [r for r in records if (r.id.workflow, r.id.run) == (workflow, run)]
    if not found:
        raise UnknownName("workflow", workflow, {r.id.workflow for r in records})
    for record in found:
        if record.id.task == task:
            return record
    raise UnknownName("task", task, sorted({r.id.task for r in found})[:20])


def diff(folder: RunFolder, first: str, second: str, task: str, run: int = 0) -> str:
    """The two trials of a task as Markdown: figures first, then turn by turn."""
    records = [record_of(folder, workflow, task, run) for workflow in (first, second)]
    lines = [f"# {records[0].id.benchmark} {task}: {first} against {second}", ""]
    lines += _figures(records[0], records[1])
    rows = frame(records).rows
    if len(rows) == 2:
        axes = [axis for axis in AXES if axis_of(axis, rows[0], rows[1])]
        lines += ["", f"Axes: {', '.join(axes) or 'none'}; by tool counts: " + _rule(rows)]
        lines += [f"Label it in {LABELS}: [{records[0].id.benchmark}.{_key(task)}.{first}]"]
    for workflow, record in zip((first, second), records, strict=True):
        lines += ["", f"## {workflow}", "", *_turns(folder, record.id)]
    return "\n".join(lines) + "\n"


def _rule(rows: list[Any]) -> str:
    return token_category(rows[0], rows[1])


def _key(task: str) -> str:
    return json.dumps(task)


def _figures(a: TrialRecord, b: TrialRecord) -> list[str]:
    lines = [f"| | {a.id.workflow} | {b.id.workflow} |", "|---|---:|---:|"]
    told = {
        "success": lambda r: r.verdict.success,
        "metrics": lambda r: ", ".join(f"{k} {v:g}" for k, v in r.verdict.metrics.items()) or "-",
        "tokens": lambda r: f"{r.usage.total:,}",
        "model calls": lambda r: len(r.calls),
        "map calls": lambda r: r.count("map"),
        "native calls": lambda r: sum(t.kind != "map" and not t.denied for t in r.tools),
        "wall s": lambda r: f"{r.wall.total:.1f}",
        "failure": lambda r: r.failure.kind if r.failure else "-",
        "files": lambda r: ", ".join(r.prediction.files[:10]) or "-",
    }
    return [*lines, *(f"| {name} | {f(a)} | {f(b)} |" for name, f in told.items())]


def _turns(folder: RunFolder, id: TrialId) -> list[str]:
    path = folder.file(id, "trajectories", ".json")
    if not path.exists():
        return ["(no trajectory)"]
    document = json.loads(path.read_text())
    lines: list[str] = []
    for step in document["steps"]:
        if step["source"] != "agent":
            continue
        metrics = step["metrics"]
        tokens = f"{metrics['prompt_tokens']:,} in, {metrics['completion_tokens']:,} out"
        lines.append(f"{step['step_id']}. ({tokens}) {_short(step['message'])}")
        results = {r["source_call_id"]: r for r in step.get("observation", {}).get("results", [])}
        for call in step.get("tool_calls", []):
            output = results.get(call["tool_call_id"], {}).get("content", "")
            arguments = _short(json.dumps(call["arguments"]))
            lines.append(
                f"   - `{call['function_name']}` {arguments} -> {len(output):,} characters"
            )
    return lines


def _short(text: str, most: int = 160) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[:most]}..."
