"""The server behind the socket: many clients, a line a request, bounded in size, time and number (SEC-4, F64)."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from select import select
from typing import Any

import scrubjay
from scrubjay.errors import ScrubjayError
from scrubjay.interfaces.socket import wire
from scrubjay.interfaces.socket.memories import Memories
from scrubjay.interfaces.socket.place import is_same_user, listening

CLIENTS = 32
"""Clients that are served at once; whoever comes then is turned away."""
LINE_SECONDS = 5.0
"""Seconds that a client may take for a line, in or out."""
_MOST_IDS = 1_000


class Server:
    """Serves ``memories`` at the socket of ``home`` until it is told to end, or nobody asked for ``idle`` seconds
    (0: never)."""

    def __init__(self, home: str, memories: Memories, *, idle: float) -> None:
        self._home = home
        self._memories = memories
        self._idle = idle
        self._ending = threading.Event()
        self._waking, self._wake = os.pipe()
        self._asked_at = time.monotonic()
        self._places = threading.Semaphore(CLIENTS)

    def serve(self, ready: Callable[[], None] = lambda: None) -> None:
        """Serves; ``ready`` is called when clients can connect. Raises as ``place.listening`` does."""
        try:
            with listening(self._home) as listener:
                ready()
                while not self._ending.is_set() and not self._is_idle():
                    if listener.fileno() in select([listener.fileno(), self._waking], [], [], self._patience())[0]:
                        self._welcome(listener)
        finally:
            self._memories.close()

    def end(self) -> None:
        """Lets the server end after the requests at hand. For use from any thread, and from a signal's handler."""
        self._ending.set()
        with suppress(OSError):
            os.write(self._wake, b"!")

    def _is_idle(self) -> bool:
        return bool(self._idle) and time.monotonic() - self._asked_at >= self._idle

    def _patience(self) -> float | None:
        return max(0.0, self._idle - (time.monotonic() - self._asked_at)) if self._idle else None

    def _welcome(self, listener: socket.socket) -> None:
        try:
            client, _ = listener.accept()
        except OSError:  # whoever knocked has left, or no descriptor is free
            return
        if not is_same_user(client) or not self._places.acquire(blocking=False):
            client.close()
            return
        threading.Thread(target=self._attend, args=[client], name="scrubjay-client", daemon=True).start()

    def _attend(self, client: socket.socket) -> None:
        try:
            with client:
                self._converse(client)
        except (OSError, ValueError):  # gone, too slow, or too much: a client's own affair
            return
        finally:
            self._places.release()

    def _converse(self, client: socket.socket) -> None:
        _send(client, {"scrubjay": scrubjay.__version__, "protocol": wire.PROTOCOL})
        rest = b""
        while not self._ending.is_set():
            line, rest = _line(client, rest)
            if not line:
                return
            self._asked_at = time.monotonic()
            _send(client, self._answer(wire.parsed(line)))

    def _answer(self, request: dict[str, Any] | None) -> dict[str, Any]:
        ask = request.get("ask") if request else None
        if request is None or not isinstance(ask, str):
            return {"error": "That is no request."}
        if ask == "ping":
            return {"ok": True, "pid": os.getpid()}
        if ask == "end":
            self.end()
            return {"ok": True}
        if ask != "recall":
            return {"error": "That is not known here."}
        prompt, cwd, limit = request.get("prompt"), request.get("cwd"), request.get("limit")
        without = request.get("without", [])
        if not isinstance(prompt, str) or not isinstance(cwd, str) or type(limit) is not int:
            return {"error": "A recall needs prompt, cwd and limit."}
        if not isinstance(without, list) or not all(isinstance(id, str) for id in without[:_MOST_IDS]):
            return {"error": "What was told before is a list of ids."}
        try:
            return self._memories.recall(prompt, cwd=cwd, limit=limit, without=frozenset(without[:_MOST_IDS]))
        except ScrubjayError as error:
            return {"error": error.message[:300]}
        except Exception as error:  # noqa: BLE001 - one bad request must not end the server
            return {"error": f"Unexpected {type(error).__name__}."}


def serve(home: str, memories: Memories, *, idle: float, ready: Callable[[], None] = lambda: None) -> None:
    """Runs a server in this process until it ends by itself or by SIGTERM, SIGINT or SIGHUP."""
    server = Server(home, memories, idle=idle)
    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda *_: server.end())
    server.serve(ready)


def _line(client: socket.socket, rest: bytes) -> tuple[bytes, bytes]:
    """The next line and what came behind it; empty at the end. A client has its time for the whole line. Raises
    ``ValueError`` for a line too long, ``OSError`` when the time is over."""
    until = time.monotonic() + LINE_SECONDS
    while b"\n" not in rest:
        if len(rest) > wire.MOST_REQUEST:
            raise ValueError("too long")
        client.settimeout(max(0.01, until - time.monotonic()))
        part = client.recv(65_536)
        if not part:
            return b"", b""
        rest += part
    line, _, rest = rest.partition(b"\n")
    return line, rest


def _send(client: socket.socket, message: dict[str, Any]) -> None:
    data = wire.packed(message)
    if len(data) > wire.MOST_ANSWER:
        data = wire.packed({"error": "The answer is too long."})
    client.settimeout(LINE_SECONDS)
    client.sendall(data)
