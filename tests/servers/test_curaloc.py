from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from codeviews.core.errors import MisuseError
from codeviews.core.session import Session
from codeviews.servers import views
from codeviews.servers.cli import app
from codeviews.servers.curaloc import pipeline
from codeviews.servers.curaloc.planners import planner
from codeviews.servers.toolkit import answer

REPORT = """Cart.total is wrong

The sum doubles when checkout is called, and ValueError: rate must not be negative appears.
"""
FILES = {
    "shop/__init__.py": "",
    "shop/cart.py": (
        "class Base:\n"
        "    def price(self, item):\n"
        '        """Price of one item."""\n'
        "        return item.cost\n"
        "\n\n"
        "class Cart(Base):\n"
        "    def __init__(self):\n"
        "        self.items = []\n\n"
        "    def price(self, item):\n"
        "        return super().price(item) * 2\n\n"
        "    def total(self):\n"
        '        """Sum of all prices."""\n'
        "        return sum(self.price(i) for i in self.items)\n"
    ),
    "shop/pay.py": (
        "from shop.cart import Cart\n"
        "from shop.tax import check_rate\n\n\n"
        "def checkout(cart: Cart):\n"
        "    return cart.total() * check_rate(2)\n"
    ),
    "shop/tax.py": (
        "def check_rate(rate):\n"
        "    if rate < 0:\n"
        "        raise ValueError('rate must not be negative')\n"
        "    return rate\n"
    ),
    "shop/other.py": "def unrelated():\n    return 1\n",
}


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repo")
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def session(repo: Path, home: Path) -> Any:
    opened = Session(repo, home)
    opened.build(jobs=1)
    yield opened
    opened.close()


def call(session: Session, tool: str, **arguments: Any) -> dict[str, Any]:
    found, _ = answer(session, views.find_tool(tool), arguments)
    return found.data


def sids(data: dict[str, Any]) -> dict[str, int]:
    heads = [capsule.split("\n")[0] for capsule in data["capsules"]]
    return {h.split("] ")[1]: int(h.split("] ")[0].removeprefix("[SID=")) for h in heads}


def planned(session: Session) -> tuple[str, dict[str, int]]:
    plan = call(session, "curaloc_scope", report=REPORT)["plan"]
    data = call(
        session,
        "curaloc_capsules",
        plan=plan,
        ownership=[{"path": "shop/cart.py", "rationale": "sums", "consumer": 0.1}],
        execution=["shop/pay.py", "shop/cart.py"],
        enforcement=["shop/tax.py"],
    )
    return plan, sids(data)


def localize(repo: Path, home: Path, report: str, *more: str) -> Any:
    file = home / "report.md"
    file.write_text(report)
    arguments = ["localize", str(file), "--repo", str(repo), "--index-dir", str(home), *more]
    return CliRunner().invoke(app, arguments)


def test_localize_names_the_function_the_report_names_first(
    session: Session, repo: Path, home: Path
) -> None:
    done = localize(repo, home, REPORT, "--json")
    data = json.loads(done.stdout)
    assert done.exit_code == 0
    assert data["predictions"][0] == {
        "symbol": "shop/cart.py:Cart.total",
        "path": "shop/cart.py",
        "kind": "method",
        "start_line": 14,
        "end_line": 16,
        "score": 1.0,
    }
    assert data["usage"]["total"] == 0
    assert {s["symbol"] for s in data["route_map"]["starts"]} >= {"shop/tax.py:check_rate"}


def test_one_planner_serves_one_report_after_another(session: Session) -> None:
    shared, store = planner("lexical"), session.store
    other = "unrelated() gives 1"
    found = [pipeline.localize(store, report, shared).predictions for report in (REPORT, other)]
    fresh = [
        pipeline.localize(store, report, planner("lexical")).predictions
        for report in (REPORT, other)
    ]
    assert found == fresh
    assert found[0] != found[1]


def test_localize_gives_the_same_answer_twice(session: Session) -> None:
    first, second = (call(session, "curaloc_localize", report=REPORT) for _ in range(2))
    assert first["predictions"] == second["predictions"]
    assert first["route_map"] == second["route_map"]


def test_constructor_and_class_are_one_prediction(session: Session) -> None:
    data = call(session, "curaloc_localize", report="Cart and Cart.__init__ lose their items")
    names = [p["symbol"] for p in data["predictions"]]
    assert len({"shop/cart.py:Cart", "shop/cart.py:Cart.__init__"} & set(names)) == 1


@pytest.mark.parametrize(
    ("report", "sentence"),
    [("", "the report is empty"), (" \n", "the report is empty")],
)
def test_an_empty_report_is_misuse(repo: Path, home: Path, report: str, sentence: str) -> None:
    file = home / "empty.md"
    file.write_text(report)
    with pytest.raises(MisuseError, match=sentence):
        CliRunner().invoke(
            app, ["localize", str(file), "--repo", str(repo)], catch_exceptions=False
        )


