"""What client and server say to each other (F64).

The server speaks first: ``{"scrubjay": <version>, "protocol": 1}``. Then come requests, a line each, and an answer to
each: ``{"ask": "recall", "prompt": …, "cwd": …, "limit": …, "without": [ids]}`` →
``{"ids": […], "lines": […]}``; ``{"ask": "ping"}`` → ``{"ok": true}``; ``{"ask": "end"}`` → ``{"ok": true}``, after
which the server ends. What cannot be answered is ``{"error": <sentence>}``.
"""

from __future__ import annotations

import json
import os
from typing import Any

PROTOCOL = 1
SOCKET = "serve.sock"
LOCK = "serve.lock"
MOST_REQUEST = 256_000
"""Bytes of a request's line."""
MOST_ANSWER = 64_000
"""Bytes of an answer's line."""


def path(home: str) -> str:
    """Where the socket of the memory in ``home`` is."""
    return os.path.join(home, "state", SOCKET)


def packed(message: dict[str, Any]) -> bytes:
    """``message`` as a line."""
    return json.dumps(message, ensure_ascii=True).encode("ascii") + b"\n"


def parsed(line: bytes) -> dict[str, Any] | None:
    """The message in ``line``; ``None`` for what is none."""
    try:
        message = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) else None


def newer(version: str, than: str) -> bool:
    """Whether ``version`` is a later release ``than`` the other; what is no release is never later."""
    return _numbers(version) > _numbers(than)


def _numbers(version: str) -> tuple[int, ...]:
    parts = version.split("+")[0].split(".")
    return tuple(int(part) for part in parts if part.isdecimal()) if all(part[:1].isdecimal() for part in parts) else ()
