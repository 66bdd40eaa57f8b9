"""Results of other harnesses as records of ours, so that one report compares them all.

* ``swebench``: a report (``resolved_ids``, ``unresolved_ids``...) or SWE-agent style folders
* ``inspect``: a JSON log of Inspect (``inspect log dump`` of an ``.eval`` file)
* ``harbor``: a job folder with ``result.json`` per trial and ATIF ``trajectory.json`` beside it
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from codeviews.harness.benchmarks import benchmark
from codeviews.harness.errors import BadInput, UnknownName
from codeviews.harness.grid import Grid
from codeviews.harness.records import HostInfo, Tokens, TrialId, TrialRecord, Verdict, Wall
from codeviews.harness.repair import read_resolved, verdicts
from codeviews.harness.results import RunFolder


class Result(dict[str, Any]):
    """One foreign result: ``task``, ``success``, and what else is known."""


def import_results(source: Path, form: str, name: str, workflow: str, out: Path) -> int:
    """Write a record for every result found; gives their number.

    Raises:
        UnknownName: the format or benchmark is none of the choices.
        BadInput: nothing was found.
    """
    if form not in READERS:
        raise UnknownName("format", form, READERS)
    metric = benchmark(name).SUCCESS
    found = _found(source, form)
    if not found:
        raise BadInput(f"{source} holds no {form} results")
    grid = Grid(name=out.name, benchmarks=(name,), workflows=("baseline",), host="replay")
    folder = RunFolder(out)
    if not (out / "run.json").exists():
        folder.begin(grid, {})
    for result in found:
        folder.save(_record(result, folder.grid(), name, workflow, metric))
    return len(found)


def _found(source: Path, form: str) -> list[Result]:
    if not source.exists():
        raise BadInput(f"{source} does not exist")
    try:
        return list(READERS[form](source))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise BadInput(f"{source} is not in the form of {form} results: {error!r}") from error


def _record(result: Result, grid: Grid, name: str, workflow: str, metric: str) -> TrialRecord:
    success = result.get("success")
    metrics = {} if success is None else {metric: float(success)}
    return TrialRecord(
        id=TrialId(
            benchmark=name, task=result["task"], workflow=workflow, run=result.get("run", 0)
        ),
        config=grid.digest(),
        host=HostInfo(name=result.get("host", "imported"), model=result.get("model", "")),
        verdict=Verdict(success=success, metrics=metrics, grader="imported"),
        usage=result.get("usage", Tokens()),
        wall=Wall(total=result.get("seconds", 0.0)),
        cost_usd=result.get("cost"),
    )


def _swebench(source: Path) -> Iterator[Result]:
    resolved = read_resolved(source) if source.is_dir() else verdicts(_json(source))
    for task, success in sorted(resolved.items()):
        yield Result(task=task, success=success)


def _inspect(source: Path) -> Iterator[Result]:
    for path in [source] if source.is_file() else sorted(source.glob("*.json")):
        data = _json(path)
        model = data.get("eval", {}).get("model", "")
        for sample in data.get("samples") or []:
            score = next(iter((sample.get("scores") or {}).values()), {}).get("value")
            usage = next(iter((sample.get("model_usage") or {}).values()), {})
            yield Result(
                task=str(sample["id"]),
                run=int(sample.get("epoch") or 1) - 1,
                success=score in ("C", 1, 1.0, True),
                model=model,
                seconds=float(sample.get("total_time") or 0.0),
                usage=Tokens(
                    fresh=usage.get("input_tokens") or 0,
                    cache_read=usage.get("input_tokens_cache_read") or 0,
                    cache_write=usage.get("input_tokens_cache_write") or 0,
                    output=usage.get("output_tokens") or 0,
                ),
            )


def _harbor(source: Path) -> Iterator[Result]:
    for path in sorted(source.rglob("result.json")):
        data = _json(path)
        reward = (data.get("verifier_result") or {}).get("rewards", {}).get("reward")
        if "task_name" not in data:
            continue
        agent = data.get("agent_result") or {}
        cached = agent.get("n_cache_tokens") or 0
        usage = Tokens(
            fresh=max(0, (agent.get("n_input_tokens") or 0) - cached),
            cache_read=cached,
            output=agent.get("n_output_tokens") or 0,
        )
        yield Result(
            task=str(data["task_name"]).rpartition("/")[2],
            success=None if reward is None else reward >= 1,
            host=(data.get("agent_info") or {}).get("name", "imported"),
            usage=usage,
            cost=agent.get("cost_usd"),
        )


def _json(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text())
    except (OSError, ValueError, RecursionError) as error:
        raise BadInput(f"{path} cannot be read as JSON: {error}") from error
    return data if isinstance(data, dict) else {}


READERS: dict[str, Callable[[Path], Iterator[Result]]] = {
    "swebench": _swebench,
    "inspect": _inspect,
    "harbor": _harbor,
}
