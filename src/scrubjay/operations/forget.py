"""Forgetting: out of the vault and of every index at once, into the trash, and back with undo (SEC-7, F28, F37).

A forgotten conversation leaves a tombstone and a forgotten message its marker, so that neither comes back when the same
file is taken in again, whatever became of the index since.
"""

from __future__ import annotations

from collections.abc import Iterator

from scrubjay.errors import NotFound
from scrubjay.operations import notes
from scrubjay.operations.editing import Edits, editing
from scrubjay.operations.store import Store
from scrubjay.temporal import now
from scrubjay.text import frontmatter
from scrubjay.types import Document, Operation, Record
from scrubjay.vaults.documents import episode, tombstone, transcript


def forget(store: Store, name: str) -> Operation:
    """Retires what ``name`` means: a fact, a note or a conversation as a whole; one message of a conversation.

    ``name`` is an id from a search, a document's id, a file name or a path. A conversation goes with the summaries of
    it. The journal names paths, never contents.
    """
    record = store.index.record(name)
    if record is not None and record.layer == "chunks":
        _forget_message(store, record)
    else:
        document = store.vault.read(record.path) if record is not None else notes.find(store, name)
        with editing(store, "forget", f"Forgot {document.path}") as edits:
            for each in (document, *_summaries(store, document)):
                stone = _tombstone(each)
                edits.retire(each)
                if stone:
                    edits.create(*stone)
            if store.dialect:
                _out_of_the_notebook(edits, store, document.path)
    return store.index.operations(1)[0]


def _out_of_the_notebook(edits: Edits, store: Store, path: str) -> None:
    """Takes the line of a memory out of the index of a notebook: it says what the memory says."""
    from scrubjay.operations.notebook import listing
    from scrubjay.vaults.dialects.claude_memory import index

    listing.rewrite(edits, store, lambda text: index.without_entry(text, path), make=False)


def _tombstone(document: Document) -> tuple[str, str] | None:
    """Path and text of what stays of ``document``; ``None`` for what no source would bring back."""
    values = frontmatter.parse(document.text).values
    kind, own_id, moment = values.get("kind"), str(values.get("id") or ""), now()
    if kind == transcript.KIND:
        found = transcript.read(document)
        key = transcript.session_key(found.session)
        ids = [placed.message.id for placed in found.placed]
        return tombstone.path_for(key), tombstone.write(key, ids, at=moment)
    if kind == episode.KIND and own_id:
        return tombstone.path_for(own_id), tombstone.write(own_id, (), at=moment)
    return None


def _summaries(store: Store, document: Document) -> Iterator[Document]:
    """The episodes that tell of the conversation in ``document``."""
    if frontmatter.parse(document.text).values.get("kind") != transcript.KIND:
        return
    session = transcript.read(document).session
    for path, indexed in store.index.documents().items():
        if indexed.kind != episode.KIND:
            continue
        found = store.vault.read(path)
        values = frontmatter.parse(found.text).values
        if (str(values.get("source")), str(values.get("session"))) == (session.source, session.id):
            yield found


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
