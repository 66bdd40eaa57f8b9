from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "retrieval_score.py"


@pytest.fixture(scope="module")
def metrics() -> ModuleType:
    spec = importlib.util.spec_from_file_location("retrieval_score", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_all_gold_must_be_within_the_cut_off(metrics: ModuleType) -> None:
    symbols = ["a.py:f", "a.py:f", "b.py:K.__init__", "c.py:g#2"]
    result = metrics.Result("t", "m", ["a.py", "b.py"], symbols, ["a.py:f"], 10, 0.5)
    one = metrics.score(result, ["a.py"], ["a.py:f"])
    both = metrics.score(result, ["a.py", "b.py"], ["b.py:K", "a.py:f"])
    assert (one.file, one.function, one.mrr, one.shown) == ((1, 1, 1), (1, 1, 1), 1.0, 1.0)
    assert (both.file, both.function, both.mrr, both.shown) == ((0, 1, 1), (0, 1, 1), 1.0, 0.0)


def test_constructors_second_definitions_and_marks_are_normalized(metrics: ModuleType) -> None:
    assert [
        metrics.normalized(symbol)
        for symbol in ("a.py:K.__init__", "a.py:f#2", "`a.py:f`", "a.py:K.m(self)")
    ] == ["a.py:K", "a.py:f", "a.py:f", "a.py:K.m"]


def test_the_interval_pairs_tasks_and_holds_their_mean(metrics: ModuleType) -> None:
    def scores(values: list[int]) -> dict[str, object]:
        found = [["x"] if value else [] for value in values]
        return {
            str(i): metrics.score(metrics.Result(str(i), "m", f, [], [], 0, 0.0), ["x"], [])
            for i, f in enumerate(found)
        }

    left, right = scores([1, 1, 1, 0] * 10), scores([1, 0, 1, 0] * 10)
    mean, low, high = metrics.interval(left, right, lambda s: s.file[0])
    assert mean == 0.25
    assert 0.05 < low < mean < high < 0.45
    assert metrics.interval(left, left, lambda s: s.file[0]) == (0.0, 0.0, 0.0)
