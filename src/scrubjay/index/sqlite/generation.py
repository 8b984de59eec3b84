"""Where the database lives: numbered generations, one of them live (design §2.1, F34, F40, F51).

In a folder, ``index-<n>.db`` are the generations and the file ``current`` names the live one; it is replaced
atomically, and whoever is about to run a statement looks at it first. In memory the same holds without files.
"""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import Protocol

import apsw

from scrubjay.errors import Unavailable
from scrubjay.index.sqlite.filelock import exclusive

_NAME = re.compile(r"index-(\d{1,9})\.db")
_COMPANIONS = ("-wal", "-shm", "-journal")


@dataclass(frozen=True, slots=True)
class Generation:
    """One database: its number and what SQLite opens."""

    number: int
    filename: str


class Place(Protocol):
    """Where generations are kept."""

    def live(self) -> Generation | None:
        """The live generation, if there is one."""

    def mark(self, generation: Generation) -> Hashable:
        """Something that changes when ``generation`` is no longer live or its file no longer the same; cheap enough
        for every statement."""

    def lock(self, wait_seconds: float) -> AbstractContextManager[None]:
        """Held while a generation is made and put live."""

    def new(self) -> Generation:
        """An empty database with a number never used before."""

    def switch(self, generation: Generation) -> None:
        """Makes ``generation`` the live one, atomically."""

    def set_aside(self, generation: Generation) -> None:
        """Keeps a damaged generation out of the way."""

    def discard(self, generation: Generation) -> None:
        """Removes a generation that is not live."""

    def sweep(self) -> None:
        """Removes what killed processes left. Only under the lock."""

    def size(self, generation: Generation) -> int:
        """Bytes it occupies."""


class Folder:
    """Generations in a folder of the local file system; files 0600, folders 0700 (SEC-4)."""

    def __init__(self, path: Path) -> None:
        self._path = Path(os.path.realpath(path))
        self._current = self._path / "current"

    def live(self) -> Generation | None:
        try:
            name = self._current.read_text(encoding="utf-8").strip()
        except (FileNotFoundError, NotADirectoryError, UnicodeDecodeError):
            return None
        except OSError as error:
            raise Unavailable(f"The index cannot be opened: {error.strerror}: {self._current}.") from error
        match = _NAME.fullmatch(name)
        if match is None or not (self._path / name).is_file():
            return None
        return self._generation(int(match[1]))

    def mark(self, generation: Generation) -> Hashable:
        try:
            current, database = os.stat(self._current), os.stat(generation.filename)
        except OSError:
            return None
        return current.st_ino, current.st_mtime_ns, database.st_ino

    def lock(self, wait_seconds: float) -> AbstractContextManager[None]:
        try:
            self._path.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise Unavailable(f"The folder of the index cannot be made: {error.strerror}: {self._path}.") from error
        return exclusive(self._path / "lock", wait_seconds=wait_seconds)

    def new(self) -> Generation:
        numbers = [int(match[1]) for name in os.listdir(self._path) if (match := _NAME.match(name))]
        generation = self._generation(max(numbers, default=0) + 1)
        os.close(os.open(generation.filename, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        return generation

    def switch(self, generation: Generation) -> None:
        beside = self._path / f".current-{uuid.uuid4().hex}"
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(f"{Path(generation.filename).name}\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, self._current)

    def set_aside(self, generation: Generation) -> None:
        for old in self._path.glob("index-*.db.corrupt"):
            _unlink(old)
        with suppress(OSError):
            os.replace(generation.filename, f"{generation.filename}.corrupt")
        for companion in _COMPANIONS:
            _unlink(Path(generation.filename + companion))

    def discard(self, generation: Generation) -> None:
        for companion in ("", *_COMPANIONS):
            _unlink(Path(generation.filename + companion))

    def sweep(self) -> None:
        live = self.live()
        for path in self._path.glob("index-*.db"):
            match = _NAME.fullmatch(path.name)
            if match and (live is None or int(match[1]) != live.number):
                self.discard(self._generation(int(match[1])))
        for path in self._path.glob(".current-*"):
            _unlink(path)

    def size(self, generation: Generation) -> int:
        total = 0
        for companion in ("", "-wal"):
            with suppress(OSError):
                total += os.stat(generation.filename + companion).st_size
        return total

    def _generation(self, number: int) -> Generation:
        return Generation(number, str(self._path / f"index-{number}.db"))


class Memory:
    """Generations in this process's memory; each lives as long as the connection that anchors it."""

    def __init__(self) -> None:
        self._name = uuid.uuid4().hex
        self._lock = RLock()
        self._anchors: dict[int, apsw.Connection] = {}
        self._live: Generation | None = None
        self._last = 0

    def live(self) -> Generation | None:
        return self._live

    def mark(self, generation: Generation) -> Hashable:
        return self._live == generation

    @contextmanager
    def lock(self, wait_seconds: float) -> Iterator[None]:
        if not self._lock.acquire(timeout=wait_seconds):
            raise Unavailable("Another thread is rebuilding the index.", hint="Try again when it has finished.")
        try:
            yield
        finally:
            self._lock.release()

    def new(self) -> Generation:
        self._last += 1
        generation = Generation(self._last, f"file:/scrubjay-{self._name}-{self._last}?vfs=memdb")
        flags = apsw.SQLITE_OPEN_URI | apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        self._anchors[generation.number] = apsw.Connection(generation.filename, flags=flags)
        return generation

    def switch(self, generation: Generation) -> None:
        self._live = generation

    def set_aside(self, generation: Generation) -> None:
        self.discard(generation)

    def discard(self, generation: Generation) -> None:
        anchor = self._anchors.pop(generation.number, None)
        if anchor is not None:
            anchor.close()

    def sweep(self) -> None:
        return

    def size(self, generation: Generation) -> int:
        anchor = self._anchors.get(generation.number)
        return 0 if anchor is None else int(anchor.pragma("page_count")) * int(anchor.pragma("page_size"))


def _unlink(path: Path) -> None:
    # Windows refuses while somebody has it open: the next sweep gets it.
    with suppress(OSError):
        path.unlink()
