"""Scripted trials: the variables a behaviour is filled with, and the truth its record must show."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from codeviews.harness.behaviour import Behaviour
from codeviews.harness.benchmarks import Benchmark
from codeviews.harness.exchange import NO_USAGE, Usage
from codeviews.harness.records import Prediction, Tokens, TrialRecord
from codeviews.harness.tasks import Task
from codeviews.harness.tool_names import kind


def variables(task: Task, repo: str) -> dict[str, str]:
    """Values for a behaviour's placeholders: the task's own ``script`` table wins over the gold."""
    title = task.statement.strip().splitlines()[0] if task.statement.strip() else task.id
    answer = {"files": list(task.gold.files), "symbols": list(task.gold.symbols)}
    return {
        "query": title[:200],
        "report": task.statement,
        "file": task.gold.files[0] if task.gold.files else "README.md",
        "symbol": task.gold.symbols[0] if task.gold.symbols else "",
        "answer": json.dumps({key: value for key, value in answer.items() if value}),
        **task.script,
        "repo": repo,
    }


class Truth(NamedTuple):
    """What a record of a scripted trial must say."""

    calls: list[Tokens]
    tools: list[tuple[str, str]]
    usage: Tokens
    answer: str


def truth(behaviour: Behaviour, has_map: bool, values: Mapping[str, str]) -> Truth:
    """The truth of a behaviour that runs to its end: tokens of each call, tools by kind, answer."""
    steps = behaviour.for_tools(has_map)
    usages = [step.usage.usage() for step in steps]
    tools = [(call.tool, _kind(call.tool)) for step in steps for call in step.calls]
    answer = steps[-1].text
    for name, value in values.items():
        answer = answer.replace("{" + name + "}", value)
    total: Usage = sum(usages, NO_USAGE)
    return Truth([Tokens.of(usage) for usage in usages], tools, Tokens.of(total), answer)


def _kind(tool: str) -> str:
    return "map" if tool.startswith("map:") else kind(tool)


def differences(record: TrialRecord, expected: Truth, task: Task, module: Benchmark) -> list[str]:
    """Every field in which a record differs from its script's truth, as sentences."""
    prediction = record.prediction
    if not module.REPAIR:
        prediction = module.collect(task, expected.answer, "")
    pairs: dict[str, tuple[Any, Any]] = {
        "failure": (record.failure, None),
        "tokens of each call": ([call.usage for call in record.calls], expected.calls),
        "tokens": (record.usage, expected.usage),
        "kinds of tools": (
            [tool.kind for tool in record.tools if not tool.denied],
            [kind for _, kind in expected.tools],
        ),
        "tool errors": ([tool.tool for tool in record.tools if tool.is_error], []),
        "prediction": (record.prediction, prediction),
        "metrics": (record.verdict.metrics, module.grade(task, prediction).metrics),
    }
    return [
        f"{record.id.task}/{record.id.workflow}: {name} is {seen!r}, the script says {wanted!r}"
        for name, (seen, wanted) in pairs.items()
        if seen != wanted
    ]


def no_prediction(prediction: Prediction) -> bool:
    """Whether a prediction says nothing at all."""
    return not (prediction.files or prediction.symbols or prediction.patch)
