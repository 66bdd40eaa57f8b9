"""A loopback relay between a host and a real model endpoint, which only listens.

It forwards every request unchanged and keeps the same log as the scripted model: the tools of the
first request, tokens per call, model time. Keys pass through and are never stored.
"""

from __future__ import annotations

import http.client
import json
import ssl
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast
from urllib.parse import urlsplit

from codeviews.harness import wire_observe
from codeviews.harness.exchange import Exchange, ExchangeLog
from codeviews.harness.scripted_model import WIRES
from codeviews.harness.wire import Wire

_HOP = frozenset(
    [
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "te",
        "trailers",
        "transfer-encoding",
        "upgrade",
        "host",
        "content-length",
        "accept-encoding",
        "proxy-connection",
    ]
)
CHUNK = 16384


class Relay:
    """A running relay. ``url`` is its base without ``/v1``; ``log`` what passed."""

    def __init__(self, upstream: str, timeout: float = 900.0) -> None:
        self.upstream, self.timeout = urlsplit(upstream), timeout
        self.log = ExchangeLog()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.relay = self
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    @property
    def url(self) -> str:
        """``http://127.0.0.1:PORT``."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Relay:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def connect(self) -> http.client.HTTPConnection:
        """A connection to the endpoint."""
        host, port = self.upstream.hostname or "", self.upstream.port
        if self.upstream.scheme == "https":
            context = ssl.create_default_context()
            return http.client.HTTPSConnection(host, port, timeout=self.timeout, context=context)
        return http.client.HTTPConnection(host, port, timeout=self.timeout)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    relay: Relay


class _Handler(BaseHTTPRequestHandler):
    """One request: forward, copy the answer as it comes, log what both said."""

    protocol_version = "HTTP/1.1"

    @property
    def relay(self) -> Relay:
        return cast(_Server, self.server).relay

    def log_message(self, format: str, *args: object) -> None:
        """Silent: the exchange log says more."""

    def do_GET(self) -> None:
        self._forward(b"")

    def do_POST(self) -> None:
        self._forward(self.rfile.read(int(self.headers.get("Content-Length") or 0)))

    def _forward(self, body: bytes) -> None:
        started = time.monotonic()
        path = self.relay.upstream.path.rstrip("/") + self.path
        headers = {k: v for k, v in self.headers.items() if k.lower() not in _HOP}
        connection = self.relay.connect()
        try:
            connection.request(self.command, path, body or None, headers)
            answer = connection.getresponse()
            status, reply = answer.status, self._copy(answer)
        except (OSError, http.client.HTTPException) as error:
            status, reply = 0, b""
            self._unreachable(error)
        finally:
            connection.close()
        self._note(body, status, reply, started)

    def _copy(self, answer: http.client.HTTPResponse) -> bytes:
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in _HOP:
                self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        parts: list[bytes] = []
        while part := answer.read1(CHUNK):
            parts.append(part)
            self.wfile.write(part)
            self.wfile.flush()
        return b"".join(parts)

    def _unreachable(self, error: Exception) -> None:
        payload = json.dumps({"error": {"message": f"endpoint unreachable: {error}"}}).encode()
        self.close_connection = True
        try:
            self.send_response(502)
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)
        except OSError:
            return

    def _note(self, body: bytes, status: int, reply: bytes, started: float) -> None:
        wire = WIRES.get(self.path.partition("?")[0])
        try:
            data: dict[str, Any] = json.loads(body or b"{}")
        except ValueError:
            data = {}
        tools = cast(Wire, wire).tools(data) if wire else []
        seen = wire_observe.observe(reply)
        exchange = Exchange(
            started=started,
            ended=time.monotonic(),
            status=status,
            model=seen.model or str(data.get("model", "")),
            tools=tuple(tools),
            requested=tuple(seen.requested),
            usage=seen.usage,
            stop_reason=seen.stop_reason,
            side=not tools,
            error="" if status == 200 else seen.error or f"status {status}",
        )
        self.relay.log.add(exchange, data)
