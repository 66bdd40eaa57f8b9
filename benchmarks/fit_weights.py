"""Fits the ranking weights of ``core/config.py``, cross-validated by repository.

    python benchmarks/fit_weights.py --tasks DIR --mirror DIR --work DIR
        [--suite lite] [--every N] [--kept-only] [--tables FILE]
        [--linuxfl WORK] [--linuxfl-share 0.5]

The model is the one that ranks: a linear logit. Fitted is the likelihood of the gold files (then
functions) under a softmax over each task's candidates; weights of clues may not be negative, those
of form and size may, and what these suites hold too rarely keeps its weight. Each repository's
tasks are scored with weights that never saw it. Printed are these held-out figures and the weights
fitted on all tasks, to be rounded by hand. ``--tables`` keeps the features of a run, so that a
later one only fits. ``--linuxfl`` adds the tasks of LinuxFLBench, asked of the kernel's kept index
under that folder: what only kernel reports hold is learned from them. They are five folds of their
own, each counts ``--linuxfl-share`` of a task, and their figures are printed apart; functions are
not fitted to them.
"""

from __future__ import annotations

import argparse
import pickle
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from retrieval import index_of, kept_index
from retrieval_score import CUTOFFS, RESAMPLES, normalized
from retrieval_tasks import SUITES, Task, load
from scipy.optimize import minimize

from codeviews.core.columns import Table
from codeviews.core.config import FILE_WEIGHTS, NO_SYMBOL, SYMBOL_WEIGHTS
from codeviews.core.explore import Ranking, rank
from codeviews.core.languages import LANGUAGES
from codeviews.core.store import Store

FREE = frozenset("size package bench header nested method dunder initializer crowd private".split())
KEPT = frozenset(
    """asked line frame dotted literal tested type value declaration file.asked best.asked
    best.line best.frame next.frame file.frame_top file.module file.path file.together""".split()
)
KERNEL_CLUES = frozenset(  # keep their weights too where no kernel report is learned from
    """stack fault owner.stack owner.fault best.stack best.fault next.stack next.fault file.driver
    file.driver_folder field.said header""".split()
)
UNUSED = frozenset(
    "looked symbol.best symbol.sum next.asked next.line next.literal file.frame".split()
)
KERNEL, KERNEL_FOLDS = "linux", 5
RIDGE = 10.0  # of the squared weights of features of unit variance, over all tasks
Matrix = NDArray[np.float64]


