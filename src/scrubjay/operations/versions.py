"""What a document said before: its versions in git, or those that the trash keeps (SM-51)."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from scrubjay.errors import NotFound, ScrubjayError
from scrubjay.operations.store import Store
from scrubjay.types import Document
from scrubjay.vaults.git import Commit, Repository


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A state of a document: ``id`` names it (a commit, or an operation), ``at`` is when it came about."""

    id: str
    at: datetime
    who: str
    what: str
    text: str


def commit(store: Store, memories: int, *, session: str = "") -> Commit:
    """Commits the vault's own changes with the message of SM-51. Where that is not safe nothing happens, and the
    result says why; a failure of git is such a reason too."""
    repository = Repository.around(Path(store.vault.name))
    if repository is None:
        return Commit(reason="the vault is in no git repository")
    message = f"memory: add/update {memories} {'memory' if memories == 1 else 'memories'}"
    try:
        return repository.commit(f"{message}\n\nSession: {session}" if session else message)
    except ScrubjayError as error:
        return Commit(reason=str(error))


def versions(store: Store, document: Document, limit: int = 50) -> list[Version]:
    """States of ``document``, newest first: the commits of git where the vault is in a repository that has it, else
    what our own operations replaced, as the trash keeps it."""
    repository = Repository.around(Path(store.vault.name))
    if repository is not None:
        found = repository.versions(document.path, limit)
        if found:
            return [
                Version(id=one.commit, at=one.at, who=one.author, what=one.subject, text=repository.at(one))
                for one in found
            ]
    return _kept(store, document, limit)


def version(store: Store, document: Document, name: str) -> Version:
    """The state that ``name`` means: the beginning of its id. Raises ``NotFound``."""
    found = [one for one in versions(store, document, sys.maxsize) if name and one.id.startswith(name)]
    if len(found) != 1:
        raise NotFound(
            f"{document.path} has no version {name!r}." if not found else f"Several versions begin with {name!r}.",
            hint="List them with `scrubjay log`.",
        )
    return found[0]


def _kept(store: Store, document: Document, limit: int) -> list[Version]:
    """The text that each of our operations left at this path, newest first, as far as the trash knows it.

    An operation left what the next one replaced; the newest left what is there now, unless somebody edited it since.
    """
    text: str = document.text
    hash: str | None = document.hash
    found: list[Version] = []
    for operation in store.index.operations(sys.maxsize):
        for change in reversed(operation.changes):
            if change.path != document.path or operation.undone or len(found) >= limit:
                continue
            if change.after != hash:
                return found
            found.append(Version(id=operation.id, at=operation.at, who="", what=operation.summary, text=text))
            if not change.kept or not store.vault.exists(change.kept):
                return found
            text, hash = store.vault.read(change.kept).text, change.before
    return found
