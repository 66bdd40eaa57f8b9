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

from pydantic import TypeAdapter, ValidationError

from codeviews.harness.behaviour import first_line
from codeviews.harness.errors import BadInput, UnknownName
from codeviews.harness.frame import frame
from codeviews.harness.records import TrialId, TrialRecord
from codeviews.harness.results import RunFolder
from codeviews.harness.tables import axis_of, token_category
from codeviews.harness.workflows import BASELINE

LABELS = "labels.toml"
AXES = ("win", "loss", "fewer", "more")
Labels = dict[tuple[str, str, str], dict[str, str]]
Labelled = dict[str, dict[str, dict[str, dict[str, str]]]]  # benchmark, task, workflow, axis
_LABELLED = TypeAdapter(Labelled)


def labels(folder: RunFolder) -> Labels:
    """The labels of a run, {} when there are none.

    Raises:
        BadInput: the file is damaged or names an unknown axis.
    """
    path = folder.path / LABELS
    if not path.exists():
        return {}
    try:
        data = _LABELLED.validate_python(tomllib.loads(path.read_text("utf-8")))
    except ValidationError as error:
        raise BadInput(f"{path} holds no labels: {first_line(error)}") from error
    except ValueError as error:
        raise BadInput(f"{path} is not TOML: {error}") from error
    return _flat(path, data)


def _flat(path: Path, data: Labelled) -> Labels:
    found: Labels = {}
    for benchmark, tasks in data.items():
        for task, workflows in tasks.items():
            for workflow, given in workflows.items():
                _check_axes(path, given)
                found[benchmark, workflow, task] = given
    return found


def _check_axes(path: Path, given: Mapping[str, str]) -> None:
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
    of_workflow = [r for r in records if r.id.workflow == workflow]
    if not of_workflow:
        raise UnknownName("workflow", workflow, {r.id.workflow for r in records})
    found = [r for r in of_workflow if r.id.run == run]
    if not found:
        raise UnknownName("run", str(run), {str(r.id.run) for r in of_workflow})
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
        view, other = reversed(rows) if first == BASELINE else rows
        axes = [axis for axis in AXES if axis_of(axis, view, other)]
        lines += [
            "",
            f"Axes of {view.workflow}: {', '.join(axes) or 'none'}; "
            f"by tool counts: {token_category(view, other)}",
            f"Label it in {LABELS}: [{records[0].id.benchmark}.{_key(task)}.{view.workflow}]",
        ]
    for workflow, record in zip((first, second), records, strict=True):
        lines += ["", f"## {workflow}", "", *_turns(folder, record.id)]
    return "\n".join(lines) + "\n"


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