@dataclass
class Example:
    """One task's candidates: names, features, which are gold, and how many gold there are.
    ``files`` is the place of each candidate's file among the task's files, ``share`` how much the
    task counts in the fit; those of one ``repo`` are one fold."""

    repo: str
    names: list[str]
    table: Table
    gold: NDArray[np.bool_]
    wanted: int
    files: NDArray[np.int64]
    share: float = 1.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Files, functions by them, files by their functions, and functions again; print each."""
    options = _options(arguments)
    pairs = _pairs(options)
    files, functions = [f for f, _ in pairs], [s for _, s in pairs]
    shares = [_log_share(score) for score in fit("files", files, FILE_WEIGHTS)]
    own = fit("functions", [_with_file(*p) for p in zip(functions, shares, strict=True)])
    own = fit("functions without files", functions)
    files = [_with_worth(*p) for p in zip(files, functions, own, strict=True)]
    shares = [_log_share(score) for score in fit("files again", files, FILE_WEIGHTS)]
    fit("functions again", [_with_file(*p) for p in zip(functions, shares, strict=True)])
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    for name in ("--tasks", "--mirror", "--work"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--suite", choices=SUITES, default="lite")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--kept-only", action="store_true")
    parser.add_argument("--tables", type=Path)
    parser.add_argument("--linuxfl", type=Path)
    parser.add_argument("--linuxfl-share", type=float, default=0.5)
    options = parser.parse_args(arguments)
    options.kernel, options.keep = None, True
    return options


# --- features -------------------------------------------------------------------------------------
def _pairs(options: argparse.Namespace) -> list[tuple[Example, Example]]:
    if options.tables and options.tables.exists():
        return pickle.loads(options.tables.read_bytes())
    tasks = load(options.tasks, options.suite)
    if options.kept_only:
        tasks = [t for t in tasks if kept_index(t, options.work).exists()]
    pairs = list(_read(tasks[:: options.every], options))
    if options.linuxfl:
        pairs += _kernel_pairs(options)
    if options.tables:
        options.tables.write_bytes(pickle.dumps(pairs))
    return pairs


def _kernel_pairs(options: argparse.Namespace) -> list[tuple[Example, Example]]:
    """The tasks of LinuxFLBench in folds of their own."""
    asked = argparse.Namespace(**{**vars(options), "work": options.linuxfl})
    pairs = list(_read(load(options.tasks, "linuxfl")[:: options.every], asked))
    for number, pair in enumerate(pairs):
        for example in pair:
            example.repo = f"{KERNEL} {number % KERNEL_FOLDS}"
            example.share = options.linuxfl_share
    return pairs


def _read(tasks: Sequence[Task], options: argparse.Namespace) -> Iterator[tuple[Example, Example]]:
    for number, task in enumerate(tasks, 1):
        store = Store(index_of(task, options))
        yield _examples(task, rank(store, task.report, "hybrid"))
        store.close()
        print(f"{number}/{len(tasks)} {task.id}", file=sys.stderr, flush=True)


def _examples(task: Task, ranking: Ranking) -> tuple[Example, Example]:
    """The task's code files, and the functions whose source was read."""
    found, (files, symbols) = ranking.candidates, ranking.tables
    plain = [not r.marks and bool(LANGUAGES.get(r.language)) for r in found.files.values()]
    kept = _rows(files, np.flatnonzero(plain))
    place = {found_id: k for k, found_id in enumerate(kept.ids)}
    inside = [found.definitions[i].file_id in place for i in symbols.ids]
    looked = _rows(symbols, np.flatnonzero((symbols.column("looked") > 0) & np.array(inside)))
    home = np.array([place[found.definitions[i].file_id] for i in looked.ids], dtype=np.int64)
    paths = [found.files[i].path for i in kept.ids]
    names = [normalized(found.definitions[i].address) for i in looked.ids]
    wanted = set(map(normalized, task.gold_functions))
    return (
        _example(task, paths, kept, set(task.gold_files), np.arange(len(paths))),
        _example(task, names, looked, wanted, home),
    )


def _rows(table: Table, places: NDArray[np.intp]) -> Table:
    return Table([table.ids[k] for k in places], table.names, table.values[places])


def _example(
    task: Task, names: list[str], table: Table, gold: set[str], files: NDArray[np.int64]
) -> Example:
    is_gold = np.array([name in gold for name in names], dtype=bool)
    return Example(task.repo, names, table, is_gold, len(gold), files)


def _log_share(score: Matrix) -> Matrix:
    return np.maximum(score - score.max() - np.log(np.exp(score - score.max()).sum()), -12.0)


def _with(example: Example, names: list[str], values: Matrix) -> Example:
    keep = [i for i, name in enumerate(example.table.names) if name not in names]
    kept = [example.table.names[i] for i in keep]
    values = np.hstack([example.table.values[:, keep], values])
    table = Table(example.table.ids, [*kept, *names], values)
    return replace(example, table=table)


def _with_file(functions: Example, share: Matrix) -> Example:
    return _with(functions, ["file"], share[functions.files].reshape(-1, 1))


def _with_worth(files: Example, functions: Example, score: Matrix) -> Example:
    worth = np.full((len(files.names), 2), NO_SYMBOL)
    for k in set(functions.files.tolist()):
        inside = score[functions.files == k] - score.max()
        worth[k] = inside.max(), np.log(np.exp(inside).sum())
    return _with(files, ["symbol.best", "symbol.sum"], np.maximum(worth, NO_SYMBOL))


