"""Sessions into transcripts: each message once, whatever is handed over again (F10, F11, F21, TR-0, TR-9)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scrubjay.ids import derived_id, new_id
from scrubjay.operations.editing import Edits, editing
from scrubjay.operations.ingest.messages import Prepared, plain, prepared
from scrubjay.operations.store import Store
from scrubjay.transcripts.drafts import unsaid
from scrubjay.types import Document, Message, Redacted, Session
from scrubjay.vaults.documents import episode, tombstone, transcript

SECRETS_NAMED = 20
"""Secrets that one session's report names one by one; all are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingested:
    """What became of one session: counts come from the transcript as read back (F14).

    ``redacted`` counts secrets that were taken out of what was added and ``secrets`` names the first of them;
    ``summaries`` counts what was stored as an episode. ``forgotten`` counts messages that were left out because
    somebody had them forgotten; ``held_by`` is the forgotten conversation whose tombstone says so. ``withdrawn`` counts
    messages stored earlier that were marked as taken back.
    """

    session_id: str
    path: str
    added: int
    known: int
    empty: int
    redacted: int = 0
    summaries: int = 0
    forgotten: int = 0
    held_by: str = ""
    withdrawn: int = 0
    secrets: tuple[Redacted, ...] = ()
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
    """The transcript that holds a session already, or its tombstone, by the session's own id and source."""
    key = transcript.session_key(Session(id=session_id, messages=(), source=source))
    known = store.index.document_with_id(key)
    return store.vault.read(known.path) if known else None


def withdraw(store: Store, sources: Iterable[str], taken_back: Iterable[tuple[str, str]]) -> list[Ingested]:
    """Marks stored messages, given as (session, message), that their conversation undid since; none is removed."""
    by_session: dict[str, set[str]] = {}
    for session_id, message_id in taken_back:
        by_session.setdefault(session_id, set()).add(message_id)
    done: list[Ingested] = []
    for session_id, ids in by_session.items():
        documents = (find(store, source, session_id) for source in sources)
        done += [_withdrawn(store, session_id, document, ids) for document in documents if document is not None]
    return [one for one in done if one.withdrawn]


def _withdrawn(store: Store, session_id: str, document: Document, ids: Collection[str]) -> Ingested:
    before = _dead(document)
    text = transcript.taken_back(document.text, ids)
    if text != document.text:
        with editing(store, "ingest", f"Marked messages as taken back in {document.path}") as edits:
            document = edits.replace(document, text)
    count = len(_dead(document) - before)
    return Ingested(session_id=session_id, path=document.path, added=0, known=0, empty=0, withdrawn=count)


def _dead(document: Document) -> set[str]:
    placed = transcript.read(document).placed
    return {one.message.id for one in placed if transcript.is_dead(one.message)}


def _ingest_one(store: Store, edits: Edits, session: Session, kept: Prepared) -> Ingested:
    document = find(store, session.source, session.id)
    said = kept.said
    if document is not None and tombstone.is_tombstone(document):
        key = transcript.session_key(session)
        return Ingested(
            session_id=session.id, path="", added=0, known=0, empty=kept.empty, forgotten=len(said), held_by=key
        )
    summaries = sum(_summarised(store, edits, kept.session, message) for message in kept.summaries)
    there = stored(document) if document else {}
    of_origin, gone = _of_origin(store, session)
    if gone:
        said = tuple(message for message in said if tombstone.mark(message.id) not in gone)
    held = f"{session.source}:{session.meta.get('forked_from')}" if len(said) < len(kept.said) else ""
    left_out: dict[str, Any] = {"forgotten": len(kept.said) - len(said), "held_by": held}
    fresh, renamed = _fresh(session, said, {**of_origin, **there})
    if document is None and not fresh:
        return Ingested(
            session_id=session.id,
            path="",
            added=0,
            known=len(said),
            empty=kept.empty,
            summaries=summaries,
            **left_out,
        )
    # Told again, and on an abandoned branch by now.
    dead = {message.id for message in said if message.id in there and transcript.is_dead(message)}
    before: set[str] = set()
    if document is None:
        id = new_id()
        written = replace(kept.session, messages=tuple(plain(fresh)), started=session.started or fresh[0].at)
        document = edits.create(transcript.path_for(written, id=id), transcript.write(written, id=id))
    else:
        before = _dead(document) if dead else set()
        text = transcript.taken_back(document.text, dead) if dead else document.text
        text = transcript.append(text, plain(fresh)) if fresh else text
        document = edits.append(document, text) if text != document.text else document
    present = stored(document)
    secrets = _secrets(kept, fresh, renamed)
    return Ingested(
        session_id=session.id,
        path=document.path,
        added=sum(message.id in present for message in fresh),
        known=len(said) - len(fresh),
        empty=kept.empty,
        redacted=len(secrets),
        secrets=tuple(secrets[:SECRETS_NAMED]),
        summaries=summaries,
        **left_out,
        withdrawn=len(_dead(document) - before) if dead else 0,
        renamed=tuple(renamed),
    )


def _secrets(kept: Prepared, fresh: Sequence[Message], renamed: Sequence[str]) -> list[Redacted]:
    """What was taken out of the session's own words and of the messages that are stored now."""
    ids = ["", *dict.fromkeys([*(message.id for message in fresh), *renamed])] if fresh else []
    return [one for id in ids for one in kept.redacted.get(id, ())]


def _of_origin(store: Store, session: Session) -> tuple[dict[str, str], frozenset[str]]:
    """What the session has from the one that it was forked from; those messages are stored there (TR-9), or their
    marks, when that one was forgotten."""
    origin = session.meta.get("forked_from")
    document = find(store, session.source, str(origin)) if origin else None
    if document is None:
        return {}, frozenset()
    if tombstone.is_tombstone(document):
        return {}, tombstone.marks(document)
    return stored(document), frozenset()


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
