"""Plans of the host-driven path that are damaged, and decisions in odd but harmless shapes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codeviews.core.errors import MisuseError
from codeviews.core.session import Session
from codeviews.servers import views
from codeviews.servers.toolkit import answer

REPORT = "rate must not be negative"


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    root: Path = tmp_path_factory.mktemp("repo")
    (root / "shop").mkdir()
    (root / "shop" / "tax.py").write_text(
        "def check_rate(rate):\n    if rate < 0:\n"
        "        raise ValueError('rate must not be negative')\n    return rate\n"
    )
    opened = Session(root, tmp_path_factory.mktemp("home"))
    opened.build(jobs=1)
    yield opened
    opened.close()


def call(session: Session, tool: str, **arguments: Any) -> dict[str, Any]:
    return answer(session, views.find_tool(tool), arguments)[0].data


def sid_of(data: dict[str, Any], address: str) -> int:
    shown = next(text for text in data["capsules"] if f"] {address}\n" in text)
    return int(shown.partition("[SID=")[2].partition("]")[0])


def test_a_lone_path_or_symbol_is_a_list_of_one_and_prose_is_refused(session: Session) -> None:
    plan = call(session, "curaloc_scope", report=REPORT + "lone")["plan"]
    for wrong, sentence in (
        (7, "no list of files was given"),
        ("read the code", "none of the 1 proposed files"),
        ("[" * 100_000, "none of the 1 proposed files"),
    ):
        with pytest.raises(MisuseError, match=sentence):
            call(session, "curaloc_capsules", plan=plan, ownership=wrong)
    shown = call(session, "curaloc_capsules", plan=plan, ownership="shop/tax.py")
    check = sid_of(shown, "shop/tax.py:check_rate")
    call(session, "curaloc_inspect", plan=plan, starts=[{"sid": check, "action": "expand_local"}])
    data = call(session, "curaloc_submit", plan=plan, symbols="shop/tax.py:check_rate")
    assert [p["symbol"] for p in data["predictions"]] == ["shop/tax.py:check_rate"]


@pytest.mark.parametrize(
    "change",
    [
        {"step": "zzz"},
        {"symbols": {"x": "y"}},
        {"faults": []},
        {"faults": {"a": "b"}},
        {"route": "x"},
        {"report": None},
        {"id": "0123456789"},
    ],
)
def test_a_damaged_plan_is_no_plan(session: Session, change: dict[str, Any]) -> None:
    plan = call(session, "curaloc_scope", report=f"{REPORT}{change}")["plan"]
    file = session.database.parent / "plans" / f"{plan}.json"
    whole = json.loads(file.read_text())
    file.write_text(json.dumps({**whole, **change}))
    with pytest.raises(MisuseError, match="there is no plan"):
        call(session, "curaloc_capsules", plan=plan, ownership=["shop/tax.py"])
    assert call(session, "curaloc_status", plan=plan)["plans"] == []
    file.unlink()


def test_steps_out_of_order_and_unknown_plans_say_what_to_call(session: Session) -> None:
    plan = call(session, "curaloc_scope", report=REPORT + "again")["plan"]
    with pytest.raises(MisuseError, match="call curaloc_capsules before"):
        call(session, "curaloc_inspect", plan=plan, starts=[1])
    with pytest.raises(MisuseError, match="start with curaloc_scope"):
        call(session, "curaloc_submit", plan="../../etc/passwd", symbols=["1"])
    with pytest.raises(MisuseError, match="none of the 1 proposed files is in the index"):
        call(session, "curaloc_capsules", plan=plan, ownership=["gone.py"])


def test_two_plans_for_one_report_do_not_meet(session: Session) -> None:
    one, other = (call(session, "curaloc_scope", report="both")["plan"] for _ in range(2))
    shown = call(session, "curaloc_capsules", plan=one, ownership=["shop/tax.py"])
    check = sid_of(shown, "shop/tax.py:check_rate")
    call(session, "curaloc_inspect", plan=one, starts=[check])
    with pytest.raises(MisuseError, match="call curaloc_capsules before"):
        call(session, "curaloc_inspect", plan=other, starts=[check])
    assert one != other
    assert len(call(session, "curaloc_submit", plan=one, symbols=[check])["predictions"]) == 1


def test_pages_of_earlier_steps_leave_the_plan_where_it_is(session: Session) -> None:
    plan = call(session, "curaloc_scope", report="pages")["plan"]
    shown = call(session, "curaloc_capsules", plan=plan, ownership=["shop/tax.py"])
    check = sid_of(shown, "shop/tax.py:check_rate")
    call(session, "curaloc_inspect", plan=plan, starts=[check])
    assert call(session, "curaloc_scope", report="pages", cursor="1")["plan"] == plan
    assert call(session, "curaloc_capsules", plan=plan, cursor="1")["plan"] == plan
    call(session, "curaloc_submit", plan=plan, symbols=[check])
    assert call(session, "curaloc_inspect", plan=plan, cursor="1")["plan"] == plan
    assert call(session, "curaloc_status", plan=plan)["plans"][0]["step"] == "submit"


def test_everything_wrong_with_lists_of_files_is_counted(session: Session) -> None:
    plan = call(session, "curaloc_scope", report="counted")["plan"]
    call(
        session,
        "curaloc_capsules",
        plan=plan,
        ownership=[{"path": "./shop/tax.py", "consumer": 7}, "shop/tax.py", 3, {"path": [1]}],
        execution=[f"gone{n}.py" for n in range(500)],
        enforcement=7,
    )
    assert call(session, "curaloc_status", plan=plan)["plans"][0]["faults"] == {
        "lists of files that are none": 1,
        "entries without a path": 2,
        "probabilities clamped": 1,
        "duplicates": 1,
        "list entries cut": 100,
        "files dropped": 400,
    }


def test_decisions_in_other_harmless_shapes_are_taken(session: Session) -> None:
    plan = call(session, "curaloc_scope", report="shapes")["plan"]
    shown = call(session, "curaloc_capsules", plan=plan, ownership="shop/tax.py")
    check = sid_of(shown, "shop/tax.py:check_rate")
    starts: list[Any] = [
        check,
        float(check),
        {"id": check},
        [{"symbol": "shop/tax.py:check_rate"}],
        ["shop/tax.py:check_rate(rate)"],
    ]
    for start in starts:
        data = call(session, "curaloc_inspect", plan=plan, starts=start, hypotheses=["late"])
        assert [block["sid"] for block in data["blocks"]] == [check]
    for symbols in (check, [float(check)], "check_rate", "shop/tax.py::check_rate", {"sid": check}):
        found = call(session, "curaloc_submit", plan=plan, symbols=symbols)["predictions"]
        assert [p["symbol"] for p in found] == ["shop/tax.py:check_rate"]


def test_a_refusal_says_what_was_wrong(session: Session) -> None:
    plan = call(session, "curaloc_scope", report="refusals")["plan"]
    call(session, "curaloc_capsules", plan=plan, ownership="shop/tax.py")
    with pytest.raises(MisuseError, match=r"no valid start \(unknown SIDs 2\): give 5 to 8"):
        call(session, "curaloc_inspect", plan=plan, starts=[{"number": 1}, [7]])
    sid = sid_of(call(session, "curaloc_capsules", plan=plan), "shop/tax.py:check_rate")
    data = call(session, "curaloc_inspect", plan=plan, starts=[sid])
    with pytest.raises(MisuseError, match="no symbol was given; give symbols="):
        call(session, "curaloc_submit", plan=plan, symbols=[])
    with pytest.raises(MisuseError, match="none of these symbols was assessed or shown"):
        call(session, "curaloc_submit", plan=plan, symbols=[data["blocks"]])


def test_a_page_after_the_last_says_so(session: Session) -> None:
    plan = call(session, "curaloc_scope", report="pages end")["plan"]
    call(session, "curaloc_capsules", plan=plan, ownership="shop/tax.py")
    arguments = {"plan": plan, "cursor": "9"}
    found, budget = answer(session, views.find_tool("curaloc_capsules"), arguments)
    assert "Nothing is left at cursor=9; leave it empty for the beginning." in found.text(budget)
