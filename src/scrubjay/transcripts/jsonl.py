"""Conversations as JSON Lines, one message a line: the plain format that anybody can write.

A line is an object with ``text`` (or ``content``) and, where known, ``role``, ``speaker`` (or ``name``), ``at`` (or
``time``, ``timestamp``; ISO 8601 or Unix seconds), ``id`` (or ``message_id``, ``uuid``), ``session_id`` (or
``session``) and ``title``. Lines split at ``\\n`` only (U+2028 may stand inside, F109). A line that is no such object
is reported by its number and skipped; the rest is kept (F49).

What names no session or id gets one from what it says, not from where it stands: the same file again, grown or with
lines put in between, gives the same ids for the same messages, and another file of the same name gives others.
"""

from __future__ import annotations

import io
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path, PurePath
from typing import IO, Any

from scrubjay.errors import BadInput
from scrubjay.ids import derived_id
from scrubjay.temporal import parse_time
from scrubjay.text.detect import decode
from scrubjay.transcripts.fields import text as storable
from scrubjay.transcripts.lines import still_begins, watched
from scrubjay.transcripts.reading import Context
from scrubjay.types import ROLES, Message, Problem, Role, Session

MAX_LINE = 32 * 1024 * 1024
_HEAD = 1 << 16  # bytes that tell the encoding
_TRIES = 20  # lines among which one must be a message
_STARTS = 50  # messages that may have been the first one when the file was read before
Continues = Callable[[str, Sequence[str]], bool]
_ROLES: dict[str, Role] = {
    "human": "user",
    "ai": "assistant",
    "bot": "assistant",
    "model": "assistant",
    "function": "tool",
}


@dataclass(frozen=True, slots=True)
class Read:
    """Sessions in order of their first message, the lines that could not be used, and the number of the last line.

    ``half`` says that the last line breaks off: it may be being written, and is no problem.
    """

    sessions: tuple[Session, ...]
    problems: tuple[Problem, ...]
    last: int = 0
    half: bool = False


@dataclass(frozen=True, slots=True)
class _Said:
    """One line's message before its session is known; ``stamp`` is its time as written, ``line`` its number."""

    id: str
    role: Role
    text: str
    speaker: str
    at: datetime | None
    stamp: str
    line: int


def read(
    file: IO[bytes],
    name: str,
    *,
    zone: tzinfo = UTC,
    continues: Continues | None = None,
    after: int = 0,
) -> Read:
    """The sessions in ``file``, called ``name``; times without a zone are read in ``zone``.

    ``continues`` says whether a session with this id is stored and all of it is among these texts: then messages
    without a session belong to it. What stands in the first ``after`` lines was read before and is left out. Memory
    holds one file's messages.

    Raises ``BadInput`` for a file without a message, or without one in its first lines.
    """
    said: dict[str, list[_Said]] = {}
    titles: dict[str, str] = {}
    problems: list[Problem] = []
    number, half = 0, False
    for number, line, whole in _lines(file, name, problems):
        if not line:
            continue
        try:
            value = json.loads(line)
            message = _message(value, zone, number)
        except (ValueError, TypeError, RecursionError, BadInput) as error:
            reason = error.message if isinstance(error, BadInput) else f"not a message: {error}"
            problems.append(Problem(path=name, line=number, message=reason))
            half = not whole and line.startswith("{") and isinstance(error, json.JSONDecodeError)
            if not said and len(problems) >= _TRIES:
                break
            continue
        session_id = _first(value, "session_id", "session", "conversation_id")
        said.setdefault(session_id, []).append(message)
        titles.setdefault(session_id, _first(value, "title", "session_title"))
    if not said:
        raise _useless(name, problems)
    if half:
        problems.pop()
    sessions = []
    for named, messages in said.items():
        session_id = named or _session_id(PurePath(name).stem, messages, continues)
        kept = tuple(_identified(messages, session_id))
        started = min((message.at for message in kept if message.at), default=None)
        new = tuple(message for message, said in zip(kept, messages, strict=True) if said.line > after)
        if new:
            sessions.append(Session(id=session_id, messages=new, title=titles[named], source="jsonl", started=started))
    return Read(tuple(sessions), tuple(one for one in problems if one.line > after), number - half, half)


def sessions(path: Path, context: Context, *, follow: bool = False) -> Iterator[Session]:
    """The sessions in the file at ``path``, as far as they are new.

    Raises ``BadInput`` as ``read`` does, ``Refused`` and ``Unavailable`` for what cannot be read.
    """
    report, key = context.report, os.path.abspath(path)
    since = context.since.files.get(key)
    with watched(path, context, follow=follow) as file:
        if file is None:
            return
        after = since.line if since and still_begins(file, since) else 0
        file.seek(0)
        found = read(file, path.name, zone=context.zone, continues=context.continues, after=after)
    for problem in found.problems:
        report.problem(problem.path, problem.message, problem.line)
    if found.half:
        report.pending.append(key)
    report.positions[key] = replace(report.positions[key], line=found.last)
    yield from found.sessions


