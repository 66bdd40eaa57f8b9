"""The server as a process: raw lines on its standard input, and signals."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codeviews.servers.hosts import server_command

Process = subprocess.Popen[bytes]


def send(server: Process, line: bytes) -> None:
    assert server.stdin is not None
    server.stdin.write(line + b"\n")
    server.stdin.flush()


def request(number: int, method: str, params: dict[str, Any]) -> bytes:
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(message).encode()


def reply(server: Process) -> dict[str, Any]:
    assert server.stdout is not None
    return json.loads(server.stdout.readline())


def begin(server: Process) -> None:
    who = {"name": "test", "version": "1"}
    start = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": who}
    send(server, request(1, "initialize", start))
    assert reply(server)["result"]["serverInfo"]["name"] == "codeviews-callgraph"
    send(server, b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Process]:
    root = tmp_path / "repo"
    root.mkdir()
    (root / "a.py").write_text("def wave():\n    pass\n")
    command = [part.format(view="callgraph") for part in server_command(str(root))]
    command += ["--index-dir", str(tmp_path / "indexes")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        begin(process)
        yield process
        process.kill()


def test_half_of_a_surrogate_pair_is_answered(server: Process) -> None:
    arguments = {"symbol": "w\ud83d"}
    send(server, request(2, "tools/call", {"name": "callers_of", "arguments": arguments}))
    answer = reply(server)
    assert answer["id"] == 2
    assert "no definition is called 'w?'" in answer["result"]["content"][0]["text"]


def test_lines_that_are_no_messages_leave_the_server_alive(server: Process) -> None:
    for line in (b"", b"junk \xff", b"[" * 100_000, b'{"x": "\\ud83d"', b"null"):
        send(server, line)
    arguments = {"symbol": "wave"}
    send(server, request(3, "tools/call", {"name": "callers_of", "arguments": arguments}))
    answer = reply(server)
    while answer.get("id") != 3:
        answer = reply(server)
    assert "a.py:1  function def wave()" in answer["result"]["content"][0]["text"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_server(server: Process, number: signal.Signals) -> None:
    server.send_signal(number)
    assert server.wait(30) == -number


def test_the_end_of_input_ends_the_server(server: Process) -> None:
    assert server.stdin is not None
    server.stdin.close()
    assert server.wait(30) == 0
