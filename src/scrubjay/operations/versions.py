"""What a document said before: its versions in git, or those that the trash keeps (SM-51)."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path

from scrubjay.errors import NotFound, ScrubjayError, Unavailable
from scrubjay.operations.store import Store
from scrubjay.types import Document
from scrubjay.vaults.git import Commit, Repository
from scrubjay.vaults.git import Version as GitVersion

MOST = 10_000
BEFORE = "^"


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A state of a document: ``id`` names it (a commit, an operation, or an operation with ``^`` for the state before
    it), ``at`` is when it came about, ``who`` and ``what`` made it. ``text`` is empty where the document was gone."""

    id: str
    at: datetime
    who: str
    what: str
    text: str


def commit(store: Store, memories: int, *, session: str = "") -> Commit:
    """Commits the vault's own changes with the message of SM-51. Where that is not safe nothing happens, and the
    result says why; a failure of git is such a reason too."""
    message = f"memory: add/update {memories} {'memory' if memories == 1 else 'memories'}"
    named = " ".join(session.split())
    try:
        repository = Repository.around(Path(store.vault.name))
        if repository is None:
            return Commit(reason="the vault is in no git repository")
        return repository.commit(f"{message}\n\nSession: {named}" if named else message)
    except ScrubjayError as error:
        return Commit(reason=str(error))


def versions(store: Store, document: Document, limit: int = 50) -> list[Version]:
    """States of ``document``, newest first: the commits of git where the vault is in a repository that has it, else
    what our own operations made and replaced, as the trash keeps it."""
    repository, found = _committed(store, document, limit)
    return _with_texts(repository, found) if repository is not None else _kept(store, document)[:limit]


def version(store: Store, document: Document, name: str) -> Version:
    """The state that ``name`` means: the beginning of its id. Raises ``NotFound``."""
    repository, commits = _committed(store, document, MOST)
    ids = [one.commit for one in commits] if repository is not None else [one.id for one in _kept(store, document)]
    meant = [place for place, id in enumerate(ids) if _means(name, id)]
    if len(meant) != 1:
        raise NotFound(
            f"{document.path} has no version {name!r}." if not meant else f"Several versions begin with {name!r}.",
            hint=f"List them with `scrubjay log {shlex.quote(document.path)}`.",
        )
    if repository is not None:
        return _with_texts(repository, [commits[meant[0]]])[0]
    return _kept(store, document)[meant[0]]


def _means(name: str, id: str) -> bool:
    if not name or name.endswith(BEFORE) != id.endswith(BEFORE):
        return False
    return id.casefold().startswith(name.removesuffix(BEFORE).casefold())


def _committed(store: Store, document: Document, limit: int) -> tuple[Repository | None, list[GitVersion]]:
    """The repository that has ``document``, and its commits; none where git cannot be asked."""
    try:
        repository = Repository.around(Path(store.vault.name))
        found = repository.versions(document.path, limit) if repository is not None else []
    except Unavailable:
        return None, []
    return (repository, found) if found else (None, [])


def _with_texts(repository: Repository, found: list[GitVersion]) -> list[Version]:
    return [
        Version(id=one.commit, at=one.at, who=one.author, what=one.subject, text=text)
        for one, text in zip(found, repository.texts(found), strict=True)
    ]


def _kept(store: Store, document: Document) -> list[Version]:
    """The states of the document at this path that our operations know, newest first.

    An operation made what the next one replaced, and that is in the trash; the newest made what is there now. A state
    that somebody else made in between is the state before an operation, and none that an operation made.
    """
    text, hash = document.text, document.hash
    found: list[Version] = []
    for operation in store.index.operations(sys.maxsize):
        changes = [change for change in operation.changes if change.path == document.path]
        if not changes:
            continue
        before, after = changes[0].before, changes[-1].after
        if after == hash and before != hash:
            found.append(Version(id=operation.id, at=operation.at, who="", what=operation.summary, text=text))
        kept = _read(store, changes[0].kept)
        if changes[0].prefix is not None and after == hash and len(changes) == 1:
            kept = text.encode("utf-8")[: changes[0].prefix].decode("utf-8", "replace")
        if before is not None and kept is not None:
            text, hash = kept, before
            what = f"Before: {operation.summary}"
            found.append(Version(id=f"{operation.id}{BEFORE}", at=operation.at, who="", what=what, text=text))
    return _without_repeated(found)


def _without_repeated(found: list[Version]) -> list[Version]:
    """``found`` without a state before an operation that an earlier operation made."""
    return [
        one
        for one, older in pairwise([*found, None])
        if one is not None and not (one.id.endswith(BEFORE) and older is not None and older.text == one.text)
    ]


def _read(store: Store, path: str) -> str | None:
    try:
        return store.vault.read(path).text if path else None
    except ScrubjayError:
        return None
