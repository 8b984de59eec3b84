"""A folder as those see it who think in files and folders: what lies where, how large it is, what is in it.

A vault knows documents only; here are folders and files of any kind. Links are never followed out of the tree and never
shown, hidden names are left out, and what ``paths.check`` refuses is not there.
"""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from scrubjay.errors import NotFound, Refused, Unavailable
from scrubjay.vaults.atomic import folders_for
from scrubjay.vaults.failures import explained
from scrubjay.vaults.paths import check, open_beneath, resolve

Kind = Literal["file", "folder", "other"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """What lies at ``path``, relative to the tree; ``size`` in bytes as the system tells it, for folders too."""

    path: str
    size: int
    kind: Kind


class Tree:
    """The files and folders below ``root``, an absolute path without links in it. ``closed`` names what lies directly
    in ``root`` and does not belong to the tree, such as the trash of a vault."""

    def __init__(self, root: Path, *, closed: Collection[str] = ()) -> None:
        self.root = root
        self._closed = frozenset(name.casefold() for name in closed)

    def make(self) -> None:
        """Makes the root, for its owner only, if it is missing. Raises ``Refused`` when it is a link."""
        with explained(self.root.name), folders_for(self.root):
            self._require_no_link()

    def place(self, path: str) -> Path:
        """Where ``path`` lies on the disk; the root itself for an empty one. What does not exist yet is allowed.

        Raises ``Refused`` for a path that leads out, by its letters or by a link.
        """
        self._require_no_link()
        if not path:
            return self.root
        if self.is_closed(path):
            raise Refused(f"{path} does not belong to these files.", hint="Choose another name.")
        return resolve(self.root, path)

    def is_closed(self, path: str) -> bool:
        """Whether ``path`` lies in what does not belong to the tree."""
        return path.partition("/")[0].casefold() in self._closed

    def find(self, path: str) -> Item | None:
        """What lies at ``path``, links not followed; ``None`` for nothing."""
        with explained(path or self.root.name):
            try:
                found = os.lstat(self.place(path))
            except (FileNotFoundError, NotADirectoryError):
                return None
        return Item(path=path, size=found.st_size, kind=_kind(found))

    def items(self, path: str, *, depth: int, left_out: Collection[str] = ()) -> Iterator[Item]:
        """What lies in the folder ``path``, by name, each folder followed by its own items, ``depth`` levels deep.
        Names in ``left_out`` and hidden ones are skipped, and what cannot be read."""
        for name, entry in self._entries(path):
            inner = f"{path}/{name}" if path else name
            if name in left_out or self.is_closed(inner):
                continue
            try:
                found = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            if (kind := _kind(found)) != "other":
                yield Item(path=inner, size=found.st_size, kind=kind)
            if kind == "folder" and depth > 1:
                yield from self.items(inner, depth=depth - 1, left_out=left_out)

    def everything(self, path: str) -> Iterator[Item]:
        """All that lies below the folder ``path``, deepest first.

        Raises ``Refused`` when something is among it that these files cannot name: a link, a hidden file, a device.
        """
        place = self.place(path)
        with explained(path):
            for folder, folders, names in os.walk(place, topdown=False, onerror=_raise):
                inner = path + "".join(f"/{part}" for part in Path(folder).relative_to(place).parts)
                for name in sorted([*names, *folders]):
                    found = os.lstat(os.path.join(folder, name))
                    if name.startswith(".") or _kind(found) == "other" or _addressable(name) is None:
                        raise Refused(
                            f"{inner} holds {_shown(name)}, which is hidden or no ordinary file.",
                            hint="Move it away first, or deal with the other files one by one.",
                        )
                    yield Item(path=check(f"{inner}/{name}"), size=found.st_size, kind=_kind(found))

    def read(self, path: str, *, most: int) -> bytes:
        """The bytes of the file ``path``. Raises ``NotFound``, ``Refused`` for what is no regular file, and
        ``Unavailable`` for one of more than ``most`` bytes."""
        self.place(path)
        with explained(path), os.fdopen(open_beneath(self.root, path, os.O_RDONLY), "rb") as file:
            data = file.read(most + 1)
        if len(data) > most:
            raise Unavailable(f"{path} is larger than {most:,} bytes.", hint="Split the file.")
        return data

    def _entries(self, path: str) -> list[tuple[str, os.DirEntry[str]]]:
        try:
            with os.scandir(self.place(path)) as entries:
                named = [(_addressable(entry.name), entry) for entry in entries if not entry.name.startswith(".")]
        except OSError:
            return []
        return sorted(((name, entry) for name, entry in named if name is not None), key=lambda pair: pair[0])

    def _require_no_link(self) -> None:
        if os.path.realpath(self.root) != str(self.root):
            raise Refused(f"{self.root.name} is a link that leads elsewhere.", hint="Replace the link by a folder.")


def require_file(item: Item | None, path: str) -> None:
    """Raises ``NotFound`` unless ``item`` is a file."""
    if item is None or item.kind != "file":
        raise NotFound(f"There is no file at {path}.", hint="List the folder to see what there is.")


def _addressable(name: str) -> str | None:
    """The form of ``name`` in which a path can name it, if there is one."""
    try:
        return check(name) if unicodedata.normalize("NFC", name) == check(name) else None
    except Refused:
        return None


def _kind(found: os.stat_result) -> Kind:
    if stat.S_ISREG(found.st_mode):
        return "file"
    return "folder" if stat.S_ISDIR(found.st_mode) else "other"


def _shown(name: str) -> str:
    return ascii(name) if not name.isprintable() else name


def _raise(error: OSError) -> None:
    raise error
