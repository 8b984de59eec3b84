"""Changing a vault: several documents in one exclusive transaction, all or nothing, each change reversible.

Inside ``editing`` a document is written, read back and indexed (lexically) before the next one. What a change
replaces is kept in the trash, and a receipt says so before the change is made: whoever is killed at any point leaves
whole documents and a receipt, and the next sync takes in both (design §4). When anything fails the documents already
written are put back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import PurePosixPath

from scrubjay.errors import Conflict, Corrupt, NotFound, Refused, ScrubjayError, Unavailable
from scrubjay.ids import new_id
from scrubjay.operations import indices
from scrubjay.operations.indexing import UTF_8, index_document
from scrubjay.operations.store import Store
from scrubjay.ports import Vault
from scrubjay.temporal import now
from scrubjay.types import Change, Document, Operation
from scrubjay.vaults.documents import receipt
from scrubjay.vaults.encoding import digest, to_bytes


class Edits:
    """The changes of one operation so far, and how to take them back."""

    def __init__(self, store: Store, verb: str, summary: str, *, batch: bool = False) -> None:
        self._store = store
        self._batch = batch
        self._operation = Operation(id=new_id(), verb=verb, at=now(), summary=summary)
        self._changes: list[Change] = []
        self._announced: frozenset[Change] = frozenset()
        self._receipt: str | None = None

    @property
    def id(self) -> str:
        """The id of the operation."""
        return self._operation.id

    @property
    def changes(self) -> Sequence[Change]:
        """What was changed so far, in order."""
        return tuple(self._changes)

    @property
    def changed(self) -> bool:
        """Whether anything was changed so far."""
        return bool(self._changes)

    @property
    def announced(self) -> bool:
        """Whether a receipt lies in the trash, so that the operation can be undone after a failure too."""
        return self._receipt is not None

    def create(self, path: str, text: str) -> Document:
        """Stores a new document at ``path``, or beside it with a number when the name is taken."""
        place = self._free(path)
        with self._change(Change(path=place, before=None, after=digest(to_bytes(text, fresh=True)))):
            document = self._store.vault.write(place, text, expected=None)
        return self._indexed(document)

    def replace(self, document: Document, text: str) -> Document:
        """Replaces a document that was read; the bytes from before go to the trash.

        Raises ``Refused`` for one that is not UTF-8: writing it back would change bytes that nobody meant.
        """
        if not document.exact or document.encoding not in UTF_8:
            raise Refused(
                f"{document.path} is not UTF-8 (read as {document.encoding}), so it is not rewritten.",
                hint="Save it as UTF-8 in your editor first.",
            )
        # A byte order mark that was there stays: other programs may need it.
        marked = document.encoding == "utf-8-sig" and not text.startswith("\ufeff")
        data = text.encode("utf-8-sig" if marked else "utf-8")
        return self.replace_bytes(document.path, data, expected=document.hash)

    def append(self, document: Document, text: str) -> Document:
        """As ``replace``, for a ``text`` that goes on where the document ends: nothing is kept, since undo can cut it
        off again. A document that grows a thousand times would else lie in the trash a thousand times."""
        before, data = self._store.vault.read_bytes(document.path), text.encode("utf-8")
        if digest(before) != document.hash or not data.startswith(before):
            return self.replace(document, text)
        change = Change(path=document.path, before=document.hash, after=digest(data), prefix=len(before))
        with self._change(change):
            document = self._store.vault.write_bytes(document.path, data, expected=document.hash)
        return self._indexed(document)

    def replace_bytes(self, path: str, data: bytes, *, expected: str | None) -> Document:
        """The same for exact bytes, or for a path that must be empty when ``expected`` is ``None``."""
        kept = self._keep(path) if expected is not None else ""
        with self._change(Change(path=path, before=expected, after=digest(data), kept=kept)):
            document = self._store.vault.write_bytes(path, data, expected=expected)
        return self._indexed(document)

    def retire(self, document: Document) -> None:
        """Moves a document to the trash and out of every index."""
        kept = self._place_in_trash(document.path)
        with self._change(Change(path=document.path, before=document.hash, after=None, kept=kept)):
            self._store.vault.retire(document.path, expected=document.hash, kept=kept)
        self._store.index.drop_document(document.path)

    def move(self, document: Document, target: str) -> Document:
        """Gives a document another path, where nothing lies yet; its bytes, dates and vectors stay as they are. A file
        that is not indexed, because it is no document, is not indexed at its new path either."""
        kept = self._keep(document.path)
        gone = Change(path=document.path, before=document.hash, after=None, kept=kept)
        come = Change(path=target, before=None, after=document.hash)
        self.announce([*self._changes, gone, come])
        with self._change(gone), self._change(come):
            moved = self._store.vault.rename(document.path, target, expected=document.hash)
        if self._store.index.document(document.path) is None:
            return moved
        self._store.index.move_document(document.path, target)
        return self._indexed(moved)

    def announce(self, changes: Sequence[Change]) -> None:
        """Writes the receipt of ``changes``, made or meant, if any of them replaced bytes or they are a batch.

        One that was announced and never made does no harm: undo leaves a path alone that is as it was before.
        """
        if self._batch or any(change.restorable for change in changes):
            self._write_receipt(changes)

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Around changes that belong together: when one of them fails, those made inside are put back, the operation
        goes on without them, and the error with it. What cannot be put back ends the operation (``Unavailable``)."""
        before = len(self._changes)
        try:
            yield
        except ScrubjayError as error:
            for change in reversed(self._changes[before:]):
                if not self._put_back(change):
                    raise Unavailable(
                        f"{change.path} could not be put back after: {error.message}", hint=error.hint
                    ) from error
                self._changes.remove(change)
                self._reindex(change.path)
            raise

    def finish(self) -> Operation:
        """Writes the journal entry, and the receipt anew if other changes came than were announced."""
        done = replace(self._operation, changes=tuple(self._changes))
        if self._receipt is not None and self._announced != frozenset(self._changes):
            self._write_receipt(self._changes)
        if self._changes:
            self._store.index.log(done)
            indices.changed(self._store, (change.path for change in self._changes))
        return done

    def roll_back(self) -> list[str]:
        """Puts every changed path back, newest change first. Returns the paths for which that failed: their bytes stay
        in the trash, and their changes in the receipt."""
        left = [change for change in reversed(self._changes) if not self._put_back(change)]
        if self._receipt is not None:
            # On a full disk the receipt stays as it is, and says more than happened.
            with suppress(ScrubjayError):
                self._write_receipt(left[::-1], undone=not left)
        return [change.path for change in left]

    @contextmanager
    def _change(self, change: Change) -> Iterator[None]:
        """Around the one call that makes ``change``."""
        if (change.restorable or self._batch) and change not in self._announced:
            self.announce([*self._changes, change])
        self._changes.append(change)
        try:
            yield
        except ScrubjayError:
            with suppress(ScrubjayError):
                if not _happened(self._store.vault, change):
                    self._changes.remove(change)
            raise

    def _write_receipt(self, changes: Sequence[Change], *, undone: bool = False) -> None:
        text = receipt.write(replace(self._operation, changes=tuple(changes), undone=undone))
        self._receipt = self._store.vault.write(receipt.path_for(self.id), text, expected=self._receipt).hash
        self._announced = frozenset(changes)

    def _put_back(self, change: Change) -> bool:
        vault = self._store.vault
        try:
            if not _happened(vault, change):
                return True
            if change.before is None:
                vault.retire(change.path, expected=change.after or "", kept=self._place_in_trash(change.path))
            elif change.after is None:
                # A move needs no space, so it works on a full disk too.
                vault.rename(change.kept, change.path, expected=change.before)
            elif change.prefix is not None:
                vault.write_bytes(change.path, bytes_before(vault, change), expected=change.after)
            else:
                _restore(vault, change, change.before, change.after)
        except ScrubjayError:
            return False
        return True

    def _indexed(self, document: Document) -> Document:
        index_document(self._store.index, document, scope=self._store.scope)
        return document

    def _reindex(self, path: str) -> None:
        if self._store.vault.exists(path):
            self._indexed(self._store.vault.read(path))
        else:
            self._store.index.drop_document(path)

    def _keep(self, path: str) -> str:
        kept = self._place_in_trash(path)
        self._store.vault.write_bytes(kept, self._store.vault.read_bytes(path), expected=None)
        return kept

    def _place_in_trash(self, path: str) -> str:
        """Where bytes of ``path`` are kept; one operation may change a document several times."""
        kept = place = receipt.kept_path(self.id, path)
        number = 2
        while self._store.vault.exists(place):
            place = f"{kept}.{number}"
            number += 1
        return place

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
def editing(store: Store, verb: str, summary: str, *, batch: bool = False) -> Iterator[Edits]:
    """Opens the exclusive transaction of ``store`` and records the operation when the block ends well.

    What is new needs no receipt, since whoever is killed leaves it whole; of a ``batch`` it is in the receipt too, so
    that a part of it can be taken back.
    """
    with _operation(store, verb, summary, batch=batch) as edits:
        yield edits
        edits.finish()


