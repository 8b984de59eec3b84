"""A model server on loopback that answers as a test wrote it down."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


@dataclass
class Reply:
    """What the server says. ``promised`` is the length it announces, by default the true one; ``then_hang`` keeps the
    connection open until the test is over."""

    body: bytes = b"{}"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    promised: int | None = None
    then_hang: bool = False


@dataclass
class Received:
    """What was asked."""

    path: str
    payload: Any
    headers: dict[str, str]


class ModelServer:
    """Answers requests in turn from ``script`` (its last item for ever): a ``Reply``, or a function of the request."""

    def __init__(self) -> None:
        self.script: list[Reply | Callable[[Received], Reply]] = []
        self.received: list[Received] = []
        self.over = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}"

    def says(self, *replies: Reply | Callable[[Received], Reply]) -> None:
        self.script = list(replies)

    def close(self) -> None:
        self.over.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def _next(self, received: Received) -> Reply:
        step = self.script[min(len(self.received), len(self.script)) - 1]
        return step if isinstance(step, Reply) else step(received)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                payload = json.loads(self.rfile.read(int(self.headers["content-length"])))
                received = Received(self.path, payload, {name.lower(): value for name, value in self.headers.items()})
                server.received.append(received)
                reply = server._next(received)
                with suppress(OSError):  # a client that gave up is part of some scripts
                    self.send_response(reply.status)
                    for name, value in reply.headers.items():
                        self.send_header(name, value)
                    promised = len(reply.body) if reply.promised is None else reply.promised
                    self.send_header("content-length", str(promised))
                    self.end_headers()
                    self.wfile.write(reply.body)
                if reply.then_hang:
                    server.over.wait(30)

            def log_message(self, *_: object) -> None:
                pass

        return Handler


@pytest.fixture
def server() -> Iterator[ModelServer]:
    server = ModelServer()
    yield server
    server.close()


class Clock:
    """Seconds that pass when somebody sleeps or says so."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def reply() -> type[Reply]:
    return Reply
