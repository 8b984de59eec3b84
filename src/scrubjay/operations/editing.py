"""Changing a vault: several documents in one exclusive transaction, all or nothing, each change reversible.

Inside ``editing`` a document is written, read back and indexed (lexically) before the next one. What a change
replaces is kept in the trash with a receipt; what it creates needs no copy. When anything fails the documents already
written are put back. A process killed in between leaves whole documents, and the next sync indexes them (design §4).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import PurePosixPath

from scrubjay.errors import Conflict, Refused, ScrubjayError
from scrubjay.ids import new_id
from scrubjay.operations.indexing import UTF_8, index_document
from scrubjay.operations.store import Store
from scrubjay.temporal import now
from scrubjay.types import Change, Document, Operation
from scrubjay.vaults.documents import receipt


class Edits:
    """The changes of one operation so far, and how to take them back."""

    def __init__(self, store: Store) -> None:
        self.id = new_id()
        self._store = store
        self._changes: list[Change] = []

    def create(self, path: str, text: str) -> Document:
        """Stores a new document at ``path``, or beside it with a number when the name is taken."""
        document = self._store.vault.write(self._free(path), text, expected=None)
        return self._note(document, before=None)

    def replace(self, document: Document, text: str) -> Document:
        """Replaces a document that was read; the bytes from before go to the trash.

        Raises ``Refused`` for one that is not UTF-8: writing it back would change bytes that nobody meant.
        """
        if not document.exact or document.encoding not in UTF_8:
            raise Refused(
                f"{document.path} is not UTF-8 (read as {document.encoding}), so it is not rewritten.",
                hint="Save it as UTF-8 in your editor first.",
            )
        return self.replace_bytes(document.path, text.encode("utf-8"), expected=document.hash)

    def replace_bytes(self, path: str, data: bytes, *, expected: str | None) -> Document:
        """The same for exact bytes, or for a path that must be empty when ``expected`` is ``None``."""
        kept = self._keep(path) if expected is not None else ""
        document = self._store.vault.write_bytes(path, data, expected=expected)
        return self._note(document, before=expected, kept=kept)

    def retire(self, document: Document) -> None:
        """Moves a document to the trash and out of every index."""
        kept = receipt.kept_path(self.id, document.path)
        self._store.vault.retire(document.path, expected=document.hash, kept=kept)
        self._changes.append(Change(path=document.path, before=document.hash, after=None, kept=kept))
        self._store.index.drop_document(document.path)

    def finish(self, verb: str, summary: str) -> Operation:
        """Writes the receipt, if bytes were kept, and the journal entry."""
        changes = tuple(self._changes)
        operation = Operation(id=self.id, verb=verb, at=now(), summary=summary, changes=changes)
        if any(change.kept for change in changes):
            self._store.vault.write(receipt.path_for(self.id), receipt.write(operation), expected=None)
        if changes:
            self._store.index.log(operation)
        return operation

    def roll_back(self) -> None:
        """Puts every changed path back, newest change first; what cannot be put back stays in the trash."""
        vault = self._store.vault
        for change in reversed(self._changes):
            try:
                if change.after is None:
                    vault.write_bytes(change.path, vault.read_bytes(change.kept), expected=None)
                elif change.before is None:
                    vault.retire(change.path, expected=change.after, kept=receipt.kept_path(self.id, change.path))
                else:
                    vault.write_bytes(change.path, vault.read_bytes(change.kept), expected=change.after)
            except ScrubjayError:
                continue

    def _note(self, document: Document, *, before: str | None, kept: str = "") -> Document:
        self._changes.append(Change(path=document.path, before=before, after=document.hash, kept=kept))
        index_document(self._store.index, document, scope=self._store.scope)
        return document

    def _keep(self, path: str) -> str:
        kept = receipt.kept_path(self.id, path)
        self._store.vault.write_bytes(kept, self._store.vault.read_bytes(path), expected=None)
        return kept

    def _free(self, path: str) -> str:
        if not self._store.vault.exists(path):
            return path
        pure = PurePosixPath(path)
        stem, dot, rest = pure.name.partition(".")
        number = 2
        while self._store.vault.exists(str(pure.with_name(f"{stem}-{number}{dot}{rest}"))):
            number += 1
        return str(pure.with_name(f"{stem}-{number}{dot}{rest}"))


@contextmanager
def editing(store: Store, verb: str, summary: str) -> Iterator[Edits]:
    """Opens the exclusive transaction of ``store`` and records the operation when the block ends well."""
    with store.index.writing():
        edits = Edits(store)
        try:
            yield edits
            edits.finish(verb, summary)
        except BaseException:
            edits.roll_back()
            raise


def undo(store: Store, operation: Operation) -> Operation:
    """Takes one operation back, as an operation of its own. Raises ``Conflict`` when a path changed since."""
    with store.index.writing():
        edits = Edits(store)
        try:
            for change in reversed(operation.changes):
                _take_back(edits, store, change)
            done = edits.finish("undo", f"Undid: {operation.summary}")
            _mark(store, operation)
        except BaseException:
            edits.roll_back()
            raise
    return done


def _take_back(edits: Edits, store: Store, change: Change) -> None:
    if change.before is None:
        edits.retire(_unchanged(store, change))
    elif change.after is None:
        edits.replace_bytes(change.path, store.vault.read_bytes(change.kept), expected=None)
    else:
        before = store.vault.read_bytes(change.kept)
        edits.replace_bytes(change.path, before, expected=_unchanged(store, change).hash)


def _unchanged(store: Store, change: Change) -> Document:
    document = store.vault.read(change.path)
    if document.hash != change.after:
        raise Conflict(
            f"{change.path} was changed after that operation, so undoing it would lose the change.",
            hint="Look at the file and edit it by hand, or undo the later operation first (`scrubjay undo --list`).",
        )
    return document


def _mark(store: Store, operation: Operation) -> None:
    store.index.mark_undone(operation.id)
    path = receipt.path_for(operation.id)
    if store.vault.exists(path):
        document = store.vault.read(path)
        store.vault.write(path, receipt.write(replace(operation, undone=True)), expected=document.hash)
