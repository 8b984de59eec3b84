"""``SqliteIndex``: the port ``Index`` over one local database (design §2.1, §4, §5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from scrubjay import temporal
from scrubjay.errors import Refused
from scrubjay.index.sqlite import documents, health, jobs, journal, search, vectors
from scrubjay.index.sqlite.database import Database
from scrubjay.index.sqlite.generation import Folder, Memory
from scrubjay.index.sqlite.statements import sql
from scrubjay.ports import (
    Coverage,
    Filter,
    Index,
    IndexedDocument,
    IndexedRecord,
    Job,
    Pending,
    Row,
    Statistics,
    VectorRow,
)
from scrubjay.types import Operation, Problem, Record

if TYPE_CHECKING:
    from scrubjay.index.sqlite.nearest import Nearest
    from scrubjay.ports import Floats

MEMORY = ":memory:"
_BUSY_SECONDS = 30.0


class SqliteIndex:
    """A disposable index in ``folder`` (made if needed), or in memory for ``":memory:"``.

    ``fingerprint`` names everything that the rows depend on besides the schema: the versions of analyser and segmenter.
    An index with another fingerprint is replaced by an empty one, and ``fresh`` says so. With ``durability`` "full" the
    end of ``writing`` waits for the disk. ``busy_seconds`` is how long to wait for other writers; ``clock`` gives the
    time for jobs. Usable from several threads at once.

    Raises ``Unavailable`` when the folder or disk cannot be used. Damage is never fatal: the damaged file is set aside.
    """

    def __init__(
        self,
        folder: Path | str,
        *,
        fingerprint: str = "",
        durability: Literal["full", "normal"] = "full",
        busy_seconds: float = _BUSY_SECONDS,
        clock: Callable[[], datetime] = temporal.now,
    ) -> None:
        place = Memory() if str(folder) == MEMORY else Folder(Path(folder))
        db = Database(place, fingerprint=fingerprint, busy_seconds=busy_seconds)
        self._take(db, clock, durable=durability == "full")

    def _take(self, db: Database, clock: Callable[[], datetime], *, durable: bool) -> None:
        self._db = db
        self._clock = clock
        self._durable = durable
        self._nearest: Nearest | None = None

    @property
    def fresh(self) -> bool:
        """Whether this opening made the index anew, or damage did since: a sync has to fill it."""
        return self._db.fresh

    @property
    def complete(self) -> bool:
        """Whether a sync has taken in the whole vault. Kept in the index itself, so that every process knows (F13)."""
        return self._db.value(sql("schema", "meta"), {"name": "complete"}) is not None

    def completed(self) -> None:
        """Notes that a sync has."""
        with self._db.transaction():
            self._db.all(sql("schema", "remember"), {"name": "complete", "value": "1"})

    def close(self) -> None:
        """Closes all connections; waits for nobody."""
        self._db.close()

    def writing(self) -> AbstractContextManager[None]:
        """The exclusive transaction of vault and index. Raises ``Refused`` inside another one of the same thread,
        ``Unavailable`` when others write for too long."""
        if self._db.writing:
            raise Refused("writing() is already open in this thread.", hint="Use the one that is open.")
        return self._db.transaction(durable=self._durable)

    def rebuild(self, fill: Callable[[Index], None]) -> None:
        """Replaces the index by a new one while others go on reading and writing (design §2.1).

        ``fill`` is called twice with the new index: first at leisure, then again while nobody can write, for what
        came meanwhile (a sync does both). Vectors of unchanged passages, jobs, counters and the journal are carried
        over. If ``fill`` raises, nothing has changed.
        """
        self._db.rebuild(lambda db: fill(_Beside(db, self._clock)))

    # documents

    def documents(self) -> Mapping[str, IndexedDocument]:
        return documents.documents(self._db)

    def document(self, path: str) -> IndexedDocument | None:
        return documents.document(self._db, path)

    def document_with_id(self, id: str) -> IndexedDocument | None:
        return documents.document_with_id(self._db, id)

    def with_hash(self, hash: str) -> Sequence[str]:
        return documents.with_hash(self._db, hash)

    def put_document(
        self, document: IndexedDocument, records: Sequence[IndexedRecord], problems: Sequence[Problem] = ()
    ) -> None:
        self._db.require_writing("put_document")
        documents.put(self._db, document, records, problems)

    def touch_document(self, document: IndexedDocument) -> None:
        self._db.require_writing("touch_document")
        documents.touch(self._db, document)

    def drop_document(self, path: str) -> None:
        self._db.require_writing("drop_document")
        documents.drop(self._db, path)

    def move_document(self, source: str, target: str) -> None:
        self._db.require_writing("move_document")
        documents.move(self._db, source, target)

    def problems(self) -> Sequence[Problem]:
        return documents.problems(self._db)

    # search

    def statistics(self, lexemes: Iterable[str]) -> Statistics:
        return search.statistics(self._db, lexemes)

    def lexical(
        self, lexemes: Sequence[str], where: Filter, limit: int, statistics: Statistics | None = None
    ) -> Sequence[int]:
        return search.lexical(self._db, lexemes, where, limit, statistics)

    def dense(self, vector: Floats, model: str, where: Filter, limit: int) -> Sequence[int]:
        vectors.check_query(self._db, model, vector)
        if self._nearest is None:
            from scrubjay.index.sqlite.nearest import Nearest

            self._nearest = Nearest(self._db)
        return self._nearest.search(vector, model, where, limit)

    def everything(self, where: Filter, limit: int) -> Sequence[int] | None:
        return search.everything(self._db, where, limit)

    def passing(self, keys: Sequence[int], where: Filter) -> set[int]:
        return search.passing(self._db, keys, where)

    def rows(self, keys: Sequence[int], model: str | None = None) -> Sequence[Row]:
        return search.rows(self._db, keys, model)

    def neighbours(self, rows: Sequence[Row], model: str | None = None) -> Sequence[Row]:
        return search.neighbours(self._db, rows, model)

    def records(self, keys: Sequence[int]) -> Mapping[int, Record]:
        return search.records(self._db, keys)

    # look-up

    def record(self, id: str) -> Record | None:
        return search.record(self._db, id)

    def records_at(self, path: str) -> Sequence[Record]:
        return search.records_at(self._db, path)

    def facts(self, where: Filter | None = None) -> Sequence[Record]:
        return search.facts(self._db, where)

    def facts_about(self, subject: str, where: Filter) -> Sequence[Record]:
        return search.facts_about(self._db, subject, where)

    def successor(self, id: str) -> str | None:
        return search.successor(self._db, id)

    # vectors

    def pending(self, model: str, limit: int) -> Sequence[Pending]:
        return vectors.pending(self._db, model, limit)

    def pending_count(self, model: str) -> int:
        return vectors.pending_count(self._db, model)

    def put_vectors(self, model: str, rows: Sequence[VectorRow]) -> None:
        vectors.put(self._db, model, rows)

    # jobs, counters, journal, health

    def enqueue(self, kind: str, key: str, payload: str = "") -> None:
        jobs.enqueue(self._db, kind, key, payload, now=self._clock())

    def claim(self, kind: str, *, lease_seconds: float) -> Job | None:
        return jobs.claim(self._db, kind, lease_seconds, now=self._clock())

    def renew(self, job: Job, *, lease_seconds: float) -> bool:
        return jobs.renew(self._db, job, lease_seconds, now=self._clock())

    def release(self, job: Job) -> None:
        jobs.release(self._db, job, now=self._clock())

    def finish(self, job: Job) -> bool:
        return jobs.finish(self._db, job, now=self._clock())

    def fail(self, job: Job, error: str, *, retry: bool = True) -> None:
        jobs.fail(self._db, job, error, retry=retry, now=self._clock())

    def jobs(self) -> Sequence[Job]:
        return jobs.jobs(self._db)

    def count(self, name: str, add: int = 1) -> None:
        journal.count(self._db, name, add)

    def counters(self) -> Mapping[str, int]:
        return journal.counters(self._db)

    def mark(self, name: str) -> str:
        return journal.mark(self._db, name)

    def set_mark(self, name: str, value: str) -> None:
        journal.set_mark(self._db, name, value)

    def log(self, operation: Operation) -> None:
        self._db.require_writing("log")
        journal.log(self._db, operation)

    def operations(self, limit: int = 50) -> Sequence[Operation]:
        return journal.operations(self._db, limit)

    def mark_undone(self, id: str) -> None:
        journal.mark_undone(self._db, id)

    def coverage(self, model: str | None) -> Coverage:
        return health.coverage(self._db, model)

    def check(self) -> Sequence[str]:
        return health.check(self._db)

    def repair(self) -> health.Repaired:
        """Makes the rows fit each other again and says what is left."""
        return health.repair(self._db)


class _Beside(SqliteIndex):
    """The index that a rebuild fills: its commits need not wait for the disk, the swap does."""

    def __init__(self, db: Database, clock: Callable[[], datetime]) -> None:
        self._take(db, clock, durable=False)
