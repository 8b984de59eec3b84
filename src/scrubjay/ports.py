"""The seams: what a vault, an index and a model must offer. Implementations live in ``vaults``, ``index``, ``models``.

A ``Vault`` is the truth, an ``Index`` can be thrown away. ``Index.writing`` is the write lock of both: a document is
written inside it, and never is a model called inside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from scrubjay.types import Candidate, Document, Entry, Fact, Layer, Message, Operation, Problem, Record, Verdict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]


# A passage may begin with context, which a model reads for what follows but which is not part of the record: all up to
# this separator. Embedders without token vectors read it as a line break.
CONTEXT_END = "\x1e"


# --- the truth -------------------------------------------------------------------------------------------------


class Vault(Protocol):
    """Documents at POSIX paths relative to a root; nothing outside the root is ever touched (SEC-1)."""

    @property
    def name(self) -> str:
        """Where the vault is, for people."""

    def entries(self) -> Iterator[Entry]:
        """Every readable document, metadata only, in path order; trash and hidden folders excluded."""

    def skipped(self) -> Sequence[Problem]:
        """What the newest complete listing by ``entries`` left out although it looks like a document or a folder of
        them, and why: it cannot be read, or its name cannot be a path. Empty before the first listing."""

    def receipts(self) -> Iterator[str]:
        """Paths of the receipts in the trash."""

    def read(self, path: str) -> Document:
        """The document at ``path``. Raises ``NotFound``, ``Refused`` for an unsafe path."""

    def read_bytes(self, path: str) -> bytes:
        """Its exact bytes (trash included)."""

    def exists(self, path: str) -> bool:
        """Whether something is stored at ``path`` (trash included)."""

    def write(self, path: str, text: str, *, expected: str | None) -> Document:
        """Stores ``text`` (UTF-8, ``\\n``) and returns it as read back from the disk.

        ``expected`` is the hash that the caller read, or ``None`` when the path must not exist yet. Raises
        ``Conflict`` when the stored bytes are others, ``Refused`` for an unsafe path, ``Unavailable`` for a full or
        read-only disk; then nothing has changed.
        """

    def write_bytes(self, path: str, data: bytes, *, expected: str | None) -> Document:
        """The same for exact bytes (undo, import)."""

    def rename(self, source: str, target: str, *, expected: str) -> Document:
        """Moves a document; ``target`` must not exist."""

    def retire(self, path: str, *, expected: str, kept: str) -> None:
        """Moves a document into the trash, as ``kept`` (a path below ``90-Trash/``). Nothing is ever deleted."""

    def sweep(self, *, older_than: float) -> int:
        """Removes what killed writers left half-written, ``older_than`` seconds old; returns how many there were."""


# --- the index -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedDocument:
    """What the index remembers of a document, to know whether it changed."""

    path: str
    hash: str
    size: int
    mtime_ns: int
    kind: str = "note"
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedRecord:
    """A record with what is derived from it.

    ``head`` and ``body`` are its lexemes (``text.analyze``), ``head`` those of title, topic, tags, headings, speaker
    and date. ``passage`` is the text that a model encodes, with context before ``CONTEXT_END`` where it has some; it is
    empty for records that stay lexical (tool output).
    """

    record: Record
    head: Sequence[str]
    body: Sequence[str]
    passage: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Conditions that hold before ranking. ``as_of`` and ``known_at`` follow ``temporal.visible`` exactly."""

    layers: frozenset[Layer]
    as_of: datetime
    known_at: datetime
    tags: frozenset[str] = frozenset()
    category: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    include_superseded: bool = False
    include_low_trust: bool = True


class Row(NamedTuple):
    """A candidate as ranking needs it; a tuple, since a search makes hundreds.

    ``previous`` and ``following`` are the keys of the records just before and after it in its thread. ``head`` and
    ``body`` are lexemes with a blank between them. ``tokens`` are packed token vectors, ``None`` while there are none.
    """

    key: int
    previous: int | None
    following: int | None
    head: str
    body: str
    speaker: str
    text: str
    tokens: bytes | None
    vector: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """Numbers behind BM25: searchable records, how many hold each lexeme asked about, mean lengths in lexemes."""

    records: int
    frequencies: Mapping[str, int]
    average_length: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """A record that waits for its vector."""

    key: int
    passage: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorRow:
    """A computed vector: ``vector`` int8 components of the unit vector times 127, ``tokens`` packed token rows."""

    key: int
    vector: bytes
    tokens: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """What share of the vault the index holds; each is a count out of ``documents`` or ``records``."""

    documents: int
    records: int
    lexical: int
    embeddable: int
    vectors: int
    stale_vectors: int
    bytes: int
    failures: int = 0


