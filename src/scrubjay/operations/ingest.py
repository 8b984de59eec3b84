"""Conversations into transcripts: each message once, whatever is handed over again (F10, F11, F21, TR-0)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from pathlib import Path

from scrubjay.errors import BadInput, NotFound, Unavailable
from scrubjay.ids import new_id
from scrubjay.operations.editing import Edits, editing
from scrubjay.operations.store import Store
from scrubjay.transcripts import jsonl
from scrubjay.types import Document, Message, Problem, Session
from scrubjay.vaults.documents import transcript

BATCH = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingested:
    """What became of one session: counts come from the transcript as read back (F14)."""

    session_id: str
    path: str
    added: int
    known: int
    empty: int

    @property
    def total(self) -> int:
        return self.added + self.known


def ingest(store: Store, sessions: Sequence[Session]) -> list[Ingested]:
    """Stores ``sessions`` in one operation; messages whose id the session's transcript has are left as they are."""
    with editing(store, "ingest", _summary(sessions)) as edits:
        return [_ingest_one(store, edits, session) for session in sessions]


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport:
    """What became of everything handed over, and the lines that could not be used."""

    sessions: tuple[Ingested, ...]
    problems: tuple[Problem, ...] = ()

    @property
    def added(self) -> int:
        """Messages stored now."""
        return sum(session.added for session in self.sessions)

    @property
    def known(self) -> int:
        """Messages that were stored before."""
        return sum(session.known for session in self.sessions)


def take_in(
    store: Store,
    what: Session | Iterable[Session] | str | os.PathLike[str],
    *,
    zone: tzinfo,
    progress: Callable[[int, int], None] | None = None,
) -> IngestReport:
    """Ingests sessions, or the sessions in a file, in operations of at most ``BATCH`` sessions.

    Raises ``NotFound`` for a missing file, ``BadInput`` for one in no known format; its bad lines are reported.
    """
    problems: tuple[Problem, ...] = ()
    if isinstance(what, Session):
        sessions: Sequence[Session] = (what,)
    elif isinstance(what, str | os.PathLike):
        sessions, problems = read_file(Path(what), zone=zone)
    else:
        sessions = list(what)
    done: list[Ingested] = []
    for start in range(0, len(sessions), BATCH):
        done += ingest(store, sessions[start : start + BATCH])
        if progress:
            progress(len(done), len(sessions))
    return IngestReport(sessions=tuple(done), problems=problems)


def read_file(path: Path, *, zone: tzinfo) -> tuple[Sequence[Session], tuple[Problem, ...]]:
    """The sessions in a file whose format is found by looking at its first line."""
    if not path.is_file():
        raise NotFound(f"There is no file {path}.", hint="Check the path.")
    try:
        with path.open("rb") as file:
            head = file.read(1 << 20).decode("utf-8-sig", "replace")
    except OSError as error:
        raise Unavailable(f"{path} cannot be read: {error.strerror}.", hint="Check its permissions.") from None
    if not jsonl.looks_right(head):
        raise BadInput(
            f"{path.name} is not a conversation in a known format.",
            hint='Write one message a line: {"role": "user", "text": "...", "at": "2026-05-31T14:00:00Z"}.',
        )
    read = jsonl.read(path, zone=zone)
    return read.sessions, read.problems


def _ingest_one(store: Store, edits: Edits, session: Session) -> Ingested:
    spoken, empty = _spoken(session)
    document = _find(store, session)
    if document is None:
        if not spoken:
            return Ingested(session_id=session.id, path="", added=0, known=0, empty=empty)
        id = new_id()
        written = replace(session, messages=tuple(spoken), started=session.started or spoken[0].at)
        stored = edits.create(transcript.path_for(written, id=id), transcript.write(written, id=id))
        known = 0
    else:
        there = {item.message.id for item in transcript.read(document).placed}
        known = sum(message.id in there for message in spoken)
        fresh = [message for message in spoken if message.id not in there]
        stored = edits.replace(document, transcript.append(document.text, fresh)) if fresh else document
    present = {item.message.id for item in transcript.read(stored).placed}
    added = sum(message.id in present for message in spoken) - known
    return Ingested(session_id=session.id, path=stored.path, added=added, known=known, empty=empty)


def _spoken(session: Session) -> tuple[list[Message], int]:
    """The messages that say something, each id once, in order; how many said nothing."""
    kept: dict[str, Message] = {}
    empty = 0
    for message in session.messages:
        if not transcript.clean(message.text).strip():
            empty += 1
        else:
            kept.setdefault(message.id, message)
    return list(kept.values()), empty


def _find(store: Store, session: Session) -> Document | None:
    """The transcript that holds ``session`` already, by the session's own id and source."""
    known = store.index.document_with_id(transcript.session_key(session))
    return store.vault.read(known.path) if known else None


def _summary(sessions: Sequence[Session]) -> str:
    messages = sum(len(session.messages) for session in sessions)
    return f"Ingested {len(sessions)} conversation{'s' * (len(sessions) != 1)} with {messages} messages"
