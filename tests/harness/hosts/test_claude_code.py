"""The real Claude Code binary, a real MCP server, a scripted model: no key and no network."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from codeviews.harness import behaviour, gate
from codeviews.harness.behaviour import Behaviour
from codeviews.harness.exchange import Usage
from codeviews.harness.hosts import Launch, Mount, Outcome, claude_code, process
from codeviews.harness.scripted_model import ScriptedModel

RunHost = Callable[[str, Launch], tuple[process.Ended, Outcome]]
NATIVE = ("Bash", "Edit", "Glob", "Grep", "Read", "Write")
MAP = ("mcp__codeviews__callgraph_explore", "mcp__codeviews__callgraph_node")
TWO_QUERIES = Behaviour(
    name="two-queries",
    steps=(
        {"calls": [{"tool": "map:explore", "arguments": {"query": "who adds one?"}}]},
        {"calls": [{"tool": "map:node", "arguments": {"symbol": "total"}}]},
        {"text": "It is shop/cart.py."},
    ),
)


def launch(claude: Path, repo: Path, model: ScriptedModel, **more: Any) -> Launch:
    return Launch(
        binary=claude,
        workdir=repo,
        scratch=repo.parent / "scratch",
        prompt="Why is the total too high?",
        base_url=model.url,
        key="scripted",
        model="claude-haiku-4-5",
        timeout=120,
        **more,
    )


def test_the_host_mounts_the_server_calls_two_tools_and_finishes(
    claude: Path, shop: Path, map_server: Callable[..., Mount], run_host: RunHost
) -> None:
    with ScriptedModel(TWO_QUERIES) as model:
        mount = map_server("callgraph", shop)
        steer = "Use the map before reading."
        given = launch(claude, shop, model, mount=mount, steer=steer, effort="low", max_turns=9)
        ended, outcome = run_host("claude-code", given)
    assert ended.returncode == 0
    assert outcome.mcp == "connected"
    assert model.log.first_tools() == (*NATIVE, *MAP)
    calls = [(call.name, call.arguments, call.output) for call in outcome.calls()]
    assert calls == [
        (
            MAP[0],
            {"query": "who adds one?"},
            "callgraph map of shop-repo: who adds one?\nshop/cart.py:1 total",
        ),
        (MAP[1], {"symbol": "total"}, "total is defined at shop/cart.py:1"),
    ]
    assert (outcome.text, outcome.reason) == ("It is shop/cart.py.", "completed")
    assert outcome.usage == Usage(600, 0, 0, 120)
    assert [e.usage for e in model.log.turns()] == [Usage(200, 0, 0, 40)] * 3
    assert model.log.first_body is not None
    assert steer in json.dumps(model.log.first_body["system"])


def test_the_baseline_sends_exactly_the_six_native_tools(
    claude: Path, shop: Path, run_host: RunHost
) -> None:
    with ScriptedModel(behaviour.load("lazy"), {"answer": "shop/cart.py"}) as model:
        _, outcome = run_host("claude-code", launch(claude, shop, model))
    assert model.log.first_tools() == NATIVE
    assert (outcome.mcp, outcome.text) == ("", "shop/cart.py")


def test_a_server_that_cannot_start_is_visible_as_failed(
    claude: Path, shop: Path, run_host: RunHost
) -> None:
    with ScriptedModel(behaviour.load("lazy")) as model:
        mount = Mount("callgraph", (str(shop / "no-such-server"),))
        _, outcome = run_host("claude-code", launch(claude, shop, model, mount=mount))
    assert outcome.mcp == "failed"
    assert model.log.first_tools() == NATIVE


READ = {"tool": "Read", "arguments": {"file_path": "{repo}/shop/cart.py"}}
EXPLORE = {"tool": "map:explore", "arguments": {"query": "total"}}
FAIL = {"tool": "map:fail", "arguments": {"query": "total"}}


def denials(
    claude: Path, shop: Path, mount: Mount, run_host: RunHost, *turns: list[dict[str, Any]]
) -> list[tuple[str, bool]]:
    """Plays turns of calls behind the gate: the tool's last word and whether it was denied."""
    steps = tuple({"calls": calls} for calls in turns)
    script = Behaviour(name="gated", steps=(*steps, {"text": "done"}))
    with ScriptedModel(script, {"repo": str(shop)}) as model:
        given = launch(claude, shop, model, mount=mount, gate=True)
        _, outcome = run_host("claude-code", given)
    return [(call.name.rpartition("_")[2], call.denied) for call in outcome.calls()]


