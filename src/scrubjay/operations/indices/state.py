"""Whether the overviews are up to date: what the index noted when they were made (SM-35)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from scrubjay.operations.indices.files import GENERATED, JSON, LIST, found
from scrubjay.operations.store import Store
from scrubjay.vaults.layout import INDICES, MEMORIES

FORM = 1
"""Changes whenever the same memories would give other overviews."""

# What the overviews held when they were made, or that they are old; and the JSON whose rows were made here.
_STATE, _ROWS = "indices", "indices.rows"
_OLD = "old"


def concern(paths: Iterable[str]) -> bool:
    """Whether a memory is among ``paths``."""
    return any(path.startswith(f"{MEMORIES}/") and path != LIST for path in paths)


def changed(store: Store, paths: Iterable[str]) -> None:
    """Notes that the overviews have to be made anew if a memory is among ``paths``. Only inside ``Index.writing``."""
    if concern(paths):
        store.index.set_mark(_STATE, _OLD)


def old(store: Store) -> bool:
    """Whether a memory was changed through this index since the overviews were made: cheap, and blind to the disk."""
    return store.index.mark(_STATE) == _OLD


def fresh(store: Store) -> bool:
    """Whether the overviews are as they were made, and no memory changed since; or the vault keeps none."""
    noted = store.index.mark(_STATE)
    return not keeps_overviews(store) or (noted not in ("", _OLD) and noted == _signature(store))


def keeps_overviews(store: Store) -> bool:
    """Whether the vault has the layout of SM-1: both its folders, or memories under its names. Any other folder of
    notes is left as it is, also one that happens to have one of these folders, or a ``memory-index.json``, which other
    programs have too."""
    if store.dialect or not store.vault.exists(MEMORIES):
        return False
    return store.vault.exists(INDICES) or any(path.startswith(f"{MEMORIES}/MEM-") for path in store.index.documents())


def settle(store: Store) -> None:
    """Notes that the overviews were made just now. Only inside ``Index.writing``."""
    store.index.set_mark(_STATE, _signature(store))
    settle_rows(store)


def settle_rows(store: Store) -> None:
    """Notes that the JSON was written just now. Only inside ``Index.writing``."""
    store.index.set_mark(_ROWS, _rows(store))


def carry(old: Store, new: Store) -> None:
    """Notes in the index of ``new`` what that of ``old`` knows of the JSON, so that a rebuild reads no memory twice."""
    new.index.set_mark(_ROWS, old.index.mark(_ROWS))


def own_rows(store: Store) -> bool:
    """Whether the rows of the JSON are as they were made here: what a clone or an editor says in them is not believed,
    but for counters."""
    noted = store.index.mark(_ROWS)
    return bool(noted) and noted == _rows(store)


def _rows(store: Store) -> str:
    document = found(store, JSON)
    return f"{FORM}:{document.hash}" if document is not None else ""


def _signature(store: Store) -> str:
    """What the overviews hold now; empty while one is missing."""
    total = hashlib.sha256(str(FORM).encode())
    for path in GENERATED:
        document = found(store, path)
        if document is None:
            return ""
        total.update(document.hash.encode())
    return total.hexdigest()