@contextmanager
def _operation(store: Store, verb: str, summary: str, *, batch: bool = False) -> Iterator[Edits]:
    """The exclusive transaction around the changes of one operation; whatever fails, the commit too, they are put
    back."""
    edits = Edits(store, verb, summary, batch=batch)
    done = False
    try:
        with store.index.writing():
            try:
                yield edits
                done = True
            except BaseException as error:
                _give_up(edits, error)
                raise
    except ScrubjayError as error:
        if done:  # without the lock by now, so only what is still as it was written is put back
            _give_up(edits, error)
        raise


def undo(store: Store, operation: Operation) -> Operation:
    """Takes one operation back, as an operation of its own; paths that are as they were before are left alone.

    Raises ``Conflict`` when a path changed since, ``NotFound`` or ``Corrupt`` when the bytes from before are not in
    the trash any more; then nothing has changed.
    """
    with _operation(store, "undo", f"Undid: {operation.summary}") as edits:
        changes = _net(operation.changes)
        plan = [back for change in reversed(changes) if (back := _inverse(store, change, edits.id)) is not None]
        before = {change.path: change for change in changes}
        edits.announce(plan)
        for back in plan:
            if back.after is None:
                edits.retire(store.vault.read(back.path))
            else:
                edits.replace_bytes(back.path, bytes_before(store.vault, before[back.path]), expected=back.before)
        done = edits.finish()
        _mark(store, operation)
    return done