def is_message(record: Mapping[str, Any]) -> bool:
    """Whether ``record`` is a message of this format, and not the event of a program that has types of its own."""
    if not any(isinstance(record.get(key), str) for key in ("text", "content", "message")):
        return False
    kind = _first(record, "type").casefold()
    return kind in {"", "message", *ROLES, *_ROLES} or bool(_first(record, "role", "speaker", "name", "author"))


def _useless(name: str, problems: Sequence[Problem]) -> BadInput:
    hint = 'Write one message a line: {"role": "user", "text": "...", "at": "2026-05-31T14:00:00Z"}.'
    if not problems:
        return BadInput(f"{name} is empty.", hint=hint)
    first = problems[0]
    return BadInput(
        f"{name} is not a conversation in a known format (line {first.line}: {first.message.rstrip('.')}).", hint=hint
    )


def _lines(file: IO[bytes], name: str, problems: list[Problem]) -> Iterator[tuple[int, str, bool]]:
    """Each line's number, its text without blanks around, and whether it has its end."""
    head = file.read(_HEAD)
    encoding = _encoding(head)
    data = io.BufferedReader(_Again(head, file))
    # UTF-16 and UTF-32 must be decoded to find the ends of lines; anything else is decoded line by line, so that one
    # bad line leaves the others alone.
    wide = encoding.startswith(("utf-16", "utf-32"))
    lines: IO[Any] = io.TextIOWrapper(data, encoding, "replace", newline="\n") if wide else data
    end = "\n" if wide else b"\n"
    number = 0
    while line := lines.readline(MAX_LINE + 1):
        number += 1
        if len(line) > MAX_LINE:
            problems.append(Problem(path=name, line=number, message="longer than 32 MB, skipped"))
            while line and not line.endswith(end):
                line = lines.readline(MAX_LINE)
            yield number, "", True
            continue
        text = (line if wide else _decoded(line, encoding)).removeprefix("\ufeff").strip()
        yield number, text, line.endswith(end)


class _Again(io.RawIOBase):
    """A stream of which ``head`` was read already, from its beginning; a pipe cannot be rewound."""

    def __init__(self, head: bytes, rest: IO[bytes]) -> None:
        self._head = head
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._head[: len(buffer)] or self._rest.read(len(buffer))
        self._head = self._head[len(data) :]
        buffer[: len(data)] = data
        return len(data)


def _encoding(head: bytes) -> str:
    if len(head) == _HEAD and b"\0" not in head:
        head = head[: head.rfind(b"\n") + 1] or head  # not through the middle of a character
    return decode(head).encoding


def _decoded(line: bytes, encoding: str) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode(encoding, "replace")


def _message(value: Any, zone: tzinfo, line: int) -> _Said:
    if not isinstance(value, dict):
        raise BadInput("not a message: not an object")
    text = next((value[key] for key in ("text", "content", "message") if isinstance(value.get(key), str)), None)
    if text is None:
        raise BadInput("has no text")
    speaker = _first(value, "speaker", "name", "author")
    stamp = next((value[key] for key in ("at", "time", "timestamp", "created_at") if value.get(key)), None)
    return _Said(
        id=_first(value, "id", "message_id", "uuid"),
        role=_role(_first(value, "role", "type") or speaker),
        text=storable(text),
        speaker=speaker,
        at=_time(stamp, zone),
        stamp="" if stamp is None else str(stamp),
        line=line,
    )


def _session_id(stem: str, messages: Sequence[_Said], continues: Continues | None) -> str:
    """The file's name and its first message; or the message that was the first one before others were put above it."""
    texts = [message.text for message in messages]
    starts = [message for message in messages if message.text.strip()] or messages
    ids = [f"{stem}-{derived_id(start.text, start.stamp, start.speaker)[-8:].lower()}" for start in starts[:_STARTS]]
    return next((id for id in ids if continues and continues(id, texts)), ids[0])


def _identified(messages: Sequence[_Said], session_id: str) -> Iterator[Message]:
    """The messages with an id each; identical ones are told apart by their order."""
    seen: Counter[tuple[str, ...]] = Counter()
    for said in messages:
        content = (said.role, said.speaker, said.stamp, said.text)
        id = said.id or derived_id(session_id, *content, str(seen[content]))
        seen[content] += not said.id
        yield Message(id=id, role=said.role, text=said.text, speaker=said.speaker or None, at=said.at)


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
            return str(found).encode("utf-8", "replace").decode("utf-8")  # JSON can spell half of a character
    return ""
