"""A summary that the host made of a session and handed over by itself, as an episode (TR-10, HK §7.2 PostCompact)."""

from __future__ import annotations

from datetime import datetime

from scrubjay.errors import ScrubjayError
from scrubjay.ids import derived_id
from scrubjay.operations.ingest.storing import ingest
from scrubjay.operations.store import Store
from scrubjay.types import Message, Session
from scrubjay.vaults.documents import episode

_TELLING = 200
"""Characters of a summary that tell it from others."""


def keep_summary(store: Store, *, source: str, session_id: str, text: str, at: datetime) -> bool:
    """Stores ``text`` as an episode of the session, unless its transcript brought the same summary; whether it did."""
    if _is_there(store, source, session_id, text):
        return False
    summary = Message(
        id=derived_id(source, session_id, text),
        role="system",
        text=text,
        at=at,
        meta={"derived": "compaction", "is_human": False},
    )
    ingested = ingest(store, [Session(id=session_id, source=source, messages=(summary,), started=at)])
    return bool(ingested[0].summaries)


def _is_there(store: Store, source: str, session_id: str, text: str) -> bool:
    telling = _plain(text)[:_TELLING]
    for path, indexed in store.index.documents().items():
        if indexed.kind != episode.KIND:
            continue
        try:
            document = store.vault.read(path)
            known = episode.read(document)
        except ScrubjayError:
            continue
        if (known.source, known.session) == (source, session_id) and telling in _plain(document.text):
            return True
    return False


def _plain(text: str) -> str:
    return " ".join(text.split())
