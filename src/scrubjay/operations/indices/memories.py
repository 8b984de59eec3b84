"""Every memory of a vault as an entry: from its file, with the counters that only the JSON knows (SM-31)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

from scrubjay.errors import NotFound, ScrubjayError
from scrubjay.operations.indices import catalog, files, state
from scrubjay.operations.indices.catalog import Catalog
from scrubjay.operations.indices.entries import IndexEntry, abridged, read_entry, with_counters
from scrubjay.operations.store import Store
from scrubjay.vaults.layout import MEMORIES, is_indexed

_FOLDER = f"{MEMORIES}/"
_KINDS = ("note", "tombstone")


def entries(store: Store) -> list[IndexEntry]:
    """Every memory of the vault by id, tombstones too.

    What its file says counts; those that have not changed since the JSON was written here come from it. A memory that
    cannot be read now is listed by its name.
    """
    known = _known(store)
    rows = {(entry.path, entry.hash): entry for entry in known.entries} if state.own_rows(store) else {}
    documents = {
        path: document for path, document in store.index.documents().items() if path.startswith(f"{MEMORIES}/")
    }
    memories = {path: document for path, document in documents.items() if document.kind in _KINDS}
    lead = prefix(store)
    found: dict[str, IndexEntry] = {}
    for path, document in memories.items():
        row = rows.get((lead + path, abridged(document.hash)))
        entry = _read(store, path) if row is None else replace(row, path=path)
        if entry is not None:
            found[path] = entry
    for path in _not_taken_in(store, known.entries, documents, lead):
        entry = _read(store, path)
        if entry is not None:
            found[path] = entry
    return sorted(with_known(found.values(), known), key=lambda entry: (entry.id, entry.path))


def with_known(found: Collection[IndexEntry], known: Catalog) -> list[IndexEntry]:
    """``found`` with the counters of ``known``; a memory that was only renamed keeps its own."""
    by_id = known.by_id
    here = {entry.id for entry in found}
    gone = {entry.hash: entry for entry in by_id.values() if entry.hash and entry.id not in here}
    return [with_counters(entry, by_id.get(entry.id) or gone.get(entry.hash)) for entry in found]


def prefix(store: Store) -> str:
    """From the project's root to the vault; nothing for a vault that is no project's (SM-34)."""
    name = Path(store.vault.name).name
    return f"{name}/" if name.startswith(".") else ""


def _known(store: Store) -> Catalog:
    document = files.found(store, files.JSON)
    return catalog.load(document.text) if document is not None else Catalog()


def _not_taken_in(
    store: Store, known: Iterable[IndexEntry], documents: Mapping[str, object], lead: str
) -> Iterator[str]:
    """Memories of the JSON that lie on the disk and have not been indexed yet: dropped now, they would lose their
    counters."""
    for entry in known:
        path = entry.path.removeprefix(lead)
        if path.startswith(_FOLDER) and path.endswith(".md") and path not in documents and is_indexed(path):
            try:
                if store.vault.exists(path):
                    yield path
            except ScrubjayError:
                continue


def _read(store: Store, path: str) -> IndexEntry | None:
    try:
        return read_entry(store.vault.read(path))
    except NotFound:
        return None
    except ScrubjayError:
        name = PurePosixPath(path).name.removesuffix(".md")
        return IndexEntry(id=name, path=path, title=name)
