"""Files of a vault, of whatever kind, for programs that think in files: created, changed, moved, put in the trash.

Each call is one operation: under the lock, read back, indexed, with a receipt, so that ``undo`` takes it back. A change
is made of what lies there at that moment, inside the lock, and tried again when a program that knows nothing of the
lock came in between: of two who change one file at once, none loses anything (F10, F55). New secrets are taken out
(SEC-2).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from scrubjay.errors import BadInput, Conflict, NotFound, Refused
from scrubjay.operations.editing import Edits, editing
from scrubjay.operations.store import Store
from scrubjay.text.secrets import scan
from scrubjay.types import Document, Redacted
from scrubjay.vaults.atomic import folders_for
from scrubjay.vaults.encoding import digest, to_bytes
from scrubjay.vaults.failures import explained
from scrubjay.vaults.layout import INBOX, TRASH
from scrubjay.vaults.tree import Item, Tree

TRIES = 5
"""How often a change is made anew when another program was faster."""

Edit = Callable[[str], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What a file holds now, as read back, and which secrets were taken out before."""

    text: str
    redacted: tuple[Redacted, ...] = ()


def tree(root: Path, inside: str) -> Tree:
    """The files of the vault at ``root`` below its folder ``inside``; of the vault itself all but its trash and what
    waits for somebody's decision."""
    return Tree(root / inside) if inside else Tree(root, closed=(INBOX, TRASH))


