"""The scripted model answers each wire format with the behaviour's step, whole or broken."""

from __future__ import annotations

import http.client
import json
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import pytest

from codeviews.harness import behaviour
from codeviews.harness.behaviour import Behaviour
from codeviews.harness.errors import BadInput, UnknownName
from codeviews.harness.exchange import Usage
from codeviews.harness.scripted_model import ScriptedModel

TWO_STEPS = Behaviour(
    name="two",
    steps=(
        {
            "text": "look",
            "usage": {"fresh": 10, "cache_read": 3, "cache_write": 4, "output": 5},
            "calls": [{"tool": "map:explore", "arguments": {"query": "{query}"}}],
        },
        {"text": "the answer is {answer}", "usage": {"fresh": 7, "output": 2}},
    ),
)
VARIABLES = {"query": "why", "answer": "42"}
ANTHROPIC_TOOLS = [{"name": "Read"}, {"name": "mcp__codeviews__ast_explore"}]
CHAT_TOOLS = [{"type": "function", "function": {"name": "codeviews_ast_explore"}}]
RESPONSES_TOOLS = [
    {"type": "function", "name": "exec_command"},
    {"type": "namespace", "name": "mcp__codeviews", "tools": [{"name": "ast_explore"}]},
]


def post(model: ScriptedModel, path: str, body: dict[str, Any]) -> tuple[int, str]:
    address = urlparse(model.url).netloc
    with closing(http.client.HTTPConnection(address, timeout=10)) as connection:
        connection.request("POST", path, json.dumps(body))
        with connection.getresponse() as response:
            return response.status, response.read().decode()


def events(stream: str) -> list[dict[str, Any]]:
    lines = [line[6:] for line in stream.splitlines() if line.startswith("data: ")]
    return [json.loads(line) for line in lines if line != "[DONE]"]


def test_anthropic_message_calls_the_mounted_tool_and_reports_tokens() -> None:
    with ScriptedModel(TWO_STEPS, VARIABLES) as model:
        body = {"model": "m", "tools": ANTHROPIC_TOOLS, "messages": [{"role": "user"}]}
        status, text = post(model, "/v1/messages?beta=true", body)
    assert status == 200
    assert json.loads(text) == {
        "id": "msg_0000",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [
            {"type": "text", "text": "look"},
            {
                "type": "tool_use",
                "id": "call_0_0",
                "name": "mcp__codeviews__ast_explore",
                "input": {"query": "why"},
            },
        ],
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {
            "input_tokens": 10,
            "cache_read_input_tokens": 3,
            "cache_creation_input_tokens": 4,
            "output_tokens": 5,
        },
    }
    seen = model.log.exchanges[0]
    assert seen.tools == ("Read", "mcp__codeviews__ast_explore")
    assert seen.requested == ("mcp__codeviews__ast_explore",)
    assert seen.usage == Usage(10, 3, 4, 5)


def test_the_step_is_chosen_by_assistant_messages_so_a_repeated_request_repeats_the_reply() -> None:
    with ScriptedModel(TWO_STEPS, VARIABLES) as model:
        messages = [{"role": "user"}, {"role": "assistant"}, {"role": "user"}]
        body = {"model": "m", "tools": ANTHROPIC_TOOLS, "messages": messages, "stream": True}
        replies = [post(model, "/v1/messages", body)[1] for _ in range(2)]
    assert replies[0] == replies[1]
    found = events(replies[0])
    text = "".join(e["delta"]["text"] for e in found if e["type"] == "content_block_delta")
    assert text == "the answer is 42"
    assert (found[0]["type"], found[-1]["type"]) == ("message_start", "message_stop")
    assert found[-2]["usage"] == {"output_tokens": 2}


def test_count_tokens_answers_a_number_and_is_no_turn() -> None:
    with ScriptedModel(TWO_STEPS) as model:
        status, text = post(model, "/v1/messages/count_tokens", {"messages": ["x" * 400]})
    assert status == 200
    assert json.loads(text)["input_tokens"] > 100
    assert model.log.turns() == []


def test_chat_completions_stream_call_arguments_and_usage() -> None:
    with ScriptedModel(TWO_STEPS, VARIABLES) as model:
        body = {"model": "m", "tools": CHAT_TOOLS, "messages": [], "stream": True}
        found = events(post(model, "/v1/chat/completions", body)[1])
    deltas = [event["choices"][0]["delta"] for event in found if event["choices"]]
    call = next(delta["tool_calls"][0] for delta in deltas if "tool_calls" in delta)
    assert call["function"] == {"name": "codeviews_ast_explore", "arguments": '{"query": "why"}'}
    assert found[-1]["usage"]["prompt_tokens"] == 17
    assert found[-1]["usage"]["prompt_tokens_details"] == {"cached_tokens": 3}


def test_responses_keep_the_namespace_of_mcp_tools_and_translate_native_ones() -> None:
    bash = {"tool": "Bash", "arguments": {"command": "ls"}}
    script = Behaviour(name="n", steps=({"calls": [{"tool": "map:explore"}, bash]},))
    with ScriptedModel(script) as model:
        body = {"model": "m", "tools": RESPONSES_TOOLS, "input": []}
        reply = json.loads(post(model, "/v1/responses", body)[1])
    calls = [(c["name"], c.get("namespace"), c["arguments"]) for c in reply["output"]]
    assert calls == [
        ("ast_explore", "mcp__codeviews", "{}"),
        ("exec_command", None, '{"cmd": "ls"}'),
    ]


