"""The words of Scrubjay as data: frozen, keyword only, times always aware UTC.

``Document`` is what a vault stores. ``Fact``, ``Note`` and ``Session`` are what documents mean. ``Record`` is one
searchable piece of a document as the index holds it. ``Query``, ``Hit`` and ``Recall`` are a question and its answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from scrubjay.checks import aware, optional_strings, strings, typed
from scrubjay.errors import BadInput

Layer = Literal["facts", "notes", "episodes", "chunks"]
LAYERS: tuple[Layer, ...] = ("facts", "notes", "episodes", "chunks")

Role = Literal["user", "assistant", "tool", "system"]
ROLES: tuple[Role, ...] = ("user", "assistant", "tool", "system")

Trust = Literal["normal", "low"]
Action = Literal["created", "known", "updated", "superseded", "retired", "restored", "unchanged"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A file of a vault as a listing shows it: metadata only, nothing read."""

    path: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A stored text at a vault-relative POSIX ``path``.

    ``hash`` is the hex SHA-256 of the bytes on disk; ``text`` is decoded from them (``encoding``), with a byte order
    mark removed and undecodable bytes replaced. ``exact`` tells whether encoding ``text`` again gives the same bytes;
    a document that is not exact is indexed but never rewritten.
    """

    path: str
    text: str
    hash: str
    size: int
    mtime_ns: int
    encoding: str = "utf-8"
    exact: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A half-open stretch of time ``[start, end)``; ``None`` is unbounded."""

    start: datetime | None = None
    end: datetime | None = None

    def __post_init__(self) -> None:
        aware(self, "start", "end")

    def __contains__(self, moment: object) -> bool:
        if not isinstance(moment, datetime):
            return False
        return (self.start is None or self.start <= moment) and (self.end is None or moment < self.end)

    @property
    def empty(self) -> bool:
        """Whether no moment lies inside."""
        return self.start is not None and self.end is not None and self.end <= self.start


ALWAYS = Interval()


