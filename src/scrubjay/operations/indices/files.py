"""One generated file made anew: only when it differs, and nothing of somebody else's is lost with the old one."""

from __future__ import annotations

from collections.abc import Callable

from scrubjay.errors import Conflict, ScrubjayError
from scrubjay.ids import new_id
from scrubjay.operations.indices import catalog, overview, owned
from scrubjay.operations.indices.catalog import Catalog
from scrubjay.operations.indices.entries import IndexEntry
from scrubjay.operations.store import Store
from scrubjay.types import Document
from scrubjay.vaults.layout import INDEX, MEMORIES, README, SKELETON, TRASH

JSON = catalog.PATH
LIST = f"{MEMORIES}/{README}"
GENERATED = (INDEX, LIST, JSON)

_MARKDOWN = {
    INDEX: (overview.INDEX_TITLE, overview.INDEX_SECTIONS, overview.index),
    LIST: (overview.LIST_TITLE, overview.LIST_SECTIONS, overview.listing),
}
_TRIES = 3


def renew_json(store: Store, count: Callable[[Catalog], list[IndexEntry]], prefix: str) -> list[str]:
    """Writes the JSON of what ``count`` makes of the JSON that is there by then, so that counters which somebody else
    wrote meanwhile are kept. One that cannot be read goes to the trash first; another program's is left alone."""

    def make(text: str) -> tuple[str, bool] | None:
        before = catalog.load(text)
        if before.foreign:
            return None
        return catalog.dump(count(before), prefix=prefix), not before.whole

    return _renew(store, JSON, make)


def renew_markdown(store: Store, path: str, entries: list[IndexEntry]) -> list[str]:
    """Writes an overview, unless the file there is none of ours. Lines of somebody's own that have no place in it are
    kept in the trash, with all of the old file."""
    title, sections, shown = _MARKDOWN[path]

    def make(text: str) -> tuple[str, bool] | None:
        if text in ("", SKELETON[path]):
            return shown(entries, owned.NOTHING), False
        own = owned.read(text, title, sections)
        made = shown(entries, own)
        return (made, owned.has_more(text, made)) if own.ours else None

    return _renew(store, path, make)


def found(store: Store, path: str) -> Document | None:
    """The generated file at ``path``; ``None`` where none is, or none that can be read."""
    try:
        return store.vault.read(path)
    except ScrubjayError:
        return None


def _renew(store: Store, path: str, make: Callable[[str], tuple[str, bool] | None]) -> list[str]:
    """Writes what ``make`` makes of the text that is there, and keeps that if it says so; whoever writes the same file
    meanwhile is read again. Returns the path if it was written."""
    for _ in range(_TRIES):
        before = store.vault.read(path) if store.vault.exists(path) else None
        made = make(before.text if before else "")
        if made is None or (before is not None and before.text == made[0]):
            return []
        try:
            if before is not None and (made[1] or not before.exact):
                _keep(store, before)
            store.vault.write(path, made[0], expected=before.hash if before else None)
        except Conflict:
            continue
        return [path]
    raise Conflict(f"{path} is written by another program all the time.", hint="Try again in a moment.")


def _keep(store: Store, document: Document) -> None:
    store.vault.write_bytes(f"{TRASH}/{new_id()}/{document.path}", store.vault.read_bytes(document.path), expected=None)
