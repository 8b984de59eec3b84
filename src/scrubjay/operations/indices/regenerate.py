"""Writing the overviews when the notes changed, and only then (SM-31, SM-35)."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import date
from pathlib import Path

from scrubjay.errors import BadInput, Conflict, NotFound, ScrubjayError
from scrubjay.ids import new_id
from scrubjay.operations.indices import overview
from scrubjay.operations.indices.entries import IndexEntry, dump, load, read_entry, with_counters
from scrubjay.operations.store import Store
from scrubjay.types import Document
from scrubjay.vaults.layout import INDEX, MEMORIES, README, TRASH

JSON = "memory-index.json"
LIST = f"{MEMORIES}/{README}"
GENERATED = (INDEX, LIST, JSON)

_MARK = "indices"
_TRIES = 3


def changed(store: Store, paths: Iterable[str]) -> None:
    """Notes that the overviews have to be made anew if a memory is among ``paths``. Only inside ``Index.writing``."""
    if any(path.startswith(f"{MEMORIES}/") and path != LIST for path in paths):
        store.index.set_mark(_MARK, "")


def fresh(store: Store) -> bool:
    """Whether the overviews say what the files say, or the vault has none to keep (SM-35)."""
    if not _has_overviews(store):
        return True
    noted = store.index.mark(_MARK)
    return bool(noted) and noted == _signature(store)


def regenerate(store: Store, *, force: bool = False) -> list[str]:
    """Makes the overviews anew from the files and returns the paths that were written; none when nothing changed.

    A damaged ``memory-index.json`` is set aside in the trash. A file under one of these names that is not ours is left
    alone. Memories whose bytes the JSON knows are not read again.
    """
    if not force and fresh(store):
        return []
    with store.index.writing():
        found = entries(store)
        written = _write(store, found)
        store.index.set_mark(_MARK, _signature(store))
    return written


def entries(store: Store) -> list[IndexEntry]:
    """Every memory of the vault by id, tombstones too, with the counters of file and JSON together."""
    known, _ = _known(store)
    by_hash = {(entry.path.rpartition("/")[2], entry.hash): entry for entry in known.values() if entry.hash}
    found = []
    for path, document in sorted(store.index.documents().items()):
        if not path.startswith(f"{MEMORIES}/") or document.kind not in ("note", "tombstone"):
            continue
        same = by_hash.get((path.rpartition("/")[2], document.hash[:16]))
        if same is None:
            try:
                entry = read_entry(store.vault.read(path))
            except ScrubjayError:
                continue
        else:
            entry = replace(same, path=path)
        found.append(with_counters(entry, known.get(entry.id)))
    return found


def bump(store: Store, ids: Collection[str], at: date) -> None:
    """Counts a retrieval of the memories ``ids`` in the JSON; the files follow with ``flush`` (SM-31)."""
    with store.index.writing():
        counted = [
            replace(entry, retrieval_count=entry.retrieval_count + 1, last_retrieved=f"{at:%Y-%m-%d}")
            if entry.id in ids
            else entry
            for entry in entries(store)
        ]
        was_fresh = fresh(store)
        _put(store, JSON, dump(counted, prefix=_prefix(store)))
        if was_fresh:
            store.index.set_mark(_MARK, _signature(store))


def flush(store: Store) -> int:
    """Writes counters that only the JSON knows into the memories' frontmatter, in one operation; ``modified`` stays.
    Returns how many files changed."""
    from scrubjay.operations.editing import editing
    from scrubjay.text import frontmatter

    known, _ = _known(store)
    count = 0
    with editing(store, "indices", "Wrote counters of retrievals into the memories") as edits:
        for entry in entries(store):
            counted = known.get(entry.id)
            if counted is None:
                continue
            document = store.vault.read(entry.path)
            parsed = frontmatter.parse(document.text)
            if "retrieval_count" not in parsed.values or parsed.problems:
                continue
            own = read_entry(document)
            if (own.retrieval_count, own.last_retrieved) == (entry.retrieval_count, entry.last_retrieved):
                continue
            values = {"retrieval_count": entry.retrieval_count, "last_retrieved": entry.last_retrieved}
            edits.replace(document, frontmatter.set_values(document.text, values))
            count += 1
    return count


def _write(store: Store, found: list[IndexEntry]) -> list[str]:
    written = []
    _, damaged = _known(store)
    if damaged is not None:
        kept = f"{TRASH}/{new_id()}/{JSON}"
        store.vault.retire(JSON, expected=damaged.hash, kept=kept)
    for path, title, made in (
        (INDEX, overview.INDEX_TITLE, overview.index),
        (LIST, overview.LIST_TITLE, overview.listing),
    ):
        before = _read(store, path)
        if before is not None and not overview.is_generated(before.text, title):
            continue
        written += _put(store, path, made(found, before.text if before else ""))
    return written + _put(store, JSON, dump(found, prefix=_prefix(store)))


def _put(store: Store, path: str, text: str) -> list[str]:
    """Writes ``text`` unless it is there already; whoever writes the same file meanwhile is read again."""
    for _ in range(_TRIES):
        before = _read(store, path)
        if before is not None and before.text == text:
            return []
        try:
            store.vault.write(path, text, expected=before.hash if before else None)
        except Conflict:
            continue
        return [path]
    raise Conflict(f"{path} is written by another program all the time.", hint="Try again in a moment.")


def _known(store: Store) -> tuple[dict[str, IndexEntry], Document | None]:
    """The entries of the JSON by id, and the document itself when it cannot be read."""
    document = _read(store, JSON)
    if document is None:
        return {}, None
    try:
        return load(document.text), None
    except BadInput:
        return {}, document


def _read(store: Store, path: str) -> Document | None:
    try:
        return store.vault.read(path)
    except NotFound:
        return None


def _signature(store: Store) -> str:
    """What the overviews hold now; empty while one is missing."""
    total = hashlib.sha256()
    for path in GENERATED:
        document = _read(store, path)
        if document is None:
            return ""
        total.update(document.hash.encode())
    return total.hexdigest()


def _has_overviews(store: Store) -> bool:
    """Whether the vault has the numbered folders (SM-1); a plain folder of notes is left as it is."""
    return store.vault.exists(MEMORIES)


def _prefix(store: Store) -> str:
    """From the project's root to the vault; nothing for a vault that is no project's."""
    name = Path(store.vault.name).name
    return f"{name}/" if name.startswith(".") else ""
