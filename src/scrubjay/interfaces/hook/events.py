"""What a host says on stdin, made safe to use: any key but the event's name may be missing, wrong or hostile (HK-4)."""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple

EVENTS = (
    "SessionStart",
    "UserPromptSubmit",
    "Stop",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "SessionEnd",
)
NONCE = "scrubjay_nonce"
"""The key under which ``scrubjay doctor`` sends a word of chance (F63)."""
MOST_BYTES = 8_000_000
"""Bytes of stdin that are read. A prompt with a whole log pasted into it is smaller."""
_MOST_PATH = 4_096
_MOST_NAME = 200
_MOST_PROMPT = 100_000
_MOST_SUMMARY = 100_000


class Event(NamedTuple):
    """One event. Texts are empty where the host said nothing; paths are absolute, and nothing is known of where they
    lead. ``alone`` says that it happened in a sub-agent; ``nonce`` is what ``scrubjay doctor`` wants to hear back."""

    name: str
    session: str = ""
    transcript: str = ""
    cwd: str = ""
    prompt: str = ""
    source: str = ""
    summary: str = ""
    alone: bool = False
    nonce: str = ""


def read(stream: int) -> bytes:
    """At most ``MOST_BYTES`` from a file descriptor; nothing where it cannot be read."""
    parts: list[bytes] = []
    size = 0
    try:
        while size <= MOST_BYTES and (part := os.read(stream, 1 << 16)):
            parts.append(part)
            size += len(part)
    except OSError:
        return b""
    return b"".join(parts) if size <= MOST_BYTES else b""


def parse(data: bytes, named: str) -> Event | None:
    """The event in ``data``, or else the one that the host calls ``named`` with nothing known about it; ``None`` for
    an event that we do not know."""
    given = _object(data)
    name = given.get("hook_event_name")
    name = name if name in EVENTS else named
    if name not in EVENTS:
        return None
    alone = name == "SubagentStop" or bool(_text(given.get("agent_id"), _MOST_NAME))
    own = "agent_transcript_path" if name == "SubagentStop" else "transcript_path"
    return Event(
        name=name,
        session=_text(given.get("session_id"), _MOST_NAME),
        transcript=_path(given.get(own)),
        cwd=_path(given.get("cwd")) or _path(os.environ.get("CLAUDE_PROJECT_DIR")) or _here(),
        prompt=_text(given.get("prompt"), _MOST_PROMPT),
        source=_text(given.get("source") or given.get("trigger") or given.get("reason"), _MOST_NAME),
        summary=_text(given.get("compact_summary"), _MOST_SUMMARY),
        alone=alone,
        nonce=_nonce(given.get(NONCE)),
    )


def _nonce(value: object) -> str:
    text = _text(value, _MOST_NAME)
    return text if text.isascii() and text.isalnum() else ""


def _object(data: bytes) -> dict[str, Any]:
    try:
        given = json.loads(data.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError, MemoryError):
        return {}
    return given if isinstance(given, dict) else {}


def _text(value: object, most: int) -> str:
    """``value`` as UTF-8 can hold it, shortened; a half of a character (a lone surrogate) becomes ``?`` (F109)."""
    if not isinstance(value, str):
        return ""
    return value[:most].encode("utf-8", "replace").decode("utf-8")


def _path(value: object) -> str:
    """``value`` if it can be an absolute path."""
    text = _text(value, _MOST_PATH + 1)
    if not os.path.isabs(text) or len(text) > _MOST_PATH or any(sign in text for sign in "\x00\n\r"):
        return ""
    return text


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""