def test_responses_count_turns_by_call_ids_so_parallel_calls_are_one_turn() -> None:
    done = [
        {"type": "function_call", "call_id": "call_0_0"},
        {"type": "function_call_output", "call_id": "call_0_0"},
        {"type": "function_call", "call_id": "call_0_1"},
        {"type": "function_call_output", "call_id": "call_0_1"},
    ]
    with ScriptedModel(TWO_STEPS, VARIABLES) as model:
        body = {"model": "m", "tools": RESPONSES_TOOLS, "input": done}
        reply = json.loads(post(model, "/v1/responses", body)[1])
    assert reply["output"][0]["content"][0]["text"] == "the answer is 42"


def test_a_request_without_tools_gets_a_title_and_is_no_turn() -> None:
    with ScriptedModel(TWO_STEPS) as model:
        text = post(model, "/v1/chat/completions", {"model": "m", "messages": []})[1]
    assert json.loads(text)["choices"][0]["message"]["content"] == "title"
    assert model.log.turns() == []


@pytest.mark.parametrize("status", [429, 500, 529])
def test_api_errors_strike_as_often_as_written_then_the_step_succeeds(status: int) -> None:
    steps = ({"error": status, "times": 2, "text": "ok"},)
    with ScriptedModel(Behaviour(name="e", steps=steps)) as model:
        body = {"model": "m", "tools": ANTHROPIC_TOOLS, "messages": []}
        statuses = [post(model, "/v1/messages", body)[0] for _ in range(3)]
    assert statuses == [status, status, 200]
    assert [e.usage.total for e in model.log.exchanges] == [0, 0, 240]


def test_truncated_replies_are_half_a_body_and_no_valid_json() -> None:
    with ScriptedModel(behaviour.load("truncated")) as model:
        body = {"model": "m", "tools": ANTHROPIC_TOOLS, "messages": []}
        with pytest.raises(http.client.IncompleteRead) as caught:
            post(model, "/v1/messages", body)
    with pytest.raises(json.JSONDecodeError):
        json.loads(caught.value.partial)
    assert model.log.exchanges[0].error == "truncate"


def test_malformed_arguments_are_cut_json() -> None:
    with ScriptedModel(behaviour.load("malformed")) as model:
        body = {"model": "m", "tools": CHAT_TOOLS, "messages": []}
        reply = json.loads(post(model, "/v1/chat/completions", body)[1])
    arguments = reply["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"]
    with pytest.raises(json.JSONDecodeError):
        json.loads(arguments)


def test_a_hanging_reply_never_comes() -> None:
    with ScriptedModel(behaviour.load("silent")) as model:
        address = urlparse(model.url).netloc
        with closing(http.client.HTTPConnection(address, timeout=0.3)) as connection:
            connection.request("POST", "/v1/messages", json.dumps({"tools": ANTHROPIC_TOOLS}))
            with pytest.raises(TimeoutError):
                connection.getresponse()
    assert [e.error for e in model.log.exchanges] == ["hang"]


def test_a_looping_behaviour_never_ends_and_others_say_done() -> None:
    assert behaviour.load("looping").step(99, True).calls[0].tool == "Bash"
    assert behaviour.load("lazy").step(99, True).text == "done"


def test_an_unknown_behaviour_lists_the_choices() -> None:
    with pytest.raises(UnknownName, match=r"unknown behaviour 'brave'; choose from: crashing, .*"):
        behaviour.load("brave")


def test_a_broken_behaviour_file_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "odd.toml"
    path.write_text("[[steps]]\nerror = 418\n")
    with pytest.raises(BadInput, match=r"odd\.toml is not a behaviour: steps\.0\.error: .*"):
        behaviour.load(str(path))
    (tmp_path / "odd.json").write_text("{")
    with pytest.raises(BadInput, match=r"odd\.json is not a behaviour"):
        behaviour.load(str(tmp_path / "odd.json"))


def test_captures_fill_what_a_tool_gave_and_leave_what_it_did_not() -> None:
    script = Behaviour(
        name="c",
        captures={"id": r"Plan (\w+) of {query}", "other": r"gone (\d+)"},
        steps=({"text": "{id} {other}"},),
    )
    said = {"role": "user", "content": [{"type": "tool_result", "content": "Plan ab1 of why?"}]}
    with ScriptedModel(script, {"query": "why?"}) as model:
        body = {"model": "m", "tools": ANTHROPIC_TOOLS, "messages": [said]}
        _, text = post(model, "/v1/messages", body)
    assert json.loads(text)["content"] == [{"type": "text", "text": "ab1 {other}"}]


@pytest.mark.parametrize(
    ("pattern", "sentence"),
    [("(", "is no regular expression"), ("no group", "x needs exactly one group")],
)
def test_a_capture_that_is_no_pattern_is_one_sentence(
    tmp_path: Path, pattern: str, sentence: str
) -> None:
    path = tmp_path / "b.toml"
    path.write_text(f"captures = {{ x = {pattern!r} }}\n[[steps]]\n")
    with pytest.raises(BadInput, match=sentence):
        behaviour.load(str(path))
