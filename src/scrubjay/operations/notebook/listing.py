"""The index of a notebook: written while others write it too (F55), and kept short by the worth of memories (F104)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from scrubjay.errors import Conflict, NotFound, Refused
from scrubjay.operations.editing import Edits
from scrubjay.operations.notebook import worth
from scrubjay.operations.store import Store
from scrubjay.temporal import now
from scrubjay.types import Document
from scrubjay.vaults.dialects.claude_memory import host, index
from scrubjay.vaults.dialects.claude_memory.topics import Topic
from scrubjay.vaults.folder import INBOX
from scrubjay.vaults.visibility import TRASH

_TRIES = 20
_MARKERS = re.compile(r"^(?:<{7}|>{7})(?: |$)", re.MULTILINE)
_MOST_BYTES = 1_000_000


def rewrite(edits: Edits, store: Store, change: Callable[[str], str], *, make: bool = True) -> None:
    """Puts ``change`` of the index in its place, inside an operation; ``change`` is called again for what stands there
    if somebody else wrote it meanwhile. An index that is not there is made, unless told not to.

    Raises ``Refused`` for an index with merge markers, or that is no text; ``Conflict`` when it never holds still.
    """
    for _ in range(_TRIES):
        document = document_of(store)
        text = document.text if document is not None else ""
        checked(text, host.INDEX_NAME)
        wanted = change(text)
        if wanted == text or (document is None and not make):
            return
        try:
            with edits.attempt():
                if document is None:
                    edits.replace_bytes(host.INDEX_NAME, wanted.encode("utf-8"), expected=None)
                else:
                    edits.replace(document, wanted)
            return
        except Conflict:
            continue
    raise Conflict(f"{host.INDEX_NAME} is being written all the time.", hint="Try again when its writer has finished.")


def document_of(store: Store) -> Document | None:
    """The index as it is now."""
    try:
        return store.vault.read(host.INDEX_NAME)
    except NotFound:
        return None


def put(edits: Edits, store: Store, path: str, topic: Topic, *, title: str = "", hook: str = "") -> tuple[str, ...]:
    """Puts the line of the memory at ``path`` into the index, and takes others out if it does not fit.

    What is not given stays as the line has it; a new line takes it from ``topic``. Returns the paths taken out.
    """
    hidden: list[str] = []

    def change(text: str) -> str:
        text, gone = fitted(store, with_line(store, text, path, topic, title, hook), keep=[path], at=now())
        hidden.extend(each for each in gone if each not in hidden)
        return text

    for _ in range(_TRIES):
        rewrite(edits, store, change)
        listed = index.parse(text_of(store))
        if listed.find(path) is not None:  # whoever wrote over us a moment later took our line away
            return tuple(each for each in hidden if listed.find(each) is None)
    raise Conflict(f"{host.INDEX_NAME} is being written all the time.", hint="Try again when its writer has finished.")


def fitted(store: Store, text: str, *, keep: Iterable[str] = (), at: datetime) -> tuple[str, list[str]]:
    """The index ``text`` without the entries worth least, as far as it takes to fit, and their paths; it says how many
    memories it does not list. The newest corrections and ``keep`` stay."""
    hidden: list[str] = []
    if index.loaded(text).over:
        known = worth.known(store, [entry.path for entry in index.parse(text).entries])
        kept = [*keep, *worth.newest_corrections(known)]
        shorter = index.evicted(text, worth.values(known, worth.uses(store), at), keep=kept)
        text, hidden = shorter.text, [entry.path for entry in shorter.hidden]
    if index.parse(text).hidden:
        text = index.with_hidden(text, len(unlisted(store, text)))
    return text, hidden


def memories(store: Store) -> list[str]:
    """The paths of the topic files, as our index knows them."""
    ours = (INBOX, TRASH, host.LOGS)
    paths = store.index.documents()
    return [path for path in paths if path.partition("/")[0] not in ours and path != host.INDEX_NAME]


def unlisted(store: Store, text: str) -> list[str]:
    """The topic files that the index ``text`` does not list."""
    listed = {entry.path for entry in index.parse(text).entries}
    return [path for path in memories(store) if path not in listed]


def with_line(store: Store, text: str, path: str, topic: Topic, title: str = "", hook: str = "") -> str:
    """The index ``text`` with the line of the memory at ``path``, where others of its kind stand."""
    current = index.parse(text)
    entry = current.find(path)
    if entry is not None:
        return index.with_entry(text, path, title or entry.title, hook or entry.hook)
    known = known_in(store, current)
    return with_new_line(text, current, known, path, replace(topic, name=title or title_of(topic)), hook)


def with_new_line(
    text: str, current: index.Index, known: Mapping[str, worth.Known], path: str, topic: Topic, hook: str = ""
) -> str:
    """The same for a memory that has no line yet, where ``current`` is what ``text`` says, or said shortly before."""
    heading = _heading(current, topic.type, known)
    return index.with_entry(text, path, topic.name, hook or topic.description or "", heading=heading)


def known_in(store: Store, current: index.Index) -> dict[str, worth.Known]:
    """What is known of the memories of an index that has headings to choose from."""
    return worth.known(store, [entry.path for entry in current.entries]) if current.headings else {}


def _heading(current: index.Index, type: str | None, known: Mapping[str, worth.Known]) -> str:
    """The heading under which memories of this ``type`` stand, or that is called like it."""
    if type is None:
        return ""
    places = Counter(entry.heading for entry in current.entries if (of := known.get(entry.path)) and of.type == type)
    if places:
        return places.most_common(1)[0][0]
    return next((heading for heading in current.headings if type in heading.casefold()), "")


def title_of(topic: Topic) -> str:
    """The name as people write it: ``feedback_main_branch`` is "Main branch"."""
    if " " in topic.name:
        return topic.name
    words = topic.name.removeprefix(f"{topic.type}_").removeprefix(f"{topic.type}-").replace("_", " ").replace("-", " ")
    return words[:1].upper() + words[1:]


def text_of(store: Store) -> str:
    """The text of the index, empty where there is none."""
    document = document_of(store)
    return document.text if document is not None else ""


def checked(text: str, path: str = "") -> str:
    """``text`` if it is no half-merged or gigantic one. Raises ``Refused``."""
    marker = _MARKERS.search(text)
    if marker is not None:
        line = text.count("\n", 0, marker.start()) + 1
        raise Refused(
            f"{path or 'The text'}, line {line}, is a merge conflict marker.", hint="Resolve the conflict first."
        )
    if len(text) > _MOST_BYTES:
        raise Refused(f"{path or 'The text'} is larger than 1 MB.", hint="A memory is a page; keep the rest elsewhere.")
    return text
