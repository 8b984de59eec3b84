"""A conversation as a document: what was said, in order, readable by people and read back exactly.

Each message stands behind an HTML comment that carries its id, role, speaker and time as JSON; a text that itself
holds such a line is escaped with a backslash, so that no message can pretend to be another.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from scrubjay.errors import BadInput
from scrubjay.temporal import format_time, parse_time
from scrubjay.text import frontmatter
from scrubjay.text.slug import file_slug
from scrubjay.types import Document, Message, Problem, Session

FOLDER = "50-Episodes"
KIND = "transcript"
FORGOTTEN = "[forgotten]"  # what stands where a message was forgotten
DEAD = {"branch": "dead"}  # what a message's particulars say when it was taken back

# What a transcript says of its session beside the words: where it took place, and what it belongs to.
_PARTICULARS = ("cwd", "git_branch", "parent_id", "forked_from")

_MARKER = re.compile(r"^<!-- message (\{.*\}) -->[ \t]*$", re.MULTILINE)
_LOOKALIKE = re.compile(r"^(\\*)(<!-- message )", re.MULTILINE)
_ESCAPED = re.compile(r"^\\(\\*<!-- message )", re.MULTILINE)
_BREAKS = re.compile("\r\n?|\u2028|\u2029|\x85|\x0b|\x0c")


@dataclass(frozen=True, slots=True)
class Placed:
    """A message and where its text stands in the document (character offsets).

    ``sum`` is the checksum of the text as it came; it tells a text that somebody edited here from another message.
    """

    message: Message
    start: int
    end: int
    sum: str = ""


@dataclass(frozen=True, slots=True)
class Transcript:
    """A transcript document as read: the session, each message with its place, what could not be read."""

    id: str
    session: Session
    placed: tuple[Placed, ...]
    problems: tuple[Problem, ...] = ()


def write(session: Session, *, id: str) -> str:
    """The document of ``session``; ``id`` is the document's own id."""
    values: dict[str, object] = {
        "id": id,
        "kind": KIND,
        "session": session.id,
        "title": session.title or None,
        "started": format_time(session.started) or None,
        "ended": format_time(session.ended) or None,
        "source": session.source,
        **{name: str(session.meta[name]) for name in _PARTICULARS if session.meta.get(name)},
    }
    title = session.title or f"Conversation {session.id}"
    body = "\n# " + " ".join(title.split()) + "\n" + render(session.messages)
    return frontmatter.compose({key: value for key, value in values.items() if value is not None}, body)


def append(text: str, messages: Iterable[Message]) -> str:
    """``text`` with ``messages`` at its end; what stands before is not touched."""
    return text.rstrip("\n") + "\n" + render(messages)


def without(text: str, placed: Placed) -> str:
    """``text`` with the words of one message gone; its marker stays, so that a re-import does not bring it back."""
    return text[: placed.start] + FORGOTTEN + text[placed.end :]


def taken_back(text: str, ids: Collection[str]) -> str:
    """``text`` with those messages marked that were undone in the conversation after they were stored (TR-22)."""

    def marked(found: re.Match[str]) -> str:
        try:
            facts = json.loads(found.group(1))
        except (ValueError, RecursionError):
            return found.group()
        if not isinstance(facts, dict) or facts.get("id") not in ids:
            return found.group()
        meta = facts.get("meta")
        facts["meta"] = {**(meta if isinstance(meta, dict) else {}), **DEAD}
        return _marker(facts)

    return _MARKER.sub(marked, text)


def is_dead(message: Message) -> bool:
    """Whether ``message`` stands on a branch of the conversation that was abandoned (TR-5)."""
    return message.meta.get("branch") == DEAD["branch"]


def render(messages: Iterable[Message]) -> str:
    """Messages as they stand in a document, each after a blank line."""
    return "".join(_render(message) for message in messages)


