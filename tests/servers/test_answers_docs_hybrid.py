"""Whole answers of the docs and hybrid servers on a repository of ours."""

from __future__ import annotations

from typing import Any

import pytest

# (server, tool, arguments) -> the answer behind its first line
ANSWERS: list[tuple[str, str, dict[str, Any], str]] = [
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
shop/__init__.py:3
shop/mail.py:11
tests/test_orders.py:2
shop/cli.py:5  (distance 2)
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
shop/cli.py:6
shop/orders.py:6
shop/stock.py:3
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
shop/orders.py:5
## Name in code: 1 lines of 1 files
shop/orders.py:5  from shop.mail import send_receipt""",
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


def test_both_maps_are_the_same(ask: Any) -> None:
    assert ask("docs", "repo_map") == ask("hybrid", "repo_map")


def test_pages_of_a_map_join_to_the_whole(ask: Any) -> None:
    whole, _ = ask("docs", "repo_map", paths=["shop"])
    first, _ = ask("docs", "repo_map", paths=["shop"], max_tokens=250)
    rest, _ = ask("docs", "repo_map", paths=["shop"], cursor="4")

    def body(text: str) -> list[str]:
        return [line for line in text.split("\n") if not line.startswith(("##", "[cut]"))]

    assert body(first) + body(rest) == body(whole)
