from __future__ import annotations

import math
import random

import pytest

from codeviews.harness.localization import figures
from codeviews.harness.localization import statistics as st
from codeviews.harness.localization.metrics import failures, outcome
from codeviews.harness.localization.records import LocalizationRecord, StageTokens
from codeviews.harness.localization.tables import all_tables

GOLD = ["a.py:f"]


def record(
    task: int, method: str, run: int, hit: bool, tokens: int, **more: object
) -> LocalizationRecord:
    return LocalizationRecord.model_validate(
        {
            "cohort": "lite",
            "method": method,
            "run": run,
            "task": f"t{task:02}",
            "repo": f"r{task % 3}",
            "ranked": ["a.py:f" if hit else "b.py:g"],
            "gold": GOLD,
            "gold_files": ["a.py"],
            "tokens": [{"stage": "rank", "input": tokens, "output": 10}],
            **more,
        }
    )


def experiment(complete: bool = True) -> list[LocalizationRecord]:
    draw = random.Random(1)
    out: list[LocalizationRecord] = []
    for run in range(3):
        for task in range(60):
            out.append(record(task, "curaloc", run, draw.random() < 0.9, 100 + task))
            out.append(
                record(
                    task, "locagent", run, draw.random() < 0.4, 900 + task, complete_usage=complete
                )
            )
    return out


@pytest.mark.parametrize(
    ("written", "meaning"),
    [
        ("a.py:Class.__init__(self, x)", "a.py:Class"),
        (" `a.py:f` ", "a.py:f"),
        ("**a.py:Class.m(x: int = (1, 2))**", "a.py:Class.m"),
        ("./a.py:f#2", "a.py:f"),
        ("a.py:__init__", "a.py:__init__"),
        ("a.go:(*Server).Serve(ctx)", "a.go:Server.Serve"),
        ("a.go:(s Server).Serve", "a.go:Server.Serve"),
    ],
)
def test_symbols_are_normalized_as_the_protocol_says(written: str, meaning: str) -> None:
    assert outcome([written], [meaning], ["a.py"]).func[1]
    assert not outcome([written], [meaning + "x"], ["a.py"]).func[1]


def test_all_gold_must_stand_within_the_first_k_distinct_predictions() -> None:
    found = outcome(
        ["b.py:C", "b.py:C.__init__", "a.py:f", "a.py:h", "a.py:g"],
        ["a.py:f", "a.py:g"],
        ["a.py"],
    )
    assert found.func == {1: False, 3: False, 5: True, 10: True}
    assert found.file == {1: False, 3: True, 5: True, 10: True}
    assert found.mrr == 1 / 2


def test_an_empty_ranking_misses_everything() -> None:
    found = outcome([], ["a.py:f"], ["a.py"])
    assert not any([*found.func.values(), *found.file.values()])
    assert found.mrr == 0.0


def test_failures_are_classified_by_coverage() -> None:
    base = outcome(["b.py:g"], GOLD, ["a.py"])
    kinds = failures(
        [
            base._replace(candidates=False, selection=False),
            base._replace(candidates=True, selection=False),
            base._replace(candidates=True, selection=True),
            base,
            outcome(GOLD, GOLD, ["a.py"]),
        ]
    )
    assert kinds == (2, 1, 1, 1, 1)
    loops = [base._replace(selection=covered) for covered in (True, True, False, None)]
    assert failures(loops) == (1, 0, 0, 2, 1)


def test_spread_over_runs_is_a_sample_deviation() -> None:
    runs = [(0, 1), (0, 1), (1, 1), (1, 0), (2, 0), (2, 0)]
    records = [record(i % 2, "m", run, bool(hit), 0) for i, (run, hit) in enumerate(runs)]
    assert st.over_runs(records, st.func(1)) == st.Spread(50.0, 50.0)
    assert math.isnan(st.over_runs(records[:2], st.func(1)).deviation)


def test_task_bootstrap_agrees_with_the_normal_approximation() -> None:
    records = experiment()
    ours, theirs = (
        st.panel([r for r in records if r.method == m], st.func(1)) for m in ("curaloc", "locagent")
    )
    gain = ours.accuracy - theirs.accuracy
    means = st.resampled(ours, theirs, "lite", "task", st.SEED)
    found = st.difference(means, ours, theirs)
    error = 1.96 * gain.std() / math.sqrt(len(gain))
    assert means.shape == (st.RESAMPLES, 4)
    assert found.value == pytest.approx(gain.mean())
    assert found.low == pytest.approx(gain.mean() - error, abs=0.5)
    assert found.high == pytest.approx(gain.mean() + error, abs=0.5)


def test_streams_repeat_and_differ_by_cohort_scheme_and_seed() -> None:
    def first(*stream: str, seed: int = st.SEED) -> list[int]:
        return st.generator(seed, *stream).integers(0, 10**9, 4).tolist()

    assert first("lite", "task") == first("lite", "task")
    others = [first("lite", "repository"), first("full", "task"), first("lite", "task", seed=1)]
    assert first("lite", "task") not in others