def test_a_report_of_other_words_is_a_normal_empty_answer(
    session: Session, repo: Path, home: Path
) -> None:
    done = localize(repo, home, "zzqq wwxx", "--json")
    assert done.exit_code == 1
    assert json.loads(done.stdout)["failure"].startswith("no file was proposed")


def test_a_long_report_in_another_language_is_read(session: Session) -> None:
    report = "Die Summe ist falsch: Cart.total gibt das Doppelte.\n" + "Das ist lang. " * 60_000
    data = call(session, "curaloc_localize", report=report)
    assert data["predictions"][0]["symbol"] == "shop/cart.py:Cart.total"


def test_a_repository_without_functions_says_so(tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "data.py").write_text("RATE = 2  # the rate of the cart\n")
    opened = Session(tmp_path / "r", tmp_path / "home")
    opened.build(jobs=1)
    data = call(opened, "curaloc_localize", report="the rate of data is wrong")
    opened.close()
    assert data["predictions"] == []
    assert data["failure"] == "the candidate files define no function, method or class"


def test_unknown_planners_and_missing_models_are_misuse(repo: Path) -> None:
    from codeviews.servers.curaloc.planners import planner

    with pytest.raises(MisuseError, match="choose one of: lexical, anthropic, openai"):
        planner("oracle")
    with pytest.raises(MisuseError, match="needs --model NAME"):
        planner("anthropic")


def test_scope_shows_the_structure_and_what_to_decide(session: Session) -> None:
    found, budget = answer(session, views.find_tool("curaloc_scope"), {"report": REPORT})
    text = found.text(budget)
    assert "call curaloc_capsules with plan=" in text
    assert "shop/cart.py Base(price) Cart(__init__ price total)" in text
    assert found.data["next"] == "curaloc_capsules"


def test_capsules_carry_roles_edges_and_docstrings(session: Session) -> None:
    plan = call(session, "curaloc_scope", report=REPORT)["plan"]
    data = call(
        session,
        "curaloc_capsules",
        plan=plan,
        ownership=["shop/cart.py", "shop/pay.py", "shop/nowhere.py"],
    )
    ids = sids(data)
    shown = next(
        c
        for c in data["capsules"]
        if c.endswith("Sum of all prices.") or ":Cart.total" in c.split("\n")[0]
    )
    assert shown.split("\n") == [
        f"[SID={ids['shop/cart.py:Cart.total']}] shop/cart.py:Cart.total",
        "signature: def total(self)",
        "method; file rank 1 (top, mechanism); entry, degree 2",
        "summary: Sum of all prices.",
        f"calls: {ids['shop/cart.py:Cart.price']}",
        f"called_by: {ids['shop/pay.py:checkout']}",
    ]
    assert data["dropped"] == ["shop/nowhere.py"]
    assert "shop/other.py:unrelated" not in ids


def test_a_host_goes_from_scope_to_submit(session: Session) -> None:
    plan, ids = planned(session)
    total = ids["shop/cart.py:Cart.total"]
    data = call(
        session,
        "curaloc_inspect",
        plan=plan,
        starts=[{"sid": total, "action": "follow_called_by", "hypothesis": "doubles"}],
    )
    shown = {block["sid"]: block for block in data["blocks"]}
    assert list(shown) == [total, ids["shop/pay.py:checkout"]]
    assert "   16\t        return sum(self.price(i) for i in self.items)" in shown[total]["text"]
    assert "hypothesis: doubles" in shown[total]["text"]
    done = call(
        session,
        "curaloc_submit",
        plan=plan,
        symbols=["`shop/cart.py:Cart.total(self)`", str(ids["shop/pay.py:checkout"]), "gone.py:f"],
    )
    assert [p["symbol"] for p in done["predictions"]] == [
        "shop/cart.py:Cart.total",
        "shop/pay.py:checkout",
    ]
    assert done["faults"] == {"starts outside 5-8": 1, "predictions dropped": 1}
    status = call(session, "curaloc_status", plan=plan)
    assert status["plans"][0]["step"] == "submit"


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ("follow_calls", ["Cart.total", "Cart.price"]),
        ("expand_local", ["Cart.total", "Cart.price", "Cart.__init__"]),
        ("unheard_of", ["Cart.total", "Cart.price", "Cart.__init__"]),
        ("check_override", ["Cart.total"]),
    ],
)
def test_an_action_reaches_its_neighbours_only(
    session: Session, action: str, expected: list[str]
) -> None:
    plan, ids = planned(session)
    start = {"sid": ids["shop/cart.py:Cart.total"], "action": action}
    data = call(session, "curaloc_inspect", plan=plan, starts=[start])
    assert [b["sid"] for b in data["blocks"]] == [ids[f"shop/cart.py:{name}"] for name in expected]


