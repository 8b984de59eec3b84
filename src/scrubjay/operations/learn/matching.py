"""Which memories a segment may belong to: the overlap of key terms, and the rule that follows from it (SM-25, SM-26).

The rule decides what is *recommended*. The product's own recall stands beside it with its scores and decides nothing:
no threshold on similarity tells a duplicate from a neighbour (F19).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from scrubjay.errors import ScrubjayError
from scrubjay.operations.gate import guards
from scrubjay.operations.learn import differences
from scrubjay.operations.learn.differences import Statements, Wording
from scrubjay.operations.store import Store
from scrubjay.proposals import Action, Related, Segment
from scrubjay.text.characters import compatible
from scrubjay.text.terms import key_terms
from scrubjay.text.words import fold
from scrubjay.types import Document
from scrubjay.vaults.documents import note as notes
from scrubjay.vaults.documents import revision
from scrubjay.vaults.documents.fact import strings
from scrubjay.vaults.documents.revision import Parts
from scrubjay.vaults.layout import MEMORIES

HIGH = 0.60
MEDIUM = 0.30
SHOWN = 5
MEMORY_TERMS = 8
SHORT_TERMS = 15
SHORT = 450
"""How many terms of a memory count; more where its text is short (in characters), since there all occur once.

Measured on sections of real documentation: with 8 and 15, one text in twenty would replace a memory from another file,
and seven of ten edited texts find their own. With 40, two in five would replace a stranger's.
"""

SHORTEST_REPLACED = 40
"""Characters from which on an older version is recognised."""

ASKED = 500
"""Characters of a segment that recall is asked about."""

Recall = Callable[[str], Sequence[tuple[str, float]]]
"""The product's own recall: a text to paths with scores in 0..1, best first."""


@dataclass(frozen=True, kw_only=True)
class Known:
    """A memory as matching needs it. What is rarely asked for is only made then."""

    document: Document
    id: str
    title: str
    topic: str
    category: str
    terms: frozenset[str]
    parts: Parts

    @property
    def path(self) -> str:
        """Where it lies."""
        return self.document.path

    @cached_property
    def body(self) -> str:
        """Its own words, without title, history and Connections."""
        return self.document.text[self.parts.body : self.parts.end]

    @cached_property
    def line(self) -> str:
        """What it says, in one line."""
        return differences.in_one_line(self.body)

    @cached_property
    def wording(self) -> Wording:
        """What it says."""
        return differences.wording(self.title, self.body)

    @cached_property
    def statements(self) -> Statements:
        """What it says, statement by statement."""
        return Statements(self.body)

    @cached_property
    def older(self) -> str:
        """What it said before, in one line."""
        return "" if self.parts.history is None else differences.in_one_line(revision.history_of(self.document.text))

    @cached_property
    def lines(self) -> int:
        """How many lines its body has."""
        return guards.lines_of(self.body)

    @cached_property
    def flaw(self) -> str:
        """Why it must not be changed; empty when it may."""
        return guards.flaw(self.document)


class Text:
    """A text that is matched, in the same views."""

    def __init__(self, body: str) -> None:
        self.body = body
        self.line = differences.in_one_line(body)
        self.below = differences.in_one_line(differences.below_heading(body))
        self.statements = Statements(body)

    @cached_property
    def wording(self) -> Wording:
        """What it says."""
        return differences.wording("", self.body)

    def same(self, memory: Known) -> bool:
        """Whether ``memory`` says exactly this."""
        return memory.line in (self.line, self.below) and self.wording.same(memory.wording)

    def within(self, memory: Known) -> bool:
        """Whether ``memory`` holds this word for word."""
        return bool(self.line) and self.line in memory.line and memory.wording.holds(self.wording)

    def replaced(self, memory: Known) -> bool:
        """Whether ``memory`` said this before."""
        for line, text in ((self.line, self.body), (self.below, differences.below_heading(self.body))):
            if len(line) >= SHORTEST_REPLACED and line in memory.older:
                older = differences.wording("", revision.history_of(memory.document.text))
                return older.holds(differences.wording("", text))
        return False


class Shelf:
    """The memories of a vault by their terms and words. Built once for a plan: every segment is then matched in the
    time that its own few terms take."""

    def __init__(self, known: Iterable[Known]) -> None:
        self.by_path: dict[str, Known] = {memory.path: memory for memory in known}
        self._by_line: dict[str, list[Known]] = {}
        self._by_core: dict[frozenset[str], Known] = {}
        self._by_term: dict[str, list[int]] = {}
        self._all = list(self.by_path.values())
        for place, memory in enumerate(self._all):
            self._by_line.setdefault(memory.line, []).append(memory)
            if core := memory.statements.core:
                self._by_core.setdefault(core, memory)
            for term in memory.terms:
                self._by_term.setdefault(term, []).append(place)

    def same(self, text: Text) -> Known | None:
        """The memory that says exactly this (F21, F22)."""
        alike = (memory for line in dict.fromkeys((text.line, text.below)) for memory in self._by_line.get(line, ()))
        return next((memory for memory in alike if text.same(memory)), None)

    def near(self, statements: Statements) -> Known | None:
        """The short memory with the very words of a short text, whatever numbers and signs it has (F15, F16)."""
        return self._by_core.get(statements.core) if statements.core else None

    def overlapping(self, terms: Sequence[str]) -> list[tuple[Known, tuple[str, ...]]]:
        """Memories that share terms with ``terms``, most shared first, then by id; with what they share."""
        counted = Counter(chain.from_iterable(self._by_term.get(term, ()) for term in terms))
        least = sorted(counted.values(), reverse=True)[: 2 * SHOWN][-1:]
        best = [(place, count) for place, count in counted.items() if [count] >= least]
        best.sort(key=lambda item: (-item[1], self._all[item[0]].id))
        found = (self._all[place] for place, _ in best[: 2 * SHOWN])
        return [(memory, tuple(term for term in terms if term in memory.terms)) for memory in found]


