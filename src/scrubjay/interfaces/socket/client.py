"""Asks a warm server, if there is one, and waits no longer than a hook may (F62, F64).

``_socket`` rather than ``socket``: the module of that name loads a dozen others, which costs a hook more than asking.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable
from typing import Any

import scrubjay
from scrubjay.interfaces.socket import wire

SECONDS = 0.2
"""What a hook waits at most for all of it."""


def recall(
    home: str, prompt: str, *, cwd: str, limit: int, leaving_out: Iterable[str] = (), seconds: float = SECONDS
) -> tuple[list[str], list[str]] | None:
    """Ids and lines of what bears on ``prompt``; ``None`` where no server of this version answers in time."""
    request = {"ask": "recall", "prompt": prompt, "cwd": cwd, "limit": limit, "without": list(leaving_out)}
    answer = ask(home, request, seconds=seconds)
    ids, lines = (answer or {}).get("ids"), (answer or {}).get("lines")
    if not isinstance(ids, list) or not isinstance(lines, list):
        return None
    return [id for id in ids if isinstance(id, str)], [line for line in lines if isinstance(line, str)]


def ask(home: str, request: dict[str, Any], *, seconds: float = SECONDS) -> dict[str, Any] | None:
    """What the server answers ``request``; ``None`` where there is none, or another version, or no time.

    A server of an older version is told to end: it was started before an upgrade.
    """
    path = wire.path(home)
    if not _is_own_socket(path):
        return None
    try:
        import _socket

        until = time.monotonic() + seconds
        with _Connection(_socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM), until) as connection:
            connection.connect(path)
            greeting = wire.parsed(connection.line())
            if greeting is None or greeting.get("protocol") != wire.PROTOCOL:
                return None
            version = str(greeting.get("scrubjay"))
            if version != scrubjay.__version__:
                if wire.newer(scrubjay.__version__, version):
                    connection.send({"ask": "end"})
                return None
            connection.send(request)
            return wire.parsed(connection.line())
    except (OSError, ImportError, AttributeError, ValueError):
        return None


def _is_own_socket(path: str) -> bool:
    """Whether a socket lies there that this user made: what another put there is told nothing (SEC-4)."""
    try:
        status = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISSOCK(status.st_mode) and (not hasattr(os, "getuid") or status.st_uid == os.getuid())


class _Connection:
    """A connection that ends at a certain moment, whatever the other side does."""

    def __init__(self, socket: Any, until: float) -> None:
        self._socket = socket
        self._until = until
        self._rest = b""

    def __enter__(self) -> _Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def connect(self, path: str) -> None:
        self._wait()
        self._socket.connect(path)

    def send(self, message: dict[str, Any]) -> None:
        data = wire.packed(message)
        if len(data) > wire.MOST_REQUEST:
            raise ValueError("too long")
        self._wait()
        self._socket.sendall(data)

    def line(self) -> bytes:
        while b"\n" not in self._rest:
            self._wait()
            part = self._socket.recv(65_536)
            if not part or len(self._rest) > wire.MOST_ANSWER:
                raise ValueError("no answer")
            self._rest += part
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def _wait(self) -> None:
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._socket.settimeout(left)