def test_the_gate_denies_native_reads_until_the_map_has_answered(
    claude: Path, shop: Path, map_server: Callable[..., Mount], run_host: RunHost
) -> None:
    bash = {"tool": "Bash", "arguments": {"command": "ls"}}
    turns = [[READ, bash], [EXPLORE], [READ], [bash]]
    seen = denials(claude, shop, map_server("callgraph", shop), run_host, *turns)
    assert seen == [
        ("Read", True),
        ("Bash", True),
        ("explore", False),
        ("Read", False),
        ("Bash", False),
    ]


def test_a_map_call_beside_a_read_opens_the_gate_for_the_next_turn(
    claude: Path, shop: Path, map_server: Callable[..., Mount], run_host: RunHost
) -> None:
    mount = map_server("callgraph", shop)
    seen = denials(claude, shop, mount, run_host, [EXPLORE, READ], [READ])
    assert [name for name, _ in seen] == ["explore", "Read", "Read"]
    assert (seen[0][1], seen[2][1]) == (False, False)


def test_failing_map_calls_keep_the_gate_shut_but_three_attempts_end_the_wait(
    claude: Path, shop: Path, map_server: Callable[..., Mount], run_host: RunHost
) -> None:
    mount = map_server("callgraph", shop, "--tools", "explore,node,fail")
    seen = denials(claude, shop, mount, run_host, [FAIL], [READ], [FAIL], [FAIL], [READ])
    assert seen == [
        ("fail", False),
        ("Read", True),
        ("fail", False),
        ("fail", False),
        ("Read", False),
    ]


@pytest.mark.parametrize(
    ("name", "reason", "status"), [("looping", "max_turns", 0), ("failing", "api_error", 500)]
)
def test_limits_and_api_errors_are_told_from_success(
    claude: Path, shop: Path, run_host: RunHost, name: str, reason: str, status: int
) -> None:
    with ScriptedModel(behaviour.load(name)) as model:
        ended, outcome = run_host("claude-code", launch(claude, shop, model, max_turns=3))
    assert ended.returncode == 1
    assert (outcome.finished, outcome.reason, outcome.api_status) == (True, reason, status)
    assert outcome.error


def test_a_host_that_is_killed_writes_no_result_line(
    claude: Path, shop: Path, run_host: RunHost
) -> None:
    with ScriptedModel(behaviour.load("crashing")) as model:
        ended, outcome = run_host("claude-code", launch(claude, shop, model))
    assert ended.returncode != 0
    assert not outcome.finished
    assert [call.arguments["command"] for call in outcome.calls()] == [
        "echo working",
        "kill -9 $PPID",
    ]


def test_a_time_limit_ends_the_host_and_everything_it_started(
    claude: Path, shop: Path, tmp_path: Path
) -> None:
    with ScriptedModel(behaviour.load("silent")) as model:
        given = launch(claude, shop, model)
        given.scratch.mkdir()
        command = claude_code.command(given)
        paths = [tmp_path / name for name in ("out", "err", "pid")]
        ended = process.run(command, paths[0], paths[1], 5.0, paths[2])
    assert ended.timed_out
    assert not paths[2].exists()


def test_two_sessions_do_not_open_each_others_gate(tmp_path: Path) -> None:
    read = {"hook_event_name": "PreToolUse", "tool_name": "Read"}
    answered = {"hook_event_name": "PostToolUse", "tool_name": MAP[0], "tool_response": "ok"}
    assert gate.decide({**answered, "session_id": "one"}, tmp_path) is None
    assert gate.decide({**read, "session_id": "one"}, tmp_path) is None
    denial = gate.decide({**read, "session_id": "two"}, tmp_path)
    assert denial is not None
    assert denial["hookSpecificOutput"]["permissionDecision"] == "deny"
