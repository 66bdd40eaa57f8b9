"""No answer is longer than its budget, whatever is asked."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codeviews.core.errors import MisuseError
from codeviews.core.session import Session
from codeviews.servers.toolkit import Tool, answer
from codeviews.servers.views import view

TOOLS: list[Tool] = [
    tool for server in ("ast", "callgraph", "deps", "docs", "hybrid") for tool in view(server).tools
]
NAMES = [
    "place_order", "Basket", "Line.price", "label", "shop", "shop/models.py", "shop/cli.py:9",
    "README.md", "order_limit", "nothing", "native/fast.c:add", "web", "*", "a b c", "é\u0000",
]  # fmt: skip
QUERIES = [
    "(identifier) @i", "(call function: (_) @f)", "(", '((identifier) @i (#eq? @i "basket"))',
]  # fmt: skip
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "symbol": st.sampled_from(NAMES),
    "source": st.sampled_from(NAMES),
    "target": st.sampled_from(NAMES),
    "path": st.sampled_from(NAMES),
    "query": st.sampled_from([*NAMES, *QUERIES]),
    "language": st.sampled_from(["python", "c", "javascript", "cobol"]),
    "files": st.lists(st.sampled_from(NAMES), max_size=2),
    "paths": st.lists(st.sampled_from(["shop", "*.py", "docs/*"]), max_size=2),
    "depth": st.integers(0, 8),
    "limit": st.integers(1, 1_000),
    "cursor": st.sampled_from(["", "1", "7"]),
    "kind": st.sampled_from(["", "function"]),
    "level": st.sampled_from(["package", "file"]),
    "include_tests": st.booleans(),
    "explain": st.booleans(),
    "start_line": st.integers(1, 60),
    "end_line": st.integers(1, 60),
}


@st.composite
def asked(draw: st.DrawFn) -> tuple[Tool, dict[str, Any]]:
    tool = draw(st.sampled_from(TOOLS))
    schema = tool.schema()
    required = schema.get("required", [])
    arguments: dict[str, Any] = {"max_tokens": draw(st.integers(200, 10_000))}
    for name in schema["properties"]:
        if name in VALUES and (name in required or draw(st.booleans())):
            arguments[name] = draw(VALUES[name])
    return tool, arguments


@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
@given(case=asked())
def test_an_answer_fits_its_budget(shop: Session, case: tuple[Tool, dict[str, Any]]) -> None:
    tool, arguments = case
    try:
        result, max_tokens = answer(shop, tool, arguments)
    except MisuseError as misuse:
        sentence = str(misuse)
    else:
        sentence = ""
        text = result.text(max_tokens)
        assert len(text) <= 4 * arguments["max_tokens"]
        assert text.startswith(f"root {shop.root}")
        assert json.loads(json.dumps(result.data))["coverage"]["files"] == 14
    assert len(sentence) < 800
