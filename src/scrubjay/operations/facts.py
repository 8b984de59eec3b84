"""Facts: remembered one at a time, superseded with history, never overwritten (MX-6…MX-8, GR-2)."""

from __future__ import annotations

import hashlib
import math
import operator
import re
import unicodedata
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from datetime import datetime
from typing import Any

from scrubjay.errors import BadInput, Conflict, NotFound, Refused, ScrubjayError
from scrubjay.ids import new_id
from scrubjay.operations.editing import Edits, editing
from scrubjay.operations.redaction import Redaction, only_marks
from scrubjay.operations.store import Store
from scrubjay.ports import Encoded, Filter
from scrubjay.temporal import format_time, now, standing
from scrubjay.text.analyze import lexemes
from scrubjay.text.placeholder import placeholder
from scrubjay.text.polarity import Stance, stance
from scrubjay.text.predicates import holds_once
from scrubjay.text.restated import difference, tokens
from scrubjay.text.stopwords import STOP_WORDS
from scrubjay.types import Action, Fact, Interval, Record, Redacted, Source, StoredFact
from scrubjay.vaults.documents import fact as documents
from scrubjay.vaults.documents.transcript import clean

SIMILAR_SHARE = 0.8
SIMILAR_SHOWN = 5
# Cosine of two facts from which on they say the same in other words. By the packaged model, paraphrases had .938 to
# .983 and other statements about the same thing .83 to .94; what is near is shown to somebody, never dropped (F19).
PARAPHRASE = 0.95
CANDIDATES = 50
CATEGORIES = ("Preference", "Identity", "Decision", "Infrastructure", "Process", "TODO", "FailureMode", "Fact")
_WORD = re.compile(r"\w+")
# From this many lines on, "[rest unchanged…]" is an abridged text rather than a statement (F5).
LONG_LINES = 10


def remember(store: Store, fact: Fact, *, settle: bool) -> StoredFact:
    """Stores ``fact`` unless exactly that is known already, and returns it as read back from the vault.

    A statement that differs in a digit, a name or a negation is another statement and is stored (F15, F16). One that
    says the opposite of a current fact supersedes it when ``settle`` allows that, and is named as a conflict
    otherwise (F20, F91). One that holds again, after another value was stated, is dated anew. Secrets are taken out
    first (SEC-2); raises ``Refused`` for a text that is nothing else.
    """
    fact, redacted = _without_secrets(replace(fact, text=clean(fact.text).strip()))
    fact = replace(fact, category=spelling(store, fact.category))
    # All inside one transaction: two processes may bring the same statement at once (F22, F23).
    with editing(store, "remember", f"Remembered: {_title(fact.text)}") as edits:
        near = _near(store, fact)
        known = next((record for record in near if _same(record, fact)), None)
        opposite = _opposites(near, fact)
        action: Action = "created"
        if known is not None and _affirms_again(near, known, fact):
            path, action = put_in_place(store, edits, get(store, known.id), fact), "superseded"
        elif known is not None:
            path, action = known.path, "known"
        elif settle and len(opposite) == 1 and _follows(fact, old := get(store, opposite[0])):
            path, action = put_in_place(store, edits, old, fact), "superseded"
        else:
            path = edits.create(documents.path_for(fact), documents.write(fact)).path
        stored = documents.read(store.vault.read(path), scope=store.scope)
    if action == "known":
        return _stored(stored, action=action, redacted=redacted)
    taken = {stored.supersedes} if action == "superseded" else set()
    rivals = [record.id for record in near if _rivals(record, fact)]
    return _stored(
        stored,
        action=action,
        similar=tuple(id for id in _similar(near, fact) if id not in taken)[:SIMILAR_SHOWN],
        conflicts=tuple(dict.fromkeys(id for id in (*opposite, *rivals) if id not in taken)),
        redacted=redacted,
    )