JobState = Literal["waiting", "running", "dead"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Background work. ``token`` fences it: finishing with an old token is refused, so a stolen lease does no harm."""

    id: int
    kind: str
    key: str
    attempts: int
    token: str
    payload: str = ""
    state: JobState = "running"
    error: str = ""


class Index(Protocol):
    """A disposable search index over one vault. One instance may be used from several threads."""

    @property
    def fresh(self) -> bool:
        """Whether the index was made (or remade) by this opening and has to be filled by a sync."""

    @property
    def complete(self) -> bool:
        """Whether a sync has taken in the whole vault since the index was made, by whichever process (F13)."""

    def completed(self) -> None:
        """Notes that a sync has; takes its own short transaction."""

    def close(self) -> None: ...

    def writing(self) -> AbstractContextManager[None]:
        """The exclusive transaction: commits on success, rolls back on an exception; waits for other processes."""

    def rebuild(self, fill: Callable[[Index], None]) -> None:
        """Builds a new index beside this one: ``fill`` is called with it, then once more inside the exclusive
        transaction for what was written meanwhile; then the new one takes this one's place for every process."""

    # documents
    def documents(self) -> Mapping[str, IndexedDocument]: ...
    def document(self, path: str) -> IndexedDocument | None: ...
    def document_with_id(self, id: str) -> IndexedDocument | None: ...
    def put_document(
        self, document: IndexedDocument, records: Sequence[IndexedRecord], problems: Sequence[Problem] = ()
    ) -> None:
        """Replaces everything known of ``document.path``; vectors of records whose passage is unchanged are kept.
        Only inside ``writing``."""

    def touch_document(self, document: IndexedDocument) -> None:
        """Notes new size and time of a document whose hash is as before. Only inside ``writing``."""

    def drop_document(self, path: str) -> None:
        """Forgets all of a path: rows, lexemes, vectors. Only inside ``writing``."""

    def move_document(self, source: str, target: str) -> None:
        """Renames a path without losing vectors or record ids. Only inside ``writing``."""

    def problems(self) -> Sequence[Problem]: ...

    # search
    def statistics(self, lexemes: Iterable[str]) -> Statistics: ...
    def lexical(
        self, lexemes: Sequence[str], where: Filter, limit: int, statistics: Statistics | None = None
    ) -> Sequence[int]:
        """Keys of the best records holding any of ``lexemes``, best first, after ``where``. Their ``statistics`` are
        read anew if they are not given."""

    def dense(self, vector: Floats, model: str, where: Filter, limit: int) -> Sequence[int]:
        """Keys of the records nearest to ``vector`` (float32 [d], unit length) among those of ``model``."""

    def everything(self, where: Filter, limit: int) -> Sequence[int] | None:
        """All keys that pass ``where``, or ``None`` if they are more than ``limit`` (small vaults rank them all)."""

    def passing(self, keys: Sequence[int], where: Filter) -> set[int]:
        """Those of ``keys`` that pass ``where``."""

    def rows(self, keys: Sequence[int], model: str | None = None) -> Sequence[Row]:
        """The rows of ``keys`` in that order, with the vectors of ``model`` only; vanished ones are left out.

        Vectors of a model that was changed since are no vectors: comparing them would be noise (MX-11)."""

    def neighbours(self, rows: Sequence[Row], model: str | None = None) -> Sequence[Row]:
        """The rows just before and after each of ``rows`` in its thread that are not among ``rows``."""

    def records(self, keys: Sequence[int]) -> Mapping[int, Record]: ...

    # look-up
    def record(self, id: str) -> Record | None: ...
    def records_at(self, path: str) -> Sequence[Record]:
        """The records of one document, in order."""

    def facts(self, where: Filter | None = None) -> Sequence[Record]:
        """Facts, oldest first; all of them without a filter."""

    def facts_about(self, subject: str, where: Filter) -> Sequence[Record]:
        """Facts with that subject (case folded) that pass ``where``."""

    def successor(self, id: str) -> str | None:
        """The id of the fact that supersedes ``id``, by either side's word."""

    def with_hash(self, hash: str) -> Sequence[str]:
        """Paths of documents with these bytes, to recognise moves."""

    # vectors
    def pending(self, model: str, limit: int) -> Sequence[Pending]:
        """Records without a vector of ``model``, newest first."""

    def pending_count(self, model: str) -> int: ...
    def put_vectors(self, model: str, rows: Sequence[VectorRow]) -> None:
        """Stores vectors; rows whose record vanished are ignored; takes its own short transaction."""

    # jobs, counters, journal, health
    def enqueue(self, kind: str, key: str, payload: str = "") -> None: ...
    def claim(self, kind: str, *, lease_seconds: float) -> Job | None: ...
    def renew(self, job: Job, *, lease_seconds: float) -> bool: ...
    def release(self, job: Job) -> None:
        """Gives a claimed job back untried, for the next one who asks."""

    def finish(self, job: Job) -> bool: ...
    def fail(self, job: Job, error: str, *, retry: bool = True) -> None: ...
    def jobs(self) -> Sequence[Job]: ...
    def count(self, name: str, add: int = 1) -> None: ...
    def counters(self) -> Mapping[str, int]: ...
    def mark(self, name: str) -> str:
        """What ``set_mark`` noted under ``name``; empty when nothing was, or when the index was lost since."""

    def set_mark(self, name: str, value: str) -> None:
        """Notes something small for the next time."""

    def log(self, operation: Operation) -> None:
        """Remembers an operation for ``undo``. Only inside ``writing``."""

    def operations(self, limit: int = 50) -> Sequence[Operation]:
        """Newest first."""

    def mark_undone(self, id: str) -> None: ...
    def coverage(self, model: str | None) -> Coverage: ...
    def check(self) -> Sequence[str]:
        """Everything inconsistent inside the index, one sentence each; empty when healthy."""


# --- models ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Encoded:
    """Passages as vectors: ``vectors`` float32 [n, d] of unit length, ``tokens`` n packed token matrices or None."""

    vectors: Floats
    tokens: Sequence[bytes] | None = None


@dataclass(frozen=True, slots=True)
class EncodedQuery:
    """A query as vectors: ``vector`` float32 [d]; ``tokens`` float32 [t, k] of unit length or None; ``words`` the
    piece of the query text each token belongs to; ``weights`` float32 [t], the model's own weight of each token."""

    vector: Floats
    tokens: Floats | None = None
    words: Sequence[str] = field(default_factory=tuple)
    weights: Floats | None = None


class Embedder(Protocol):
    """Turns text into vectors. ``name`` identifies the vector space: same name, comparable vectors (MX-11)."""

    @property
    def name(self) -> str: ...
    @property
    def dimensions(self) -> int: ...
    def passages(self, texts: Sequence[str]) -> Encoded:
        """Raises ``Unavailable`` when the model or its endpoint cannot answer."""

    def query(self, text: str) -> EncodedQuery: ...


class Reranker(Protocol):
    """Scores passages against a query. ``scores`` are probabilities in 0..1, one a passage (MX-3)."""

    @property
    def name(self) -> str: ...
    def scores(self, query: str, passages: Sequence[str]) -> Sequence[float]: ...


class TokenCodec(Protocol):
    """Reads packed token vectors."""

    def similarities(self, query: Floats, blobs: Sequence[bytes]) -> tuple[Floats, NDArray[np.int64]]:
        """Products [k, m] of the token vectors of a query [k, d] with all rows of ``blobs`` one after another, and the
        start of each blob's rows [n + 1]."""

    def usual(self, query: Floats) -> tuple[Floats, Floats]:
        """Mean and standard deviation [k] each of the best that each token vector of a query finds in sentences about
        anything."""


# --- conversations ---------------------------------------------------------------------------------------------


class Extractor(Protocol):
    """Finds in a conversation what a memory should keep (MX-12)."""

    @property
    def name(self) -> str:
        """Names the extractor and its version: what one name has read, it need not read again."""

    def candidates(self, messages: Sequence[Message], *, zone: tzinfo) -> Sequence[Candidate]:
        """The statements in ``messages``, in order; relative days are resolved against the time of their message, in
        ``zone``. Each quotes its message; who calls refuses a quote that does not occur there. Raises ``Unavailable``
        when its model cannot answer."""


class Summarizer(Protocol):
    """Tells a conversation in short (TR-62)."""

    @property
    def name(self) -> str: ...
    def summary(self, messages: Sequence[Message], *, title: str) -> str:
        """100 to 200 words, or characters of Chinese, in the conversation's own language; empty when there is nothing
        to tell. Raises ``Unavailable`` when its model cannot answer."""


class Judge(Protocol):
    """Compares a statement with what is known."""

    @property
    def name(self) -> str: ...
    def compare(self, candidate: Candidate, known: Sequence[Fact]) -> Verdict:
        """How ``candidate`` relates to ``known``, the current facts nearest to it, best first; a verdict names one of
        them or none. Raises ``Unavailable`` when its model cannot answer."""


# --- notebooks -------------------------------------------------------------------------------------------------


class Listed(Protocol):
    """A memory of a notebook as a list shows it (CC-S1)."""

    @property
    def filename(self) -> str: ...
    @property
    def path(self) -> Path: ...
    @property
    def mtime_ms(self) -> int: ...
    @property
    def description(self) -> str | None: ...
    @property
    def type(self) -> str | None: ...


class Selector(Protocol):
    """Chooses the memories that bear on a question (CC-S3)."""

    def select(self, query: str, candidates: Sequence[Listed], tools: Sequence[str], limit: int) -> Sequence[str]:
        """The filenames of at most ``limit`` of ``candidates``, the best first; ``tools`` are those that the reader
        used just now. Raises ``Unavailable`` when what it needs cannot be used."""
