"""Making the overviews anew when the memories changed, and only then (SM-31)."""

from __future__ import annotations

from scrubjay.errors import ScrubjayError
from scrubjay.operations.indices import files, state
from scrubjay.operations.indices.memories import entries, prefix, with_known
from scrubjay.operations.store import Store


def regenerate(store: Store) -> list[str]:
    """Makes the overviews anew from the memories and returns the paths that were written; none when nothing changed.

    A file under one of these names that is not ours is left alone. Nothing happens while the index does not know the
    whole vault. Raises ``ScrubjayError`` when a file cannot be written; the others are, and the next call tries again.
    """
    if not store.index.complete or state.fresh(store):
        return []
    written: list[str] = []
    failed: list[ScrubjayError] = []
    with store.index.writing():
        found = entries(store)
        for path in files.GENERATED:
            try:
                if path == files.JSON:
                    written += files.renew_json(store, lambda known: with_known(found, known), prefix(store))
                else:
                    written += files.renew_markdown(store, path, found)
            except ScrubjayError as error:
                failed.append(error)
        if failed:
            raise failed[0]
        state.settle(store)
    return written
