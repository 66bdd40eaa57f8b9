"""Endpoints that answer with something else than a message, through the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from typer.testing import CliRunner

from codeviews.servers.cli import app
from codeviews.servers.curaloc.planners import client

pytest.importorskip("anthropic")
pytest.importorskip("openai")

PLANNERS = ["anthropic", "openai"]


class Says(BaseHTTPRequestHandler):
    """Answers every request with the server's status and body."""

    server: Any

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(self.server.status)
        self.send_header("content-type", self.server.kind)
        self.send_header("content-length", str(len(self.server.body)))
        self.end_headers()
        self.wfile.write(self.server.body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), Says)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    base = f"http://127.0.0.1:{server.server_port}"
    for name, value in (("ANTHROPIC", base), ("OPENAI", f"{base}/v1")):
        monkeypatch.setenv(f"{name}_API_KEY", "k")
        monkeypatch.setenv(f"{name}_BASE_URL", value)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setattr(client, "_pause", lambda *_: 0.0)
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("place")
    (root / "repo").mkdir()
    (root / "repo" / "cart.py").write_text("def total(prices):\n    return sum(prices) + 1\n")
    (root / "report.md").write_text("total is one too high")
    return root


def localized(place: Path, endpoint: Any, planner: str, status: int, body: bytes, kind: str) -> str:
    endpoint.status, endpoint.body, endpoint.kind = status, body, kind
    given = ["localize", str(place / "report.md"), "--repo", str(place / "repo")]
    given += ["--index-dir", str(place / "home"), "--planner", planner, "--model", "m"]
    done = CliRunner().invoke(app, given, catch_exceptions=False)
    assert done.exit_code == 1
    return done.stdout


@pytest.mark.parametrize("planner", PLANNERS)
@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"<html>gateway</html>", "text/html"),
        (b"null", "application/json"),
        (b"[]", "application/json"),
        (b'{"a": 1}', "application/json"),
        (b"", "application/json"),
    ],
)
def test_an_answer_that_is_no_message_is_a_counted_failure(
    place: Path, endpoint: Any, planner: str, body: bytes, kind: str
) -> None:
    said = localized(place, endpoint, planner, 200, body, kind)
    assert "No location: the model endpoint failed 5 times, last with " in said
    assert "0 tokens (failed requests: 5)" in said
    assert "Give the whole report" not in said


@pytest.mark.parametrize("planner", PLANNERS)
@pytest.mark.parametrize(
    ("status", "hint"),
    [(401, "check {}_API_KEY."), (404, "check --model and the endpoint's address.")],
)
def test_a_refusal_names_what_to_check(
    place: Path, endpoint: Any, planner: str, status: int, hint: str
) -> None:
    body = json.dumps({"error": {"type": "x", "message": "no"}}).encode()
    said = localized(place, endpoint, planner, status, body, "application/json")
    assert f"No location: the model endpoint refused ({status}): " in said
    assert said.splitlines()[1].endswith(hint.format(planner.upper()))
    assert "0 tokens (failed requests: 1)" in said


def test_answers_without_usage_are_told_as_such(place: Path, endpoint: Any) -> None:
    message = {"role": "assistant", "content": "I think of the cart."}
    body = json.dumps(
        {
            "id": "x",
            "object": "chat.completion",
            "created": 0,
            "model": "m",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        }
    ).encode()
    said = localized(place, endpoint, "openai", 200, body, "application/json")
    assert "No location: no file was proposed: the answer has no list of paths named" in said
    assert "0 tokens (failed requests: 0, answers that report no tokens: 1)" in said