def supersede(store: Store, id: str, changes: dict[str, Any]) -> StoredFact:
    """Replaces the current fact ``id`` by one that inherits what ``changes`` (fields of ``Fact``) does not name.

    Raises ``NotFound``, ``Conflict`` naming the head of the chain when ``id`` was superseded already, ``BadInput``
    for an empty text, for a long one cut short with "[rest unchanged…]" (F5) and for a ``valid_from`` before the old
    fact began to hold. The same text again changes nothing (MX-7). Secrets are taken out first.
    """
    old = get(store, id)
    if old.retracted:
        raise Conflict(f"Fact {id} was retracted.", hint="Remember the new statement instead.")
    if not old.current:
        head = chain(store, id)[-1]
        raise Conflict(f"Fact {id} was superseded already.", hint=f"Supersede the current one instead: {head.id}")
    text = clean(str(changes.get("text", ""))).strip()
    if not text:
        raise BadInput("The new text is empty.", hint="Use `forget` to let go of a fact without a successor.")
    redaction = Redaction()
    text = redaction.text(text, "text")
    gap = placeholder(text)
    if gap and old.text.count("\n") >= LONG_LINES and gap not in old.text:
        raise BadInput(
            f"The new text leaves out a part of the old one: {gap!r}.",
            hint="Write the whole text: nothing is taken over from the old one.",
        )
    if text == old.text and not set(changes) - {"text"}:
        return _stored(old, action="known", redacted=tuple(redaction.found))
    kept = {
        "category": old.category,
        "confidence": old.confidence,
        "subject": old.subject,
        "predicate": old.predicate,
        "tags": old.tags,
    }
    valid = Interval(start=_start_after(old, changes.pop("valid_from", None)), end=changes.pop("valid_to", None))
    if valid.empty:
        raise BadInput("valid_to must come after valid_from.")
    values = {**kept, **changes, "text": text}
    new, redacted = _without_secrets(
        Fact(id=new_id(), valid=valid, recorded=Interval(start=now()), **values), redaction
    )
    if "category" in changes:
        new = replace(new, category=spelling(store, new.category))
    return replace(_replace_fact(store, old, new), redacted=redacted)


def retract(store: Store, id: str) -> Fact:
    """Closes a fact that was never true; it stays in the vault and out of every answer."""
    document = store.vault.read(get(store, id).path)
    fact = documents.read(document, scope=store.scope)
    if fact.retracted:
        return fact
    gone = replace(fact, retracted=True, recorded=Interval(start=fact.recorded.start, end=now()))
    with editing(store, "retract", f"Retracted: {_title(fact.text)}") as edits:
        edits.replace(document, documents.close(document.text, gone))
    return get(store, id)


def get(store: Store, id: str) -> Fact:
    """The fact ``id`` as its document says now. Raises ``NotFound``."""
    record = store.index.record(id)
    if record is None or record.layer != "facts":
        raise NotFound(f"No fact has the id {id}.", hint="List the facts with `scrubjay facts`.")
    return documents.read(store.vault.read(record.path), scope=store.scope)


def current(store: Store, *, where: Filter) -> list[Fact]:
    """Facts that pass ``where``, oldest first, from the index."""
    return [fact_of(record) for record in store.index.facts(where)]


def similar(store: Store, text: str, encoded: Encoded | None = None, model: str = "") -> list[Fact]:
    """Current facts that say nearly the same as ``text``, best first; none where the very same is known.

    Most of their words are the same, or their meaning by the vectors of ``model``, of which ``encoded`` is that of
    ``text``. What differs is no number, no name and no negation: those make another statement, whatever a measure of
    likeness says of it (F15, F16, F19; MX-8).
    """
    fact = Fact(id=new_id(), text=clean(text).strip())
    near = list(_near(store, fact))
    if content_hash(fact.text) in {content_hash(record.text) for record in near}:
        return []
    alike = set(_similar(near, fact))
    for record in _paraphrases(store, encoded, model) if encoded is not None else ():
        alike.add(record.id)
        if record not in near:
            near.append(record)
    alike -= set(_opposites(near, fact))
    found = [record for record in near if record.id in alike and not _telling(fact.text, record.text)]
    return [fact_of(record) for record in found[:SIMILAR_SHOWN]]


def chain(store: Store, id: str) -> list[Fact]:
    """Every version of a fact, oldest first, whichever of them ``id`` names."""
    first = get(store, id)
    versions = [first]
    seen = {first.id}
    while (older := versions[0].supersedes) and older not in seen:
        seen.add(older)
        try:
            versions.insert(0, get(store, older))
        except ScrubjayError:
            break
    while True:
        newer = versions[-1].superseded_by or store.index.successor(versions[-1].id)
        if not newer or newer in seen:
            return versions
        seen.add(newer)
        try:
            versions.append(get(store, newer))
        except ScrubjayError:
            return versions


def closed_by(old: Fact, new: Fact) -> Fact:
    """``old`` as it stands once ``new`` holds from its own ``valid.start`` on."""
    moment = new.recorded.start or now()
    return replace(
        old,
        superseded_by=new.id,
        superseded_from=new.valid.start or moment,
        recorded=Interval(start=old.recorded.start, end=moment),
    )


