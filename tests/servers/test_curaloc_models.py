from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from codeviews.core.errors import MisuseError
from codeviews.core.session import Session
from codeviews.harness.behaviour import Behaviour, Call, Step, load
from codeviews.harness.localization.scripted import ScriptedLocalizer
from codeviews.servers.curaloc.pipeline import localize
from codeviews.servers.curaloc.planners import planner
from codeviews.servers.curaloc.records import Localization, Spent
from codeviews.servers.curaloc.settings import Settings
from codeviews.servers.curaloc.tokens import tokens_of

pytest.importorskip("anthropic")
pytest.importorskip("openai")

REPORT = "The total of a cart is one too high."
FAST = Settings(pause_s=0.0, attempts=3, request_s=5.0)
FILES = {
    "shop/__init__.py": "",
    "shop/cart.py": "def total(prices):\n    return sum(prices) + 1\n",
    "shop/tax.py": "from shop.cart import total\n\n\ndef taxed(p):\n    return total(p)\n",
}


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    for name in ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def played(
    session: Session,
    name: str = "anthropic",
    settings: Settings = FAST,
    folder: Path | None = None,
    **changes: list[Step],
) -> Localization:
    """A run of ``localizing`` with the steps of some stages replaced."""
    steps = [s for s in load("localizing").steps if s.when not in changes]
    steps += [step for found in changes.values() for step in found]
    with ScriptedLocalizer(Behaviour(name="b", steps=tuple(steps))) as model:
        base = model.url + ("/v1" if name == "openai" else "")
        made = planner(name, "m", {"base_url": base, "settings": settings})
        with session.reading() as store:
            return localize(store, REPORT, made, settings, folder)


def step(stage: str, arguments: dict[str, Any], **fault: Any) -> Step:
    return Step(when=stage, calls=(Call(tool=stage, arguments=arguments),), **fault)


def names(found: Localization) -> list[str]:
    return [p.symbol for p in found.predictions]


def spent(found: Localization) -> dict[tuple[str, bool], Spent]:
    return {(s.stage, s.retained): s for s in found.usage}


BOTH = ["shop/cart.py:total", "shop/tax.py:taxed"]
GOOD = {"starts": [{"sid": "{sid:shop/cart.py:total}", "action": "follow_called_by"}]}


@pytest.mark.parametrize("name", ["anthropic", "openai"])
def test_a_model_plays_the_whole_method(session: Session, name: str) -> None:
    found = played(session, name)
    assert names(found) == BOTH
    assert found.failure == ""
    assert found.scope.paths == ["shop/cart.py", "shop/tax.py"]
    assert found.route_map is not None
    assert found.route_map.hypotheses == ("one is added to the sum",)
    assert found.usage == (
        Spent("scope", 200, 40, 0, 1),
        Spent("summaries", 200, 40, 0, 1),
        Spent("route", 900, 120, 0, 1),
        Spent("rank", 200, 40, 0, 1),
    )


@pytest.mark.parametrize("name", ["anthropic", "openai"])
@pytest.mark.parametrize("fault", [{"error": 429}, {"error": 529}, {"fault": "truncate"}])
def test_overload_and_cut_answers_are_tried_again(
    session: Session, name: str, fault: dict[str, Any]
) -> None:
    found = played(session, name, route=[step("route", GOOD, times=2, **fault)])
    assert names(found) == BOTH
    assert spent(found)["route", True].failed == 2


def test_a_model_that_stays_overloaded_is_a_counted_failure(session: Session) -> None:
    found = played(session, route=[step("route", GOOD, error=529)])
    assert found.predictions == ()
    assert "failed 3 times" in found.failure
    assert spent(found)["route", True] == Spent("route", failed=3)
    assert spent(found)["scope", True].input == 200


def test_a_model_that_hangs_ends_with_a_time_out(session: Session) -> None:
    settings = Settings(pause_s=0.0, attempts=1, request_s=0.3)
    found = played(session, settings=settings, scope=[step("scope", {}, fault="hang")])
    assert "failed 1 times" in found.failure
    assert "Timeout" in found.failure


def test_a_refused_request_is_not_repeated(session: Session) -> None:
    found = played(session, scope=[step("scope", {}, error=401)])
    assert found.failure.startswith("the model endpoint refused (401)")
    assert spent(found)["scope", True].failed == 1