def shelf(store: Store) -> Shelf:
    """The memories of ``store`` that matching may name; tombstones and what cannot be read are left out."""
    known = []
    for path, indexed in sorted(store.index.documents().items()):
        if not path.startswith(f"{MEMORIES}/") or indexed.kind != "note":
            continue
        try:
            memory = read_known(store.vault.read(path))
        except ScrubjayError:
            continue
        if memory is not None:
            known.append(memory)
    return Shelf(known)


def read_known(document: Document) -> Known | None:
    """The memory in ``document``; ``None`` for a tombstone."""
    note = notes.read(document)
    if note.extra.get("status") == "tombstoned":
        return None
    parts = revision.parts_of(document.text)
    body = document.text[parts.body : parts.end]
    return Known(
        document=document,
        id=note.id,
        title=note.title,
        topic=note.topic,
        category=note.tags[0] if note.tags else "",
        terms=frozenset(memory_terms(note.title, body, strings(note.extra.get("keywords")))),
        parts=parts,
    )


def memory_terms(title: str, body: str, keywords: Iterable[str]) -> set[str]:
    """What a segment's key terms are looked for in: those of title and body, and the keywords (SM-25)."""
    limit = SHORT_TERMS if len(body) <= SHORT else MEMORY_TERMS
    return {*key_terms(body if title in body[: len(title) + 8] else f"{title}\n\n{body}", limit), *folded(keywords)}


def folded(terms: Iterable[str]) -> tuple[str, ...]:
    """Terms that somebody wrote, as the extractor would give them; each once."""
    plain = (term if term.isascii() and term.islower() else fold(compatible(term)) for term in terms)
    return tuple(dict.fromkeys(term.strip() for term in plain if term.strip()))


def related(shelf: Shelf, segment: Segment, recall: Recall | None = None) -> list[Related]:
    """Up to five memories, best first: by overlap, then by recall's score (SM-26). Recall's own best is among them."""
    scores: Mapping[str, float] = dict(recall(segment.text[:ASKED])) if recall is not None else {}
    terms = folded(segment.key_terms)
    close = shelf.overlapping(terms)[: None if scores else SHOWN]
    found = {memory.path: _related(memory, scores, shared, terms) for memory, shared in close}
    for path in scores:
        if path in shelf.by_path and path not in found:
            found[path] = _related(shelf.by_path[path], scores, (), terms)
    ranked = sorted(found.values(), key=lambda one: (-one.overlap, -(one.score or 0.0), one.id))
    shown = ranked[:SHOWN]
    recalled = [one for one in ranked[SHOWN:] if one.path == next(iter(scores), "")]
    return [*shown[: SHOWN - 1], *recalled] if recalled else shown


def recommend(best: Related | None, terms: Sequence[str]) -> tuple[Action, str]:
    """What the overlap with the best memory recommends, and the sentence that says so (SM-26).

    Above 0.60 UPDATE, from 0.30 to 0.60 EXTEND, below CREATE; 0.60 exactly is EXTEND.
    """
    count = len(folded(terms))
    if not count:
        return "CREATE", "The text has no key terms to compare: CREATE."
    if best is None or not best.shared:
        return "CREATE", "No memory shares a key term with it: CREATE."
    shared = len(best.shared)
    words = f"{shared} of {count} key terms are in “{best.title}”: {shared / count:.0%}"
    if 5 * shared > 3 * count:
        return "UPDATE", f"{words}, more than {HIGH:.0%}, so UPDATE."
    if 10 * shared >= 3 * count:
        return "EXTEND", f"{words}, from {MEDIUM:.0%} to {HIGH:.0%}, so EXTEND."
    return "CREATE", f"{words}, less than {MEDIUM:.0%}, so CREATE."


def _related(memory: Known, scores: Mapping[str, float], shared: tuple[str, ...], terms: Sequence[str]) -> Related:
    score = scores.get(memory.path)
    return Related(
        id=memory.id,
        path=memory.path,
        title=memory.title,
        overlap=round(len(shared) / len(terms), 2) if terms else 0.0,
        score=None if score is None else round(min(1.0, max(0.0, score)), 3),
        shared=shared,
    )
