"""An intervention keeps the stages of the reference run that it does not touch (H.4)."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeviews.harness.behaviour import Behaviour, Step, load
from codeviews.harness.localization import runner
from codeviews.harness.localization.artifacts import kept_stages
from codeviews.harness.localization.configurations import configuration
from codeviews.harness.localization.records import LocalizationRecord
from codeviews.harness.localization.scripted import ScriptedLocalizer
from codeviews.harness.tasks import Task

BOTH = ["shop/cart.py:total", "shop/tax.py:taxed"]
FAST = {"pause_s": "0", "attempts": "1", "request_s": "5"}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")


def ran(
    shop: Path, out: Path, task: Task, refused: tuple[str, ...], fresh: bool = False, **change: str
) -> LocalizationRecord:
    """A run of one configuration against a model that refuses some stages."""
    name = configuration(change)[0]
    settings = configuration({**FAST, **change})[1]
    steps = [s for s in load("localizing").steps if s.when not in refused]
    steps += [Step(when=stage, error=401) for stage in refused]
    with ScriptedLocalizer(Behaviour(name="b", steps=tuple(steps))) as model:
        plan = runner.Plan(
            "lite",
            ["curaloc"],
            str(shop),
            out,
            provider="anthropic",
            model="m",
            base_url=model.url,
            configuration=name,
            settings=settings,
            fresh=fresh,
        )
        (record,) = runner.run(plan, [task])
    return record


def test_a_change_of_the_ranking_asks_for_the_ranking_alone(
    shop: Path, tmp_path: Path, task: Task
) -> None:
    reference = ran(shop, tmp_path, task, ())
    before = ("scope", "summaries", "route")
    changed = ran(shop, tmp_path, task, before, window_lines="30")
    alone = ran(shop, tmp_path, task, before, expand="off")
    assert (reference.reused, reference.ranked) == ([], BOTH)
    assert (changed.reused, changed.ranked) == (["route", "scope", "summaries"], BOTH)
    assert changed.tokens == reference.tokens
    assert (alone.ranked, alone.selected) == (BOTH[:1], 1)


def test_a_change_of_the_candidates_keeps_the_files(shop: Path, tmp_path: Path, task: Task) -> None:
    ran(shop, tmp_path, task, ())
    fewer = ran(shop, tmp_path, task, ("scope", "summaries"), candidate_files="1")
    assert (fewer.reused, fewer.candidates) == (["scope", "summaries"], 1)
    bare = ran(shop, tmp_path, task, ("scope", "summaries"), summaries="off")
    assert (bare.reused, bare.ranked) == (["scope"], BOTH)
    assert [s.stage for s in bare.tokens] == ["scope", "route", "rank"]


def test_other_guidance_keeps_nothing_but_summaries(shop: Path, tmp_path: Path, task: Task) -> None:
    ran(shop, tmp_path, task, ())
    found = ran(shop, tmp_path, task, ("scope",), formulation="relevance")
    assert found.reused == ["summaries"]
    assert found.failure.startswith("the model endpoint refused (401)")


def test_without_a_reference_or_on_demand_every_stage_is_asked(
    shop: Path, tmp_path: Path, task: Task
) -> None:
    lonely = ran(shop, tmp_path / "a", task, (), window_lines="30")
    assert (lonely.reused, lonely.ranked) == ([], BOTH)
    ran(shop, tmp_path / "b", task, ())
    fresh = ran(shop, tmp_path / "b", task, ("route",), fresh=True, window_lines="30")
    assert fresh.failure.startswith("the model endpoint refused (401)")


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        ({"window_lines": "100"}, {"scope", "summaries", "route"}),
        ({"selection": "source-order"}, {"scope", "summaries", "route"}),
        ({"profile": "paper"}, {"scope", "summaries"}),
        ({"candidate_files": "15", "full_files": "5"}, {"scope", "summaries"}),
        ({"summary_chars": "100"}, {"scope"}),
        ({"temperature": "1"}, set()),
        ({"merged_files": "10"}, {"summaries"}),
        ({"request_s": "5"}, {"scope", "summaries", "route"}),
    ],
)
def test_each_setting_keeps_what_it_does_not_touch(change: dict[str, str], kept: set[str]) -> None:
    assert kept_stages(configuration(change)[1]) == kept


def test_folders_may_be_given_relative_to_the_current_one(
    shop: Path, tmp_path: Path, task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    record = ran(Path(shop.name), Path("runs/lite"), task, ())
    assert record.ranked == BOTH
    assert (tmp_path / "runs" / "lite" / "localization.jsonl").is_file()