# --- the fit --------------------------------------------------------------------------------------
def fit(
    title: str, examples: Sequence[Example], present: Mapping[str, float] = SYMBOL_WEIGHTS
) -> list[Matrix]:
    """Held-out scores of every example; prints what they reach and the weights for all."""
    unused = UNUSED - {"symbol.best", "symbol.sum"} if title.endswith("again") else UNUSED
    unused |= {"file"} if title.endswith("without files") else set()
    learned = any(e.repo.startswith(f"{KERNEL} ") and e.gold.any() for e in examples)
    kept = sorted(KEPT if learned else KEPT | KERNEL_CLUES)
    names = sorted(_varying(examples) - {*kept} - unused)
    tables = [_matrix(e.table, names) for e in examples]
    fixed = np.array([present.get(name, 0.0) for name in kept])
    given = [_matrix(e.table, kept) @ fixed for e in examples]
    spread = np.vstack(tables).std(axis=0) + 1e-9
    seen = [k for k, e in enumerate(examples) if e.gold.any()]
    scores: list[Matrix] = [np.zeros(0)] * len(examples)
    weights = np.zeros(len(names))
    for repo in [*sorted({e.repo for e in examples}), ""]:
        inside = [(k, examples[k]) for k in seen if examples[k].repo != repo]
        parts = [(tables[k] / spread, e.gold, given[k], e.share) for k, e in inside]
        weights = _solve(parts, names) / spread
        for k, e in enumerate(examples):
            if e.repo == repo:
                scores[k] = tables[k] @ weights + given[k]
    _print_figures(f"{title} held out", examples, scores)
    everywhere = [t @ weights + g for t, g in zip(tables, given, strict=True)]
    _print_figures(f"{title} fitted on all", examples, everywhere)
    _print(dict(zip(names, weights, strict=True)))
    return scores


def _print_figures(title: str, examples: Sequence[Example], scores: Sequence[Matrix]) -> None:
    """The figures of the suite, and beside them those of the kernel's tasks."""
    for name in ("", KERNEL):
        places = [
            k
            for k, e in enumerate(examples)
            if e.wanted and (e.repo.partition(" ")[0] == KERNEL) == bool(name)
        ]
        if places:
            of = figures([examples[k] for k in places], [scores[k] for k in places])
            print(f"{title} {name}:", of)


def _varying(examples: Sequence[Example]) -> set[str]:
    """Features that tell candidates apart in at least one task."""
    return {
        name
        for e in examples
        for name, spread in zip(e.table.names, np.ptp(e.table.values, axis=0), strict=True)
        if spread > 0
    }


def _matrix(table: Table, names: Sequence[str]) -> Matrix:
    place = {name: i for i, name in enumerate(table.names)}
    out = np.zeros((len(table.ids), len(names)))
    for k, name in enumerate(names):
        if name in place:
            out[:, k] = table.values[:, place[name]]
    return out


def _solve(
    parts: Sequence[tuple[Matrix, NDArray[np.bool_], Matrix, float]], names: Sequence[str]
) -> Matrix:
    def loss(weights: Matrix) -> tuple[float, Matrix]:
        total, slope = RIDGE * float(weights @ weights), 2 * RIDGE * weights
        for table, gold, given, counts in parts:
            score = table @ weights + given
            share = np.exp(score - score.max())
            share /= share.sum()
            total -= counts * float(np.log(np.maximum(share[gold], 1e-300)).mean())
            slope = slope + counts * (share @ table - table[gold].mean(axis=0))
        return total / len(parts), slope / len(parts)

    bounds = [(None, None) if name in FREE else (0.0, None) for name in names]
    start = np.full(len(names), 0.3)
    return minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x


def figures(examples: Sequence[Example], scores: Sequence[Matrix]) -> str:
    """Share of the tasks with all gold among the first k distinct names, and its bootstrap 95 %
    interval."""
    hits = np.array([_hits(e, score) for e, score in zip(examples, scores, strict=True)])
    draws = np.random.default_rng(0).integers(len(hits), size=(RESAMPLES, len(hits)))
    bounds = np.quantile(hits[draws].mean(axis=1), (0.025, 0.975), axis=0)
    return " ".join(
        f"@{k} {mean:.3f} [{low:.3f}, {high:.3f}]"
        for k, mean, (low, high) in zip(CUTOFFS, hits.mean(axis=0), bounds.T, strict=True)
    )


def _hits(example: Example, score: Matrix) -> list[float]:
    order = [example.names[k] for k in np.argsort(-score, kind="stable")]
    ranked = list(dict.fromkeys(order))
    gold = {n for n, is_gold in zip(example.names, example.gold, strict=True) if is_gold}
    return [float(len(gold) == example.wanted and gold <= set(ranked[:k])) for k in CUTOFFS]


def _print(weights: Mapping[str, float]) -> None:
    for name, weight in sorted(weights.items(), key=lambda item: -abs(item[1])):
        if abs(weight) > 0.02:
            print(f'    "{name}": {weight:.2f},')


if __name__ == "__main__":
    raise SystemExit(main())
