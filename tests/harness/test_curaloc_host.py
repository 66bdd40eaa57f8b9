"""The host-driven path end to end: the official MCP client, and the real Claude Code binary."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

from codeviews.core.session import Session
from codeviews.harness import behaviour, runner, scripting
from codeviews.harness.behaviour import Behaviour
from codeviews.harness.benchmarks import benchmark
from codeviews.harness.grid import Grid, chosen
from codeviews.harness.hosts import Launch, Mount, Outcome, process
from codeviews.harness.results import RunFolder
from codeviews.harness.scripted_model import ScriptedModel
from codeviews.harness.tool_names import to_host
from codeviews.harness.workflows import TOOLS as TOOLS_OF
from codeviews.servers.curaloc import TOOLS
from codeviews.servers.stdio import ViewServer
from codeviews.servers.toolkit import answer
from codeviews.servers.views import find_tool, view

RunHost = Callable[[str, Launch], tuple[process.Ended, Outcome]]
REPORT = "total of a cart is one too high"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "indexes"


@pytest.fixture
def steps(shop: Path, home: Path) -> list[tuple[str, dict[str, Any]]]:
    """The four calls of a whole plan, with the ids that the index gave."""
    session = Session(shop, home)
    session.build(jobs=1)
    plan = answer(session, find_tool("curaloc_scope"), {"report": REPORT})[0].data["plan"]
    with session.reading() as store:
        total = next(d.id for d in store.symbols_of("shop/cart.py") if d.name == "total")
    session.close()
    files = [{"path": "shop/cart.py", "rationale": "sums", "consumer": 0.1}, "shop/tax.py"]
    start = {"sid": total, "action": "follow_called_by", "hypothesis": "one is added"}
    return [
        ("curaloc_scope", {"report": REPORT}),
        ("curaloc_capsules", {"plan": plan, "ownership": files, "enforcement": files}),
        ("curaloc_inspect", {"plan": plan, "starts": [start], "hypotheses": ["off by one"]}),
        ("curaloc_submit", {"plan": plan, "symbols": [total, "shop/tax.py:taxed"]}),
    ]


def check(outputs: list[str]) -> None:
    scope, capsules, inspected, submitted = outputs
    assert "step 1 of 4" in scope
    assert "Then call curaloc_capsules" in scope
    assert "shop/tax.py:taxed\nsignature: def taxed(p)" in capsules
    assert "Then call curaloc_inspect" in capsules
    assert "    2\t    return sum(prices) + 1" in inspected
    assert "adjacent, not assessed yet:\n### [SID=" in inspected
    assert " 1. shop/cart.py:1-2  total (function)  1.00" in submitted
    assert " 2. shop/tax.py:4-5  taxed (function)  0.50" in submitted


def test_the_official_client_plays_a_whole_plan(
    shop: Path, home: Path, steps: list[tuple[str, dict[str, Any]]]
) -> None:
    session = Session(shop, home)

    async def run() -> list[str]:
        async with Client(ViewServer(view("curaloc"), session)) as client:
            results = [await client.call_tool(tool, arguments) for tool, arguments in steps]
            assert not any(result.is_error for result in results)
            return ["".join(getattr(c, "text", "") for c in r.content) for r in results]

    outputs = anyio.run(run)
    session.close()
    check(outputs)


def test_a_plan_survives_the_server_that_began_it(
    shop: Path, home: Path, steps: list[tuple[str, dict[str, Any]]]
) -> None:
    outputs: list[str] = []
    for tool, arguments in steps:
        session = Session(shop, home)
        found, budget = answer(session, find_tool(tool), arguments)
        session.close()
        outputs.append(found.text(budget))
    check(outputs)


def test_claude_code_plays_a_whole_plan(
    claude: Path,
    shop: Path,
    home: Path,
    steps: list[tuple[str, dict[str, Any]]],
    run_host: RunHost,
) -> None:
    script = Behaviour(
        name="planning",
        steps=(
            *({"calls": [{"tool": f"map:{t.removeprefix('curaloc_')}", "arguments": a}]}
              for t, a in steps),
            {"text": "shop/cart.py:total"},
        ),
    )  # fmt: skip
    argv = (sys.executable, "-m", "codeviews.servers.cli", "serve", "curaloc")
    argv = (*argv, "--repo", str(shop), "--index-dir", str(home))
    mount = Mount("curaloc", argv, tools=tuple(tool.name for tool in TOOLS))
    with ScriptedModel(script) as model:
        given = Launch(
            binary=claude,
            workdir=shop,
            scratch=shop.parent / "scratch",
            prompt=REPORT,
            base_url=model.url,
            key="scripted",
            model="claude-haiku-4-5",
            timeout=120,
            mount=mount,
        )
        ended, outcome = run_host("claude-code", given)
    assert ended.returncode == 0
    assert outcome.mcp == "connected"
    assert [call.name.rpartition("__")[2] for call in outcome.calls()] == [t for t, _ in steps]
    check([call.output for call in outcome.calls()])
    assert outcome.text == "shop/cart.py:total"


def test_a_grid_with_curaloc_runs_end_to_end_with_the_real_server(
    claude: Path, shop_grid: Callable[..., Grid], tmp_path: Path
) -> None:
    grid = shop_grid(
        workflows=("baseline", "curaloc"), script={"*": "planning"}, server=(), index=()
    )
    runner.run(grid, tmp_path / "run", tmp_path / "slots")
    loaded = RunFolder(tmp_path / "run").load()
    assert (loaded.problems, len(loaded.records)) == ([], 2)
    task = chosen(grid, "localize")["shop-1"]
    script = behaviour.load("planning")
    for record in loaded.records:
        truth = scripting.truth(
            script, record.id.workflow == "curaloc", scripting.variables(task, "")
        )
        assert scripting.differences(record, truth, task, benchmark("localize")) == []
        assert record.verdict.metrics["Func@1"] == 1.0
        assert not any(tool.is_error for tool in record.tools)
    tools = {r.id.workflow: [tool.tool for tool in r.tools] for r in loaded.records}
    steps = ("scope", "capsules", "inspect", "submit")
    assert tools == {"baseline": ["Grep"], "curaloc": [f"curaloc_{step}" for step in steps]}


def test_a_scripts_first_map_call_is_the_entry_of_every_view() -> None:
    for workflow, tools in TOOLS_OF.items():
        offered = [f"mcp__codeviews__{name}" for name in tools]
        call = to_host("c", "map:explore", {"query": "total"}, offered)
        assert (workflow, call.name) == (workflow, offered[0])
        key = "report" if workflow == "curaloc" else "query"
        assert json.loads(call.arguments) == {key: "total"}
