"""A file that was skipped is named, with the reason, where something of it is asked for."""

from __future__ import annotations

from typing import Any

import pytest

from codeviews.core.session import Session

FILES = {
    "shop/cart.py": "def total(prices):\n    return sum(prices)\n",
    "shop/made.py": "def hidden():\n    return '\0'\n\n\ndef user():\n    hidden()\n",
}
HOLDS = "Skipped, yet holding 'hidden': shop/made.py (binary (NUL bytes))"
SKIPPED = "shop/made.py was skipped: binary (NUL bytes)"


@pytest.mark.parametrize(
    ("server", "tool", "arguments", "said"),
    [
        ("callgraph", "callers_of", {"symbol": "hidden"}, HOLDS),
        ("callgraph", "callees_of", {"symbol": "shop.made.hidden"}, HOLDS),
        ("callgraph", "callers_of", {"symbol": "shop/made.py:hidden"}, SKIPPED),
        ("callgraph", "callers_of", {"symbol": "made.py"}, SKIPPED),
        ("callgraph", "call_path", {"source": "total", "target": "hidden"}, HOLDS),
        ("callgraph", "callgraph_search", {"query": "hidden"}, HOLDS),
        ("hybrid", "impact_of", {"symbol": "hidden"}, HOLDS),
        ("hybrid", "hybrid_explore", {"query": "hidden"}, HOLDS),
        ("ast", "ast_files", {"paths": ["shop/made*"]}, SKIPPED),
    ],
)
def test_what_is_in_a_skipped_file_is_not_just_absent(
    session: Session, call: Any, server: str, tool: str, arguments: dict[str, Any], said: str
) -> None:
    text, error = call(session, server, tool, arguments)
    assert (error, said in text.split("\n")) == (False, True), text


@pytest.mark.parametrize("symbol", ["absent", "hidd", "shop.made.absent"])
def test_a_skipped_file_without_the_name_is_not_blamed(
    session: Session, call: Any, symbol: str
) -> None:
    text, error = call(session, "callgraph", "callers_of", {"symbol": symbol})
    assert (error, "kipped" in text) == (False, False), text
