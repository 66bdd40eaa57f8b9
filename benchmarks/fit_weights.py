"""Fits the ranking weights of ``core/config.py``, cross-validated by repository.

    python benchmarks/fit_weights.py --tasks DIR --mirror DIR --work DIR [--suite lite] [--every N]

The model is the one that ranks: a linear logit. Fitted is the likelihood of the gold files (then
functions) under a softmax over each task's candidates; weights of clues may not be negative, those
of form and size may. Each repository's tasks are scored with weights that never saw it. Printed
are these held-out figures and the weights fitted on all tasks, to be rounded by hand.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from retrieval import index_of
from retrieval_score import CUTOFFS, normalized
from retrieval_tasks import SUITES, Task, load
from scipy.optimize import minimize

from codeviews.core.explore import Filter, rank
from codeviews.core.facts import CALLABLE_KINDS
from codeviews.core.rank import Features, Scored, file_features, symbol_features
from codeviews.core.store import Store

FREE = frozenset(
    ["size", "package", "bench", "nested", "method", "dunder", "initializer", "declaration"]
)
RIDGE = 0.3  # of the squared weights, over all tasks
Matrix = NDArray[np.float64]


class Example(NamedTuple):
    """One task: a row of features for each candidate, and which are gold."""

    repo: str
    ids: list[str]
    rows: list[Features]
    gold: NDArray[np.bool_]
    wanted: int


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit files, then functions given the held-out file scores; print both."""
    parser = argparse.ArgumentParser()
    for name in ("--tasks", "--mirror", "--work"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--suite", choices=SUITES, default="lite")
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args(arguments)
    options.kernel, options.keep = None, True
    pairs = [_examples(t, options) for t in load(options.tasks, options.suite)[:: options.every]]
    scores = _fit("files", [files for files, _ in pairs])
    _fit("functions", [symbols(score) for (_, symbols), score in zip(pairs, scores, strict=True)])
    return 0


def _examples(
    task: Task, options: argparse.Namespace
) -> tuple[Example, Callable[[Matrix], Example]]:
    """The task's files, and its functions once the files have scores."""
    store = Store(index_of(task, options))
    found = rank(store, task.report, "hybrid", Filter()).candidates
    store.close()
    table = {i: row for i, row in file_features(found).rows().items() if not found.files[i].marks}
    ids = list(table)
    paths = [found.files[i].path for i in ids]
    files = _example(task, paths, [table[i] for i in ids], task.gold_files)

    def functions(score: Matrix) -> Example:
        order = np.argsort(-score, kind="stable")[:25]
        listed = [Scored(ids[k], math.exp(score[k] - score.max()), {}) for k in order]
        rows = {
            i: row
            for i, row in symbol_features(found, listed).rows().items()
            if found.definitions[i].kind in CALLABLE_KINDS
        }
        names = [normalized(found.definitions[i].address) for i in rows]
        return _example(task, names, list(rows.values()), map(normalized, task.gold_functions))

    return files, functions


def _example(task: Task, names: list[str], rows: list[Features], gold: Iterable[str]) -> Example:
    wanted = set(gold)
    return Example(task.repo, names, rows, np.array([n in wanted for n in names]), len(wanted))


def _fit(title: str, examples: Sequence[Example]) -> list[Matrix]:
    """Held-out scores of every example."""
    names = sorted({name for example in examples for row in example.rows for name in row})
    tables = [_matrix(example.rows, names) for example in examples]
    scores: list[Matrix] = [np.zeros(len(example.ids)) for example in examples]
    for repo in sorted({example.repo for example in examples}):
        seen = [i for i, e in enumerate(examples) if e.repo != repo and e.gold.any()]
        weights = _solve([tables[i] for i in seen], [examples[i].gold for i in seen], names)
        for i, example in enumerate(examples):
            if example.repo == repo:
                scores[i] = tables[i] @ weights
    print(title, "held out:", _figures(examples, scores))
    every = [i for i, example in enumerate(examples) if example.gold.any()]
    weights = _solve([tables[i] for i in every], [examples[i].gold for i in every], names)
    _print(dict(zip(names, weights, strict=True)))
    return scores


def _matrix(rows: Sequence[Features], names: Sequence[str]) -> Matrix:
    return np.array([[row.get(name, 0.0) for name in names] for row in rows], dtype=np.float64)


def _solve(
    tables: Sequence[Matrix], golds: Sequence[NDArray[np.bool_]], names: Sequence[str]
) -> Matrix:
    def loss(weights: Matrix) -> tuple[float, Matrix]:
        total, slope = RIDGE * float(weights @ weights), 2 * RIDGE * weights
        for table, gold in zip(tables, golds, strict=True):
            score = table @ weights
            share = np.exp(score - score.max())
            share /= share.sum()
            total -= float(np.log(np.maximum(share[gold], 1e-300)).mean())
            slope = slope - table[gold].mean(axis=0) + share @ table
        return total / len(tables), slope / len(tables)

    bounds = [(None, None) if name in FREE else (0.0, None) for name in names]
    start = np.full(len(names), 0.5)
    return minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x


def _figures(examples: Sequence[Example], scores: Sequence[Matrix]) -> str:
    hits = dict.fromkeys(CUTOFFS, 0)
    for example, score in zip(examples, scores, strict=True):
        order = [example.ids[k] for k in np.argsort(-score, kind="stable")]
        gold = {name for name, is_gold in zip(example.ids, example.gold, strict=True) if is_gold}
        for k in CUTOFFS:
            top = set(list(dict.fromkeys(order))[:k])
            hits[k] += len(gold) == example.wanted and gold <= top
    return " ".join(f"@{k} {n / len(examples):.3f}" for k, n in hits.items())


def _print(weights: Mapping[str, float]) -> None:
    for name, weight in sorted(weights.items(), key=lambda item: -abs(item[1])):
        if abs(weight) > 0.01:
            print(f'    "{name}": {weight:.2f},')


if __name__ == "__main__":
    raise SystemExit(main())
