"""The live database as every thread sees it: connections, transactions, and what happens when it is replaced.

A statement first looks whether another generation went live (F34). A damaged generation is set aside and an empty one
takes its place, for the next sync to fill: damage makes an answer poorer, never absent (design §2.7).
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import apsw

from scrubjay.errors import Corrupt, Refused, Unavailable
from scrubjay.index.sqlite import lifecycle
from scrubjay.index.sqlite.connection import connect
from scrubjay.index.sqlite.failures import translated
from scrubjay.index.sqlite.generation import Generation, Place

Bindings = Mapping[str, Any] | Sequence[Any]

# Give pages back to the file system when this many, and more than a quarter of all, lie free (F40).
_FREE_PAGES = 250


@dataclass(frozen=True, slots=True)
class _Handle:
    """A connection, what it is open on, and the mark that says whether that is still live."""

    connection: apsw.Connection
    generation: Generation
    mark: Hashable


class _Session(threading.local):
    """What one thread has open."""

    handle: _Handle | None = None
    writing: bool = False


class Database:
    """Statements and transactions on the live generation of a place. Raises only errors of ``scrubjay.errors``."""

    def __init__(
        self, place: Place, *, fingerprint: str, busy_seconds: float, pinned: Generation | None = None
    ) -> None:
        self._place = place
        self._fingerprint = fingerprint
        self._busy_seconds = busy_seconds
        self._pinned = pinned
        self._here = _Session()
        self._open: weakref.WeakSet[apsw.Connection] = weakref.WeakSet()
        self._writers = threading.Lock()
        self._closed = False
        self.fresh = False
        self._reopen(first=True)
        if not self.fresh and pinned is None:
            self._drop_old_spare()

    # --- statements ---

    def all(self, sql: str, bindings: Bindings = ()) -> list[tuple[Any, ...]]:
        """Every row that ``sql`` gives."""
        try:
            return self._all(sql, bindings)
        except Corrupt:
            if self._here.writing or self._pinned is not None:
                raise
            self._replace_damaged()
            return self._all(sql, bindings)

    def one(self, sql: str, bindings: Bindings = ()) -> tuple[Any, ...] | None:
        """The first row, if any."""
        rows = self.all(sql, bindings)
        return rows[0] if rows else None

    def value(self, sql: str, bindings: Bindings = ()) -> Any:
        """The first column of the first row, or ``None``."""
        row = self.one(sql, bindings)
        return row[0] if row else None

    def script(self, sql: str) -> None:
        """Runs several statements. Only inside a transaction."""
        with translated():
            self._connection().execute(sql)

    def many(self, sql: str, bindings: Sequence[Bindings]) -> None:
        """Runs ``sql`` once for each of ``bindings``. Only inside a transaction."""
        with translated():
            self._connection().executemany(sql, bindings)

    @property
    def generation(self) -> Generation:
        """The generation that the next statement reads."""
        return self._handle().generation

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return self._place.size(self.generation)

    @property
    def writing(self) -> bool:
        """Whether this thread is inside a transaction."""
        return self._here.writing

    # --- transactions ---

    @contextmanager
    def transaction(self, *, durable: bool = False) -> Iterator[None]:
        """The one writer among all threads and processes; joins a transaction that this thread has open already.

        ``durable`` waits until the disk has it (a document's commit); otherwise a power cut may undo it.
        """
        if self._here.writing:
            yield
            return
        if not self._writers.acquire(timeout=self._busy_seconds):
            raise Unavailable("The index is being written by another thread.", hint="Try again in a moment.")
        try:
            connection = self._begin(durable)
            self._here.writing = True
            try:
                yield
                self._commit(connection)
            except BaseException as error:
                self._roll_back(connection)
                self._here.writing = False
                if isinstance(error, Corrupt) and self._pinned is None:
                    self._replace_damaged()
                raise
            finally:
                self._here.writing = False
        finally:
            self._writers.release()

    def require_writing(self, what: str) -> None:
        """Raises ``Refused`` outside a transaction."""
        if not self._here.writing:
            raise Refused(f"{what} was called outside writing().", hint="Wrap it in `with index.writing():`.")

    def rebuild(self, fill: Callable[[Database], None]) -> None:
        """Builds the next generation with ``fill``, beside the live one; then, holding the live one's lock, calls
        ``fill`` again for what came meanwhile, and switches."""
        if self._here.writing:
            raise Refused("The index cannot be rebuilt inside writing().", hint="Leave the block first.")
        with self._place.lock(self._busy_seconds):
            old = self.generation
            self._place.sweep()
            new = lifecycle.begin(self._place, self._fingerprint, old, busy_seconds=self._busy_seconds)
            beside = Database(self._place, fingerprint=self._fingerprint, busy_seconds=self._busy_seconds, pinned=new)
            try:
                fill(beside)
                lifecycle.optimise(beside._connection())
                with self.transaction():
                    fill(beside)
                    beside._finish(self._connection())
                    self._place.switch(new)
            except BaseException:
                beside.close()
                self._place.discard(new)
                raise
            self._reopen()
            self._place.discard(old)
            self.fresh = False

    def _finish(self, old: apsw.Connection) -> None:
        lifecycle.carry_over(old, self._connection())
        lifecycle.drop_spare(self._connection())
        self.close()

    def close(self) -> None:
        """Closes the connections of all threads."""
        self._closed = True
        for connection in list(self._open):
            with suppress(apsw.Error):
                connection.close()
        self._here.handle = None

    # --- connections ---

    def _all(self, sql: str, bindings: Bindings) -> list[tuple[Any, ...]]:
        with translated():
            return self._connection().execute(sql, bindings).fetchall()

    def _connection(self) -> apsw.Connection:
        return self._handle().connection

    def _handle(self) -> _Handle:
        """This thread's connection to the live generation."""
        handle = self._here.handle
        if handle is not None and (self._here.writing or self._closed or self._is_live(handle)):
            return handle
        return self._reopen()

    def _is_live(self, handle: _Handle) -> bool:
        return handle.mark == self._mark(handle.generation)

    def _mark(self, generation: Generation) -> Hashable:
        return generation.number if self._pinned is not None else self._place.mark(generation)

    def _reopen(self, *, first: bool = False) -> _Handle:
        """Connects this thread to the live generation, making one where there is none."""
        if self._closed:
            raise Unavailable("The index is closed.", hint="Open it again.")
        self._disconnect()
        generation = self._pinned or self._place.live()
        handle = None if generation is None else self._connect(generation, first=first)
        if handle is None:
            with self._place.lock(self._busy_seconds):
                handle = self._start_over(first=first)
        self._here.handle = handle
        self._open.add(handle.connection)
        return handle

    def _connect(self, generation: Generation, *, first: bool) -> _Handle | None:
        """A connection to ``generation``, if it can be opened and is what we expect."""
        mark = self._mark(generation)
        try:
            connection = connect(generation, busy_seconds=self._busy_seconds)
            verdict = lifecycle.judge(connection, self._fingerprint)
        except Corrupt:
            return None
        except Unavailable:
            if self._mark(generation) != mark or self._place.live() != generation:
                return None
            raise
        if verdict == "usable":
            return _Handle(connection, generation, mark)
        connection.close()
        if verdict == "other" and not first:
            raise Unavailable(
                "The index was rebuilt by another version of Scrubjay.", hint="Restart this process to go on."
            )
        return None

    def _disconnect(self) -> None:
        handle, self._here.handle = self._here.handle, None
        if handle is not None:
            self._open.discard(handle.connection)
            with suppress(apsw.Error):
                handle.connection.close()

    def _start_over(self, *, first: bool) -> _Handle:
        """Under the lock: an empty generation instead of none, a damaged one, or one of another version."""
        live = self._place.live()
        handle = None if live is None else self._connect(live, first=first)
        if handle is not None:
            return handle
        if (
            live is not None
            and lifecycle.verdict(live, self._fingerprint, busy_seconds=self._busy_seconds) == "damaged"
        ):
            self._supersede_damaged(live)
        else:
            lifecycle.supersede(self._place, live, self._fingerprint, busy_seconds=self._busy_seconds)
            self.fresh = True
        self._place.sweep()
        live = self._place.live()
        handle = None if live is None else self._connect(live, first=first)
        if handle is None:
            raise Corrupt("A new index cannot be read back.", hint="Check the disk that holds it.")
        return handle

    def _supersede_damaged(self, old: Generation) -> None:
        lifecycle.supersede_damaged(self._place, old, self._fingerprint, busy_seconds=self._busy_seconds)
        self.fresh = True

    def _replace_damaged(self) -> None:
        """Sets the damaged generation aside, unless somebody else has done so already."""
        seen = self._here.handle.generation if self._here.handle else None
        self._disconnect()
        with self._place.lock(self._busy_seconds):
            live = self._place.live()
            if live is not None and live == seen:
                self._supersede_damaged(live)

    def _drop_old_spare(self) -> None:
        connection = self._connection()
        if lifecycle.spare_is_old(connection):
            with self.transaction():
                lifecycle.drop_spare(connection)

    # --- inside a transaction ---

    def _begin(self, durable: bool) -> apsw.Connection:
        while True:
            handle = self._handle()
            try:
                with translated():
                    handle.connection.pragma("synchronous", "full" if durable else "normal")
                    handle.connection.execute("BEGIN IMMEDIATE")
            except Corrupt:
                if self._pinned is not None:
                    raise
                self._replace_damaged()
                continue
            if self._is_live(handle):
                return handle.connection
            # Another generation went live while we waited for the old one's lock.
            self._roll_back(handle.connection)

    def _commit(self, connection: apsw.Connection) -> None:
        with translated():
            free, pages = connection.pragma("freelist_count"), connection.pragma("page_count")
            if free > _FREE_PAGES and free * 4 > pages:
                connection.execute(f"PRAGMA incremental_vacuum({_FREE_PAGES})").fetchall()
            connection.execute("COMMIT")

    def _roll_back(self, connection: apsw.Connection) -> None:
        # A full disk or a lost file may have rolled back already.
        with suppress(apsw.Error):
            if connection.in_transaction:
                connection.execute("ROLLBACK")
