"""A statement put where it belongs in time: the order of ingestion is not the order of truth (F20 … F22, F86).

The versions of a fact form a chain by when each began to hold. What was said last becomes the current one; what was
said before another version is put before it and ends where that begins, so that history reads as it happened.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal

from scrubjay.operations import facts
from scrubjay.operations.editing import Edits
from scrubjay.operations.extract.judging import same_words
from scrubjay.operations.store import Store
from scrubjay.temporal import format_time
from scrubjay.text import frontmatter
from scrubjay.types import Fact, Interval
from scrubjay.vaults.documents import fact as documents

_FIRST = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Placed:
    """What became of a statement: a new fact at ``path``, or one that was known."""

    how: Literal["new", "superseded", "history", "known"]
    id: str
    path: str


def begins(fact: Fact) -> datetime:
    """When ``fact`` began to hold, as far as is known."""
    return fact.valid.start or fact.recorded.start or _FIRST


def create(edits: Edits, fact: Fact) -> Placed:
    """Stores ``fact`` beside all others."""
    return Placed("new", fact.id, edits.create(documents.path_for(fact), documents.write(fact)).path)


def place(store: Store, edits: Edits, fact: Fact, near: str, *, same: bool) -> Placed:
    """Puts ``fact`` among the versions of the fact ``near``, which says something else about the same thing, or, when
    it is the ``same``, the same in other words."""

    def alike(version: Fact) -> bool:
        return (same and version.id == near) or same_words(version.text, fact.text)

    versions = [one for one in facts.chain(store, near) if not one.retracted]
    start = begins(fact)
    before = next((one for one in reversed(versions) if begins(one) <= start), None)
    after = next((one for one in versions if begins(one) > start), None)
    if before is not None and alike(before) and _still(before, start):
        return Placed("known", before.id, before.path)
    if after is None:
        assert before is not None
        return _supersede(store, edits, before, fact)
    if alike(after):
        return _widened(store, edits, before, after, start)
    return _insert(store, edits, before, after, fact)


def _still(fact: Fact, moment: datetime) -> bool:
    ends = [end for end in (fact.valid.end, fact.superseded_from) if end is not None]
    return all(moment < end for end in ends)


def _supersede(store: Store, edits: Edits, old: Fact, fact: Fact) -> Placed:
    """The newest version. One that has ended by itself keeps its end and is linked all the same."""
    if not old.current:
        return create(edits, fact)
    return Placed("superseded", fact.id, facts.put_in_place(store, edits, old, fact))


def _insert(store: Store, edits: Edits, before: Fact | None, after: Fact, fact: Fact) -> Placed:
    """A version that held until ``after`` did, and after ``before`` had."""
    moment = fact.recorded.start
    new = replace(
        fact,
        supersedes=before.id if before else None,
        superseded_by=after.id,
        superseded_from=begins(after),
        recorded=Interval(start=moment, end=moment),
    )
    created = edits.create(documents.path_for(new), documents.write(new))
    _set(store, edits, after, {"supersedes": new.id, **_beginning(after)})
    if before is not None:
        _set(store, edits, before, {"superseded_by": new.id, "superseded_from": format_time(begins(new))})
    return Placed("history", new.id, created.path)


def _widened(store: Store, edits: Edits, before: Fact | None, after: Fact, start: datetime) -> Placed:
    """``after`` held since ``start`` already. What somebody wrote down without a conversation stays as it is."""
    if after.source.kind == "session":
        _set(store, edits, after, {"valid_from": format_time(start)})
        if before is not None and before.superseded_by == after.id:
            _set(store, edits, before, {"superseded_from": format_time(start)})
    return Placed("known", after.id, after.path)


def _beginning(fact: Fact) -> dict[str, object]:
    """A fact without a beginning held always; once another held before, it has one."""
    return {} if fact.valid.start else {"valid_from": format_time(begins(fact))}


def _set(store: Store, edits: Edits, fact: Fact, values: dict[str, object]) -> None:
    document = store.vault.read(fact.path)
    edits.replace(document, frontmatter.set_values(document.text, values))
