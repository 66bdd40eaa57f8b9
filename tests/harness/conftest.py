"""Shared fixtures of the harness tests: a repository, the test map server, the real host."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from codeviews.harness.benchmarks import localize
from codeviews.harness.errors import MissingProgram
from codeviews.harness.grid import Grid
from codeviews.harness.hosts import Launch, Mount, Outcome, host, install, process
from codeviews.harness.records import TrialRecord
from codeviews.harness.tasks import Task

MAP_SERVER = Path(__file__).parent.parent / "fixtures" / "harness" / "map_server.py"
SHOP = {
    "shop/__init__.py": "",
    "shop/cart.py": "def total(prices):\n    return sum(prices) + 1\n",
    "shop/tax.py": "from shop.cart import total\n\n\ndef taxed(p):\n    return total(p)\n",
    "README.md": "# shop\n",
}


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder with a fixed identity."""
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(
        ["git", *who, *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def write(folder: Path, files: dict[str, str]) -> None:
    """Write files by relative path."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A small git repository with one bug in ``shop/cart.py``."""
    folder = tmp_path / "shop-repo"
    write(folder, SHOP)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "first")
    return folder


@pytest.fixture
def map_server() -> Callable[..., Mount]:
    """Mounts the test map server: ``map_server(view, repo, *more arguments)``."""

    def mount(view: str, repo: Path, *more: str) -> Mount:
        argv = (sys.executable, str(MAP_SERVER), view, "--repo", str(repo), *more)
        return Mount(view, argv, tools=(f"{view}_explore", f"{view}_node"))

    return mount


@pytest.fixture(scope="session")
def claude() -> Path:
    """The real Claude Code program; installs it, or skips with the reason."""
    claude_code = host("claude-code")
    try:
        return install.find(claude_code)
    except MissingProgram:
        pass
    try:
        return install.install(claude_code, timeout=240)
    except MissingProgram as error:
        pytest.skip(f"no Claude Code here: {error}")


@pytest.fixture
def run_host(tmp_path: Path) -> Callable[[str, Launch], tuple[process.Ended, Outcome]]:
    """Runs a host once and reads its stream."""

    def run(name: str, launch: Launch) -> tuple[process.Ended, Outcome]:
        launch.scratch.mkdir(parents=True, exist_ok=True)
        out, err, pid = (tmp_path / part for part in ("out.jsonl", "err.txt", "child.json"))
        program = host(name)
        ended = process.run(program.command(launch), out, err, launch.timeout, pid)
        return ended, program.read(out.read_text().splitlines())

    return run


@pytest.fixture
def shop_grid(shop: Path, tmp_path: Path) -> Callable[..., Grid]:
    """Makes grids on the shop repository with the test map server and no real index."""

    def make(**changes: Any) -> Grid:
        tasks = tmp_path / "tasks.jsonl"
        count = changes.pop("count", 1)
        rows = changes.pop("rows", [shop_task(f"shop-{n}") for n in range(1, count + 1)])
        tasks.write_text("".join(json.dumps(row) + "\n" for row in rows))
        settings: dict[str, Any] = {
            "name": "shop",
            "benchmarks": ("localize",),
            "workflows": ("baseline", "callgraph"),
            "tasks": {"*": str(tasks), "localize": str(tasks), "swebench": str(tasks)},
            "repos": {"*": str(shop)},
            "script": {"*": "map-first"},
            "server": ("{python}", str(MAP_SERVER), "{view}", "--repo", "{repo}"),
            "index": ("{python}", "-c", 'print(\'{"files": 4, "cpu_seconds": 0.1}\')'),
            "timeout": 120.0,
            "jobs": 2,
        }
        return Grid(**{**settings, **changes}).check()

    return make


def shop_task(id: str, **more: Any) -> dict[str, Any]:
    """A task on the shop repository."""
    return {
        "instance_id": id,
        "repo": "codeviews/shop",
        "base_commit": "HEAD",
        "problem_statement": "The total is one too high\n\nAny cart costs one more.",
        "gold_files": ["shop/cart.py"],
        "gold_symbols": ["shop/cart.py:total"],
        "patch": SHOP_FIX,
        **more,
    }


SHOP_FIX = """\
diff --git a/shop/cart.py b/shop/cart.py
--- a/shop/cart.py
+++ b/shop/cart.py
@@ -1,2 +1,2 @@
 def total(prices):
-    return sum(prices) + 1
+    return sum(prices)
"""


def make_record(
    workflow: str, task: str, success: bool | None, tokens: int, **more: Any
) -> TrialRecord:
    """A record with chosen figures: map and read calls, wall, failure."""
    tools = ["map"] * more.pop("maps", 0) + ["read"] * more.pop("reads", 0)
    failure = more.pop("failure", None)
    metrics = {} if success is None else {"fR@1": float(success), "fR@10": float(success)}
    return TrialRecord.model_validate(
        {
            "id": {"benchmark": "linuxfl", "task": task, "workflow": workflow},
            "config": "c",
            "host": {"name": "claude-code", "model": "claude-haiku-4-5"},
            "failure": {"kind": failure, "message": "told"} if failure else None,
            "verdict": {"success": success, "metrics": metrics},
            "calls": [{"usage": {"fresh": tokens}, "seconds": 1.0}],
            "tools": [{"turn": 0, "tool": kind, "kind": kind} for kind in tools],
            "usage": {"fresh": tokens - 10, "output": 10},
            "wall": {"total": more.pop("wall", 10.0), "start": 2.0, "model": 5.0, "tool": 3.0},
            "cost_usd": 0.01,
            **more,
        }
    )


@pytest.fixture
def four_tasks() -> list[TrialRecord]:
    """Baseline against docs on four tasks: two wins, one loss, one environment failure."""
    return [
        make_record("baseline", "a", False, 1000, reads=8),
        make_record("baseline", "b", False, 1000, reads=8),
        make_record("baseline", "c", True, 1000, reads=2),
        make_record("baseline", "d", True, 1000, reads=2),
        make_record("docs", "a", True, 500, maps=3, reads=1, wall=16.0),
        make_record("docs", "b", True, 600, maps=3, reads=1, wall=16.0),
        make_record("docs", "c", False, 1500, maps=2, reads=2, wall=16.0),
        make_record("docs", "d", None, 0, failure="mcp_not_connected"),
    ]


@pytest.fixture
def task() -> Task:
    """A localization task of the shop: one function to find."""
    row = {
        "instance_id": "shop-1",
        "repo": "acme/shop",
        "base_commit": "main",
        "problem_statement": "total of a cart is one too high",
        "gold_symbols": ["shop/cart.py:total"],
    }
    return localize.task(row)
