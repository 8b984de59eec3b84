"""One dream at a time, by the host's own convention (CC-D2): a file in the memory folder whose modification time is the
end of the last dream, and which holds the process id of whoever dreams.

A holder that is dead, or whose heartbeat stopped for an hour, is passed over; a process that only has its number again
is not it (F56). A dream that fails puts the time back.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from scrubjay.errors import Refused, Unavailable
from scrubjay.vaults.dialects.claude_memory import host

BEAT_SECONDS = 60.0
_MOST_BYTES = 200


class HeldError(Unavailable):
    """Somebody else dreams."""


def last(folder: Path) -> datetime | None:
    """When the last dream of the memory in ``folder`` ended; ``None`` when there was none."""
    try:
        found = os.lstat(folder / host.LOCK_NAME)
    except OSError:
        return None
    return datetime.fromtimestamp(found.st_mtime, UTC) if found.st_mtime > 0 else None


class DreamLock:
    """Held while the ``with`` block runs. ``done`` is called when the dream is over; without it the time from before
    is put back. Raises ``HeldError``."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / host.LOCK_NAME
        self._before: float | None = None
        self._made = False
        self._finished = False
        self._stop = threading.Event()
        self._beat = threading.Thread(target=self._beating, name="dream-heartbeat", daemon=True)

    def __enter__(self) -> Self:
        self._take()
        self._beat.start()
        return self

    def done(self) -> None:
        """The dream is over, now."""
        self._finished = True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._beat.join()
        if self._holder() != _self():
            return  # it was taken from us; whoever has it now sets its time
        with suppress(OSError):
            if self._finished and kind is None:
                _write(self._file, "")
            elif self._made:
                self._file.unlink()
            else:
                _write(self._file, "")
                os.utime(self._file, (self._before or 0.0, self._before or 0.0))

    def _take(self) -> None:
        try:
            descriptor = os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _nofollow(), 0o600)
        except FileExistsError:
            self._take_over()
        except OSError as error:
            raise Unavailable(f"{self._file} cannot be written: {error.strerror}.", hint="Look at the disk.") from None
        else:
            self._made = True
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(_self())
        if self._holder() != _self():  # somebody took it in the same moment
            raise HeldError("Another dream has just begun.", hint="Wait until it is over.")

    def _take_over(self) -> None:
        found = os.lstat(self._file)
        if os.path.islink(self._file) or not os.path.isfile(self._file):
            raise Refused(f"{self._file} is no file of ours.", hint="Remove it.")
        holder = self._holder()
        if holder and holder != _self() and alive(holder) and time.time() - found.st_mtime < _stale():
            raise HeldError("Another dream is under way.", hint="Wait until it is over.")
        self._before = found.st_mtime
        _write(self._file, _self())

    def _holder(self) -> str:
        try:
            with open(os.open(self._file, os.O_RDONLY | _nofollow()), encoding="utf-8", errors="replace") as file:
                return file.read(_MOST_BYTES).strip()
        except OSError:
            return ""

    def _beating(self) -> None:
        while not self._stop.wait(BEAT_SECONDS):
            with suppress(OSError):
                if self._holder() == _self():
                    os.utime(self._file)


def alive(holder: str) -> bool:
    """Whether the process that wrote ``holder`` still runs: its number, and where it says so when it was started."""
    number, _, started = holder.partition(" ")
    if not number.isdigit() or not 0 < int(number) < 1 << 31:
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OSError):
        return True
    now = _started(int(number))
    return not started or not now or started == now


def _self() -> str:
    started = _started(os.getpid())
    return f"{os.getpid()} {started}" if started else str(os.getpid())


def _started(pid: int) -> str:
    """When the process was started, in ticks since the machine was; empty where the system does not tell."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def _stale() -> float:
    return host.LOCK_STALE_HOURS * 3600.0


def _write(file: Path, text: str) -> None:
    with open(os.open(file, os.O_WRONLY | os.O_TRUNC | _nofollow()), "w", encoding="utf-8") as stream:
        stream.write(text)


def _nofollow() -> int:
    return getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