def read(document: Document) -> Transcript:
    """The conversation in ``document``. A message whose marker is damaged is reported and skipped, never fatal."""
    text = document.text
    values = frontmatter.parse(text).values
    marks = list(_MARKER.finditer(text))
    placed: list[Placed] = []
    problems: list[Problem] = []
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        start, end = _span(text, mark.end(), following.start() if following else len(text))
        try:
            facts = json.loads(mark.group(1))
            message = _message(facts, text[start:end])
        except (ValueError, TypeError, BadInput) as error:
            line = text.count("\n", 0, mark.start()) + 1
            problems.append(Problem(path=document.path, line=line, message=f"unreadable message marker: {error}"))
            continue
        placed.append(Placed(message, start, end, str(facts.get("sum") or "")))
    session = Session(
        id=str(values.get("session") or document.path),
        title=str(values.get("title") or ""),
        started=_maybe_time(values.get("started")),
        ended=_maybe_time(values.get("ended")),
        source=str(values.get("source") or "vault"),
        meta={name: str(values[name]) for name in _PARTICULARS if values.get(name)},
        messages=tuple(item.message for item in placed),
    )
    return Transcript(str(values.get("id") or ""), session, tuple(placed), tuple(problems))


def session_key(session: Session) -> str:
    """What names a session among all: its source and its id there."""
    return f"{session.source}:{session.id}"


def path_for(session: Session, *, id: str) -> str:
    """Where a new transcript goes: ``50-Episodes/YYYY/MM/<date>-<slug>.transcript.md``."""
    first = session.started or next((message.at for message in session.messages if message.at), None)
    slug = file_slug(session.title or session.id, id.lower())
    if first is None:
        return f"{FOLDER}/undated/{slug}.transcript.md"
    return f"{FOLDER}/{first:%Y/%m/%Y-%m-%d}-{slug}.transcript.md"


def clean(text: str) -> str:
    """A message text as it is stored: line breaks of every kind as one newline, no NUL, no outer blank lines."""
    plain = _BREAKS.sub("\n", text).replace("\x00", "\ufffd")
    return plain.encode("utf-8", "replace").decode("utf-8").strip("\n")


def checksum(text: str) -> str:
    """What tells one message text from another, whatever editors do to spaces at line ends."""
    said = "\n".join(line.rstrip() for line in clean(text).split("\n")).strip("\n")
    return hashlib.sha256(said.encode("utf-8")).hexdigest()[:16]


def _render(message: Message) -> str:
    facts: dict[str, Any] = {"id": message.id, "role": message.role}
    facts["sum"] = checksum(message.text)
    if message.speaker:
        facts["speaker"] = message.speaker
    if message.at:
        facts["at"] = format_time(message.at)
    if message.parent_id:
        facts["parent"] = message.parent_id
    if message.meta:
        facts["meta"] = dict(message.meta)
    when = f" · {message.at:%Y-%m-%d %H:%M}" if message.at else ""
    name = " ".join((message.speaker or message.role).split())
    body = _LOOKALIKE.sub(r"\\\1\2", clean(message.text))
    return f"\n{_marker(facts)}\n**{name}**{when}\n\n{body}\n"


def _marker(facts: Mapping[str, Any]) -> str:
    marker = json.dumps(facts, ensure_ascii=False, sort_keys=False, default=str)
    # A comment ends at the first "-->", and JSON may spell any character as an escape.
    marker = marker.replace("<", "\\u003c").replace(">", "\\u003e").replace("\x7f", "\\u007f")
    marker = _BREAKS.sub(lambda found: f"\\u{ord(found.group()[0]):04x}", marker)
    return f"<!-- message {marker} -->"


def _span(text: str, start: int, end: int) -> tuple[int, int]:
    """The message text between its marker and the next: without the name line and the blank lines around."""
    if text.startswith("\n**", start):
        line_end = text.find("\n", start + 1)
        start = end if line_end == -1 else min(line_end, end)
    while start < end and text[start] == "\n":
        start += 1
    while end > start and text[end - 1] == "\n":
        end -= 1
    return start, end


def _message(facts: Mapping[str, Any], text: str) -> Message:
    meta = facts.get("meta")
    return Message(
        id=str(facts["id"]),
        role=facts.get("role", "user"),
        text=_ESCAPED.sub(r"\1", text),
        speaker=str(facts["speaker"]) if facts.get("speaker") else None,
        at=_maybe_time(facts.get("at")),
        parent_id=str(facts["parent"]) if facts.get("parent") else None,
        meta=meta if isinstance(meta, dict) else {},
    )


def _maybe_time(value: object) -> Any:
    return parse_time(str(value)) if value else None