class Files:
    """The files of ``store`` below the folder ``inside``. Paths are relative to that folder, POSIX; ``written`` is
    called after every change."""

    def __init__(self, store: Store, inside: str = "", *, written: Callable[[], object] = lambda: None) -> None:
        self._store = store
        self._inside = inside
        self._written = written
        self.tree = tree(Path(os.path.realpath(store.vault.name)), inside)

    def create(self, path: str, text: str, *, overwrite: bool = False) -> Written:
        """Stores ``text`` as a new file. Raises ``Conflict`` when there is one already, unless ``overwrite``; a folder
        is never replaced."""
        place = self._place(path)
        self._require_harmless(path)
        clean, redacted = _without_new_secrets("", text, path)
        data = to_bytes(clean, fresh=False)
        with self._editing("create", f"Created {place}") as edits:
            old = self._read(place) if overwrite and self.tree.find(path) is not None else None
            if old != data:
                edits.replace_bytes(place, data, expected=None if old is None else digest(old))
        return Written(text=data.decode("utf-8"), redacted=redacted)

    def change(self, path: str, edit: Edit) -> Written:
        """Replaces the text of a file by what ``edit`` makes of it; what ``edit`` raises changes nothing.

        Raises ``NotFound``, ``BadInput`` for a file that is not UTF-8, ``Conflict`` when somebody else changes it
        over and over.
        """
        for _ in range(TRIES - 1):
            with suppress(Conflict):
                return self._change(path, edit)
        return self._change(path, edit)

    def remove(self, path: str) -> int:
        """Moves a file, or a folder with all that is in it, to the trash; returns how many files. An empty path stands
        for all files, and the folder itself stays."""
        place = self._place(path) if path else ""
        what = place or self._inside or "all files"
        with self._editing("delete", f"Deleted {what}") as edits:
            files, folders = self._below(path)
            for file in files:
                edits.retire(self._read_document(file))
            self._remove_folders(folders)
        return len(files)

    def move(self, source: str, target: str) -> int:
        """Renames a file, or a folder with all that is in it; returns how many files were moved.

        Raises ``Conflict`` when something lies at ``target``, ``Refused`` when that is inside ``source``.
        """
        self._place(target)
        self._require_harmless(target)
        if f"{target}/".startswith(f"{source}/"):
            raise Refused(f"{target} lies inside {source}.", hint="Choose a place outside it.")
        with self._editing("rename", f"Renamed {self._place(source)} to {self._place(target)}") as edits:
            if self.tree.find(target) is not None:
                raise Conflict(f"{target} exists already.", hint="Choose another name.")
            files, folders = self._below(source)
            for file in files:
                edits.move(self._read_document(file), self._place(target + file[len(source) :]))
            for folder in folders:
                with explained(folder), folders_for(self.tree.place(target + folder[len(source) :])):
                    pass
            self._remove_folders(folders)
        return len(files)

    def _change(self, path: str, edit: Edit) -> Written:
        place = self._place(path)
        with self._editing("edit", f"Changed {place}") as edits:
            before = self._read(place)
            try:
                text = before.decode("utf-8")
            except UnicodeDecodeError:
                raise BadInput(f"{path} is not UTF-8, so it is not changed.", hint="Save it as UTF-8 first.") from None
            clean, redacted = _without_new_secrets(text, edit(text), path)
            after = to_bytes(clean, fresh=False)
            if after.startswith(before) and after != before:
                edits.append(_document(place, before), clean)
            elif after != before:
                edits.replace_bytes(place, after, expected=digest(before))
        return Written(text=after.decode("utf-8"), redacted=redacted)

    @contextmanager
    def _editing(self, verb: str, summary: str) -> Iterator[Edits]:
        with editing(self._store, verb, summary) as edits:
            yield edits
        self._written()

    def _place(self, path: str) -> str:
        """Where ``path`` lies in the vault, after a look at where that is on the disk."""
        self.tree.place(path)
        return f"{self._inside}/{path}" if self._inside else path

    def _read(self, place: str) -> bytes:
        return self._store.vault.read_bytes(place)

    def _read_document(self, path: str) -> Document:
        place = self._place(path)
        return _document(place, self._read(place))

    def _below(self, path: str) -> tuple[list[str], list[str]]:
        """The files at and below ``path``, and the folders, deepest first. Raises ``NotFound``."""
        found = self.tree.find(path)
        if found is None:
            raise NotFound(f"There is nothing at {path}.", hint="List the folder to see what there is.")
        if found.kind != "folder":
            return [path], []
        items: Iterable[Item] = list(self.tree.everything(path)) if path else self._all()
        folders = [item.path for item in items if item.kind == "folder"]
        return [item.path for item in items if item.kind == "file"], [*folders, *([path] if path else [])]

    def _all(self) -> list[Item]:
        found: list[Item] = []
        for item in self.tree.items("", depth=1):
            found += [*self.tree.everything(item.path), item] if item.kind == "folder" else [item]
        return found

    def _remove_folders(self, folders: Iterable[str]) -> None:
        """Takes empty folders away. One that somebody put a file into meanwhile ends the operation."""
        for folder in folders:
            with explained(folder):
                os.rmdir(self.tree.place(folder))

    def _require_harmless(self, path: str) -> None:
        if found := scan(path):
            raise Refused(
                f"The name holds what looks like a secret ({found[0].rule}).", hint="Choose a name without it."
            )


def _document(place: str, data: bytes) -> Document:
    """What a change needs to know of the file at ``place`` that held ``data``; that may be no text."""
    return Document(path=place, text="", hash=digest(data), size=len(data), mtime_ns=0)


def _without_new_secrets(before: str, after: str, path: str) -> tuple[str, tuple[Redacted, ...]]:
    """``after`` without the secrets that came in or came together where it differs from ``before``."""
    start = _common(before, after)
    end = len(after) - _common(before[start:][::-1], after[start:][::-1])
    found = [one for one in scan(after) if one.start <= end and one.end >= start]
    clean = after
    for one in reversed(found):
        clean = f"{clean[: one.start]}‹redacted:{one.rule}›{clean[one.end :]}"
    return clean, tuple(Redacted(rule=one.rule, place=path, line=after.count("\n", 0, one.start) + 1) for one in found)


def _common(one: str, other: str) -> int:
    """How many characters the two begin with in common."""
    known, most = 0, min(len(one), len(other))
    while known < most:
        half = (known + most + 1) // 2
        if one[known:half] == other[known:half]:
            known = half
        else:
            most = half - 1
    return known
