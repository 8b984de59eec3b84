"""Facts of messages that were taken back after they had been read: they stay, and count half (TR-5, TR-22)."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from scrubjay.operations.editing import editing
from scrubjay.operations.hearing import UNDONE
from scrubjay.operations.store import Store
from scrubjay.text import frontmatter
from scrubjay.types import Record
from scrubjay.vaults.documents import fact as documents


def withdraw(stores: Iterable[Store], key: str, messages: Collection[str]) -> int:
    """Halves, once, the confidence of the facts that only ``messages`` of the conversation ``key`` bear out; returns
    how many there were."""
    return sum(_withdraw(store, key, frozenset(messages)) for store in stores) if messages else 0


def _withdraw(store: Store, key: str, messages: frozenset[str]) -> int:
    # A statement that was made outright begins above UNDONE, and is below it once it was halved.
    found = [record for record in store.index.facts() if _is_borne_out(record, messages) and record.confidence > UNDONE]
    if not found:
        return 0
    done = 0
    with editing(store, "extract", f"Trusted less what was taken back in {key}") as edits:
        for record in found:
            document = store.vault.read(record.path)
            if documents.read(document).source.ref == key:
                confidence = round(record.confidence * UNDONE, 3)
                edits.replace(document, frontmatter.set_values(document.text, {"confidence": confidence}))
                done += 1
    return done


def _is_borne_out(record: Record, messages: frozenset[str]) -> bool:
    return bool(record.message_ids) and messages.issuperset(record.message_ids)
