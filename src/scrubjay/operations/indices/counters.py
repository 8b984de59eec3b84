"""How often memories were retrieved: counted in the JSON at once, in the files when they are tended (SM-31, XC-14)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import date

from scrubjay.errors import ScrubjayError
from scrubjay.operations.indices import files, state
from scrubjay.operations.indices.catalog import Catalog
from scrubjay.operations.indices.entries import IndexEntry, read_entry
from scrubjay.operations.indices.memories import entries, prefix, with_known
from scrubjay.operations.store import Store
from scrubjay.text import frontmatter
from scrubjay.types import Document


def bump(store: Store, ids: Collection[str], at: date) -> bool:
    """Counts a retrieval of the memories ``ids`` in the JSON, and says whether it did.

    A vault that keeps no overviews, or cannot be written, is read all the same; then nothing is counted.
    """
    if not ids or not state.keeps_overviews(store):
        return False

    def counted(known: Catalog) -> list[IndexEntry]:
        return [_counted(entry, at) if entry.id in ids else entry for entry in with_known(found, known)]

    try:
        with store.index.writing():
            found = entries(store)
            was_fresh = state.fresh(store)
            if not files.renew_json(store, counted, prefix(store)):
                return False
            (state.settle if was_fresh else state.settle_rows)(store)
    except ScrubjayError:
        return False
    return True


def flush(store: Store, *, leaving: Collection[str] = ()) -> int:
    """Writes counters that only the JSON knows into the memories' frontmatter, in one operation, but for the paths
    ``leaving``; ``modified`` stays. Returns how many files changed.

    Only fields that a memory has already are set, and only in files that can be read without doubt.
    """
    from scrubjay.operations.editing import editing

    ahead = [entry for entry in entries(store) if entry.path not in leaving and _is_ahead(store, entry)]
    if not ahead:
        return 0
    with editing(store, "count", "Wrote counters of retrievals into the memories") as edits:
        for entry in ahead:
            try:
                with edits.attempt():
                    document = store.vault.read(entry.path)
                    edits.replace(document, _with_counters(document, entry))
            except ScrubjayError:
                continue  # it changed, or is not ours to write: the JSON goes on counting
        return len(edits.changes)


def _counted(entry: IndexEntry, at: date) -> IndexEntry:
    return replace(entry, retrieval_count=entry.retrieval_count + 1, last_retrieved=at.isoformat())


def _is_ahead(store: Store, entry: IndexEntry) -> bool:
    """Whether the JSON counted more than a file that keeps counters says."""
    if not entry.retrieval_count:
        return False
    try:
        document = store.vault.read(entry.path)
    except ScrubjayError:
        return False
    parsed = frontmatter.parse(document.text)
    if parsed.problems or "retrieval_count" not in parsed.values:
        return False
    own = read_entry(document)
    return (own.retrieval_count, own.last_retrieved) != (entry.retrieval_count, entry.last_retrieved)


def _with_counters(document: Document, entry: IndexEntry) -> str:
    return frontmatter.set_values(
        document.text, {"retrieval_count": entry.retrieval_count, "last_retrieved": entry.last_retrieved}
    )
