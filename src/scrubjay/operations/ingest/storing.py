"""Sessions into transcripts: each message once, whatever is handed over again (F10, F11, F21, TR-0, TR-9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from scrubjay.ids import derived_id, new_id
from scrubjay.operations.editing import Edits, editing
from scrubjay.operations.ingest.messages import Prepared, plain, prepared
from scrubjay.operations.store import Store
from scrubjay.transcripts.drafts import unsaid
from scrubjay.types import Document, Message, Session
from scrubjay.vaults.documents import episode, transcript


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingested:
    """What became of one session: counts come from the transcript as read back (F14).

    ``redacted`` counts secrets that were taken out of what was added, ``summaries`` what was stored as an episode.
    """

    session_id: str
    path: str
    added: int
    known: int
    empty: int
    redacted: int = 0
    summaries: int = 0
    renamed: tuple[str, ...] = ()
    """Ids that another text has already; their messages were added under new ones."""

    @property
    def total(self) -> int:
        return self.added + self.known


def ingest(store: Store, sessions: Sequence[Session]) -> list[Ingested]:
    """Stores ``sessions`` in one operation; messages that the session's transcript has are left as they are."""
    with editing(store, "ingest", _summary(sessions)) as edits:
        return [_ingest_one(store, edits, session, prepared(session)) for session in sessions]


def stored(document: Document) -> dict[str, str]:
    """The checksums of the texts in a transcript, as they came, by the ids of their messages."""
    return {
        item.message.id: transcript.FORGOTTEN
        if item.message.text == transcript.FORGOTTEN
        else item.sum or transcript.checksum(item.message.text)
        for item in transcript.read(document).placed
    }


def find(store: Store, source: str, session_id: str) -> Document | None:
    """The transcript that holds a session already, by the session's own id and source."""
    key = transcript.session_key(Session(id=session_id, messages=(), source=source))
    known = store.index.document_with_id(key)
    return store.vault.read(known.path) if known else None


def _ingest_one(store: Store, edits: Edits, session: Session, kept: Prepared) -> Ingested:
    document = find(store, session.source, session.id)
    summaries = sum(_summarised(store, edits, session, message) for message in kept.summaries)
    if document is None and not kept.said:
        return Ingested(session_id=session.id, path="", added=0, known=0, empty=kept.empty, summaries=summaries)
    there = stored(document) if document else {}
    fresh, renamed = _fresh(session, kept.said, {**_of_origin(store, session), **there})
    if document is None and not fresh:
        return Ingested(session_id=session.id, path="", added=0, known=len(kept.said), empty=kept.empty)
    if document is None:
        id = new_id()
        written = replace(session, messages=tuple(plain(fresh)), started=session.started or fresh[0].at)
        document = edits.create(transcript.path_for(written, id=id), transcript.write(written, id=id))
    elif fresh:
        document = edits.replace(document, transcript.append(document.text, plain(fresh)))
    present = stored(document)
    return Ingested(
        session_id=session.id,
        path=document.path,
        added=sum(message.id in present for message in fresh),
        known=len(kept.said) - len(fresh),
        empty=kept.empty,
        redacted=kept.redacted if fresh else 0,
        summaries=summaries,
        renamed=tuple(renamed),
    )


def _of_origin(store: Store, session: Session) -> dict[str, str]:
    """What the session has from the one that it was forked from; those messages are stored there (TR-9)."""
    origin = session.meta.get("forked_from")
    document = find(store, session.source, str(origin)) if origin else None
    return stored(document) if document else {}


def _fresh(session: Session, said: Sequence[Message], there: Mapping[str, str]) -> tuple[list[Message], list[str]]:
    """The messages that are not ``there``, each once, in order, and the ids that were used for another text.

    Such a message gets an id of its own, from its text: two texts are two messages, whatever their source calls them;
    of a reply that was stored while it was written only the rest is new. Where a message was forgotten its id says all:
    what had it must not come back.
    """
    taken = dict(there)
    fresh: list[Message] = []
    renamed: list[str] = []
    for given in said:
        message = _rest(given, taken)
        sum = transcript.checksum(message.text)
        id = message.id
        if taken.get(id, sum) not in (sum, transcript.FORGOTTEN):
            id = derived_id(transcript.session_key(session), id, sum)
        if id in taken:
            continue
        if id != message.id:
            renamed.append(message.id)
        taken[id] = sum
        fresh.append(replace(message, id=id))
    return fresh, renamed


def _rest(message: Message, taken: Mapping[str, str]) -> Message:
    """What of ``message`` is not stored yet, when a beginning of it is; all of it otherwise."""
    known = taken.get(message.id)
    if known is None or known in (transcript.checksum(message.text), transcript.FORGOTTEN):
        return message
    return unsaid(message, lambda text: transcript.checksum(text) == known) or message


def _summarised(store: Store, edits: Edits, session: Session, message: Message) -> bool:
    """Stores a summary that the host made of a session as an episode, once (TR-10)."""
    id = derived_id(transcript.session_key(session), message.id, "episode")
    if store.index.document_with_id(id) is not None:
        return False
    edits.create(episode.path_for(session, message), episode.write(session, message, id=id))
    return True


def _summary(sessions: Sequence[Session]) -> str:
    messages = sum(len(session.messages) for session in sessions)
    return f"Ingested {len(sessions)} conversation{'s' * (len(sessions) != 1)} with {messages} messages"