@dataclass(frozen=True, slots=True, kw_only=True)
class Redacted:
    """A secret that was taken out before anything was stored (SEC-2): the rule that found it, and where it stood.

    ``place`` is a field or a file, ``line`` the 1-based line in it. What the secret was is kept nowhere.
    """

    rule: str
    place: str
    line: int = 1

    @property
    def label(self) -> str:
        """The rule in words: ``Github Pat``."""
        return self.rule.replace("-", " ").title()


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where something came from: ``kind`` is ``user``, ``session``, ``note``, ``import`` …; ``ref`` names it there."""

    kind: str = "user"
    ref: str = ""
    message_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One self-contained statement with two clocks (design §2, GR-2).

    ``valid`` is when it is true in the world, as stated. ``recorded`` is when we believe it as it stands:
    ``recorded.end`` is the moment at which it was superseded or retracted. ``superseded_from`` is the moment in the
    world from which the successor holds instead; ``temporal.visible`` puts the four together.
    """

    id: str
    text: str
    category: str = "Fact"
    confidence: float = 0.9
    subject: str | None = None
    predicate: str | None = None
    object: str | None = None
    valid: Interval = ALWAYS
    recorded: Interval = ALWAYS
    supersedes: str | None = None
    superseded_by: str | None = None
    superseded_from: datetime | None = None
    retracted: bool = False
    tags: tuple[str, ...] = ()
    source: Source = Source()
    scope: str = "user"
    path: str = ""

    def __post_init__(self) -> None:
        aware(self, "superseded_from")
        strings(self, "id", "text", "category", "scope", "path")
        optional_strings(self, "subject", "predicate", "object", "supersedes", "superseded_by")
        typed(self, (int, float), "a number", "confidence")
        typed(self, tuple, "a tuple of strings", "tags")
        for tag in self.tags:
            if not isinstance(tag, str):
                raise BadInput(f"tags must be strings, not {type(tag).__name__}.")
        typed(self, Interval, "an Interval", "valid", "recorded")
        typed(self, Source, "a Source", "source")
        if not self.text.strip():
            raise BadInput("A fact needs a text.")
        if not 0.0 <= self.confidence <= 1.0:
            raise BadInput(f"confidence must lie between 0 and 1, not {self.confidence}.")

    @property
    def current(self) -> bool:
        """Whether nothing has superseded or retracted it. (Its validity may still have ended: see ``temporal``.)"""
        return self.recorded.end is None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFact(Fact):
    """A fact as it was read back after a write, with what was done.

    ``action`` is ``created``, ``known`` (it was there already: nothing written) or ``superseded`` (this one took the
    place of ``supersedes``). ``similar`` are ids of current facts so close that superseding one may be meant.
    ``conflicts`` are ids of current facts that say something else of the same subject and predicate. ``redacted`` are
    secrets that were taken out first.
    """

    action: Action = "created"
    similar: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    redacted: tuple[Redacted, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A document of knowledge. ``id`` is the file name without ``.md`` (SM-3), ``extra`` further frontmatter as
    it stands.

    ``keywords``, ``summary``, ``status`` and ``trust`` are what a document was read to say, in whichever dialect.
    ``redacted`` are secrets that were taken out when it was written.
    """

    id: str
    title: str
    body: str
    topic: str = ""
    tags: tuple[str, ...] = ()
    created: str = ""
    modified: str = ""
    source: str = ""
    native_type: str = "note"
    keywords: tuple[str, ...] = ()
    summary: str = ""
    status: str = "active"
    trust: Trust = "normal"
    extra: Mapping[str, Any] = field(default_factory=dict)
    path: str = ""
    scope: str = "user"
    redacted: tuple[Redacted, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One utterance in a session. ``at`` may be naive-free ``None`` when the source does not say."""

    id: str
    role: Role
    text: str
    speaker: str | None = None
    at: datetime | None = None
    parent_id: str | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        aware(self, "at")
        strings(self, "id", "text")
        optional_strings(self, "speaker", "parent_id")
        if self.role not in ROLES:
            raise BadInput(f"role must be one of {', '.join(ROLES)}, not {self.role!r}.")
        if not self.id:
            raise BadInput("A message needs an id.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A conversation handed over to be remembered. ``id`` is the source's own; the same id again adds what is new."""

    id: str
    messages: tuple[Message, ...] | list[Message]
    started: datetime | None = None
    ended: datetime | None = None
    title: str = ""
    source: str = "api"
    meta: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        aware(self, "started", "ended")
        strings(self, "id", "title", "source")
        if not self.id:
            raise BadInput("A session needs an id.")
        typed(self, (tuple, list), "a list of messages", "messages")
        for message in self.messages:
            if not isinstance(message, Message):
                raise BadInput(f"messages must be of type Message, not {type(message).__name__}.")
        object.__setattr__(self, "messages", tuple(self.messages))


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A statement of a conversation that may be worth keeping, before it is compared with what is known (MX-12).

    ``text`` stands alone; ``quote`` is what was said, to the character, in the message ``message_id``. ``rule`` names
    how it was found, ``replaces`` what the speaker says no longer holds, ``valid`` the times that the statement names.
    """

    text: str
    quote: str
    message_id: str
    rule: str
    category: str = "Fact"
    confidence: float = 0.8
    subject: str | None = None
    predicate: str | None = None
    object: str | None = None
    replaces: str | None = None
    valid: Interval = ALWAYS

    def __post_init__(self) -> None:
        strings(self, "text", "quote", "message_id", "rule", "category")
        optional_strings(self, "subject", "predicate", "object", "replaces")
        typed(self, (int, float), "a number", "confidence")
        typed(self, Interval, "an Interval", "valid")
        if not self.text.strip():
            raise BadInput("A candidate needs a text.")
        if not 0.0 <= self.confidence <= 1.0:
            raise BadInput(f"confidence must lie between 0 and 1, not {self.confidence}.")


Relation = Literal["new", "duplicate", "update", "contradiction"]
RELATIONS: tuple[Relation, ...] = ("new", "duplicate", "update", "contradiction")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """How a candidate relates to what is known: ``fact_id`` is the known fact it duplicates, updates or contradicts.

    An ``update`` says what holds now instead; a ``contradiction`` is one that leaves open which of the two is right.
    """

    relation: Relation = "new"
    fact_id: str = ""
    reason: str = ""

    def __post_init__(self) -> None:
        strings(self, "relation", "fact_id", "reason")
        if self.relation not in RELATIONS:
            raise BadInput(f"relation must be one of {', '.join(RELATIONS)}, not {self.relation!r}.")
        if bool(self.fact_id) != (self.relation != "new"):
            raise BadInput("A verdict names the known fact exactly when the statement is not new.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One searchable piece of a document: a fact, a section of a note, a message of a transcript, a summary.

    ``text`` is the piece as found, ``start`` and ``end`` its character offsets in the document, ``line`` and
    ``last_line`` its 1-based lines. Records of one ``thread`` (session or document) follow one another by ``seq``.
    """

    id: str
    layer: Layer
    path: str
    text: str
    start: int = 0
    end: int = 0
    line: int = 1
    last_line: int = 1
    title: str = ""
    headings: tuple[str, ...] = ()
    topic: str = ""
    tags: tuple[str, ...] = ()
    category: str = ""
    thread: str = ""
    seq: int = 0
    role: str = ""
    speaker: str = ""
    message_ids: tuple[str, ...] = ()
    at: datetime | None = None
    valid: Interval = ALWAYS
    recorded: Interval = ALWAYS
    superseded_from: datetime | None = None
    supersedes: str | None = None
    superseded_by: str | None = None
    retracted: bool = False
    subject: str | None = None
    predicate: str | None = None
    object: str | None = None
    confidence: float = 1.0
    trust: Trust = "normal"
    native_type: str = ""
    scope: str = "user"


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A question with its filters; every filter applies before ranking.

    ``as_of`` asks what was true then, ``known_at`` what was believed then; both default to now. ``since`` and
    ``until`` bound when a piece was said or written. ``budget`` is in tokens (``text.tokens``).
    """

    text: str
    limit: int = 8
    layers: frozenset[Layer] = frozenset(LAYERS)
    scopes: frozenset[str] | None = None
    tags: frozenset[str] = frozenset()
    category: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None
    known_at: datetime | None = None
    include_superseded: bool = False
    abstain: bool = True
    budget: int = 1300
    explain: bool = False

    def __post_init__(self) -> None:
        aware(self, "since", "until", "as_of", "known_at")
        strings(self, "text")
        optional_strings(self, "category")
        typed(self, int, "a whole number", "limit", "budget")
        if self.limit < 1:
            raise BadInput(f"limit must be at least 1, not {self.limit}.")
        if self.budget < 1:
            raise BadInput(f"budget must be at least 1 token, not {self.budget}.")
        unknown = set(self.layers) - set(LAYERS)
        if unknown or not self.layers:
            raise BadInput(f"layers must be some of {', '.join(LAYERS)}, not {sorted(map(str, self.layers))}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One ranked item. ``score`` is the calibrated probability that it bears on the query; ``ranks`` the 1-based
    place each signal alone gave it; ``citation`` names it for a reader."""

    record: Record
    score: float
    citation: str = ""
    ranks: Mapping[str, int] = field(default_factory=dict)
    note: str = ""

    @property
    def id(self) -> str:
        return self.record.id

    @property
    def layer(self) -> Layer:
        return self.record.layer

    @property
    def text(self) -> str:
        return self.record.text

    @property
    def at(self) -> datetime | None:
        return self.record.at

    @property
    def path(self) -> str:
        return self.record.path

    @property
    def message_ids(self) -> tuple[str, ...]:
        return self.record.message_ids


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppressed:
    """Something that matched and was left out, and why: superseded, expired, not yet valid, duplicate, low trust."""

    id: str
    text: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """The answer to a query: ranked hits inside the budget, or an abstention with its reason.

    ``took`` gives milliseconds per step, ``signals`` which signals ran, ``warnings`` what made the answer poorer
    (no model, vectors still pending). ``text`` is the fenced block for an agent, cut to the query's budget, and
    ``tokens`` its size; ``hits`` are all of them, up to the limit.
    """

    query: Query
    hits: tuple[Hit, ...] = ()
    abstained: bool = False
    reason: str = ""
    text: str = ""
    tokens: int = 0
    took: Mapping[str, float] = field(default_factory=dict)
    signals: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    suppressed: tuple[Suppressed, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What an operation did to one path. ``None`` as a hash means the path did not exist on that side.

    ``kept`` is the path in the trash that holds the bytes from before (empty when there were none). Where something was
    only added at the end, the bytes from before are the first ``prefix`` of those after, and nothing need be kept.
    """

    path: str
    before: str | None
    after: str | None
    kept: str = ""
    prefix: int | None = None

    @property
    def restorable(self) -> bool:
        """Whether there were bytes before, and it is known where they are."""
        return bool(self.kept) or self.prefix is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One reversible act on a vault: what, when, which paths."""

    id: str
    verb: str
    at: datetime
    summary: str
    changes: tuple[Change, ...] = ()
    undone: bool = False

    def __post_init__(self) -> None:
        aware(self, "at")


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something wrong with one document: still indexed as well as it could be, never modified."""

    path: str
    message: str
    line: int = 0


def with_path(fact: Fact, path: str, scope: str) -> Fact:
    """The same fact as found at ``path`` in a vault of ``scope``."""
    return replace(fact, path=path, scope=scope)
