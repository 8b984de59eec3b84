"""Episodes: what a conversation was about, in a hundred to two hundred words, one document a conversation (MX §3.1).

It is written when the conversation has ended or rests, and anew when the conversation has gone on; what it said before
lies in the trash. Where the host has summarised a part, as at a compaction, only what came after is told (TR-10). What
somebody has edited is left alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import PurePosixPath

from scrubjay.errors import ScrubjayError
from scrubjay.ids import derived_id
from scrubjay.operations.editing import editing
from scrubjay.operations.hearing import audible, is_human
from scrubjay.operations.store import Store
from scrubjay.ports import IndexedDocument, Summarizer
from scrubjay.temporal import now
from scrubjay.text.secrets import redact
from scrubjay.text.summary import Turn, size, summarise
from scrubjay.types import Document, Message, Session
from scrubjay.vaults.documents import episode as documents
from scrubjay.vaults.documents import transcript as transcripts

Listing = Mapping[str, IndexedDocument]

IDLE = timedelta(minutes=15)
"""How long nobody has said anything before a conversation counts as resting."""
LEAST_TURNS = 2
"""Messages of a person below which a conversation tells itself."""
LEAST_WORDS = 60
"""Words of all messages below which it does, too."""


class ExtractiveSummarizer:
    """Summarises with the conversation's own sentences."""

    name = "extractive/1"

    def summary(self, messages: Sequence[Message], *, title: str) -> str:  # noqa: ARG002 - others are helped by the title
        """The telling sentences of ``messages``."""
        return summarise([Turn(_speaker(one), one.text, is_human(one)) for one in messages])


@dataclass(frozen=True, slots=True)
class Own:
    """The episode that was written here: up to which message it goes, and whether somebody has edited it since."""

    document: Document
    until: str
    edited: bool


def own(store: Store, key: str) -> Own | None:
    """The episode of the conversation ``key`` (``transcript.session_key``), if one was written here."""
    known = store.index.document_with_id(_id(key))
    if known is None:
        return None
    try:
        document = store.vault.read(known.path)
    except ScrubjayError:
        return None
    until, edited = documents.written(document.text)
    return Own(document, until, edited)


def is_resting(session: Session, moment: datetime) -> bool:
    """Whether ``session`` has ended, or nobody has said anything for a while."""
    times = [message.at for message in session.messages if message.at]
    return not times or moment - max(times) >= IDLE


def refresh(
    store: Store, path: str, summarizer: Summarizer, *, resting: bool = True, listing: Listing | None = None
) -> bool:
    """Writes the episode of the transcript at ``path``, or writes it anew where the conversation has gone on.

    Tells whether something was written. ``resting`` leaves a conversation alone that is still going on; ``listing`` is
    ``Index.documents`` where it was read already, for many conversations. Raises
    ``NotFound`` when the transcript is gone, ``Unavailable`` when the summarizer cannot answer.
    """
    indexed = store.index.document(path)
    if indexed and store.index.mark(_looked_at(indexed.id)) == indexed.hash:
        return False
    document = store.vault.read(path)
    session = transcripts.read(document).session
    if resting and not is_resting(session, now()):
        return False
    key = transcripts.session_key(session)
    told = _untold(store, session, store.index.documents() if listing is None else listing)
    done = bool(told) and _write(store, session, key, told, summarizer)
    store.index.set_mark(_looked_at(key), document.hash)
    return done


def _write(store: Store, session: Session, key: str, told: Sequence[Message], summarizer: Summarizer) -> bool:
    known = own(store, key)
    if known is not None and (known.edited or known.until == told[-1].id):
        return False
    text, _ = redact(summarizer.summary(told, title=session.title).strip())
    if not text:
        return False
    with editing(store, "summarise", f"Summarised {session.title or session.id}") as edits:
        known = own(store, key)
        old = known.document.text if known else None
        body = documents.write_own(session, text, id=_id(key), by=summarizer.name, messages=told, old=old)
        if known is None:
            edits.create(documents.path_for(session, told[0]), body)
        elif not known.edited and known.document.text != body:
            edits.replace(known.document, body)
        return edits.changed


def _untold(store: Store, session: Session, listing: Listing) -> list[Message]:
    """What was said since the host's own newest summary; nothing where that is too little to be summarised."""
    since = _summarised(store, session, listing)
    said = [one for one in audible(session.messages) if since is None or (one.at is not None and one.at > since)]
    said = [one for one in said if not one.meta.get("candidate") and one.meta.get("branch") != "dead"]
    people = sum(is_human(one) for one in said)
    return said if people >= LEAST_TURNS and sum(size(one.text[:2_000]) for one in said) >= LEAST_WORDS else []


def _summarised(store: Store, session: Session, listing: Listing) -> datetime | None:
    """When the host summarised the conversation last. Such an episode lies beside the transcript, under its name."""
    key = transcripts.session_key(session)
    stem = documents.stem(session)
    found: list[datetime] = []
    for other, indexed in listing.items():
        if indexed.kind != documents.KIND or indexed.id == _id(key) or stem not in PurePosixPath(other).name:
            continue
        try:
            summary = documents.read(store.vault.read(other))
        except ScrubjayError:
            continue
        if (summary.source, summary.session) == (session.source, session.id) and summary.at is not None:
            found.append(summary.at)
    return max(found, default=None)


def _looked_at(key: str) -> str:
    return f"summarise {key}"


def _id(key: str) -> str:
    return derived_id(key, "episode")


def _speaker(message: Message) -> str:
    return " ".join((message.speaker or message.role).split())[:40]
