"""Whole answers of the ast and deps servers on a repository of ours."""

from __future__ import annotations

from typing import Any

import pytest

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
        "ast",
        "ast_search",
        {"query": "label"},
        """\
## Symbols like 'label'
shop/models.py:33  method def label(self)  [Base.label]
shop/models.py:48  method def label(self)  [Basket.label]""",
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
        "deps",
        "deps_files",
        {"paths": ["shop/o*"]},
        "## Files\nshop/orders.py:1  python, 19 lines, 2 symbols, 4 edges",
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