def fact_of(record: Record) -> Fact:
    """The fact that an index record stands for."""
    return Fact(
        id=record.id,
        text=record.text,
        category=record.category,
        confidence=record.confidence,
        subject=record.subject,
        predicate=record.predicate,
        object=record.object,
        valid=record.valid,
        recorded=record.recorded,
        supersedes=record.supersedes,
        superseded_by=record.superseded_by,
        superseded_from=record.superseded_from,
        retracted=record.retracted,
        tags=record.tags,
        source=Source(kind="session" if record.message_ids else "user", message_ids=record.message_ids),
        scope=record.scope,
        path=record.path,
    )


def spelling(store: Store, category: str) -> str:
    """``category`` as it is written here already, or as Scrubjay writes it: letter case makes no other category."""
    if category in CATEGORIES:
        return category
    moment = now()
    where = Filter(
        layers=frozenset({"facts"}), as_of=moment, known_at=moment, category=category, include_superseded=True
    )
    # A fact's category is among its words, so that one look-up finds one of its facts however many there are.
    words = lexemes(category)
    for record in store.index.records(store.index.lexical(words, where, 1) if words else []).values():
        return record.category
    return next((known for known in CATEGORIES if known.casefold() == category.casefold()), category)


def content_hash(text: str) -> str:
    """TR-82: the key under which two statements are exactly the same."""
    normal = " ".join(unicodedata.normalize("NFC", text.strip().lower()).split())
    return "sha256:" + hashlib.sha256(normal.encode("utf-8")).hexdigest()


def rivals(record: Record, others: Iterable[Record]) -> list[str]:
    """Ids of ``others`` that say something else of the same subject and predicate (F88: never of less)."""
    return [other.id for other in others if other.id != record.id and _rival_records(record, other)]


def _without_secrets(fact: Fact, redaction: Redaction | None = None) -> tuple[Fact, tuple[Redacted, ...]]:
    """``fact`` without secrets, and what was taken out of it; raises ``Refused`` when nothing is left to say."""
    redaction = redaction or Redaction()
    pairs = (("subject", "object"), ("predicate", "object"))
    names = ("text", "category", "subject", "predicate", "object", "tags", "source")
    clean_fact = redaction.fields(fact, names, pairs=pairs)
    if only_marks(clean_fact.text):
        raise Refused(
            "The text is nothing but a secret, so nothing was stored.",
            hint="Keep secrets in a password manager; remember where it is instead.",
        )
    return clean_fact, tuple(redaction.found)


def _replace_fact(store: Store, old: Fact, new: Fact) -> StoredFact:
    with editing(store, "supersede", f"Superseded: {_title(old.text)}") as edits:
        path = put_in_place(store, edits, old, new)
        stored = documents.read(store.vault.read(path), scope=store.scope)
    return _stored(stored, action="superseded")


def _start_after(old: Fact, start: datetime | None) -> datetime:
    """When the successor of ``old`` begins to hold: ``start``, or now, or as soon as ``old`` would have."""
    if old.valid.start is None:
        return start or now()
    if start is None:
        return max(now(), old.valid.start)
    if start < old.valid.start:
        raise BadInput(
            f"valid_from lies before {format_time(old.valid.start)}, when the fact it replaces began to hold.",
            hint="Give a later time; or retract the old fact, if it never held, and remember the new one.",
        )
    return start


def _follows(new: Fact, old: Fact) -> bool:
    """Whether ``new`` begins to hold no sooner than ``old``, so that it can take its place."""
    start = new.valid.start or new.recorded.start
    return old.valid.start is None or start is None or old.valid.start <= start


def put_in_place(store: Store, edits: Edits, old: Fact, new: Fact) -> str:
    """Writes ``new`` as the successor of ``old`` and closes ``old``; returns the new path. Raises ``Conflict`` when
    ``old`` was closed meanwhile."""
    new = replace(new, supersedes=old.id)
    if new.valid.start is None:
        new = replace(new, valid=Interval(start=new.recorded.start, end=new.valid.end))
    document = store.vault.read(old.path)
    if not documents.read(document).current:
        raise Conflict(f"Fact {old.id} was superseded meanwhile.", hint=f"See `scrubjay history {old.id}`.")
    # The successor first: a crash in between leaves two facts and a link, which the next sync finishes.
    created = edits.create(documents.path_for(new), documents.write(new))
    edits.replace(document, documents.close(document.text, closed_by(old, new)))
    return created.path


def _near(store: Store, fact: Fact) -> Sequence[Record]:
    """Current facts that share words with ``fact``, by the index's own ranking."""
    moment = now()
    where = Filter(layers=frozenset({"facts"}), as_of=moment, known_at=moment)
    words = list(dict.fromkeys(lexemes(fact.text)))
    keys = store.index.lexical(words, where, CANDIDATES) if words else []
    found = store.index.records(keys)
    return [found[key] for key in keys if key in found]


