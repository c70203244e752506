"""The scripted model's server: it answers on loopback, keeps a log of what was asked, and never forwards anything."""

from __future__ import annotations

import json
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

from driftcheck.capture import sidecalls, wire
from driftcheck.capture.script import Json, Offer, Script, Turn, fill, heard_texts

_LOOPBACK = ("127.0.0.1", "localhost")
_TLS_HELLO = b"\x16"
_PREFLIGHT = "claude.ai"
"""Where WebFetch asks whether it may fetch; this server itself plays that part, or no page could be fetched at all."""
PAGE = "<html><head><title>A page</title></head><body><h1>Hello</h1><p>A page on loopback.</p></body></html>"


@dataclass(frozen=True)
class Asked:
    """One request that reached the server."""

    method: str
    path: str
    purpose: str = ""
    cue: str | None = None
    tools: tuple[str, ...] = ()


@dataclass
class Log:
    """What was asked of the server, and which scripted calls met no tool."""

    asked: list[Asked] = field(default_factory=list)
    missed: list[tuple[str, ...]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    busy: int = 0
    last: float = field(default_factory=time.monotonic)


class ModelServer:
    """A scripted model on 127.0.0.1, for one start of the program; a context manager that always closes its port."""

    def __init__(self, script: Script, names: Mapping[str, str] | None = None, certificate: Path | None = None) -> None:
        self.script = script
        self.log = Log()
        self.lock = threading.Lock()
        self.names: dict[str, str] = dict(names or {})
        self._http = _Http(("127.0.0.1", 0), self, certificate)
        self.port: int = self._http.server_address[1]
        self.names.setdefault("url", f"http://127.0.0.1:{self.port}")
        self.names.setdefault("port", str(self.port))
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> ModelServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.shutdown()
        self._http.server_close()

    def idle_for(self) -> float:
        """Seconds since the last reply ended; 0 while one is under way."""
        with self.lock:
            return 0.0 if self.log.busy else time.monotonic() - self.log.last

    def turn_for(self, request: Json) -> tuple[Turn, list[tuple[str, Json]]]:
        purpose = sidecalls.kind_of(request)
        offer = Offer.of(request)
        cue = self.script.cue_of(request) if purpose == "main" else None
        with self.lock:
            self.log.asked.append(Asked("POST", "/v1/messages", purpose, cue, tuple(offer.schemas)))
        if purpose != "main":
            return sidecalls.answer(purpose, request), []
        turn, missed = self.script.next(cue, offer)
        with self.lock:
            self.log.missed += missed
        heard = heard_texts(request)
        fitted = [offer.fit(call) for call in turn.calls]
        return turn, [(name, fill(arguments, self.names, heard)) for name, arguments in filter(None, fitted)]


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, address: tuple[str, int], model: ModelServer, certificate: Path | None) -> None:
        super().__init__(address, _Handler)
        self.model = model
        self.tls: ssl.SSLContext | None = None
        if certificate is not None:
            self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.tls.load_cert_chain(certificate)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is part of the play."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Http

    def setup(self) -> None:
        self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._speak_tls_to_who_does()
        super().setup()

    def _speak_tls_to_who_does(self) -> None:
        """WebFetch turns every http address into https."""
        if self.server.tls and self.request.recv(1, socket.MSG_PEEK) == _TLS_HELLO:
            self.request = self.server.tls.wrap_socket(self.request, server_side=True)

    def finish(self) -> None:
        super().finish()
        self.request.close()

    @property
    def _path(self) -> str:
        return urlsplit(self.path).path

    def do_CONNECT(self) -> None:
        """The program believes this port to be its proxy: a tunnel to this very server is one, any other ends here."""
        host, _, port = self.path.rpartition(":")
        ours = host in _LOOPBACK and port == str(self.server.model.port)
        played = self.server.tls is not None and host == _PREFLIGHT
        if not (ours or played):
            with self.server.model.lock:
                self.server.model.log.refused.append(self.path)
            self._reply(403, b"loopback only", "text/plain")
            return
        self.wfile.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        self._speak_tls_to_who_does()
        super().setup()
        self.close_connection = False

    def do_HEAD(self) -> None:
        self._reply(200, b"", "text/plain")

    def do_GET(self) -> None:
        if self._leaves_loopback():
            return
        if self._path.startswith("/page"):
            self._reply(200, PAGE.encode(), "text/html")
        elif self._path == "/api/web/domain_info":
            self._json(200, {"domain": "127.0.0.1", "can_fetch": True})
        elif self._path.startswith("/moved"):
            self._reply(302, b"", "text/plain", {"Location": "http://example.invalid/elsewhere"})
        else:
            self._json(404, wire.error_of(404))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self._leaves_loopback():
            return
        if self._path == "/v1/messages/count_tokens":
            self._json(200, {"input_tokens": max(1, len(body) // 4)})
        elif self._path == "/v1/messages":
            self._answer(json.loads(body))
        else:
            with self.server.model.lock:
                self.server.model.log.asked.append(Asked("POST", self._path))
            self._json(404, wire.error_of(404))

    def _leaves_loopback(self) -> bool:
        host = urlsplit(self.path).hostname
        played = self.server.tls is not None and host == _PREFLIGHT
        if host is None or host in _LOOPBACK or played:
            return False
        with self.server.model.lock:
            self.server.model.log.refused.append(self.path)
        self._reply(403, b"loopback only", "text/plain")
        return True

    def _answer(self, request: Json) -> None:
        model = self.server.model
        with model.lock:
            model.log.busy += 1
        try:
            turn, calls = model.turn_for(request)
            time.sleep(turn.delay)
            if turn.error:
                self._json(turn.error, wire.error_of(turn.error, turn.error_type, turn.text), dict(turn.headers))
                return
            message = wire.message_of(turn, calls, str(request.get("model")))
            if request.get("stream"):
                self._stream(message, turn)
            else:
                self._json(200, message, dict(turn.headers))
        finally:
            with model.lock:
                model.log.busy -= 1
                model.log.last = time.monotonic()

    def _stream(self, message: Json, turn: Turn) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-cache")
        self.send_header("request-id", wire.new_id("req"))
        for name, value in turn.headers.items():
            self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        for event, data in wire.events_of(message):
            if turn.cut and event == "content_block_stop":
                break
            self.wfile.write(wire.sse(event, data))
            self.wfile.flush()
        self.close_connection = True

    def _json(self, status: int, body: Json, headers: Mapping[str, str] | None = None) -> None:
        self._reply(status, json.dumps(body).encode(), "application/json", headers)

    def _reply(self, status: int, body: bytes, kind: str, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("request-id", wire.new_id("req"))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        """The log is kept as data."""
