"""The one memory of a server process: opened behind the handshake, kept in step with the disk, closed at the end."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from scrubjay.errors import ScrubjayError, Unavailable

if TYPE_CHECKING:
    from scrubjay.memory import Memory

logger = logging.getLogger(__name__)

# Files that other programs changed are looked for before a call: at most once a second, and at most a twentieth of
# the time is spent on looking.
AT_MOST_EVERY = 1.0
SHARE = 20
# A look that takes longer than this many seconds is not waited for.
PATIENCE = 0.5
# Seconds that a call waits until what changed before the server began is taken in.
FIRST = 3.0
# Seconds that a client has to itself for listing the tools, before models are loaded.
HEAD_START = 0.3
# So many records without a vector get one before a search; more are left to the background.
FEW = 32


class Keeper:
    """Opens a memory when it is first needed, or in the background with ``start``. For use from any thread.

    What cannot be opened now is tried again at the next call; until then every call says why.
    """

    def __init__(self, opening: Callable[[], Memory]) -> None:
        self._opening = opening
        self._memory: Memory | None = None
        self._open = threading.Lock()
        self._sync = threading.Lock()
        self._closing = threading.Event()
        self._wanted = threading.Event()
        self._synced = threading.Event()
        self._synced_at: float | None = None
        self._took = 0.0
        self._progress = (0, 0)
        self._warming: threading.Thread | None = None

    def start(self) -> None:
        """Opens the memory, takes in what changed on disk and loads the models, in a thread of its own (F60)."""
        self._warming = threading.Thread(target=self._warm, name="scrubjay-warm", daemon=True)
        self._warming.start()

    def memory(self) -> Memory:
        """The memory, with what other programs wrote lately. Raises what opening it raised."""
        memory = self._opened()
        if self._warming is not None and self._warming.is_alive():
            self._wanted.set()
            self._synced.wait(FIRST)
        if self._due():
            if self._took < PATIENCE:
                self._take_in(memory)
            else:
                threading.Thread(target=self._take_in, args=[memory], name="scrubjay-sync", daemon=True).start()
        return memory

    def embed_few(self) -> None:
        """Computes the vectors of what was stored a moment ago, so that it is found by meaning at once."""
        memory = self._opened()
        if 0 < memory.waiting() <= FEW:
            memory.drain()

    def warnings(self) -> list[str]:
        """What makes answers poorer for the moment."""
        if self._synced_at is not None:
            return []
        done, total = self._progress
        far = f": {done:,} of {total:,} files are read" if total else ""
        return [f"Still taking in what changed on disk{far}; the answer may lack something."]

    def close(self) -> None:
        """Stops background work and closes the memory. Closing twice is harmless."""
        self._closing.set()
        self._wanted.set()
        if self._warming is not None and self._warming is not threading.current_thread():
            self._warming.join()
        with self._sync, self._open:
            if self._memory is not None:
                self._memory.close()
                self._memory = None

    def _opened(self) -> Memory:
        with self._open:
            if self._closing.is_set():
                raise Unavailable("The server is stopping.")
            if self._memory is None:
                self._memory = self._opening()
                for warning in dict.fromkeys(self._memory.settings.warnings):
                    logger.warning("%s", warning)
            return self._memory

    def _warm(self) -> None:
        self._wanted.wait(HEAD_START)
        if self._closing.is_set():
            return
        try:
            memory = self._opened()
            self._take_in(memory)
            memory.wake()
            memory.search("What is remembered?", limit=1)
        except ScrubjayError as error:
            self._synced.set()
            if not self._closing.is_set():
                logger.warning("%s", error)

    def _due(self) -> bool:
        return self._synced_at is not None and time.monotonic() - self._synced_at > max(
            AT_MOST_EVERY, SHARE * self._took
        )

    def _take_in(self, memory: Memory) -> None:
        """Brings the index to what the vaults hold, unless another thread is doing that."""
        if not self._sync.acquire(blocking=False):
            return
        try:
            started = time.monotonic()
            memory.sync(progress=self._seen)
            self._took = time.monotonic() - started
            self._synced_at = time.monotonic()
        except ScrubjayError as error:
            if not self._closing.is_set():
                logger.warning("Changes on disk were not taken in: %s", error)
                self._synced_at = time.monotonic()
        finally:
            self._synced.set()
            self._sync.release()

    def _seen(self, done: int, total: int) -> None:
        self._progress = (done, total)
        if self._closing.is_set():
            raise Unavailable("The server is stopping.")
