"""Conversations as JSON Lines, one message a line: the plain format that anybody can write.

A line is an object with ``text`` (or ``content``) and, where known, ``role``, ``speaker`` (or ``name``), ``at`` (or
``time``, ``timestamp``; ISO 8601 or Unix seconds), ``id`` (or ``message_id``, ``uuid``), ``session_id`` (or
``session``) and ``title``. Lines split at ``\\n`` only (U+2028 may stand inside, F109). A line that is no such object
is reported by its number and skipped; the rest is kept (F49).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any

from scrubjay.errors import BadInput
from scrubjay.ids import derived_id
from scrubjay.temporal import parse_time
from scrubjay.types import ROLES, Message, Problem, Role, Session

MAX_LINE = 32 * 1024 * 1024
_ROLES: dict[str, Role] = {
    "human": "user",
    "ai": "assistant",
    "bot": "assistant",
    "model": "assistant",
    "function": "tool",
}


@dataclass(frozen=True, slots=True)
class Read:
    """Sessions in order of their first message, and the lines that could not be used."""

    sessions: tuple[Session, ...]
    problems: tuple[Problem, ...]


def read(path: Path, *, zone: tzinfo = UTC) -> Read:
    """The sessions in ``path``; times without a zone are read in ``zone``. Memory holds one file's messages."""
    messages: dict[str, list[Message]] = {}
    titles: dict[str, str] = {}
    problems: list[Problem] = []
    for number, line in _lines(path, problems):
        try:
            value = json.loads(line)
            session_id = _first(value, "session_id", "session", "conversation_id") or path.stem
            message = _message(value, number, session_id, zone)
        except (ValueError, TypeError, AttributeError, RecursionError, BadInput) as error:
            reason = error.message if isinstance(error, BadInput) else f"not a message: {error}"
            problems.append(Problem(path=path.name, line=number, message=reason))
            continue
        messages.setdefault(session_id, []).append(message)
        titles.setdefault(session_id, _first(value, "title", "session_title"))
    sessions = tuple(
        Session(id=id, messages=tuple(said), title=titles[id], source="jsonl", started=_earliest(said))
        for id, said in messages.items()
    )
    return Read(sessions, tuple(problems))


def looks_right(head: str) -> bool:
    """Whether the first non-empty line of a file is a message of this format."""
    line = next((line for line in head.split("\n") if line.strip()), "")
    try:
        value = json.loads(line)
    except ValueError:
        return False
    return isinstance(value, dict) and any(isinstance(value.get(key), str) for key in ("text", "content"))


def _lines(path: Path, problems: list[Problem]) -> Iterator[tuple[int, str]]:
    with path.open("rb") as file:
        number = 0
        while raw := file.readline(MAX_LINE + 1):
            number += 1
            if len(raw) > MAX_LINE:
                problems.append(Problem(path=path.name, line=number, message="longer than 32 MB, skipped"))
                while raw and not raw.endswith(b"\n"):
                    raw = file.readline(MAX_LINE)
                continue
            text = raw.decode("utf-8-sig" if number == 1 else "utf-8", "replace").strip()
            if text:
                yield number, text


def _message(value: Mapping[str, Any], number: int, session_id: str, zone: tzinfo) -> Message:
    text = next((value[key] for key in ("text", "content", "message") if isinstance(value.get(key), str)), None)
    if text is None:
        raise BadInput("has no text")
    speaker = _first(value, "speaker", "name", "author") or None
    role = _role(_first(value, "role", "type") or (speaker or ""))
    at = _time(next((value[key] for key in ("at", "time", "timestamp", "created_at") if value.get(key)), None), zone)
    own_id = _first(value, "id", "message_id", "uuid")
    return Message(id=own_id or derived_id(session_id, str(number), text), role=role, text=text, speaker=speaker, at=at)


def _role(word: str) -> Role:
    folded = word.casefold()
    return next((known for known in ROLES if known == folded), _ROLES.get(folded, "user"))


def _time(value: object, zone: tzinfo) -> datetime | None:
    if value is None:
        return None
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC)
        except (OverflowError, OSError, ValueError):
            raise BadInput(f"time {value} is out of range") from None
    return parse_time(str(value), zone=zone)


def _first(value: Mapping[str, Any], *keys: str) -> str:
    for key in keys:
        found = value.get(key)
        if found not in (None, "") and not isinstance(found, dict | list):
            return str(found)
    return ""


def _earliest(messages: list[Message]) -> datetime | None:
    return min((message.at for message in messages if message.at), default=None)