def _same(record: Record, fact: Fact) -> bool:
    return (
        content_hash(record.text) == content_hash(fact.text)
        and record.valid == fact.valid
        and (record.subject, record.predicate, record.object) == (fact.subject, fact.predicate, fact.object)
    ) or (content_hash(record.text) == content_hash(fact.text) and fact.valid == Interval() and not fact.subject)


def _affirms_again(near: Sequence[Record], known: Record, fact: Fact) -> bool:
    """Whether another value was stated since ``known`` and ``fact`` now says the first one again (pip, uv, pip)."""
    if known.recorded.start is None or fact.valid.start is not None:
        return False
    mine = tokens(fact.text)
    later = (record for record in near if record.recorded.start and record.recorded.start > known.recorded.start)
    return any((value := difference(mine, tokens(record.text))) is not None and value.last for record in later)


def _opposites(near: Sequence[Record], fact: Fact) -> list[str]:
    """Ids of those that say the opposite."""
    mine: Stance = stance(fact.text)
    return [record.id for record in near if mine.opposes(stance(record.text))]


def _rivals(record: Record, fact: Fact) -> bool:
    return _rival_triples(
        (record.subject, record.predicate, record.object, record.valid),
        (fact.subject, fact.predicate, fact.object, fact.valid),
    )


def _rival_records(one: Record, other: Record) -> bool:
    return _rival_triples(
        (one.subject, one.predicate, one.object, one.valid),
        (other.subject, other.predicate, other.object, other.valid),
    )


def _rival_triples(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    if not all(one[:3]) or not all(other[:3]) or not holds_once(one[1]):
        return False
    folded_one = [str(part).casefold().strip() for part in one[:3]]
    folded_other = [str(part).casefold().strip() for part in other[:3]]
    return folded_one[:2] == folded_other[:2] and folded_one[2] != folded_other[2] and _overlap(one[3], other[3])


def _overlap(one: Interval, other: Interval) -> bool:
    starts_before_end = one.start is None or other.end is None or one.start < other.end
    return starts_before_end and (other.start is None or one.end is None or other.start < one.end)


def _similar(near: Sequence[Record], fact: Fact) -> list[str]:
    """Ids of those that share most of their words."""
    mine = set(lexemes(fact.text))
    found = []
    for record in near:
        theirs = set(lexemes(record.text))
        if len(mine & theirs) >= SIMILAR_SHARE * len(mine | theirs) > 0:
            found.append(record.id)
    return found


def _paraphrases(store: Store, encoded: Encoded, model: str) -> list[Record]:
    """Current facts whose vector is next to the one of ``encoded``."""
    moment = now()
    where = Filter(layers=frozenset({"facts"}), as_of=moment, known_at=moment)
    vector = encoded.vectors[0]
    rows = store.index.rows(store.index.dense(vector, model, where, SIMILAR_SHOWN), model)
    near = [row.key for row in rows if row.vector is not None and _cosine(row.vector, vector) >= PARAPHRASE]
    return list(store.index.records(near).values())


def _cosine(stored: bytes, vector: Iterable[float]) -> float:
    """The cosine of a stored vector (int8) and one that was just computed."""
    one, other = array("b", stored), list(map(float, vector))
    length = math.hypot(*one) * math.hypot(*other)
    return sum(map(operator.mul, one, other)) / length if length else 0.0


def _telling(one: str, other: str) -> bool:
    """Whether a word that only one of two texts has is a number or a name."""
    mine, theirs = ({word.casefold(): word for word in _WORD.findall(text)} for text in (one, other))
    apart = [mine.get(key) or theirs[key] for key in mine.keys() ^ theirs.keys()]
    meant = (word for word in apart if word.casefold() not in STOP_WORDS)
    return any(word[0].isupper() or any(letter.isdigit() for letter in word) for word in meant)


def _stored(
    fact: Fact,
    *,
    action: Action,
    similar: tuple[str, ...] = (),
    conflicts: tuple[str, ...] = (),
    redacted: tuple[Redacted, ...] = (),
) -> StoredFact:
    values = {item.name: getattr(fact, item.name) for item in fields(Fact)}
    return StoredFact(**values, action=action, similar=similar, conflicts=conflicts, redacted=redacted)


def _title(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else line[:59] + "…"


def standing_now(fact: Fact, moment: datetime) -> str:
    """How ``fact`` stands at ``moment``: current, superseded, expired, future or retracted."""
    return standing(fact, as_of=moment, known_at=moment)
