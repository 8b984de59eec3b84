"""Forgetting: out of the vault and of every index at once, into the trash, and back with undo (SEC-7, F28, F37)."""

from __future__ import annotations

from scrubjay.errors import NotFound
from scrubjay.operations import notes
from scrubjay.operations.editing import editing
from scrubjay.operations.store import Store
from scrubjay.types import Operation, Record
from scrubjay.vaults.documents import transcript


def forget(store: Store, name: str) -> Operation:
    """Retires what ``name`` means: a fact, a note or a conversation as a whole; one message of a conversation.

    ``name`` is an id from a search, a document's id, a file name or a path. The journal names paths, never contents.
    """
    record = store.index.record(name)
    if record is not None and record.layer == "chunks":
        _forget_message(store, record)
    else:
        document = store.vault.read(record.path) if record is not None else notes.find(store, name)
        with editing(store, "forget", f"Forgot {document.path}") as edits:
            edits.retire(document)
    return store.index.operations(1)[0]


def _forget_message(store: Store, record: Record) -> None:
    document = store.vault.read(record.path)
    placed = next(
        (item for item in transcript.read(document).placed if item.message.id in record.message_ids),
        None,
    )
    if placed is None:
        raise NotFound(f"The message is no longer in {record.path}.", hint="Run `scrubjay sync` and search again.")
    with editing(store, "forget", f"Forgot a message in {document.path}") as edits:
        edits.replace(document, transcript.without(document.text, placed))
