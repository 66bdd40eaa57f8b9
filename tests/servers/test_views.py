"""The servers as a client sees them: their tools, explores and statuses."""

from __future__ import annotations

import json
from typing import Any

import anyio
import pytest
from mcp import Client

from codeviews.core.session import Session
from codeviews.servers.stdio import ViewServer
from codeviews.servers.views import view

SERVERS = {
    "ast": "ast_explore ast_node ast_search ast_files ast_status file_skeleton ts_query parse_file",
    "callgraph": "callgraph_explore callgraph_node callgraph_search callgraph_files "
    "callgraph_status callers_of callees_of call_path function_info",
    "deps": "deps_explore deps_node deps_files deps_status module_deps dependency_path "
    "layer_summary cycles",
    "docs": "docs_explore docs_node docs_files docs_status module_overview repo_map",
    "hybrid": "hybrid_explore hybrid_node hybrid_files hybrid_status impact_of repo_map",
}


async def listed(session: Session, server: str) -> list[Any]:
    async with Client(ViewServer(view(server), session)) as client:
        return list((await client.list_tools()).tools)


@pytest.mark.parametrize("server", SERVERS)
def test_a_server_lists_exactly_its_tools_in_order(shop: Session, server: str) -> None:
    tools = anyio.run(listed, shop, server)
    assert [tool.name for tool in tools] == SERVERS[server].split()


def test_the_study_has_37_tools() -> None:
    assert sum(len(names.split()) for names in SERVERS.values()) == 37


@pytest.mark.parametrize("server", SERVERS)
def test_a_list_of_tools_is_short_read_only_and_asks_questions(shop: Session, server: str) -> None:
    tools = anyio.run(listed, shop, server)
    text = json.dumps([tool.model_dump(by_alias=True, exclude_none=True) for tool in tools])
    assert len(text) / 4 < 2_000
    for tool in tools:
        hints = tool.annotations
        assert (hints.read_only_hint, hints.destructive_hint) == (True, False)
        assert (hints.idempotent_hint, hints.open_world_hint) == (True, False)
        assert "?" in tool.description
        assert len(tool.description) < 2_000


@pytest.mark.parametrize("server", ["ast", "deps", "hybrid"])
def test_an_explore_shows_files_source_and_edges_of_the_best_match(ask: Any, server: str) -> None:
    text, error = ask(server, f"{server}_explore", query="place_order", limit=1)
    assert not error
    lines = text.split("\n")
    assert lines[0] == "## Ranked files"
    assert lines[1].startswith("shop/orders.py  place_order:10")
    assert "   10\tdef place_order(basket: Basket):" in lines
    assert "## Edges" in lines


@pytest.mark.parametrize("server", ["ast", "deps", "docs", "hybrid"])
def test_a_status_says_what_is_covered(ask: Any, server: str) -> None:
    text, error = ask(server, f"{server}_status")
    assert not error
    assert text.startswith("## Index\ncomplete; 14 files, 47 symbols,")
    assert "python: 7 files" in text
