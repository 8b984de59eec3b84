"""The background worker: one thread that reads conversations and computes vectors while the caller goes on (design §5).

Work is a job in the index, so it survives restarts, is done by one process at a time, backs off after failures and is
visible in ``status`` (F41, F57, F58). Closing stops after the batch at hand; what is left waits for the next opening.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from scrubjay.errors import ScrubjayError
from scrubjay.operations.embedding import EmbedReport, embed_pending
from scrubjay.operations.store import Store
from scrubjay.ports import Embedder

if TYPE_CHECKING:
    from scrubjay.operations.extract import Desk

KIND = "embed"
LEASE_SECONDS = 120.0
IDLE_SECONDS = 30.0
BATCH_OF_BATCHES = 256


class Worker:
    """Learns from what waits in ``stores``, by ``desk``, and embeds it. ``wake`` after each write; ``drain`` to wait
    until nothing waits. What reads conversations is made when a conversation waits."""

    def __init__(
        self,
        stores: Iterable[Store],
        embedder: Callable[[], Embedder | None],
        *,
        background: bool,
        desk: Callable[[], Desk] | None = None,
    ) -> None:
        self._stores = stores  # looked at anew each time: one may be opened later
        self._embedder = embedder
        self._background = background
        self._desk = desk
        self._thread: threading.Thread | None = None
        self._work = threading.Event()
        self._stopping = threading.Event()
        self._busy = threading.Lock()

    def wake(self) -> None:
        """Starts the thread if need be and tells it that there is something to do."""
        if not self._background or self._stopping.is_set() or (self._embedder() is None and self._desk is None):
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="scrubjay-worker", daemon=True)
            self._thread.start()
        self._work.set()

    def drain(self, progress: Callable[[int, int], None] | None = None, *, limit: int | None = None) -> EmbedReport:
        """Does everything that waits, in the calling thread, but for vectors beyond ``limit``; the report says what
        could not be done."""
        total = EmbedReport()
        embedder = self._embedder()
        with self._busy:
            if self._desk is not None:
                from scrubjay.operations import extract

                total.learned = extract.Extracted()
                for store in self._stores:
                    if extract.waits(store):
                        total.learned.add(extract.work(store, self._desk(), resting=False))
            for store in self._stores if embedder is not None else ():
                assert embedder is not None
                left = None if limit is None else max(limit - total.stored, 0)
                report = embed_pending(store, embedder, limit=left, progress=progress)
                total.stored += report.stored
                total.waiting += report.waiting
                total.error = total.error or report.error
        return total

    def stop(self) -> None:
        """Lets nothing begin after the batch at hand; does not wait for that."""
        self._stopping.set()
        self._work.set()

    def close(self) -> None:
        """Stops after the batch at hand, and waits for it."""
        self.stop()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._work.wait(IDLE_SECONDS)
            self._work.clear()
            for task in (self._learn, self._work_on):
                for store in self._stores:
                    try:
                        task(store)
                    except ScrubjayError:
                        # The index is busy or gone for now; the job stays in it and is tried again on the next wake.
                        continue

    def _learn(self, store: Store) -> None:
        if self._desk is None or self._stopping.is_set() or not store.index.jobs():
            return
        from scrubjay.operations import extract

        if extract.waits(store):
            with self._busy:
                extract.work(store, self._desk(), stop=self._stopping.is_set)

    def _work_on(self, store: Store) -> None:
        embedder = self._embedder()
        if embedder is None or not store.index.pending_count(embedder.name):
            return
        store.index.enqueue(KIND, embedder.name)
        job = store.index.claim(KIND, lease_seconds=LEASE_SECONDS)
        while job is not None and not self._stopping.is_set():
            try:
                with self._busy:
                    report = embed_pending(store, embedder, limit=BATCH_OF_BATCHES, stop=self._stopping.is_set)
            except Exception as error:  # noqa: BLE001 - a model may be anybody's code
                # What it does wrong must be seen in `status`; it must not end this thread (F42).
                store.index.fail(job, f"{type(error).__name__}: {error}")
                return
            if report.error:
                store.index.fail(job, report.error)
                return
            if not report.waiting or not report.stored:
                store.index.finish(job)
                return
            if not store.index.renew(job, lease_seconds=LEASE_SECONDS):
                return
        if job is not None:
            store.index.release(job)
