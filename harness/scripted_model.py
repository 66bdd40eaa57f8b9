"""A model server on loopback that plays a behaviour file: no key, no network, known truth.

It speaks Anthropic Messages (streaming, not streaming and ``count_tokens``), OpenAI Responses and
chat completions. A step is chosen by the number of assistant messages in the request, so retries
and reconnects change nothing. Use it as a context manager::

    with ScriptedModel(behaviour.load("map-first"), {"query": "save"}) as model:
        run_host(base_url=model.url)
    model.log.first_tools()
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import ModuleType
from typing import Any, cast

from codeviews.harness import wire_anthropic, wire_chat, wire_responses
from codeviews.harness.behaviour import Behaviour, Step, fill
from codeviews.harness.exchange import Exchange, ExchangeLog, Usage
from codeviews.harness.tool_names import offered_map, to_host
from codeviews.harness.wire import Body, Reply, ToolCall, Wire

WIRES: dict[str, ModuleType] = {
    "/v1/messages": wire_anthropic,
    "/v1/responses": wire_responses,
    "/v1/chat/completions": wire_chat,
}
COUNT_TOKENS = "/v1/messages/count_tokens"
HANG_SECONDS = 3600.0


class ScriptedModel:
    """A running scripted model. ``url`` is its base without ``/v1``; ``log`` what it saw."""

    def __init__(
        self, behaviour: Behaviour, variables: Mapping[str, str] | None = None, port: int = 0
    ) -> None:
        self.behaviour = behaviour
        self.variables = dict(variables or {})
        self.log = ExchangeLog()
        self.closing = threading.Event()
        self._server = _Server(("127.0.0.1", port), _Handler)
        self._server.model = self
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    @property
    def url(self) -> str:
        """``http://127.0.0.1:PORT``."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> ScriptedModel:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, body: Body, turn: int, tools: list[str]) -> Reply:
        """The reply to a request that holds ``turn`` assistant messages and offers ``tools``."""
        if not tools:
            return Reply(turn, _model(body), Step(text="title"), ())
        step = self.behaviour.step(turn, bool(offered_map(tools)))
        values = {**self.variables, **self.behaviour.captured(body, self.variables)}
        step = step.model_copy(update={"text": fill(step.text, values)})
        calls = [
            _call(f"call_{turn}_{index}", call.tool, fill(call.arguments, values), tools, step)
            for index, call in enumerate(step.calls)
        ]
        return Reply(turn, _model(body), step, calls)


def _call(id: str, tool: str, arguments: Body, tools: list[str], step: Step) -> ToolCall:
    call = to_host(id, tool, arguments, tools)
    if step.fault == "malformed":
        return call._replace(arguments=call.arguments[: len(call.arguments) // 2])
    return call


def _model(body: Body) -> str:
    return str(body.get("model") or "scripted")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    model: ScriptedModel


class _Handler(BaseHTTPRequestHandler):
    """One request: parse, choose the step, fail as the step says or answer, log."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1

    @property
    def model(self) -> ScriptedModel:
        return cast(_Server, self.server).model

    def log_message(self, format: str, *args: object) -> None:
        """Silent: the exchange log says more."""

    def do_GET(self) -> None:
        self._json(404, {"error": {"message": "a scripted model answers POST only"}})

    def do_POST(self) -> None:
        started = time.monotonic()
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = self.path.partition("?")[0]
        try:
            body = json.loads(raw or b"{}")
        except ValueError:
            return self._json(400, {"error": {"message": "the request is not JSON"}})
        if path == COUNT_TOKENS:
            self._json(200, {"input_tokens": len(raw) // 4})
            return self.model.log.add(Exchange(started, time.monotonic(), 200, side=True))
        if path not in WIRES:
            return self._json(404, {"error": {"message": f"no such endpoint: {path}"}})
        return self._play(cast(Wire, WIRES[path]), body, started)

    def _play(self, wire: Wire, body: Body, started: float) -> None:
        tools = wire.tools(body)
        answer = self.model.answer(body, wire.turns(body), tools)
        step, log = answer.step, self.model.log
        strikes = step.times == 0 or log.seen(answer.turn) < step.times
        status, error = 200, ""
        time.sleep(step.delay)
        if step.error and strikes:
            status, error = step.error, f"scripted error {step.error}"
        elif step.fault in ("hang", "truncate") and strikes:
            status, error = 0, step.fault
        log.add(_exchange(answer, tools, started, status, error), body)
        self._send(wire, answer, body, status, error)

    def _send(self, wire: Wire, answer: Reply, body: Body, status: int, error: str) -> None:
        if error == "hang":
            self.model.closing.wait(HANG_SECONDS)
            self.close_connection = True
        elif status not in (0, 200):
            self._json(status, wire.error(status, error))
        elif body.get("stream"):
            self._stream(wire, answer, cut=error == "truncate")
        else:
            self._json(200, wire.reply(answer), cut=error == "truncate")

    def _json(self, status: int, data: Body, cut: bool = False) -> None:
        payload = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self._write(payload[: len(payload) // 2] if cut else payload)
        self.close_connection = self.close_connection or cut

    def _stream(self, wire: Wire, answer: Reply, cut: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        events = list(wire.events(answer))
        payload = b"".join(events)
        self._write(payload[: len(payload) // 2] if cut else payload)

    def _write(self, payload: bytes) -> None:
        try:
            self.wfile.write(payload)
            self.wfile.flush()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True


def _exchange(answer: Reply, tools: list[str], started: float, status: int, error: str) -> Exchange:
    answered = status == 200
    return Exchange(
        started=started,
        ended=time.monotonic(),
        status=status,
        model=answer.model,
        tools=tuple(tools),
        requested=tuple(call.name for call in answer.calls) if answered else (),
        usage=answer.step.usage.usage() if answered else Usage(),
        stop_reason="tool_use" if answer.calls else "end_turn",
        step=answer.turn,
        side=not tools,
        error=error,
    )


def serve_forever(behaviour: Behaviour, variables: Mapping[str, str], port: int) -> Any:
    """Run a scripted model in the foreground until interrupted; yields its URL first."""
    with ScriptedModel(behaviour, variables, port) as model:
        yield model.url
        model.closing.wait()
