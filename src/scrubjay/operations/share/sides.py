"""What the documents of a team are here, and what they are in a commit of the remote."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from scrubjay.errors import NotFound, Refused, ScrubjayError
from scrubjay.operations.share.screening import INDEX, collisions, is_shared, is_skeleton, place_of
from scrubjay.operations.store import Store
from scrubjay.text.secrets import redact
from scrubjay.types import Problem
from scrubjay.vaults.shared_repository import FILE, PROGRAM, Item, SharedRepository, blob_id
from scrubjay.vaults.visibility import printable

_SAME_NAME = "is the name of another file, written in other letters"
_MODES = {"120000": "is a link", "160000": "is another repository"}


@dataclass(slots=True, kw_only=True)
class Ours:
    """The documents of the vault by path, with their bytes; ``index`` those of the overview, if there is one.

    ``held`` are paths about which nothing can be said, so that nobody may take them for deleted.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    index: bytes | None = None
    held: set[str] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)

    @property
    def ids(self) -> dict[str, str]:
        """The id of each document."""
        return {path: blob_id(data) for path, data in self.files.items()}


@dataclass(slots=True, kw_only=True)
class Theirs:
    """The documents of a commit by path. ``others`` are what is none of a team's documents: it stays in the commit as
    it is, and is never brought here. ``refused`` are those of the others that somebody should know of; the documents
    here that have their names are ``held``: nobody deleted them. With ``blocked`` something lies at the place of the
    overview that cannot be one."""

    files: dict[str, Item] = field(default_factory=dict)
    index: Item | None = None
    blocked: bool = False
    others: list[Item] = field(default_factory=list)
    held: set[str] = field(default_factory=set)
    refused: list[Problem] = field(default_factory=list)

    @property
    def ids(self) -> dict[str, str]:
        """The id of each document."""
        return {path: item.id for path, item in self.files.items()}


def read_vault(store: Store, known: Iterable[str]) -> Ours:
    """What is here. ``known`` are paths that were here when both sides agreed: one that is there but cannot be read, or
    that a setting hides, is held and not deleted."""
    ours = Ours()
    for entry in store.vault.entries():
        if entry.path != INDEX and not is_shared(entry.path, store.dialect):
            continue
        try:
            data = store.vault.read_bytes(entry.path)
        except NotFound:
            continue
        except ScrubjayError as error:
            ours.held.add(entry.path)
            ours.problems.append(Problem(path=entry.path, message=error.message))
            continue
        if entry.path == INDEX:
            ours.index = data
        elif not is_skeleton(entry.path, data):
            ours.files[entry.path] = data
    ours.problems += store.vault.skipped()
    for path in known:
        if path not in ours.files and is_there(store, path):
            ours.held.add(path)
    return ours


def is_there(store: Store, path: str) -> bool:
    """Whether anything lies at ``path``, or something in the way to it that cannot be followed."""
    try:
        return store.vault.exists(path)
    except ScrubjayError:
        return True


def read_commit(
    repository: SharedRepository,
    commit: str,
    *,
    dialect: str = "",
    taken: Iterable[str] = (),
    most_bytes: int | None = None,
) -> Theirs:
    """What ``commit`` holds for a vault of that ``dialect``. ``taken`` are paths of documents here, whose letter case
    counts."""
    theirs = Theirs()
    found: dict[str, Item] = {}
    for item in repository.files(commit):
        try:
            path = place_of(item.path)
        except Refused as error:
            _refuse(theirs, item, error.message)
            continue
        if path.casefold() == INDEX.casefold():
            _index(theirs, item, path, repository, most_bytes)
        elif not is_shared(path, dialect):
            theirs.others.append(item)
        elif item.mode not in (FILE, PROGRAM):
            _refuse(theirs, item, _MODES.get(item.mode, "is no file"), path)
        elif path in found and item.path != path.encode("utf-8"):
            _refuse(theirs, item, _SAME_NAME)
        else:
            if path in found:  # the one that has the name letter by letter is meant
                _refuse(theirs, found[path], _SAME_NAME)
            found[path] = item
    clashes = collisions(found, taken)
    sizes = repository.sizes(item.id for item in found.values()) if most_bytes is not None else {}
    for path, item in found.items():
        if path in clashes:
            _refuse(theirs, item, f"differs from {printable(clashes[path])} by the case of letters only", path)
        elif most_bytes is not None and sizes.get(item.id, most_bytes + 1) > most_bytes:
            _refuse(theirs, item, f"is larger than {most_bytes:,} bytes, or missing", path)
        else:
            theirs.files[path] = item
    return theirs


def _index(theirs: Theirs, item: Item, path: str, repository: SharedRepository, most_bytes: int | None) -> None:
    """Takes ``item`` for the overview, if it can be one."""
    large = most_bytes is not None and repository.sizes([item.id]).get(item.id, most_bytes + 1) > most_bytes
    if path == INDEX and item.mode in (FILE, PROGRAM) and not large and theirs.index is None:
        theirs.index = item
    else:
        theirs.blocked = True
        _refuse(theirs, item, "is not the overview that it is called")


def _refuse(theirs: Theirs, item: Item, reason: str, path: str = "") -> None:
    theirs.others.append(item)
    theirs.held |= {path} - {""}
    shown = redact(printable(item.path.decode("utf-8", "surrogateescape")))[0]
    theirs.refused.append(Problem(path=shown, message=reason))


def as_items(files: Mapping[str, str], names: Mapping[str, Item]) -> list[Item]:
    """``files`` (path to id) for a commit, under the names that they have there already."""
    items = []
    for path, id in files.items():
        known = names.get(path)
        items.append(Item(known.mode if known else FILE, id, known.path if known else path.encode("utf-8")))
    return items