def stands(store: Store, operation: Operation) -> bool:
    """Whether any change of ``operation`` was made and can be taken back. Raises ``Refused`` for unsafe paths."""
    return any(
        _hash_at(store.vault, change.path) != change.before and (not change.kept or store.vault.exists(change.kept))
        for change in operation.changes
    )


def _give_up(edits: Edits, error: BaseException) -> None:
    left = edits.roll_back()
    if left and edits.announced and isinstance(error, ScrubjayError):
        error.hint = (
            f"{', '.join(left)} could not be put back. Mend the cause, then run `scrubjay sync` and "
            f"`scrubjay undo {edits.id}`."
        )


def _net(changes: Sequence[Change]) -> list[Change]:
    """One change for each path: from what was there first to what was there last. Where another program wrote in
    between, what it wrote was there first."""
    net: dict[str, Change] = {}
    for change in changes:
        first = net.get(change.path)
        if first is None or first.after != change.before:
            net[change.path] = change
        elif first.prefix is not None and change.prefix is None:
            # What was added was replaced later: the bytes from before begin those that were kept then.
            net[change.path] = replace(first, after=change.after, kept=first.kept or change.kept)
        else:
            net[change.path] = replace(first, after=change.after)
    return list(net.values())


def _inverse(store: Store, change: Change, id: str) -> Change | None:
    """The change of operation ``id`` that takes ``change`` back; ``None`` when the path is as it was before."""
    current = _hash_at(store.vault, change.path)
    if current is None and change.after is not None:
        _require_not_moved(store, change.path, change.after)
    if current == change.before:
        return None
    if current is not None and current != change.after:
        raise _in_the_way(change)
    if change.before is not None:
        bytes_before(store.vault, change)  # or says what is missing
    kept = receipt.kept_path(id, change.path) if current is not None else ""
    return Change(path=change.path, before=current, after=change.before, kept=kept)


def _in_the_way(change: Change) -> Conflict:
    if change.after is None:
        return Conflict(
            f"Something else lies at {change.path} by now, so what was there before cannot go back.",
            hint="Move that file away and undo again; `scrubjay undo --list` names the operations.",
        )
    return Conflict(
        f"{change.path} was changed after that operation, so undoing it would lose the change.",
        hint="Look at the file and edit it by hand, or undo the later operation first (`scrubjay undo --list`).",
    )


def _require_not_moved(store: Store, path: str, hash: str) -> None:
    moved = next((other for other in store.index.with_hash(hash) if other != path and store.vault.exists(other)), None)
    if moved is not None:
        raise Conflict(
            f"{path} was moved to {moved} after that operation.",
            hint="Move it back and undo again; `scrubjay undo --list` names the operations.",
        )


def bytes_before(vault: Vault, change: Change) -> bytes:
    """What ``change.path`` held before: as the trash keeps it, or as what was added to still begins with it.

    Raises ``NotFound`` or ``Corrupt`` when it is not there any more.
    """
    hint = (
        "Nothing was changed. Take the file from a backup or from git; `scrubjay undo --list` names what else can be "
        "undone."
    )
    where = change.kept or (change.path if change.prefix is not None else "")
    try:
        data = vault.read_bytes(where)[: change.prefix] if where else None
    except NotFound:
        data = None
    if data is None:
        raise NotFound(f"The bytes that {change.path} had before are missing: {where or 'the trash'}.", hint=hint)
    if digest(data) != change.before:
        raise Corrupt(f"{where} was changed: it is not what {change.path} held before.", hint=hint)
    return data


def _restore(vault: Vault, change: Change, before: str, after: str) -> None:
    """Puts the bytes from before in place of those written over them."""
    try:
        vault.write_bytes(change.path, vault.read_bytes(change.kept), expected=after)
    except Unavailable:
        # No space for a copy: the two files change places instead.
        vault.retire(change.path, expected=after, kept=f"{change.kept}.taken-back")
        vault.rename(change.kept, change.path, expected=before)


def _happened(vault: Vault, change: Change) -> bool:
    return _hash_at(vault, change.path) == change.after and (change.after is not None or vault.exists(change.kept))


def _hash_at(vault: Vault, path: str) -> str | None:
    try:
        return digest(vault.read_bytes(path))
    except NotFound:
        return None


def _mark(store: Store, operation: Operation) -> None:
    store.index.mark_undone(operation.id)
    path = receipt.path_for(operation.id)
    if store.vault.exists(path):
        document = store.vault.read(path)
        store.vault.write(path, receipt.write(replace(operation, undone=True)), expected=document.hash)
