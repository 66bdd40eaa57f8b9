"""The real Claude Code binary mounts the real server with the ready configuration file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from codeviews.harness.behaviour import Behaviour
from codeviews.harness.errors import MissingProgram
from codeviews.harness.hosts import Launch, host, install
from codeviews.harness.scripted_model import ScriptedModel
from codeviews.servers import callgraph

READY = Path(__file__).parents[2] / "mcp-configs" / "claude-code.json"
SERVER = "mcp__codeviews-callgraph"
STEPS = Behaviour(
    name="explore-then-callers",
    steps=(
        {"calls": [{"tool": f"{SERVER}__callgraph_explore", "arguments": {"query": "total"}}]},
        {"calls": [{"tool": f"{SERVER}__callers_of", "arguments": {"symbol": "total"}}]},
        {"text": "taxed calls total."},
    ),
)
INDEX = (sys.executable, "-m", "codeviews.servers.cli", "index")
SHOP = {
    "shop/__init__.py": "",
    "shop/cart.py": "def total(prices):\n    return sum(prices)\n",
    "shop/tax.py": "from shop.cart import total\n\n\ndef taxed(p):\n    return total(p)\n",
}


@pytest.fixture(scope="module")
def claude() -> Path:
    program = host("claude-code")
    try:
        return install.find(program)
    except MissingProgram:
        pass
    try:
        return install.install(program, timeout=240)
    except MissingProgram as error:
        pytest.skip(f"no Claude Code here: {error}")


def run(claude: Path, repo: Path, scratch: Path, model: ScriptedModel) -> list[dict[str, Any]]:
    """One run in print mode; the events of its stream."""
    given = Launch(
        binary=claude,
        workdir=repo,
        scratch=scratch,
        prompt="Who calls total?",
        base_url=model.url,
        key="scripted",
        model="claude-haiku-4-5",
        timeout=120,
    )
    command = host("claude-code").command(given)
    argv = [SERVER if part == "mcp__codeviews" else part for part in command.argv]
    argv[argv.index("--mcp-config") + 1] = str(READY)
    argv.insert(argv.index("--allowedTools") + 1, SERVER)
    bin_folder = Path(sys.executable).parent
    environment = command.env | {"PATH": f"{bin_folder}{os.pathsep}{command.env['PATH']}"}
    done = subprocess.run(
        argv,
        cwd=repo,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert done.returncode == 0, done.stderr + done.stdout[-2000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


def outputs(events: list[dict[str, Any]]) -> list[str]:
    """The text of every tool result, in order."""
    texts: list[str] = []
    for event in events:
        if event["type"] != "user":
            continue
        for block in event["message"]["content"]:
            if block["type"] == "tool_result":
                content = block["content"]
                texts.append(content if isinstance(content, str) else content[0]["text"])
    return texts


def test_claude_code_mounts_the_server_and_reads_true_answers(
    claude: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = tmp_path / "shop-repo"
    for path, text in SHOP.items():
        (repo / path).parent.mkdir(parents=True, exist_ok=True)
        (repo / path).write_text(text)
    scratch = tmp_path / "scratch"
    index_home = scratch / "home" / ".cache" / "codeviews"
    subprocess.run(
        [*INDEX, str(repo), "--index-dir", str(index_home)],
        check=True,
        capture_output=True,
    )
    with ScriptedModel(STEPS) as model:
        events = run(claude, repo, scratch, model)
        first_tools = model.log.first_tools()
    start = next(e for e in events if e.get("subtype") == "init")
    assert [(s["name"], s["status"]) for s in start["mcp_servers"]] == [
        ("codeviews-callgraph", "connected")
    ]
    offered = sorted(f"{SERVER}__{tool.name}" for tool in callgraph.TOOLS)
    assert sorted(t for t in first_tools if t.startswith("mcp__")) == offered
    explored, callers = outputs(events)
    assert "shop/cart.py:1-2  total (function)" in explored
    assert "calls: taxed -> total  shop/tax.py:5 -> shop/cart.py:1" in explored
    assert "shop/tax.py:5  taxed" in callers
    assert events[-1]["result"] == "taxed calls total."
