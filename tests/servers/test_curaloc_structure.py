"""What S1 is shown of a repository: outlines, and what stands for them when they are too long."""

from __future__ import annotations

from typing import Any

import pytest

from codeviews.core.session import Session
from codeviews.servers import views
from codeviews.servers.curaloc import server
from codeviews.servers.curaloc.settings import Settings
from codeviews.servers.toolkit import answer

FILES = {
    "shop/cart.py": "class Cart:\n    def total(self):\n        return 1\n\n\n"
    "def alone():\n    pass\n",
    "shop/tax.py": "def rate():\n    return 2\n",
    "deep/a/one.py": "def first():\n    return 3\n",
    "deep/a/two.py": "def second():\n    return 4\n",
    "tests/test_cart.py": "def test_total():\n    assert 1\n",
    "notes.md": "# Notes\n",
}


def shown(session: Session) -> list[str]:
    tool = views.find_tool("curaloc_scope")
    data: dict[str, Any] = answer(session, tool, {"report": "rate of tax is wrong"})[0].data
    return data["structure"].split("\n")


def test_the_shorter_outline_is_shown_and_tests_are_paths(session: Session) -> None:
    assert shown(session) == [
        "deep/a/one.py first",
        "deep/a/two.py second",
        "shop/cart.py Cart(total) alone",
        "shop/tax.py rate",
        "tests/test_cart.py",
    ]


def test_an_outline_that_no_prompt_holds_is_paths(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "DEFAULT", Settings(outline_chars=75))
    assert shown(session) == [
        "(5 code files; their names are too many to be listed: paths only)",
        "deep/a/one.py",
        "deep/a/two.py",
        "shop/cart.py",
        "shop/tax.py",
        "tests/test_cart.py",
    ]


def test_too_many_paths_are_folders_but_where_files_match(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "DEFAULT", Settings(outline_chars=40))
    lines = shown(session)
    assert lines[0].endswith("folders, and paths where files match the report)")
    assert [line for line in lines[1:] if "shop" in line or "deep" in line] == [
        "deep/a/ (2 files)",
        "shop/cart.py",
        "shop/tax.py",
    ]
