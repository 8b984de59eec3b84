"""The log of a day, in an agent's notebook or in a vault of our own: added to, never rewritten (CC-P7)."""

from __future__ import annotations

from datetime import date, datetime

from scrubjay.errors import BadInput, Conflict, NotFound
from scrubjay.operations.editing import editing
from scrubjay.operations.redaction import Redaction
from scrubjay.operations.store import Store
from scrubjay.types import Document
from scrubjay.vaults.dialects.claude_memory import logs
from scrubjay.vaults.dialects.claude_memory.logs import Happened
from scrubjay.vaults.layout import LOGS

_TRIES = 20


def add(store: Store, text: str, at: datetime) -> Document:
    """Adds ``text`` to the log of the day of ``at`` (aware, in the zone of the person) and returns it as read back.

    Another program that adds at the same time loses nothing, nor do we. Secrets are taken out first. Raises
    ``BadInput`` for an empty text.
    """
    said = Redaction().text(text, "text").strip()
    if not said:
        raise BadInput("There is nothing to write down.")
    day = at.date()
    path, line = logs.path_of(day, folder=_folder(store)), logs.bullet(said, at.time())
    for _ in range(_TRIES):
        try:
            with editing(store, "journal", f"Wrote into the log of {day}") as edits:
                document = _document(store, path)
                if document is None:
                    return edits.replace_bytes(path, logs.added("", line, day).encode("utf-8"), expected=None)
                return edits.append(document, logs.added(document.text, line, day))
        except Conflict:
            continue
    raise Conflict(f"{path} is being written all the time.", hint="Try again when its writer has finished.")


def read(store: Store, day: date) -> list[Happened]:
    """What the logs of ``day`` hold, those of its sessions after the day's own."""
    folder = _folder(store)
    own = _document(store, logs.path_of(day, folder=folder))
    found = logs.read(own.text) if own is not None else []
    inside = logs.sessions_of(day, folder=folder)
    for path in sorted(path for path in store.index.documents() if path.startswith(inside)):
        document = _document(store, path)
        found += logs.read(document.text) if document is not None else []
    return found


def _folder(store: Store) -> str:
    from scrubjay.vaults.dialects.claude_memory import host

    return host.LOGS if store.dialect else LOGS


def _document(store: Store, path: str) -> Document | None:
    try:
        return store.vault.read(path)
    except NotFound:
        return None