def test_overrides_go_both_ways(session: Session) -> None:
    plan, ids = planned(session)
    start = {"sid": ids["shop/cart.py:Base.price"], "action": "check_override"}
    data = call(session, "curaloc_inspect", plan=plan, starts=[start])
    assert [b["sid"] for b in data["blocks"]] == [
        ids["shop/cart.py:Base.price"],
        ids["shop/cart.py:Cart.price"],
    ]


def test_harmless_faults_of_a_route_map_are_mended_and_counted(session: Session) -> None:
    plan, ids = planned(session)
    total, check = ids["shop/cart.py:Cart.total"], ids["shop/tax.py:check_rate"]
    data = call(
        session,
        "curaloc_inspect",
        plan=plan,
        symbols=[
            {"sid": total, "relevance": 7, "role": "hero"},
            {"sid": total, "relevance": 0.5},
            {"sid": 10**15, "relevance": 0.5},
        ],
        starts=json.dumps([{"sid": f"[SID={check}]", "action": "follow_calls"}, check, "x"]),
        hypotheses="one",
    )
    assert data["route_map"]["faults"] == {
        "scores clamped": 1,
        "unknown roles": 1,
        "duplicates": 2,
        "unknown SIDs": 2,
        "SIDs as strings": 2,
        "starts outside 5-8": 1,
        "hypotheses is not a list": 1,
    }
    assert data["route_map"]["symbols"][0]["relevance"] == 1.0


def test_a_plan_without_a_valid_start_is_rejected_and_counted(session: Session) -> None:
    plan, _ = planned(session)
    for starts in ([], [{"sid": -1}], "read the code"):
        with pytest.raises(MisuseError, match="no valid start"):
            call(session, "curaloc_inspect", plan=plan, starts=starts)
    assert call(session, "curaloc_status", plan=plan)["plans"][0]["faults"] == {
        "rejected RouteMaps": 3
    }


def test_symbols_that_vanished_since_the_plan_began_are_named(tmp_path: Path) -> None:
    root = tmp_path / "r"
    root.mkdir()
    (root / "a.py").write_text("def keep():\n    return 1\n\n\ndef drop():\n    return keep()\n")
    opened = Session(root, tmp_path / "home")
    opened.build(jobs=1)
    plan = call(opened, "curaloc_scope", report="keep and drop are wrong")["plan"]
    ids = sids(call(opened, "curaloc_capsules", plan=plan, ownership=["a.py"]))
    (root / "a.py").write_text("def keep():\n    return 12345\n")
    opened.build(jobs=1)
    starts = [{"sid": ids["a.py:drop"]}]
    with pytest.raises(MisuseError, match="1 offered symbols are gone"):
        call(opened, "curaloc_inspect", plan=plan, starts=starts)
    starts.append({"sid": ids["a.py:keep"]})
    found, budget = answer(
        opened, views.find_tool("curaloc_inspect"), {"plan": plan, "starts": starts}
    )
    data, text = found.data, found.text(budget)
    opened.close()
    assert "The index changed since curaloc_capsules" in text
    assert [b["sid"] for b in data["blocks"]] == [ids["a.py:keep"]]


def test_long_answers_go_on_at_the_cursor(session: Session) -> None:
    plan, ids = planned(session)
    starts = [{"sid": sid, "action": "follow_calls"} for sid in ids.values()]
    call(session, "curaloc_inspect", plan=plan, starts=starts)
    seen: list[str] = []
    for tool, mark in (("curaloc_capsules", "[SID="), ("curaloc_inspect", "### [SID=")):
        cursor, shown = "", list[str]()
        for _ in range(20):
            arguments = {"plan": plan, "cursor": cursor, "max_tokens": 420}
            text = answer(session, views.find_tool(tool), arguments)[0].text(420)
            shown += [line for line in text.split("\n") if line.startswith(mark)]
            cursor = text.partition("(cursor=")[2].partition(")")[0]
            if not cursor:
                break
        seen += dict.fromkeys(shown)
    assert len(seen) == 2 * len(ids)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["sid", "path", "action", "symbol", "x"]), inner, max_size=3
        )
    ),
    max_leaves=8,
)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(first=JSON, second=JSON)
def test_any_json_is_answered_or_refused_with_a_sentence(
    session: Session, first: Any, second: Any
) -> None:
    plan, ids = planned(session)
    start = {"sid": ids["shop/cart.py:Cart.total"], "action": first, "hypothesis": second}
    for tool, arguments in (
        ("curaloc_inspect", {"symbols": first, "starts": second}),
        ("curaloc_inspect", {"symbols": second, "starts": [start, first], "hypotheses": first}),
        ("curaloc_submit", {"symbols": first}),
        ("curaloc_capsules", {"ownership": first, "execution": second}),
    ):
        try:
            said = call(session, tool, plan=plan, **arguments)[
                "next" if "sub" not in tool else "plan"
            ]
        except MisuseError as error:
            said = str(error)
        assert "curaloc_" in said or plan in said or "index" in said or "RouteMap" in said