@pytest.mark.parametrize("name", ["anthropic", "openai"])
@pytest.mark.parametrize(
    "bad",
    [
        step("route", {"starts": [{"sid": 10**9}]}),
        step("route", {"plan": "wrong keys"}),
        step("route", GOOD, fault="malformed"),
        Step(when="route", text="I would start with the cart."),
    ],
)
def test_a_useless_route_map_is_asked_for_once_more(session: Session, name: str, bad: Step) -> None:
    found = played(session, name, route=[bad, step("route", GOOD)])
    assert names(found) == BOTH
    assert found.diagnostics["rejected RouteMaps"] == 1
    assert spent(found)["route", False].calls == 1
    assert spent(found)["route", True].calls == 1


def test_two_useless_route_maps_are_a_counted_failure(session: Session) -> None:
    found = played(session, route=[step("route", {"starts": []})])
    assert found.predictions == ()
    assert "no valid start" in found.failure
    assert found.diagnostics["rejected RouteMaps"] == 2


def test_missing_summaries_are_asked_for_in_smaller_batches(session: Session) -> None:
    some = {"summaries": [{"sid": "*", "every": 2, "summary": "Does it."}]}
    found = played(session, summaries=[step("summaries", some)])
    assert found.failure == ""
    assert spent(found)["summaries", True].calls == 2
    assert found.inventory is not None
    assert {c.summary for c in found.inventory.capsules.values()} == {"Does it."}


def test_too_few_summaries_fail_the_task(session: Session) -> None:
    found = played(session, summaries=[step("summaries", {"summaries": []})])
    assert found.failure == "only 0 of 2 summaries arrived"


def test_summaries_are_reused_from_the_cache_unless_switched_off(
    session: Session, tmp_path: Path
) -> None:
    calls = []
    for settings in (FAST, FAST, Settings(pause_s=0.0, cache_summaries=False)):
        found = played(session, settings=settings, folder=tmp_path)
        calls.append("summaries" in {s.stage for s in found.usage})
    assert calls == [True, False, True]


def test_ablations_change_what_is_selected(session: Session) -> None:
    def selected(**switches: Any) -> list[str]:
        found = played(session, settings=Settings(pause_s=0.0, **switches))
        assert found.inventory is not None
        assert found.evidence is not None
        sids = found.evidence.selected
        return [found.inventory.capsules[s].definition.address for s in sids]

    assert selected() == BOTH
    assert selected(expand=False) == BOTH[:1]
    assert selected(selection="source-order", expand=False) == BOTH[:1]
    assert selected(summaries=False) == BOTH


def test_evidence_is_cut_to_the_longest_prefix_that_fits(session: Session) -> None:
    whole = played(session).evidence
    assert whole is not None
    tight = Settings(pause_s=0.0, input_budget=whole.tokens + 1023, budget_margin=1024)
    found = played(session, settings=tight)
    assert found.evidence is not None
    assert (len(found.evidence.blocks), found.evidence.omitted) == (1, 1)
    assert found.diagnostics["predictions dropped"] == 1
    assert names(found) == BOTH[:1]


def test_a_missing_key_is_misuse(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, key in (("anthropic", "ANTHROPIC_API_KEY"), ("openai", "OPENAI_API_KEY")):
        monkeypatch.delenv(key)
        with pytest.raises(MisuseError, match=f"set {key}"):
            planner(name, "m")


@pytest.mark.parametrize(
    ("text", "counted"),  # by two public tokenizers, halfway between them
    [
        ("def total(prices):\n    return sum(prices) + 1\n" * 5, 72.5),
        (
            "The total is one too high when the cart holds 1234 items; see shop/cart.py, line 12.",
            23.5,
        ),
        ("shop/cart.py Cart total add_item removeAll HTTPServer __init__", 14.5),
    ],
)
def test_the_token_estimate_is_near_what_tokenizers_count(text: str, counted: float) -> None:
    assert tokens_of(text) == pytest.approx(counted, rel=0.1)


def test_other_scripts_count_a_token_a_letter() -> None:
    assert tokens_of("購物車合計") == 5
