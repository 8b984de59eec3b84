"""A session while it is being read: messages grow from several records, and some are taken back before the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from scrubjay.ids import derived_id
from scrubjay.transcripts.reading import Report
from scrubjay.types import Message, Role, Session

JOINT = "\n\n"  # between the pieces of a message


@dataclass(frozen=True, slots=True)
class Piece:
    """One record's share of a message: the record's own id, its text, and the byte where the record starts."""

    id: str
    text: str
    start: int = 0


@dataclass(slots=True)
class Said:
    """A message in the making. ``undone`` says that it was taken back later; ``kept`` that it is told all the same,
    as what stands on an abandoned branch is."""

    pieces: list[Piece]
    role: Role
    at: datetime | None = None
    parent: str | None = None
    speaker: str | None = None
    meta: dict[str, Any] = field(default_factory=dict)
    undone: bool = False
    kept: bool = True

    def message(self, pieces: list[Piece]) -> Message:
        """What ``pieces`` say. Where they are several, ``meta["pieces"]`` tells each one's id and length."""
        meta = dict(self.meta)
        if len(pieces) > 1:
            meta["pieces"] = [[piece.id, len(piece.text)] for piece in pieces]
        text = JOINT.join(piece.text for piece in pieces)
        parent = self.parent if self.parent != pieces[0].id else None
        return Message(
            id=pieces[0].id, role=self.role, text=text, speaker=self.speaker, at=self.at, parent_id=parent, meta=meta
        )


@dataclass(slots=True)
class Draft:
    """A session in the making; ``meta`` and ``title`` may still change."""

    id: str
    source: str
    said: list[Said] = field(default_factory=list)
    title: str = ""
    started: datetime | None = None
    ended: datetime | None = None
    meta: dict[str, Any] = field(default_factory=dict)

    def session(self, report: Report, *, since: int = 0) -> Session | None:
        """The session of what was said from byte ``since`` on, each id once; ``None`` when that is nothing."""
        messages: list[Message] = []
        known: dict[str, str] = {}
        kept = {piece.id for said in self.said if said.kept for piece in said.pieces}
        for said in self.said:
            new = [piece for piece in said.pieces if piece.start >= since]
            # Read from the beginning, nobody knows what an earlier reading gave whose place was lost.
            told = len(new) < len(said.pieces) or not (since or said.kept)
            if said.undone and told and (said.kept or said.pieces[0].id not in kept):
                report.withdrawn.append((self.id, said.pieces[0].id))
            if not new or not said.kept:
                continue
            message = said.message(new)
            if known.get(message.id, message.text) != message.text:  # two texts are two messages
                message = replace(message, id=derived_id(message.id, message.text))
            if message.id in known:
                report.dropped["repeated"] += 1
                continue
            known[message.id] = message.text
            messages.append(message)
        if not messages:
            return None
        times = [message.at for message in messages if message.at]
        meta = {key: value for key, value in self.meta.items() if value not in ("", None)}
        started = self.started or (times[0] if times else None)
        ended = self.ended or (times[-1] if times else None)
        return Session(
            id=self.id, messages=messages, started=started, ended=ended, title=self.title, source=self.source, meta=meta
        )


def unsaid(message: Message, stored: Callable[[str], bool]) -> Message | None:
    """What of ``message`` comes after the pieces that are stored under its id already, as a message of its own.

    A reply may be read while it is being written: its first records are stored, the others follow. ``stored`` tells
    whether a text is what is stored. ``None`` means that no beginning of the message is.
    """
    ends = list(_ends(message))
    for index in range(len(ends) - 1, 0, -1):
        id, start = ends[index]
        if stored(message.text[: start - len(JOINT)]):
            meta = {key: value for key, value in message.meta.items() if key != "pieces"}
            if index + 1 < len(ends):
                meta["pieces"] = message.meta["pieces"][index:]
            return replace(message, id=id, text=message.text[start:], parent_id=message.id, meta=meta)
    return None


def _ends(message: Message) -> Iterator[tuple[str, int]]:
    """Each piece's id and where it starts."""
    start = 0
    for id, length in message.meta.get("pieces", ()):
        yield id, start
        start += length + len(JOINT)
