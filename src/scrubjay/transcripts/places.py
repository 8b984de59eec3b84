"""Files as they lie on disk: regular ones only, no links followed inside a folder, never more than can be borne."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from scrubjay.errors import Refused, Unavailable

MOST_FILES = 10_000  # TR-20
MOST_ENTRIES = 200_000  # looked at in one walk, of whatever kind
HEAD = 1 << 18  # bytes that tell a format
_SKIPPED_FOLDERS = frozenset({".git", "node_modules", "tool-results", "__pycache__", ".venv"})


@dataclass(frozen=True, slots=True)
class Place:
    """A regular file found in a walk, with its size in bytes and its modification time in nanoseconds."""

    path: Path
    size: int
    mtime_ns: int


@dataclass(slots=True)
class Walk:
    """The regular files below a folder, by name; links and special files are only counted, in ``links``.

    Folders inside are walked too unless it is not ``deep``, but for those called one of ``ignored``. ``capped`` says
    that there were more than ``most`` files.
    """

    folder: Path
    suffixes: tuple[str, ...]
    most: int = MOST_FILES
    deep: bool = True
    ignored: frozenset[str] = _SKIPPED_FOLDERS
    links: int = 0
    capped: bool = False
    unreadable: int = 0

    def __iter__(self) -> Iterator[Place]:
        found = entries = 0
        pending = [self.folder]
        while pending:
            for entry in self._entries(pending.pop()):
                entries += 1
                if entries > MOST_ENTRIES:
                    self.capped = True
                    return
                if entry.is_symlink():
                    self.links += 1
                elif entry.is_dir(follow_symlinks=False):
                    if self.deep and entry.name not in self.ignored:
                        pending.append(Path(entry.path))
                elif entry.name.endswith(self.suffixes) and (place := self._place(entry)):
                    found += 1
                    if found > self.most:
                        self.capped = True
                        return
                    yield place

    def _entries(self, folder: Path) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                return sorted(entries, key=lambda entry: entry.name)
        except OSError:
            self.unreadable += 1
            return []

    def _place(self, entry: os.DirEntry[str]) -> Place | None:
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            self.unreadable += 1
            return None
        if not stat.S_ISREG(status.st_mode):
            self.links += 1
            return None
        return Place(Path(entry.path), status.st_size, status.st_mtime_ns)


def named(folder: Path, paths: Iterable[Path], suffixes: tuple[str, ...]) -> Iterator[Place]:
    """Those of ``paths`` that a walk of ``folder`` would find: regular files inside it, reached without a link."""
    top = os.path.realpath(folder)
    for path in paths:
        inside = os.path.relpath(path, folder if path.is_relative_to(folder) else top)
        place = folder / inside
        parts = Path(inside).parts
        if parts[:1] == ("..",) or _SKIPPED_FOLDERS.intersection(parts[:-1]) or not place.name.endswith(suffixes):
            continue
        if os.path.realpath(place) != os.path.join(top, inside):
            continue
        try:
            status = place.stat()
        except OSError:
            continue
        if stat.S_ISREG(status.st_mode):
            yield Place(place, status.st_size, status.st_mtime_ns)


def open_file(path: Path, *, follow: bool = False) -> BinaryIO:
    """``path`` opened to be read; a link only where ``follow`` says that a person named it.

    Raises ``Refused`` for a link and for what is no regular file (a pipe may never end), ``Unavailable`` for what
    cannot be read.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    if not follow:
        flags |= getattr(os, "O_NOFOLLOW", 0)
    try:
        handle = os.open(path, flags)
    except OSError as error:
        if not follow and path.is_symlink():
            raise Refused(f"{path} is a link.", hint="Name the file it leads to.") from None
        raise Unavailable(f"{path} cannot be read: {error.strerror}.", hint="Check its permissions.") from None
    except ValueError:
        raise Unavailable(f"{str(path)!r} cannot be a path.", hint="Check the path.") from None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise Refused(f"{path} is not a regular file.", hint="Name the file to read.")
    return os.fdopen(handle, "rb")


def head(path: Path, *, follow: bool = False) -> bytes:
    """The first bytes of ``path``. Raises as ``open_file`` does."""
    with open_file(path, follow=follow) as file:
        try:
            return file.read(HEAD)
        except OSError as error:
            raise Unavailable(f"{path} cannot be read: {error.strerror}.", hint="Check the disk.") from None


def small(path: Path, most: int = 1 << 20) -> bytes:
    """The whole of a small file beside a transcript; empty where it is missing, a link, or larger than ``most``."""
    try:
        with open_file(path) as file:
            data = file.read(most + 1)
    except (Refused, Unavailable, OSError):
        return b""
    return data if len(data) <= most else b""


def whole(path: Path, *, follow: bool = False, most: int = 256 * 1024 * 1024) -> bytes:
    """All of ``path``. Raises as ``open_file`` does, and ``Refused`` for more than ``most`` bytes."""
    with open_file(path, follow=follow) as file:
        try:
            data = file.read(most + 1)
        except OSError as error:
            raise Unavailable(f"{path} cannot be read: {error.strerror}.", hint="Check the disk.") from None
    if len(data) > most:
        raise Refused(f"{path} is larger than {most >> 20} MB.", hint="Split it.")
    return data
