"""CuraLoc's planner without a model on real reports: accuracy, coverage, reachability, latency.

    python benchmarks/localize.py --tasks DIR --mirror DIR --work DIR
        [--repos a/b,...] [--every N] [--kept-only] [--keep] [--json FILE]

Indexes are made and kept as ``benchmarks/retrieval.py`` does; ``--kept-only`` asks nothing else.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from retrieval import index_of, kept_index
from retrieval_tasks import Task, load

from codeviews.core.store import Store
from codeviews.harness.localization.metrics import Outcome, measured, summary
from codeviews.servers.curaloc.capsules import admit
from codeviews.servers.curaloc.evidence import neighbours
from codeviews.servers.curaloc.pipeline import localize
from codeviews.servers.curaloc.planners import planner
from codeviews.servers.curaloc.ranking import normalized
from codeviews.servers.curaloc.records import Inventory, RouteMap, Scope, ScopedFile, Start
from codeviews.servers.curaloc.settings import ACTIONS, DEFAULT, Settings

PROFILES = ("default", "paper")


class Line(NamedTuple):
    """What one task showed. ``reach`` is None for tasks with one gold symbol."""

    task: str
    outcome: Outcome
    given_files: bool
    reach: dict[str, bool] | None
    milliseconds: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print; returns the exit code."""
    options = _options(arguments)
    tasks = load(options.tasks, "lite")
    if options.repos:
        tasks = [task for task in tasks if task.repo in options.repos.split(",")]
    if options.kept_only:
        tasks = [t for t in tasks if kept_index(t, options.work).exists()]
    lines = list(_run(tasks[:: options.every], options))
    print(report(lines))
    if options.json:
        options.json.write_text(json.dumps([_record(line) for line in lines], indent=1), "utf-8")
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--tasks", type=Path, required=True)
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--repos", default="")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--kernel", type=Path)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--kept-only", action="store_true")
    parser.add_argument("--json", type=Path)
    return parser.parse_args(arguments)


def _run(tasks: Sequence[Task], options: argparse.Namespace) -> Iterator[Line]:
    for number, task in enumerate(tasks, 1):
        store = Store(index_of(task, options))
        yield ask(store, task)
        store.close()
        print(f"{number}/{len(tasks)} {task.id}", file=sys.stderr, flush=True)


def ask(store: Store, task: Task, settings: Settings = DEFAULT) -> Line:
    """Localize one task with the lexical planner, and probe what its graph could reach."""
    started = time.process_time()
    found = localize(store, task.report, planner("lexical"), settings)
    milliseconds = 1000 * (time.process_time() - started)
    outcome = measured(found, task.gold_functions, task.gold_files)
    given = given_gold(store, task, found.scope, settings)
    names = {normalized(c.definition.address) for c in given.capsules.values()}
    gold = set(map(normalized, task.gold_functions))
    reach = None
    if len(gold) > 1:
        reach = {
            p: _reachable(store, task, found.scope, replace(settings, profile=p), gold)
            for p in PROFILES
        }
    return Line(task.id, outcome, gold <= names, reach, milliseconds)


def given_gold(store: Store, task: Task, scope: Scope, settings: Settings) -> Inventory:
    """The candidates when S1 had put the gold files first: the deterministic part alone."""
    rest = [file for file in scope.files if file.path not in task.gold_files]
    first = [ScopedFile(path, {}) for path in task.gold_files]
    return admit(store, Scope((*first, *rest)), settings)


def _reachable(store: Store, task: Task, scope: Scope, settings: Settings, gold: set[str]) -> bool:
    """Whether one action from one gold symbol reaches all the others."""
    inventory = given_gold(store, task, scope, settings)
    name = {sid: normalized(c.definition.address) for sid, c in inventory.capsules.items()}
    empty = RouteMap((), ())
    return any(
        gold <= {name[sid], *(name[o] for o in neighbours(Start(sid, action), empty, inventory))}
        for sid in name
        if name[sid] in gold
        for action in ACTIONS
    )


def report(lines: Sequence[Line]) -> str:
    """The figures as a Markdown table."""
    rows = dict(summary([line.outcome for line in lines]))
    n = max(len(lines), 1)
    rows["candidate coverage, gold files first"] = sum(line.given_files for line in lines) / n
    several = [line.reach for line in lines if line.reach is not None]
    for profile in PROFILES:
        share = sum(reach[profile] for reach in several) / max(len(several), 1)
        rows[f"all gold by one action, {profile} edges (n={len(several)})"] = share
    times = sorted(line.milliseconds for line in lines) or [0.0]
    rows["CPU ms, median"] = times[len(times) // 2]
    rows["CPU ms, p95"] = times[min(int(len(times) * 0.95), len(times) - 1)]
    head = [f"| lexical (n={len(lines)}) | value |", "|---|---|"]
    return "\n".join([*head, *(f"| {name} | {value:.3f} |" for name, value in rows.items())])


def _record(line: Line) -> dict[str, Any]:
    return {**line._asdict(), "outcome": line.outcome._asdict()}


if __name__ == "__main__":
    raise SystemExit(main())
