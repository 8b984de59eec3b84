"""A lock between processes that the operating system releases when its holder dies (F51, F53, F56)."""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scrubjay.errors import Unavailable

if sys.platform == "win32":
    import msvcrt

    def _try(descriptor: int) -> bool:
        # The first byte, always: locking wherever the position happens to be excludes nobody (F56).
        os.lseek(descriptor, 0, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _try(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


@contextmanager
def exclusive(
    path: Path, *, wait_seconds: float, busy: str = "Another process is rebuilding the index."
) -> Iterator[None]:
    """Holds the lock file ``path``, alone among threads and processes.

    Raises ``Unavailable``, which says that it is ``busy``, after ``wait_seconds``.
    """
    descriptor = os.open(
        path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0), 0o600
    )
    try:
        deadline = time.monotonic() + wait_seconds
        while not _try(descriptor):
            if time.monotonic() >= deadline:
                raise Unavailable(busy, hint="Try again when it has finished.")
            time.sleep(random.uniform(0.005, 0.03))  # noqa: S311 - jitter, no secret
        yield
    finally:
        os.close(descriptor)