def test_repository_bootstrap_weighs_by_task() -> None:
    ours = [record(t, "curaloc", 0, t % 3 == 0, 1) for t in range(7)]
    theirs = [record(t, "x", 0, False, 1) for t in range(7)]
    one, other = (st.panel(records, st.func(1)) for records in (ours, theirs))
    means = st.resampled(one, other, "lite", "repository", st.SEED, 2_000)[:, 0]
    sizes, hits = {"r0": 3, "r1": 2, "r2": 2}, {"r0": 3, "r1": 0, "r2": 0}
    names = list(sizes)
    possible = {
        round(100 * sum(hits[n] for n in pick) / sum(sizes[n] for n in pick), 6)
        for pick in [(a, b, c) for a in names for b in names for c in names]
    }
    assert {round(float(value), 6) for value in means} == possible
    left_out = st.without_each_repository(one, other)
    assert left_out == {"r0": 0.0, "r1": pytest.approx(60.0), "r2": pytest.approx(60.0)}


def test_dominance_needs_both_bounds_and_complete_usage() -> None:
    for complete, verdict in ((True, True), (False, None)):
        records = experiment(complete)
        ours, theirs = (
            st.panel([r for r in records if r.method == m], st.func(1))
            for m in ("curaloc", "locagent")
        )
        found = st.joint(st.resampled(ours, theirs, "lite", "task", st.SEED), ours, theirs)
        assert found.dominates is verdict
        assert found.family[0] < found.alone[0] < found.accuracy
        if complete:
            assert found.ratio is not None
            assert found.ratio.value == pytest.approx((929.5 + 10) / (129.5 + 10))
            assert found.savings == pytest.approx(800.0)
        swapped = st.joint(st.resampled(theirs, ours, "lite", "task", st.SEED), theirs, ours)
        assert swapped.dominates is (False if complete else None)


def test_tasks_on_one_side_only_are_refused() -> None:
    one, other = (
        st.panel([record(t, "m", 0, True, 1) for t in tasks], st.func(1))
        for tasks in (range(3), range(2))
    )
    with pytest.raises(ValueError, match="1 tasks stand on one side only"):
        st.resampled(one, other, "lite", "task", 0, 100)


def test_tables_regenerate_from_records() -> None:
    records = [
        r.model_copy(update={"selection_covered": True, "candidates_covered": True})
        for r in experiment()
    ]
    records += [record(t, "curaloc", 0, False, 10, configuration="expand=off") for t in range(60)]
    records[0].tokens.append(StageTokens(stage="route", input=50, retained=False, failed=2))
    tables = {t.name: t for t in all_tables(records, {"part": frozenset(["t00", "t01"])}, 500)}
    assert list(tables) == [
        "results-lite",
        "results-part",
        "figure-2",
        "stages",
        "table-6",
        "breadth",
        "table-8",
        "differences",
        "table-9",
        "table-7",
        "figure-5",
        "joint",
    ]
    assert [row[:3] for row in tables["results-lite"].rows] == [
        ["curaloc", 60, 3],
        ["locagent", 60, 3],
    ]
    hits = [r.scored().func[1] for r in records[:360] if r.method == "curaloc"]
    func_1 = str(tables["results-lite"].rows[0][3])
    assert func_1.split(" ± ")[0] == f"{100 * sum(hits) / 180:.1f}"
    assert tables["stages"].rows[1] == ["curaloc", "route", 0.0, 0.3, 2]
    first = [r for r in records[:120] if r.method == "curaloc"]
    lost = sum(r.scored().func[1] for r in first)
    assert tables["differences"].rows == [["expand=off", 0, lost, 0, lost]]
    assert {row[-1] for row in tables["joint"].rows if row[0] == "lite"} == {"yes"}
    seeds = {row[3] for row in tables["joint"].rows}
    assert seeds == {str(st.SEED), str(st.CHECK_SEED)}


def test_figures_are_drawn_from_the_tables() -> None:
    pytest.importorskip("matplotlib", reason="the report extra is not installed")
    records = experiment()
    for name in ("expand=off", "window_lines=30"):
        records += [record(t, "curaloc", 0, False, 10, configuration=name) for t in range(60)]
    tables = all_tables(records, {}, 200)
    svgs, warnings = figures.draw(tables)
    assert warnings == []
    assert len(svgs) == 4
    tradeoff, first, tenth, settings = svgs
    assert "lite: locagent" in first
    assert "Func@10" in tenth
    assert all(name in tradeoff for name in ("curaloc", "locagent"))
    assert [settings.count(text) for text in ("expand=off", "window_lines=30")] == [1, 1]
    assert settings.count("S3 tokens per task") == 2
    assert figures.draw(tables)[0] == svgs
