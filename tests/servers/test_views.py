"""The five servers through the official MCP client, on a repository of ours."""

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


# (server, tool, arguments) -> the answer behind its first line
ANSWERS: list[tuple[str, str, dict[str, Any], str]] = [
    (
        "ast",
        "file_skeleton",
        {"path": "shop/models.py"},
        """\
## Skeleton of shop/models.py: 51 lines, python
shop/models.py:6  class Line
shop/models.py:10    item: str
shop/models.py:11    count: int = 1
shop/models.py:13    def price(self, unit)
shop/models.py:30  class Base
shop/models.py:33    def label(self)
shop/models.py:38  class Basket(Base)
shop/models.py:41    def __init__(self)
shop/models.py:42    self.lines = []
shop/models.py:44    def add(self, line)
shop/models.py:48    def label(self)""",
    ),
    (
        "ast",
        "ast_node",
        {"symbol": "Basket.add"},
        """\
### shop/models.py:44-46  Basket.add (method)
   44	    def add(self, line):
   45	        \"\"\"Put a line in.\"\"\"
   46	        self.lines.append(line)
## Inside, of Basket.add: 2
shop/models.py:38  class Basket(Base)
shop/models.py:1  module
None known: Members of Basket.add""",
    ),
    (
        "ast",
        "ts_query",
        {
            "language": "python",
            "query": '(call function: (identifier) @f (#eq? @f "place_order"))',
        },
        """\
## Captures
shop/cli.py:14  @f  place_order
tests/test_orders.py:8  @f  place_order""",
    ),
    (
        "ast",
        "ts_query",
        {"language": "python", "query": "(class_definition name: (_) @name)", "limit": 2},
        """\
## Captures
shop/models.py:7  @name  Line
shop/models.py:30  @name  Base
[cut] Captures: 1 more (cursor=2)
4 of 7 files were looked at: the page is full (cursor= goes on)""",
    ),
    (
        "ast",
        "parse_file",
        {"path": "web/view.js", "depth": 2},
        """\
## Syntax tree of web/view.js (javascript), line:column from 0
1:0-4:0        program
1:0-3:1          export_statement
1:7-3:1            declaration: function_declaration
3 nodes lie deeper than depth=2.""",
    ),
    (
        "deps",
        "module_deps",
        {"path": "shop/orders.py"},
        """\
## shop/orders.py imports: 3
shop/orders.py:5  shop/mail.py  (shop.mail)
shop/orders.py:6  shop/models.py  (shop.models)
shop/orders.py:7  shop/stock.py  (shop.stock)
## Imported by: 3
shop/__init__.py:3  (shop.orders)
shop/mail.py:11  (shop.orders)
tests/test_orders.py:2  (shop.orders)
## External: 1
shop/orders.py:3  json""",
    ),
    (
        "deps",
        "deps_node",
        {"symbol": "line_price"},
        """\
### shop/stock.py:13-15  line_price (function)
   13	def line_price(line: Line):
   14	    \"\"\"Price of a whole line.\"\"\"
   15	    return line.price(unit_price(line.item))
## Imports that it names: 1
shop/stock.py:3  shop/models.py  (shop.models)
## Files that import shop/stock.py: 1
shop/orders.py:7  (shop.stock)
None known: External""",
    ),
    (
        "deps",
        "dependency_path",
        {"source": "tests", "target": "shop/stock.py"},
        """\
## Import path, 2 edges
tests/test_orders.py:2  imports shop/orders.py
shop/orders.py:7  imports shop/stock.py""",
    ),
    (
        "deps",
        "dependency_path",
        {"source": "shop/models.py", "target": "shop/cli.py"},
        "No chain of imports from shop/models.py to shop/cli.py. "
        "The other direction has one: swap source and target.",
    ),
    (
        "deps",
        "layer_summary",
        {},
        """\
## Layers, the lowest (imports nothing else here) first
0: native/fast.h, shop/models.py, web/view.js
1: native/fast.c, shop/stock.py, web/app.js
2: shop/orders.py
3: shop/__init__.py, shop/mail.py
4: shop/cli.py
## Packages in a cycle
shop/mail.py, shop/orders.py
## Imports that break the layers: 1
shop/orders.py -> shop/mail.py: 1 import lines
  shop/orders.py:5  imports shop/mail.py""",
    ),
    (
        "deps",
        "layer_summary",
        {"depth": 1, "include_tests": True},
        """\
## Layers, the lowest (imports nothing else here) first
0: native/ (2), shop/ (6), web/ (2)
1: tests/ (1)
## Imports that break the layers: 0""",
    ),
    (
        "deps",
        "cycles",
        {},
        """\
## Import cycles: 1 groups
2 files: shop/mail.py, shop/orders.py
  shop/mail.py:11  imports shop/orders.py  (only when resend runs)
  shop/orders.py:5  imports shop/mail.py""",
    ),
    (
        "docs",
        "docs_explore",
        {"query": "How is a receipt mailed?", "limit": 2},
        """\
## Ranked files
README.md:5  Shop.Placing orders:5
shop/mail.py:4  send_receipt:4
## Documentation
README.md:5  heading Placing orders  [Shop.Placing orders]
    Call `place_order` with a basket; a receipt is mailed.
shop/mail.py:4  function def send_receipt(label, total)
    Tell the customer what was ordered.""",
    ),
    (
        "docs",
        "docs_node",
        {"symbol": "Line.price"},
        """\
### shop/models.py:13-27  Line.price (method)
def price(self, unit)
Price of the line.
Parameters:
  unit: price of one piece.
Returns:
  int: the price of all pieces.
Raises:
  ValueError: the count is negative.
## Inside, of Line.price: 2
shop/models.py:6  class Line  — One line of a basket.
shop/models.py:1  module  — What the shop deals with.
None known: Members of Line.price; Mentions of 'price' in prose""",
    ),
    (
        "docs",
        "module_overview",
        {"path": "shop/stock.py"},
        """\
## shop/stock.py:1  python, 16 lines
What is on the shelves.
## Defines
shop/stock.py:5  constant PRICES = {"tea": 3, "pot": 20}
shop/stock.py:8  function def unit_price(item)  — Price of one piece, 0 for unknown items.
shop/stock.py:13  function def line_price(line: Line)  — Price of a whole line.
1 of 3 definitions have no documentation.""",
    ),
    (
        "docs",
        "module_overview",
        {"path": "shop"},
        """\
## shop: 6 files
shop/__init__.py:1  The shop: orders, stock and receipts.
shop/cli.py:1  The command line of the shop.
shop/mail.py:1  Receipts by mail.
shop/models.py:1  What the shop deals with.
shop/orders.py:1  Taking orders.
shop/stock.py:1  What is on the shelves.""",
    ),
    (
        "docs",
        "repo_map",
        {"max_tokens": 250, "paths": ["shop"]},
        """\
## Map: 4 of 6 files, the most central first
shop/orders.py:1  Taking orders.
  10: def place_order(basket: Basket)  — Order everything in the basket and mail a receipt.
  17: def cancel_order(number)
shop/models.py:1  What the shop deals with.
  6: class Line  — One line of a basket.
  30: class Base  — Things with a name.
  38: class Basket(Base)  — Lines waiting to be ordered.
shop/cli.py:1  The command line of the shop.
  9: def main(arguments)  — Order what the arguments name.
shop/__init__.py:1  The shop: orders, stock and receipts.
  5: __all__ = ["place_order"]
[cut] Map: 4 of 6 files, the most central first: 2 more (cursor=4)""",
    ),
    (
        "hybrid",
        "hybrid_node",
        {"symbol": "Basket.label"},
        """\
### shop/models.py:48-50  Basket.label (method)
   48	    def label(self):
   49	        \"\"\"How many lines there are.\"\"\"
   50	        return f"{len(self.lines)} lines"
## Inside, of Basket.label: 2
shop/models.py:38  class Basket(Base)
shop/models.py:1  module
## Callers of Basket.label: 1
shop/orders.py:13  place_order  [B type]
## Inherits or overrides: 1
shop/models.py:48  Base.label (overrides)
None known: Members of Basket.label; Calls of Basket.label; Inherited or overridden by; """
        "Referenced or decorating; Imports that it names; External",
    ),
    (
        "hybrid",
        "impact_of",
        {"symbol": "place_order"},
        """\
## Impact of shop/orders.py:place_order
shop/orders.py:10  function def place_order(basket: Basket)
2 uses in code, 1 in tests (tiers A 3); 4 importing files; the name on 10 lines of 7 files
## Users by distance: 2
shop/cli.py:14  main
shop/cli.py:18  <module>  (distance 2)
## Tests: 1 files with resolved uses
tests/test_orders.py:8  test_total
## Importing files: 4
shop/__init__.py:1
shop/mail.py:1
tests/test_orders.py:1
shop/cli.py:1  (distance 2)
## Name in code: 5 lines of 3 files
shop/__init__.py:3  from shop.orders import place_order
shop/__init__.py:5  __all__ = ["place_order"]
shop/cli.py:5  from shop import place_order
shop/cli.py:14  return place_order(basket)
shop/orders.py:10  def place_order(basket: Basket):
## Name in configuration: 1 lines of 1 files
settings.toml:3  handler = "shop.orders.place_order"
## Name in prose: 2 lines of 2 files
README.md:7  Call `place_order` with a basket; a receipt is mailed.
docs/orders.md:7  The key `order_limit` bounds how many lines `place_order` accepts.
## Name in tests: 2 lines of 1 files
tests/test_orders.py:2  from shop.orders import place_order
tests/test_orders.py:8  assert "6" in place_order(basket)""",
    ),
    (
        "hybrid",
        "impact_of",
        {"symbol": "Base.label", "depth": 1},
        """\
## Impact of shop/models.py:Base.label
shop/models.py:33  method def label(self)  [Base.label]
1 uses in code, 0 in tests (tiers A 1); 4 importing files; the name on 5 lines of 3 files
## Overriders and subtypes: 1
shop/models.py:48  Basket.label (overrides)
## Users by distance: 0
## Tests: 0 files with resolved uses
tests/test_orders.py:1  imports it, no resolved call
## Importing files: 4
shop/cli.py:1
shop/orders.py:1
shop/stock.py:1
tests/test_orders.py:1
## Name in code: 5 lines of 3 files
shop/mail.py:4  def send_receipt(label, total):
shop/mail.py:6  return f"{label}: {total}"
shop/models.py:33  def label(self):
shop/models.py:48  def label(self):
shop/orders.py:13  send_receipt(basket.label(), total)""",
    ),
    (
        "hybrid",
        "impact_of",
        {"files": ["shop/mail.py"], "depth": 1},
        """\
## Impact of shop/mail.py
shop/mail.py:1  module
1 uses in code, 0 in tests (tiers A 1); 1 importing files; the name on 1 lines of 1 files
## Users by distance: 1
shop/orders.py:13  place_order
## Tests: 0 files with resolved uses
none found by resolved edges or imports; other ways of reaching it are not seen
## Importing files: 1
shop/orders.py:1
## Name in code: 1 lines of 1 files
shop/orders.py:5  from shop.mail import send_receipt""",
    ),
    (
        "deps",
        "deps_files",
        {"paths": ["shop/o*"]},
        "## Files\nshop/orders.py:1  python, 19 lines, 2 symbols, 4 edges",
    ),
    (
        "ast",
        "ast_search",
        {"query": "label"},
        """\
## Symbols like 'label'
shop/models.py:33  method def label(self)  [Base.label]
shop/models.py:48  method def label(self)  [Basket.label]""",
    ),
]


@pytest.mark.parametrize(
    ("server", "tool", "arguments", "answer"),
    ANSWERS,
    ids=[f"{tool}-{i}" for i, (_, tool, _, _) in enumerate(ANSWERS)],
)
def test_a_tool_answers(
    ask: Any, server: str, tool: str, arguments: dict[str, Any], answer: str
) -> None:
    assert ask(server, tool, **arguments) == (answer, False)


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


def test_both_maps_are_the_same(ask: Any) -> None:
    assert ask("docs", "repo_map") == ask("hybrid", "repo_map")


def test_pages_of_a_map_join_to_the_whole(ask: Any) -> None:
    whole, _ = ask("docs", "repo_map", paths=["shop"])
    first, _ = ask("docs", "repo_map", paths=["shop"], max_tokens=250)
    rest, _ = ask("docs", "repo_map", paths=["shop"], cursor="4")

    def body(text: str) -> list[str]:
        return [line for line in text.split("\n") if not line.startswith(("##", "[cut]"))]

    assert body(first) + body(rest) == body(whole)
