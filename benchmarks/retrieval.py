"""What one call finds: each explore tool against plain BM25, on real reports, with no model.

    python benchmarks/retrieval.py --tasks DIR --mirror DIR --work DIR
        [--suite lite|pro|linuxfl|secbench] [--views hybrid,docs] [--repos a/b,...] [--every N]
        [--kernel DIR] [--keep] [--kept-only] [--json FILE]

For each task the base commit is checked out by ``git archive``, the repository's one index is
refreshed (unchanged files are not read twice), and every method gets the raw report. ``--keep``
stores a copy of each index under ``--work``, so that a later run only asks questions.
"""

from __future__ import annotations

import argparse
import json
import re
import sqlite3
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import cast

from retrieval_baselines import BASELINES
from retrieval_score import Result, Scores, as_json, interval, score, summary
from retrieval_tasks import SUITES, Task, check_out, load, mirror_of

from codeviews.core.config import CHARS_PER_TOKEN
from codeviews.core.session import Session, Snapshot
from codeviews.core.store import Store
from codeviews.servers.exploring import explore_tool
from codeviews.servers.toolkit import Ask, QueryParams

RANKED_SYMBOLS = 50
_SHOWN = re.compile(r"^### (.+?):\d+-\d+  (\S+)", re.M)  # the head of a source block


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print; returns the exit code."""
    options = _options(arguments)
    tasks = load(options.tasks, options.suite)
    if options.repos:
        tasks = [task for task in tasks if task.repo in options.repos.split(",")]
    if options.kept_only:
        tasks = [task for task in tasks if kept_index(task, options.work).exists()]
    tasks = tasks[:: options.every]
    results = list(_run(tasks, options))
    text = report(tasks, results)
    print(text)
    if options.json:
        options.json.write_text(json.dumps(_record(tasks, results), indent=1), "utf-8")
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--tasks", type=Path, required=True)
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--suite", choices=SUITES, default="lite")
    parser.add_argument("--views", default="hybrid")
    parser.add_argument("--repos", default="")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--kernel", type=Path, help="the tree that linuxfl tasks are asked of")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--kept-only", action="store_true", help="ask of kept indexes alone")
    parser.add_argument("--baselines", default="fts5,bm25s")
    parser.add_argument("--json", type=Path)
    return parser.parse_args(arguments)


# --- running --------------------------------------------------------------------------------------
def _run(tasks: Sequence[Task], options: argparse.Namespace) -> Iterator[Result]:
    for number, task in enumerate(tasks, 1):
        store = Store(index_of(task, options))
        for view in options.views.split(","):
            yield _ask(store, task, view)
        for name in filter(None, options.baselines.split(",")):
            yield _baseline(store, task, name)
        store.close()
        print(f"{number}/{len(tasks)} {task.id}", file=sys.stderr, flush=True)


def index_of(task: Task, options: argparse.Namespace) -> Path:
    """The database of the task's tree: a kept copy, else the repository's index brought there."""
    name = task.repo.replace("/", "__")
    kept = kept_index(task, options.work)
    if kept.exists():
        return kept
    tree = options.kernel if not task.commit else options.work / name / "tree"
    if task.commit:
        check_out(mirror_of(options.mirror, task.repo), task.commit, tree)
    session = Session(tree, options.work / name / "index")
    session.build()
    session.close()
    if options.keep or not task.commit:
        _keep(session.database, kept)
        return kept
    return session.database


def kept_index(task: Task, work: Path) -> Path:
    """Where the copy of a task's index is, once it was kept."""
    name = task.id if task.commit else task.repo.replace("/", "__")
    return work / "kept" / f"{name}.db"


