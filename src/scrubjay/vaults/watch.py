"""Which documents of a folder change, as they change; and which files do, whatever they are."""

from __future__ import annotations

import errno
import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from scrubjay.errors import NotFound, Refused, ScrubjayError, Unavailable
from scrubjay.vaults.failures import explain
from scrubjay.vaults.folder import FolderVault
from scrubjay.vaults.paths import check
from scrubjay.vaults.visibility import SUFFIXES, is_document, is_open_folder

DEBOUNCE_MS = 800
STEP_MS = 50
_WAKE_MS = 250


class Stop(Protocol):
    """What ends a watch, such as a ``threading.Event``."""

    def is_set(self) -> bool: ...


class Waiting(Stop, Protocol):
    """A ``Stop`` that can also be waited for, at most ``timeout`` seconds."""

    def wait(self, timeout: float) -> bool: ...


def watch(root: Path, stop: Stop, *, suffixes: Collection[str] = SUFFIXES) -> Iterator[set[str]]:
    """Yields sets of vault-relative paths whose documents appeared, changed or vanished, until ``stop`` is set.

    The first set is empty and says that watching has begun: synchronise then, and nothing falls in between. Changes
    within ``DEBOUNCE_MS`` come together; an editor's save by renaming is one change of the real path (F32), a move
    gives both paths, a moved or removed folder all that were in it. Hidden files, temporary files and the trash are
    not reported. Raises ``NotFound`` without ``root`` and ``Unavailable`` when the system cannot watch it.
    """
    from watchfiles import watch as watch_files

    top = os.path.realpath(root)
    if not os.path.isdir(top):
        raise NotFound(f"There is no folder {root} to watch.", hint="Make it, or name another folder.")
    documents = _Documents(top, suffixes)
    begun = False
    try:
        for changes in watch_files(
            top,
            watch_filter=None,
            debounce=DEBOUNCE_MS,
            step=STEP_MS,
            stop_event=stop,
            rust_timeout=_WAKE_MS,
            yield_on_timeout=True,
            raise_interrupt=False,
        ):
            if not begun:
                documents.look()
                begun = True
                yield set()
            batch = documents.touched_by(path for _, path in changes)
            if batch:
                yield batch
    except (OSError, RuntimeError) as error:
        raise _explain(error, root) from error


def changed(roots: Sequence[Path], stop: Waiting) -> Iterator[set[Path]]:
    """Yields sets of files below folders, or among files, of ``roots`` that appeared, changed or vanished, until
    ``stop`` is set, as absolute paths without links.

    The first set is empty and says that watching has begun. A file that is named itself is looked at by its path, so
    that one that takes its place is seen too. Links inside a folder are not followed. Raises ``Unavailable`` when the
    system cannot watch a folder.
    """
    folders = [os.path.realpath(root) for root in roots if root.is_dir()]
    stamps = {root: _stamp(root) for root in roots if not root.is_dir()}
    begun = False
    for places in _ticks(folders, stop):
        touched = {Path(place) for place in places if os.path.realpath(place) == place and not os.path.isdir(place)}
        for file, before in stamps.items():
            if (after := _stamp(file)) != before:
                stamps[file] = after
                touched.add(Path(os.path.abspath(file)))
        if touched or not begun:
            yield touched if begun else set()
        begun = True


def _ticks(folders: Sequence[str], stop: Waiting) -> Iterator[set[str]]:
    """What changed below ``folders`` since the last tick, several ticks a second."""
    if not folders:
        while not stop.is_set():
            yield set()
            stop.wait(_WAKE_MS / 1000)
        return
    from watchfiles import watch as watch_files

    try:
        for changes in watch_files(
            *folders,
            watch_filter=None,
            debounce=DEBOUNCE_MS,
            step=STEP_MS,
            stop_event=stop,
            rust_timeout=_WAKE_MS,
            yield_on_timeout=True,
            raise_interrupt=False,
        ):
            yield {place for _, place in changes}
    except (OSError, RuntimeError) as error:
        raise _explain(error, Path(folders[0])) from error


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


class _Documents:
    """The documents known to lie in a folder, so that a folder that vanished can be told as the paths it held."""

    def __init__(self, top: str, suffixes: Collection[str]) -> None:
        self._top = top
        self._suffixes = suffixes
        self._vault = FolderVault(Path(top), suffixes=suffixes)
        self._known: set[str] = set()

    def look(self) -> None:
        """Takes in what is there now."""
        self._known = {entry.path for entry in self._vault.entries()}

    def touched_by(self, places: Iterator[str]) -> set[str]:
        """The documents that changes at absolute ``places`` touch."""
        touched: set[str] = set()
        folders: set[str] = set()
        for place in places:
            path = _relative(self._top, place)
            if path is None or not _in_the_open(path):
                continue
            if is_document(path, self._suffixes):
                if not os.path.islink(place):
                    touched.add(path)
            elif os.path.isdir(place) or any(known.startswith(f"{path}/") for known in self._known):
                folders.add(path)
        there = {path for path in touched if os.path.lexists(os.path.join(self._top, path))}
        self._known = (self._known - touched) | there
        return touched | self._in_folders(folders) if folders else touched

    def _in_folders(self, folders: set[str]) -> set[str]:
        before = self._known
        self.look()
        return {path for path in before ^ self._known if any(path.startswith(f"{folder}/") for folder in folders)}


def _relative(top: str, place: str) -> str | None:
    """The vault-relative path of ``place``; ``None`` outside the vault and for names that no document can have."""
    relative = os.path.relpath(place, top).replace(os.sep, "/")
    try:
        return check(relative)
    except Refused:
        return None


def _in_the_open(path: str) -> bool:
    *folders, _ = path.split("/")
    return all(is_open_folder(folder, top=position == 0) for position, folder in enumerate(folders))


def _explain(error: Exception, root: Path) -> ScrubjayError:
    if isinstance(error, OSError) and error.errno not in (None, errno.ENOSPC, errno.EMFILE):
        return explain(error, str(root))
    return Unavailable(
        f"{root} cannot be watched: {error}.",
        hint="Raise the system's limit of watched files (fs.inotify.max_user_watches), or sync by hand.",
    )
