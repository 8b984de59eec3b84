"""One apsw connection: how it is opened and what it promises (F50, F59; SEC-4)."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import apsw

from scrubjay.index.sqlite.failures import translated
from scrubjay.index.sqlite.generation import Generation

# Each of the forty tables and indices takes a page at least, which is much of a small index where pages are large. In
# pages of this size records leave a sixth empty, and token vectors a twentieth in the order of ``vectors.packed``, so
# that a large index is as large as with pages of 8 KB.
PAGE_SIZE = 4_096
_CACHE_KIB = 16_000
_WAL_LIMIT = 16 * 1024 * 1024


def connect(generation: Generation, *, busy_seconds: float) -> apsw.Connection:
    """A connection to an existing database, for one thread. Raises ``Corrupt`` or ``Unavailable``."""
    in_memory = generation.filename.startswith("file:")
    flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_URI if in_memory else apsw.SQLITE_OPEN_NOFOLLOW)
    with translated():
        connection = apsw.Connection(generation.filename, flags=flags)
        connection.set_busy_handler(_patience(busy_seconds))
        connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
        connection.pragma("trusted_schema", False)
        connection.pragma("cell_size_check", True)
        connection.pragma("secure_delete", True)
        connection.pragma("temp_store", "memory")
        connection.pragma("cache_size", -_CACHE_KIB)
        connection.pragma("journal_size_limit", _WAL_LIMIT)
        connection.pragma("wal_autocheckpoint", _WAL_LIMIT // 4 // PAGE_SIZE)
        connection.pragma("synchronous", "normal")
    return connection


def prepare(connection: apsw.Connection) -> None:
    """Settings that a database keeps; only while it is still empty."""
    with translated():
        connection.pragma("page_size", PAGE_SIZE)
        connection.pragma("auto_vacuum", "incremental")
        connection.pragma("journal_mode", "wal")


def _patience(seconds: float) -> Callable[[int], bool]:
    """Waits for a lock in short steps of random length, so that several waiting processes do not march in step."""
    deadline = 0.0

    def wait(attempt: int) -> bool:
        nonlocal deadline
        now = time.monotonic()
        if attempt == 0:
            deadline = now + seconds
        if now >= deadline:
            return False
        time.sleep(random.uniform(0.0005, min(0.025, 0.002 * (attempt + 1))))  # noqa: S311 - jitter, no secret
        return True

    return wait
