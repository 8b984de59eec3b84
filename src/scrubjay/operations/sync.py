"""Bringing the index to what the vault holds: metadata first, only what changed is read (design §8; F32, F33, F46)."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from scrubjay.errors import BadInput, NotFound, ScrubjayError
from scrubjay.operations import indices
from scrubjay.operations.editing import Edits, stands
from scrubjay.operations.indexing import index_document
from scrubjay.operations.share.screening import withheld
from scrubjay.operations.store import Store
from scrubjay.ports import Index, IndexedDocument
from scrubjay.types import Document, Entry, Fact, Operation, Problem
from scrubjay.vaults.documents import fact as facts
from scrubjay.vaults.documents import receipt
from scrubjay.vaults.layout import INDEX, is_indexed
from scrubjay.vaults.visibility import covers

BATCH = 64
# A file written in the same instant as it was read may change again without a new time: read such files once more.
RACY_NS = 2_000_000_000

Progress = Callable[[int, int], None]


@dataclass(slots=True)
class SyncReport:
    """What a sync found: paths by what happened to them, and how many were looked at."""

    looked_at: int = 0
    read: int = 0
    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    moved: list[tuple[str, str]] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    repaired: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @property
    def anything(self) -> bool:
        """Whether the index changed."""
        return bool(self.added or self.changed or self.moved or self.removed or self.repaired)


def sync(store: Store, *, progress: Progress | None = None) -> SyncReport:
    """Indexes what is new or changed, follows moves, forgets what is gone; unchanged files are not read.

    Works in short transactions, so that other processes write in between; running it again finishes what an
    interruption left. ``progress`` is called with (done, to do).
    """
    report = _sync_documents(store, progress)
    _take_in_receipts(store, report)
    _finish_supersessions(store, report)
    if not store.index.complete:
        store.index.completed()
    _renew_overviews(store, report)
    return report


def _sync_documents(store: Store, progress: Progress | None) -> SyncReport:
    report = SyncReport()
    known = dict(store.index.documents())
    entries = [entry for entry in store.vault.entries() if is_indexed(entry.path)]
    report.looked_at = len(entries)
    present = {entry.path for entry in entries}
    gone = {path for path in known if path not in present}
    _note_skipped(store, gone, report)
    todo = [entry for entry in entries if _may_have_changed(entry, known.get(entry.path))]
    for done in range(0, len(todo), BATCH):
        with store.index.writing():
            for entry in todo[done : done + BATCH]:
                _take_in(store, entry, gone, report)
        if progress:
            progress(min(done + BATCH, len(todo)), len(todo))
    _forget_gone(store, sorted(gone), report)
    return report


def rebuild(store: Store, *, progress: Progress | None = None) -> SyncReport:
    """Builds a new index beside the old one and swaps it in; readers and writers use the old one meanwhile.

    Vectors whose text is unchanged are carried over, so that a rebuild costs no model time (F12, F13, F46).
    """
    reports: list[SyncReport] = []

    def fill(fresh: Index) -> None:
        beside = replace(store, index=fresh)
        indices.carry(store, beside)
        # Receipts wait for the second call, which holds the lock: before, one may be of an operation under way.
        reports.append(sync(beside, progress=progress) if reports else _sync_documents(beside, progress))

    store.index.rebuild(fill)
    first, *rest = reports
    for later in rest:
        first.repaired += later.repaired
        first.problems += [problem for problem in later.problems if problem not in first.problems]
    return first


def _may_have_changed(entry: Entry, known: IndexedDocument | None) -> bool:
    if known is None or entry.size != known.size or entry.mtime_ns != known.mtime_ns:
        return True
    return time.time_ns() - entry.mtime_ns < RACY_NS


def _take_in(store: Store, entry: Entry, gone: set[str], report: SyncReport) -> None:
    """Reads one document and brings the index up to it; a file that vanished or cannot be read is reported."""
    try:
        document = store.vault.read(entry.path)
    except NotFound:
        return
    except ScrubjayError as error:
        report.problems.append(Problem(path=entry.path, message=error.message))
        return
    report.read += 1
    known = store.index.document(entry.path)
    if known is not None and known.hash == document.hash:
        if (known.size, known.mtime_ns) != (document.size, document.mtime_ns):
            store.index.touch_document(replace(known, size=document.size, mtime_ns=document.mtime_ns))
        return
    if known is None:
        source = next((path for path in store.index.with_hash(document.hash) if path in gone), None)
        if source is not None:
            _follow_move(store, source, document)
            gone.discard(source)
            report.moved.append((source, document.path))
            return
    if (problem := withheld(store.scope, document)) is not None:
        store.index.drop_document(document.path)
        report.problems.append(problem)
        return
    meant = index_document(store.index, document, scope=store.scope)
    report.problems.extend(meant.problems)
    (report.changed if known else report.added).append(document.path)


def _follow_move(store: Store, source: str, document: Document) -> None:
    store.index.move_document(source, document.path)
    moved = store.index.document(document.path)
    if moved is not None:
        store.index.touch_document(replace(moved, size=document.size, mtime_ns=document.mtime_ns))


def _note_skipped(store: Store, gone: set[str], report: SyncReport) -> None:
    """Reports what the listing could not read; what was indexed of it is not ``gone`` and stays as it was."""
    for problem in store.vault.skipped():
        report.problems.append(problem)
        gone -= {path for path in gone if covers(problem.path, path)}


def _forget_gone(store: Store, gone: Sequence[str], report: SyncReport) -> None:
    for start in range(0, len(gone), BATCH):
        with store.index.writing():
            for path in gone[start : start + BATCH]:
                if not store.vault.exists(path):
                    store.index.drop_document(path)
                    report.removed.append(path)


def _take_in_receipts(store: Store, report: SyncReport) -> None:
    """Brings operations into the journal that only their receipts know: all of them after the index was lost, one
    whose process was killed. What never happened, or was rolled back, is left out."""
    found = [_recorded(store, path, report) for path in _unknown_receipts(store)]
    if not any(found):
        return
    with store.index.writing():
        # Only now is nobody in the middle of an operation whose receipt was written already.
        for path in _unknown_receipts(store):
            operation = _recorded(store, path, None)
            if operation is not None:
                store.index.log(operation)


def _unknown_receipts(store: Store) -> list[str]:
    paths = {receipt.operation_of(path): path for path in store.vault.receipts()}
    known = {operation.id for operation in store.index.operations(sys.maxsize)} if paths else set()
    return [path for id, path in paths.items() if id not in known]


def _recorded(store: Store, path: str, report: SyncReport | None) -> Operation | None:
    """The operation behind a receipt, if there is something to it; a damaged receipt is reported."""
    try:
        operation = receipt.read(store.vault.read(path))
        return operation if operation.changes and (operation.undone or stands(store, operation)) else None
    except ScrubjayError as error:
        if report is not None:
            report.problems.append(Problem(path=path, message=error.message.removeprefix(f"{path}: ")))
        return None


def _finish_supersessions(store: Store, report: SyncReport) -> None:
    """Closes facts whose successor was written when a process died before closing them (F8)."""
    if not report.added and not report.changed:
        return
    for path in [*report.added, *report.changed]:
        if not path.startswith(f"{facts.FOLDER}/"):
            continue
        try:
            successor = facts.read(store.vault.read(path))
        except (BadInput, NotFound):
            continue
        old = store.index.record(successor.supersedes) if successor.supersedes else None
        if old is None or old.recorded.end is not None:
            continue
        with store.index.writing():
            _close(store, old.path, successor)
        report.repaired.append(old.path)


def _renew_overviews(store: Store, report: SyncReport) -> None:
    """Makes the overviews anew where files came, changed or went, or somebody changed the overviews (SM-35, F106)."""
    paths = [*report.added, *report.changed, *report.removed, *(path for pair in report.moved for path in pair)]
    if indices.concern(paths):
        with store.index.writing():
            indices.changed(store, paths)
    try:
        indices.regenerate(store)
    except ScrubjayError as error:
        report.problems.append(Problem(path=INDEX, message=f"the overviews could not be renewed: {error.message}"))


def _close(store: Store, path: str, successor: Fact) -> None:
    from scrubjay.operations.facts import closed_by

    document = store.vault.read(path)
    old = facts.read(document)
    edits = Edits(store, "supersede", f"Finished superseding {old.id}")
    edits.replace(document, facts.close(document.text, closed_by(old, successor)))
    edits.finish()