def _keep(database: Path, kept: Path) -> None:
    """Copy what questions need: facts and unresolved sites are dropped."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    part = kept.with_suffix(".part")
    part.unlink(missing_ok=True)
    target = sqlite3.connect(part)
    source = sqlite3.connect(database)
    source.backup(target)
    source.close()
    target.execute("PRAGMA journal_mode = WAL")
    target.execute("UPDATE content SET facts = x''")
    target.execute("DELETE FROM summary")
    target.execute("DELETE FROM unresolved")
    target.commit()
    target.execute("VACUUM")
    target.close()
    part.rename(kept)


class _KeptTree:
    """Stands for the session of a kept index, whose tree is gone and hence never changes."""

    def changed_since(self, paths: Iterable[str]) -> set[str]:
        """No path has changed."""
        return set()


def _ask(store: Store, task: Task, view: str) -> Result:
    """What the tool itself answers, with its default budget and limit."""
    tool = explore_tool(view, "")
    params = QueryParams(query=task.report)
    ask = Ask(cast(Session, _KeptTree()), store, Snapshot(Path(".")), params)
    started = time.process_time()
    answer = tool.run(ask)
    text = answer.text(params.max_tokens)
    seconds = time.process_time() - started
    found = answer.data["files"]
    symbols = sorted(
        ((s["score"], f"{f['path']}:{s['name']}") for f in found for s in f["symbols"]),
        key=lambda pair: -pair[0],
    )
    shown = [f"{path}:{name}" for path, name in _SHOWN.findall(text)]
    return Result(
        task.id,
        f"{view}_explore",
        [f["path"] for f in found],
        [symbol for _, symbol in symbols[:RANKED_SYMBOLS]],
        shown,
        len(text) // CHARS_PER_TOKEN,
        seconds,
    )


def _baseline(store: Store, task: Task, name: str) -> Result:
    started = time.process_time()
    files, symbols = BASELINES[name](store, task.report)
    return Result(task.id, name, files, symbols, [], 0, time.process_time() - started)


# --- reporting ------------------------------------------------------------------------------------
def _scores(tasks: Sequence[Task], results: Sequence[Result]) -> dict[str, dict[str, Scores]]:
    """method -> task id -> scores."""
    known = {task.id: task for task in tasks}
    out: dict[str, dict[str, Scores]] = defaultdict(dict)
    for result in results:
        task = known[result.task]
        out[result.method][task.id] = score(result, task.gold_files, task.gold_functions)
    return out


def report(tasks: Sequence[Task], results: Sequence[Result]) -> str:
    """The tables in Markdown: all tasks, then each split, then differences with intervals."""
    scores = _scores(tasks, results)
    lines = _table("all", list(scores), {name: list(of.values()) for name, of in scores.items()})
    for split, members in _splits(tasks):
        rows = {m: [of[t] for t in members if t in of] for m, of in scores.items()}
        lines += ["", *_table(f"{split} ({len(members)})", list(scores), rows)]
    return "\n".join([*lines, "", *_differences(scores)])


def _table(title: str, methods: Sequence[str], rows: dict[str, list[Scores]]) -> list[str]:
    head = list(summary([]))
    out = [f"| {title} | {' | '.join(head)} |", "|---" * (len(head) + 1) + "|"]
    for method in methods:
        values = summary(rows[method])
        cells = [f"{values[n]:.0f}" if values[n] > 2 else f"{values[n]:.3f}" for n in head]
        out.append(f"| {method} | {' | '.join(cells)} |")
    return out


def _splits(tasks: Sequence[Task]) -> Iterator[tuple[str, list[str]]]:
    groups: dict[str, list[str]] = defaultdict(list)
    for task in tasks:
        groups[f"language {task.language}"].append(task.id)
        groups[f"repository {task.repo}"].append(task.id)
        groups["report names gold" if task.names_gold else "report names no gold"].append(task.id)
    yield from sorted(groups.items())


def _differences(scores: dict[str, dict[str, Scores]]) -> list[str]:
    first, *others = scores
    out = ["| difference | File@1 | File@10 | Func@1 | Func@10 |", "|---|---|---|---|---|"]
    for other in others:
        cells = []
        for kind, place in (("file", 0), ("file", 2), ("function", 0), ("function", 2)):
            mean, low, high = interval(
                scores[first], scores[other], lambda s, k=kind, p=place: getattr(s, k)[p]
            )
            cells.append(f"{mean:+.3f} [{low:+.3f}, {high:+.3f}]")
        out.append(f"| {first} - {other} | {' | '.join(cells)} |")
    return out


def _record(tasks: Sequence[Task], results: Sequence[Result]) -> dict[str, object]:
    scores = _scores(tasks, results)
    return {
        "summary": {method: summary(list(of.values())) for method, of in scores.items()},
        "tasks": {
            method: {task: as_json(s) for task, s in of.items()} for method, of in scores.items()
        },
    }


if __name__ == "__main__":
    raise SystemExit(main())
