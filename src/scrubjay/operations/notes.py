"""Notes: documents of knowledge in the vault's own format (SM-4, SM-29)."""

from __future__ import annotations

from dataclasses import replace

from scrubjay.errors import BadInput, NotFound
from scrubjay.operations.editing import editing
from scrubjay.operations.redaction import Redaction
from scrubjay.operations.store import Store
from scrubjay.temporal import now
from scrubjay.text.slug import memory_slug
from scrubjay.text.terms import key_terms
from scrubjay.types import Document, Note
from scrubjay.vaults.documents import note as documents
from scrubjay.vaults.documents import revision
from scrubjay.vaults.documents.transcript import clean

KEYWORDS = 5


def write(store: Store, note: Note) -> Note:
    """Creates ``10-Memories/MEM-<slug>.md`` and returns the note as read back; the same note again changes nothing.

    Secrets are taken out first and named in its ``redacted`` (SEC-2). Raises ``BadInput`` without a title or a body.
    """
    if not note.title.strip():
        raise BadInput("A note needs a title.")
    if not note.body.strip():
        raise BadInput("A note needs a body.")
    redaction = Redaction()
    note = redaction.fields(note, ("title", "body", "topic", "tags", "source", "extra"), pairs=[("title", "body")])
    today = f"{now():%Y-%m-%d}"
    note = replace(note, title=" ".join(note.title.split()), body=clean(note.body), created=note.created or today)
    note = replace(note, extra={**_counted(note), **note.extra})
    path = f"{documents.FOLDER}/MEM-{memory_slug(note.topic, note.title)}.md"
    with editing(store, "note", f"Wrote note: {note.title}") as edits:
        stored = _known(store, note, path) or edits.create(path, revision.create(note))
    written = documents.read(store.vault.read(stored.path), scope=store.scope)
    return replace(written, redacted=tuple(redaction.found))


def _counted(note: Note) -> dict[str, object]:
    """The fields of SM-4 that readers of the family look for in every memory."""
    return {
        "keywords": key_terms(f"{note.title}\n\n{note.body}", KEYWORDS),
        "summary": note.title,
        "retrieval_count": 0,
        "last_retrieved": None,
    }


def _known(store: Store, note: Note, path: str) -> Document | None:
    """The document that says exactly this already, whenever it was written (F22)."""
    stem, number = path.removesuffix(".md"), 1
    wanted = _said(note, revision.create(note))
    while store.vault.exists(path):
        document = store.vault.read(path)
        if _said(documents.read(document), document.text) == wanted:
            return document
        number += 1
        path = f"{stem}-{number}.md"
    return None


def _said(note: Note, text: str) -> tuple[object, ...]:
    """What makes a note that note; its dates and counters do not."""
    return note.title, note.topic, note.tags, note.source or "user input", note.status, revision.body_of(text)


def find(store: Store, name: str) -> Document:
    """The document called ``name``: a path, a file name with or without ``.md``, or a document's own id."""
    for path in (name, f"{name}.md", f"{documents.FOLDER}/{name}.md"):
        if store.index.document(path) is not None:
            return store.vault.read(path)
    own = store.index.document_with_id(name)
    if own is not None:
        return store.vault.read(own.path)
    named = (name, f"{name}.md")
    matches = [path for path in store.index.documents() if path.rsplit("/", 1)[-1] in named]
    if len(matches) > 1:
        shown = ", ".join(sorted(matches)[:5])
        raise BadInput(f"{name!r} names {len(matches)} documents.", hint=f"Say which one: {shown}")
    if not matches:
        raise NotFound(f"Nothing in the memory is called {name!r}.", hint="Look for it with `scrubjay search`.")
    return store.vault.read(matches[0])
