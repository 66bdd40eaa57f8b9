"""One cursor goes through all lists of an answer: each line once, whatever the budget."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codeviews.core.session import Session
from codeviews.servers.toolkit import answer
from codeviews.servers.views import find_tool

PLACE = re.compile(r"m\d+\.py:\d+")
CURSOR = re.compile(r"\(cursor=(\d+)\)$")
USERS = 60


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """A function with sixty callers in as many files, each of which imports two modules."""
    folder = tmp_path_factory.mktemp("hub")
    root = folder / "hub"
    root.mkdir()
    (root / "hub.py").write_text("import os\n\n\ndef hub(x):\n    return x\n")
    for i in range(USERS):
        text = f"import sys\nfrom hub import hub\n\n\ndef user{i}():\n    return hub({i})\n"
        (root / f"m{i}.py").write_text(text)
    session = Session(root, folder / "indexes")
    session.build(jobs=1)
    yield session
    session.close()


def pages(call: Any, session: Session, server: str, tool: str, arguments: Any) -> list[str]:
    out: list[str] = []
    cursor = "0"
    while cursor:
        text, error = call(session, server, tool, {**arguments, "cursor": cursor})
        assert not error, text
        assert len(text) <= arguments["max_tokens"] * 4
        out.append(text)
        at = [
            m[1] for line in text.split("\n") if line[:5] == "[cut]" and (m := CURSOR.search(line))
        ]
        assert not at or int(at[0]) > int(cursor), text
        cursor = at[0] if at else ""
    return out


@pytest.mark.parametrize(
    ("server", "tool", "arguments"),
    [
        ("callgraph", "callers_of", {"symbol": "hub"}),
        ("callgraph", "callgraph_node", {"symbol": "hub"}),
        ("callgraph", "callgraph_search", {"query": "user*"}),
        ("callgraph", "callgraph_files", {}),
        ("callgraph", "function_info", {"symbol": "hub.py:hub"}),
        ("deps", "module_deps", {"path": "."}),
        ("deps", "deps_node", {"symbol": "hub.py"}),
        ("hybrid", "hybrid_node", {"symbol": "hub.py:hub"}),
        ("ast", "ts_query", {"language": "python", "query": "(function_definition) @f"}),
    ],
)
def test_following_the_cursor_shows_every_line_once(
    hub: Session, call: Any, server: str, tool: str, arguments: dict[str, Any]
) -> None:
    rows = [Counter[str]() for _ in range(3)]
    for count, budget in zip(rows, ({"max_tokens": 40_000}, {"max_tokens": 500}, {}), strict=True):
        wanted = {"limit": 1_000, "max_tokens": 6_000, **arguments, **budget}
        if not budget:
            wanted["limit"] = 7
        for text in pages(call, hub, server, tool, wanted):
            count.update(line for line in text.split("\n") if PLACE.match(line))
    assert sum(rows[0].values()) >= USERS
    assert rows[1] == rows[0]
    assert rows[2] == rows[0]


@pytest.mark.parametrize(
    ("tool", "arguments", "key"),
    [
        ("callers_of", {"symbol": "hub"}, "results"),
        ("callgraph_node", {"symbol": "hub.py:hub"}, "results.0.callers"),
        ("callgraph_search", {"query": "user*"}, "results"),
        ("callgraph_files", {}, "files"),
        ("function_info", {"symbol": "hub.py:hub"}, "results.0.callers"),
        ("module_deps", {"path": "hub.py"}, "imported_by"),
        ("deps_node", {"symbol": "hub.py"}, "results.0.imported_by"),
        ("hybrid_node", {"symbol": "hub.py:hub"}, "results.0.callers"),
        ("ts_query", {"language": "python", "query": "(function_definition) @f"}, "captures"),
        ("module_overview", {"path": "."}, "files"),
    ],
)
def test_following_next_cursor_gives_every_item_once(
    hub: Session, tool: str, arguments: dict[str, Any], key: str
) -> None:
    def items(limit: int) -> tuple[list[Any], int]:
        out: list[Any] = []
        count, cursor = 0, ""
        while count == 0 or cursor is not None:
            wanted = {**arguments, "limit": limit, "cursor": cursor}
            data = answer(hub, find_tool(tool), wanted)[0].data
            cursor, count = data["next_cursor"], count + 1
            for step in key.split("."):
                data = data[int(step)] if step.isdigit() else data[step]
            assert len(data) <= limit
            out += data
        return out, count

    whole, pages = items(1_000)
    assert (len(whole) >= USERS, pages) == (True, 1)
    assert items(7) == (whole, -(-len(whole) // 7))
    assert items(len(whole)) == (whole, 1)


@pytest.mark.parametrize(
    ("server", "tool", "arguments"),
    [
        ("callgraph", "callgraph_explore", {"query": "hub user"}),
        ("hybrid", "impact_of", {"symbol": "hub"}),
    ],
)
def test_a_tool_without_a_cursor_names_none(
    hub: Session, call: Any, server: str, tool: str, arguments: dict[str, Any]
) -> None:
    text, error = call(hub, server, tool, {**arguments, "max_tokens": 300})
    assert not error
    assert "cursor" not in text
    assert "(raise max_tokens or limit)" in text


def test_a_call_of_a_class_is_one_caller(tmp_path: Path, call: Any) -> None:
    text = "class Box:\n    def __init__(self):\n        pass\n\n\ndef make():\n    return Box()\n"
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / "m1.py").write_text(text)
    session = Session(tmp_path / "repo", tmp_path / "indexes")
    session.build(jobs=1)
    try:
        text, _ = call(session, "callgraph", "callers_of", {"symbol": "Box"})
    finally:
        session.close()
    assert text.split("\n")[1:] == [
        "## Callers of Box (class)",
        "m1.py:1  class Box",
        "## tier A (certain): 1 of this page",
        "m1.py:7  make",
    ]


@pytest.mark.parametrize(
    ("server", "tool", "arguments"),
    [
        ("callgraph", "callers_of", {"symbol": "place_order"}),
        ("callgraph", "callgraph_search", {"query": "place_order"}),
        ("deps", "module_deps", {"path": "shop/orders.py"}),
        ("ast", "ast_files", {}),
    ],
)
def test_a_page_behind_the_last_says_so(
    ask: Any, server: str, tool: str, arguments: dict[str, Any]
) -> None:
    said = "Nothing is left at cursor=9999; leave it empty for the beginning."
    text, error = ask(server, tool, cursor="9999", **arguments)
    assert (error, said in text) == (False, True)
    assert said not in ask(server, tool, **arguments)[0]
