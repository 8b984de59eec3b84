"""From what an extractor found to facts that could be stored, each with the message that bears it out (MX-12)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from scrubjay.ids import dated_id
from scrubjay.operations.extract.reader import Found, Reader
from scrubjay.operations.facts import content_hash
from scrubjay.operations.hearing import confirmed, quoted, testifies, weighed
from scrubjay.temporal import now
from scrubjay.text.secrets import scan
from scrubjay.text.slug import file_slug
from scrubjay.types import Candidate, Fact, Interval, Message, Session, Source
from scrubjay.vaults.documents.transcript import clean, session_key

LONGEST = 2_000
"""Characters of a statement; what is longer is no single statement."""

_PERSONAL = frozenset({"preference", "identity"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A statement that holds: the candidate, its message, and the fact it would become.

    ``dated`` tells whether it is known when it was said, ``undone`` whether that was taken back.
    """

    candidate: Candidate
    message: Message
    fact: Fact
    dated: bool
    undone: bool


def gather(
    session: Session,
    messages: Sequence[Message],
    candidates: Iterable[Candidate],
    heard: Sequence[Message],
    reader: Reader,
) -> Iterator[Evidence | Found]:
    """The candidates that ``messages`` bear out, and the others with the reason why not.

    ``heard`` is all that the extractor saw, as it saw it; candidates from messages that are there for context alone are
    left out.
    """
    by_id = {message.id: message for message in messages}
    for given in candidates:
        message = by_id.get(given.message_id)
        if message is None:
            continue
        candidate = weighed(replace(given, text=clean(given.text).strip()), message)
        reason = _flaw(candidate, message, heard, reader)
        evidence = None if reason else _evidence(session, message, candidate, reader)
        if evidence is not None and evidence.fact.valid.empty:
            reason = "it would end before it began"
        if evidence is None or reason:
            yield Found(
                candidate=candidate, session=session_key(session), at=message.at, outcome="refused", reason=reason
            )
        else:
            yield evidence


def _flaw(candidate: Candidate, message: Message, heard: Sequence[Message], reader: Reader) -> str:
    """Why a candidate is refused; empty when nothing speaks against it."""
    if not quoted(candidate, message):
        return "its quote does not stand in the message"
    if not testifies(message) and not confirmed(message, heard):
        return "no person said it or agreed to it"
    if len(candidate.text) > LONGEST:
        return f"it is longer than {LONGEST:,} characters"
    if "‹redacted:" in candidate.text or scan(candidate.text):
        return "it holds a secret"
    if candidate.confidence < reader.settings.confidence:
        return f"its confidence {candidate.confidence:.2f} is below {reader.settings.confidence}"
    return ""


def _evidence(session: Session, message: Message, candidate: Candidate, reader: Reader) -> Evidence:
    moment = now()
    said = message.at or session.started
    at = min(said, moment) if said else None  # a clock that goes ahead makes no fact of the future
    if at is not None and candidate.valid.start == said:
        candidate = replace(candidate, valid=Interval(start=at, end=candidate.valid.end))
    key = session_key(session)
    fact = Fact(
        id=dated_id(int(at.timestamp() * 1000) if at else 0, key, message.id, content_hash(candidate.text)),
        text=candidate.text,
        category=candidate.category or "Fact",
        confidence=candidate.confidence,
        subject=candidate.subject,
        predicate=candidate.predicate,
        object=candidate.object,
        valid=_valid(candidate, at, moment, reader),
        recorded=Interval(start=moment),
        tags=_tags(session, candidate),
        source=Source(kind="session", ref=key, message_ids=(message.id,)),
    )
    undone = message.meta.get("branch") == "dead"
    return Evidence(candidate=candidate, message=message, fact=fact, dated=at is not None, undone=undone)


def _valid(candidate: Candidate, at: datetime | None, moment: datetime, reader: Reader) -> Interval:
    """From when it was said, unless it names a time; a task always ends (MX-12)."""
    start, end = candidate.valid.start or at, candidate.valid.end
    if candidate.category.casefold() == "todo" and end is None:
        start = start or moment
        end = start + timedelta(days=reader.settings.todo_days)
    return Interval(start=start, end=end)


def _tags(session: Session, candidate: Candidate) -> tuple[str, ...]:
    """The project of a statement that is not about the person: "the database" is that of one project (F88)."""
    folder = re.split(r"[/\\]", str(session.meta.get("cwd") or "").rstrip("/\\"))[-1]
    if not folder or candidate.category.casefold() in _PERSONAL:
        return ()
    return (file_slug(folder, "project"),)
