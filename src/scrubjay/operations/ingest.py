"""Conversations into transcripts: each message once, whatever is handed over again (F10, F11, F21, TR-0)."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from functools import partial
from pathlib import Path

from scrubjay.errors import BadInput, NotFound, Unavailable
from scrubjay.ids import derived_id, new_id
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
    renamed: tuple[str, ...] = ()
    """Ids that another text has already; their messages were added under new ones."""

    @property
    def total(self) -> int:
        return self.added + self.known


def ingest(store: Store, sessions: Sequence[Session]) -> list[Ingested]:
    """Stores ``sessions`` in one operation; messages that the session's transcript has are left as they are."""
    with editing(store, "ingest", _summary(sessions)) as edits:
        return [_ingest_one(store, edits, session) for session in sessions]


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport:
    """What became of everything handed over.

    ``problems`` names the lines that could not be used and the messages that got a new id.
    """

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

    @property
    def renamed(self) -> int:
        """Messages stored now under a new id, because another text has theirs."""
        return sum(len(session.renamed) for session in self.sessions)

    @property
    def unusable(self) -> int:
        """Lines that could not be used."""
        return len(self.problems) - self.renamed


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
    name = ""
    if isinstance(what, Session):
        sessions: Sequence[Session] = (what,)
    elif isinstance(what, str | os.PathLike):
        name = Path(what).name
        sessions, problems = read_file(store, Path(what), zone=zone)
    else:
        sessions = list(what)
    done: list[Ingested] = []
    for start in range(0, len(sessions), BATCH):
        done += ingest(store, sessions[start : start + BATCH])
        if progress:
            progress(len(done), len(sessions))
    renamed = (
        Problem(path=name or session.path, message=f"message id {id!r} was used for another text")
        for session in done
        for id in session.renamed
    )
    return IngestReport(sessions=tuple(done), problems=(*problems, *renamed))


def read_file(store: Store, path: Path, *, zone: tzinfo) -> tuple[Sequence[Session], tuple[Problem, ...]]:
    """The sessions in a file or pipe, and its lines that cannot be used.

    Raises ``NotFound`` for a missing file, ``BadInput`` for what holds no message, ``Unavailable`` when it cannot be
    read.
    """
    try:
        name = _name(path)
        with path.open("rb") as file:
            read = jsonl.read(file, name, zone=zone, continues=partial(_continues, store))
    except (FileNotFoundError, NotADirectoryError):
        raise NotFound(f"There is no file {path}.", hint="Check the path.") from None
    except OSError as error:
        raise Unavailable(f"{path} cannot be read: {error.strerror}.", hint="Check its permissions.") from None
    return read.sessions, read.problems


def _name(path: Path) -> str:
    """What to call a file or pipe; raises ``BadInput`` for what is neither, since a device may never end."""
    mode = path.stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode) or str(path) == os.devnull):
        kind = "folder" if stat.S_ISDIR(mode) else "device"
        raise BadInput(f"{path} is a {kind}, not a file.", hint="Name the files to take in.")
    # A shell numbers its pipes as it likes: the number must not name a session.
    return "pipe" if path.name.isdigit() and stat.S_ISFIFO(mode) else path.name


def _continues(store: Store, session_id: str, texts: Sequence[str]) -> bool:
    """Whether a session read from a file before is stored under this id, and all that it says is among ``texts``."""
    document = _find(store, Session(id=session_id, messages=(), source="jsonl"))
    if document is None:
        return False
    given = {transcript.checksum(text) for text in texts} | {transcript.FORGOTTEN}
    return all(stored in given for stored in _stored(document).values())


def _ingest_one(store: Store, edits: Edits, session: Session) -> Ingested:
    spoken = [message for message in session.messages if transcript.clean(message.text).strip()]
    empty = len(session.messages) - len(spoken)
    document = _find(store, session)
    if document is None and not spoken:
        return Ingested(session_id=session.id, path="", added=0, known=0, empty=empty)
    there = _stored(document) if document else {}
    fresh, renamed = _fresh(session, spoken, there)
    if document is None:
        id = new_id()
        written = replace(session, messages=tuple(fresh), started=session.started or fresh[0].at)
        document = edits.create(transcript.path_for(written, id=id), transcript.write(written, id=id))
    elif fresh:
        document = edits.replace(document, transcript.append(document.text, fresh))
    present = _stored(document)
    return Ingested(
        session_id=session.id,
        path=document.path,
        added=sum(message.id in present for message in fresh),
        known=len(spoken) - len(fresh),
        empty=empty,
        renamed=tuple(renamed),
    )


def _fresh(session: Session, spoken: Sequence[Message], there: Mapping[str, str]) -> tuple[list[Message], list[str]]:
    """The messages that are not ``there``, each once, in order, and the ids that were used for another text.

    Such a message gets an id of its own, from its text: two texts are two messages, whatever their source calls them.
    Only where a message was forgotten its id says all: what had it must not come back.
    """
    taken = dict(there)
    fresh: list[Message] = []
    renamed: list[str] = []
    for message in spoken:
        said = transcript.checksum(message.text)
        id = message.id
        if taken.get(id, said) not in (said, transcript.FORGOTTEN):
            id = derived_id(transcript.session_key(session), id, said)
        if id in taken:
            continue
        if id != message.id:
            renamed.append(message.id)
        taken[id] = said
        fresh.append(replace(message, id=id))
    return fresh, renamed


def _stored(document: Document) -> dict[str, str]:
    """The checksums of the texts in a transcript, as they came, by the ids of their messages."""
    return {
        item.message.id: transcript.FORGOTTEN
        if item.message.text == transcript.FORGOTTEN
        else item.sum or transcript.checksum(item.message.text)
        for item in transcript.read(document).placed
    }


def _find(store: Store, session: Session) -> Document | None:
    """The transcript that holds ``session`` already, by the session's own id and source."""
    known = store.index.document_with_id(transcript.session_key(session))
    return store.vault.read(known.path) if known else None


def _summary(sessions: Sequence[Session]) -> str:
    messages = sum(len(session.messages) for session in sessions)
    return f"Ingested {len(sessions)} conversation{'s' * (len(sessions) != 1)} with {messages} messages"
