"""The same memory twice: in a team's folder, or in a personal notebook beside it (CC-D3).

For whoever keeps notebooks in order: duplicates are merged inside the team's folder, a personal copy of what the team
has is dropped, and nothing personal is ever moved to the team. Nothing is changed here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scrubjay.errors import ScrubjayError
from scrubjay.operations.share.screening import is_shared
from scrubjay.operations.store import Store
from scrubjay.text import frontmatter
from scrubjay.types import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """A document that says what another one says: ``kept`` is to stay, ``copy`` could go."""

    kept: Document
    copy: Document


def personal_copies(personal: Store, team: Store) -> list[Copy]:
    """Documents of a personal notebook whose words, all of them, a document of the team has too."""
    shared = {words: document for document in _documents(team) if (words := _words(document))}
    found = ((shared.get(_words(document)), document) for document in _documents(personal))
    return [Copy(kept=kept, copy=document) for kept, document in found if kept is not None]


def duplicates(store: Store) -> list[Copy]:
    """Documents of one notebook with the same words; the one that was there first by its path stays."""
    first: dict[str, Document] = {}
    found = []
    for document in _documents(store):
        kept = first.setdefault(_words(document), document) if _words(document) else document
        if kept is not document:
            found.append(Copy(kept=kept, copy=document))
    return found


def _documents(store: Store) -> Iterator[Document]:
    for entry in store.vault.entries():
        if is_shared(entry.path, store.dialect):
            try:
                yield store.vault.read(entry.path)
            except ScrubjayError:
                continue


def _words(document: Document) -> str:
    """The body in one line, whatever the frontmatter says and however the lines are broken."""
    return " ".join(document.text[frontmatter.parse(document.text).body_start :].split()).casefold()
