"""What of the selected source fits the budget, and which ranked symbols count as shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from codeviews.core.session import Session
from codeviews.servers.curaloc.pipeline import localize
from codeviews.servers.curaloc.planners import Inquiry
from codeviews.servers.curaloc.planners.lexical import LexicalPlanner
from codeviews.servers.curaloc.records import Evidence, Inventory, Localization, RouteMap, Scope
from codeviews.servers.curaloc.settings import DEFAULT, Settings

SOURCE = (
    "class Till:\n"
    "    def one(self):\n        self.far()\n        return self.near()\n\n"
    "    def two(self):\n        return 2\n\n"
    "    def far(self):\n" + "        # far\n" * 40 + "        return 3\n\n"
    "    def near(self):\n        return 4\n\n\n"
    "class Other:\n    pass\n"
)


class Told(LexicalPlanner):
    """The lexical planner with a given plan and ranking, by qualified name."""

    def __init__(
        self, starts: Sequence[str], assessed: Mapping[str, float], ranked: Sequence[str]
    ) -> None:
        super().__init__()
        self.starts, self.assessed, self.ranked = starts, assessed, ranked

    def scope(self, inquiry: Inquiry) -> Mapping[str, Any]:
        return {"ownership": ["till.py"]}

    def route(
        self, inquiry: Inquiry, scope: Scope, inventory: Inventory, complaint: str
    ) -> Mapping[str, Any]:
        sid = {c.definition.qualname: c.sid for c in inventory.capsules.values()}
        return {
            "starts": [{"sid": sid[name], "action": "follow_calls"} for name in self.starts],
            "symbols": [{"sid": sid[n], "relevance": r} for n, r in self.assessed.items()],
        }

    def rank(
        self, inquiry: Inquiry, route: RouteMap, inventory: Inventory, evidence: Evidence
    ) -> Sequence[int | str]:
        return [f"till.py:{name}" for name in self.ranked]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    root = tmp_path_factory.mktemp("repo")
    (root / "till.py").write_text(SOURCE)
    opened = Session(root, tmp_path_factory.mktemp("home"))
    opened.build(jobs=1)
    yield opened
    opened.close()


def told(session: Session, planner: Told, settings: Settings = DEFAULT) -> Localization:
    with session.reading() as store:
        return localize(store, "a report", planner, settings)


def shown(found: Localization) -> list[str]:
    assert found.inventory is not None
    assert found.evidence is not None
    capsules = found.inventory.capsules
    return [capsules[block.sid].definition.qualname for block in found.evidence.blocks]


def test_the_budget_goes_in_order_of_retrieval_not_of_relevance(session: Session) -> None:
    planner = Told(["Till.one"], {"Till.near": 0.9}, ["Till.one"])
    whole = told(session, planner)
    assert shown(whole) == ["Till.one", "Till.near", "Till.far"]
    assert whole.evidence is not None
    room = whole.evidence.tokens - 1
    tight = told(session, planner, Settings(input_budget=room, budget_margin=0))
    assert shown(tight) == ["Till.one", "Till.far"]
    short = told(session, planner, Settings(input_budget=room // 2, budget_margin=0))
    assert shown(short) == ["Till.one"]


def test_what_the_prompt_names_may_be_ranked_and_nothing_else(session: Session) -> None:
    ranked = ["Till.two", "Till", "Till.near", "Other", "Till.one", "Till.far(self)", "Gone"]
    found = told(session, Told(["Till.one"], {"Till.two": 0.1}, ranked))
    assert [p.symbol for p in found.predictions] == [
        "till.py:Till.two",  # among the names of the most relevant symbols
        "till.py:Till",  # its first lines stand before the methods
        "till.py:Till.near",
        "till.py:Till.one",
        "till.py:Till.far",
    ]
    assert found.diagnostics["predictions dropped"] == 2


def test_a_ranking_of_nothing_shown_is_a_counted_failure(session: Session) -> None:
    found = told(session, Told(["Till.two"], {}, ["Other", "Gone"]))
    assert found.predictions == ()
    assert found.failure == "the final answer ranks none of the symbols that were shown"
    assert found.diagnostics["predictions dropped"] == 2


def test_cached_summaries_belong_to_the_prompts_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from codeviews.servers.curaloc import summaries

    text = b"def f():\n    return 1\n"
    (tmp_path / "till.py").write_bytes(text)
    opened = Session(tmp_path, tmp_path / "home")
    opened.build(jobs=1)
    with opened.reading() as store:
        (f,) = (d for d in store.symbols_of("till.py") if d.name == "f")
    opened.close()
    source = summaries.source_for(f, text, DEFAULT)
    before = source.key
    monkeypatch.setattr(summaries, "version", lambda name: f"{name} 2")
    assert source.key != before


def test_a_symbol_of_one_huge_line_is_cut_to_what_a_batch_holds(tmp_path: Path) -> None:
    from codeviews.servers.curaloc import summaries

    text = b"def f():\n    return '" + b"x" * 90_000 + b"'\n"
    (tmp_path / "till.py").write_bytes(text)
    opened = Session(tmp_path, tmp_path / "home")
    opened.build(jobs=1)
    with opened.reading() as store:
        (f,) = (d for d in store.symbols_of("till.py") if d.name == "f")
    opened.close()
    source = summaries.source_for(f, text, DEFAULT)
    assert source.text.endswith("x\n… (source truncated)")
    assert len(source.text) <= DEFAULT.summary_batch_chars + len("\n… (source truncated)")


def test_source_order_shows_as_many_symbols_as_the_plan(session: Session) -> None:
    planner = Told(["Till.one"], {"Till.near": 0.9}, ["Till.one"])
    found = told(session, planner, Settings(selection="source-order"))
    assert shown(found) == ["Till", "Till.one", "Till.two"]
    assert found.evidence is not None
    assert len(found.evidence.selected) == len(shown(told(session, planner)))
    assert not any("relevance" in block.text for block in found.evidence.blocks)
