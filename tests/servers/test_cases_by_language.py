"""What users of such tools were told wrongly elsewhere, asked of one small program per language.

``tests/fixtures/cases/<language>`` is the same program in each language: ``Outer.close`` delegates
to ``Inner.close``, ``run`` saves a ``Left`` and sends through a ``Port`` that nine classes
implement, calls a library method that ``Tool`` has too, and a ``helper`` that only tests define.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from codeviews.core.render import Answer
from codeviews.core.session import Session
from codeviews.core.tree_worker import stop_idle
from codeviews.servers.toolkit import answer
from codeviews.servers.views import find_tool

CASES = Path(__file__).parents[1] / "fixtures" / "cases"


class Program(NamedTuple):
    """How one language writes the names."""

    language: str
    close: str = "close"
    save: str = "save"
    send: str = "send"
    library: str = "trim"
    helper: str = "helper"
    idle: str = "idle"
    run: str = "run"
    main: str = "main"


PROGRAMS = [
    Program("python", library="strip", idle="_idle"),
    Program("cpp", library="append"),
    Program("javascript"),
    Program("typescript"),
    Program("go", "Close", "Save", "Send", "WriteString"),
    Program("java", helper="Helper.helper", idle="App.idle", run="App.run", main="App.main"),
    Program("rust"),
    Program("ruby", send="send_out", library="strip"),
    Program("php"),
    Program(
        "csharp", "Close", "Save", "Send", "Trim", "Helper.Help", "App.Idle", "App.Run", "App.Main"
    ),
    Program("kotlin"),
    Program("swift", library="lowercased"),
    Program("scala", helper="Helper.helper", idle="App.idle", run="App.run", main="App.main"),
]
PLAIN = [Program("c"), Program("bash")]
Ask = Callable[[Program, str], Answer]


@pytest.fixture(scope="module")
def callers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """``callers(program, symbol)``: what ``callers_of`` says, each program indexed once."""
    sessions: dict[str, Session] = {}
    tool = find_tool("callers_of")

    def ask(program: Program, symbol: str) -> Answer:
        if program.language not in sessions:
            folder = tmp_path_factory.mktemp(program.language)
            shutil.copytree(CASES / program.language, folder / "tree")
            session = sessions[program.language] = Session(folder / "tree", folder / "indexes")
            session.build(jobs=1)
        return answer(sessions[program.language], tool, {"symbol": symbol})[0]

    yield ask
    for session in sessions.values():
        session.close()
    stop_idle()


def _names(result: Answer) -> list[str]:
    found = [(item["symbol"].partition(":")[2], item["kind"]) for item in result.data["results"]]
    return [name for name, kind in found if kind == "calls"]


def _languages(programs: list[Program]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("program", programs, ids=lambda program: program.language)


@_languages(PROGRAMS + PLAIN)
def test_unknown_name_is_not_found_and_never_another_symbol(callers: Ask, program: Program) -> None:
    result = callers(program, "NoSuch")
    assert not result.found
    assert "NoSuch" in result.text(2_000)
    assert not result.data.get("results")


@_languages(PROGRAMS + PLAIN)
def test_no_callers_is_confirmed_or_open_to_the_outside(callers: Ask, program: Program) -> None:
    idle = callers(program, program.idle).text(2_000)
    assert "every call of this name was resolved" in idle or "reached from outside" in idle
    start = callers(program, program.main)
    assert _names(start) == [] or program.language == "bash"
    if program.language != "bash":
        assert "does not mean it is unused" in start.text(2_000)


@_languages(PROGRAMS)
def test_delegation_is_not_recursion(callers: Ask, program: Program) -> None:
    assert _names(callers(program, f"Inner.{program.close}")) == [f"Outer.{program.close}"]
    assert _names(callers(program, f"Outer.{program.close}")) == []


@_languages(PROGRAMS)
def test_same_named_methods_are_told_apart(callers: Ask, program: Program) -> None:
    assert _names(callers(program, f"Left.{program.save}")) == [program.run]
    assert _names(callers(program, f"Right.{program.save}")) == []


@_languages(PROGRAMS)
def test_library_method_never_binds_to_a_project_one(callers: Ask, program: Program) -> None:
    assert _names(callers(program, f"Tool.{program.library}")) == []


@_languages(PROGRAMS + PLAIN)
def test_production_never_calls_what_only_tests_define(callers: Ask, program: Program) -> None:
    result = callers(program, program.helper)
    assert result.found
    assert _names(result) == []


@_languages(PROGRAMS)
def test_call_with_many_targets_is_kept_and_counted(callers: Ask, program: Program) -> None:
    result = callers(program, f"P1.{program.send}")
    assert _names(result) == []
    assert result.data["unresolved"] == 1
    assert "ambiguous" in result.text(2_000)


def test_same_named_statics_of_two_c_files_are_told_apart(callers: Ask) -> None:
    assert _names(callers(PLAIN[0], "app.c:save")) == ["run"]
    assert _names(callers(PLAIN[0], "other.c:save")) == ["again"]


def test_call_through_a_field_of_the_same_name_is_not_recursion(callers: Ask) -> None:
    assert _names(callers(PLAIN[0], "outer_close")) == []
