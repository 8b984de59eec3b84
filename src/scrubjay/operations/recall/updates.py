"""Old truth and new: which of two statements about the same thing is shown first, and what a reader is told of it.

Supersession is certain and closes a fact. Beside it stand statements that nobody linked: a later one that gives another
value for the same thing goes before the earlier one, whose note says so (F20, F82, F91).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from scrubjay.operations.recall.ordering import Scored
from scrubjay.operations.store import Store
from scrubjay.temporal import standing, validity
from scrubjay.text.restated import Difference, difference, tokens
from scrubjay.text.tense import Tense
from scrubjay.types import Interval, Record


@dataclass(frozen=True, slots=True)
class _Statement:
    item: Scored
    words: tuple[str, ...]

    @property
    def told(self) -> tuple[str, str]:
        """What tells which of two is later; ids are sortable by time."""
        start = self.item.record.valid.start or self.item.record.recorded.start
        return start.isoformat() if start else "", self.item.record.id


def known_then(scored: Sequence[Scored], *, as_of: datetime, known_at: datetime) -> list[Scored]:
    """``scored`` without facts that were never true, or are not known or valid yet: what a question about the past
    may be answered with."""
    never = {"retracted", "unknown", "future"}
    return [item for item in scored if standing(item.record, as_of=as_of, known_at=known_at) not in never]


def with_successors(scored: Sequence[Scored], stores: Sequence[Store]) -> list[Scored]:
    """``scored`` with what took the place of each superseded fact right behind it, however it is worded: in another
    language the question may not find it."""
    there = {item.record.id for item in scored}
    result: list[Scored] = []
    for item in scored:
        result.append(item)
        record = item.record
        while record.layer == "facts" and record.superseded_by and record.superseded_by not in there:
            there.add(record.superseded_by)
            newer = next((found for store in stores if (found := store.index.record(record.superseded_by))), None)
            if newer is None:
                break
            result.append(Scored(newer, item.score, {}))
            record = newer
    return result


def in_order(scored: Sequence[Scored], question: str, tense: Tense, period: Interval | None) -> list[Scored]:
    """``scored`` with each later statement before the earlier ones that it replaces or contradicts.

    A question about what held ``before`` gets superseded facts before those that took their place; one about a
    ``period`` first those that held in it.
    """
    linked = _by_links(scored, tense, period)
    return linked if tense == "before" else _by_values(linked, frozenset(tokens(question)), period)


def overtaken(scored: Sequence[Scored]) -> dict[str, str]:
    """Ids of current facts of which a later one among ``scored`` says another value, and the id of that one."""
    told = _statements([item for item in scored if item.record.recorded.end is None])
    found: dict[str, str] = {}
    for newer, older, value in _variants(told):
        if value.last:
            found.setdefault(older.item.record.id, newer.item.record.id)
    return found


def _by_links(scored: Sequence[Scored], tense: Tense, period: Interval | None) -> list[Scored]:
    """The versions of a fact one after another, at the place of the first of them."""
    by_id = {item.record.id: item for item in scored}
    placed: dict[str, Scored] = {}
    for item in scored:
        versions = _versions(item.record, by_id)
        if tense != "before":
            versions.reverse()
        if period is not None:
            versions.sort(key=lambda id: not _held(by_id[id].record, period))
        for id in versions:
            placed.setdefault(id, by_id[id])
    return list(placed.values())


def _held(record: Record, period: Interval) -> bool:
    """Whether ``record`` was true at some moment of ``period``, as far as we know now."""
    valid = validity(record)
    begun = valid.start is None or period.end is None or valid.start < period.end
    return begun and (valid.end is None or period.start is None or period.start < valid.end)


def _versions(record: Record, by_id: dict[str, Scored]) -> list[str]:
    """The ids of the versions of a fact that are in ``by_id``, oldest first."""
    versions = [record.id]
    while (newer := by_id[versions[-1]].record.superseded_by) in by_id and newer not in versions:
        versions.append(newer)
    while (older := by_id[versions[0]].record.supersedes) in by_id and older not in versions:
        versions.insert(0, older)
    return versions


def _by_values(scored: Sequence[Scored], question: frozenset[str], period: Interval | None) -> list[Scored]:
    """Later statements before earlier ones that give another value, unless the question names the earlier value or a
    period in which only the earlier one held."""
    result = list(scored)
    for newer, older, value in _variants(_statements(scored)):
        if (value.theirs & question) - value.mine and not value.mine & question:
            continue
        if period is not None and not _held(newer.item.record, period):
            continue
        here, there = result.index(newer.item), result.index(older.item)
        if there < here:
            result.insert(there, result.pop(here))
    return result


def _statements(scored: Sequence[Scored]) -> list[_Statement]:
    facts = [_Statement(item, tokens(item.record.text)) for item in scored if item.record.layer == "facts"]
    return sorted(facts, key=lambda statement: statement.told)


def _variants(told: Sequence[_Statement]) -> list[tuple[_Statement, _Statement, Difference]]:
    """Pairs (later, earlier) that give two values for one thing, with where they differ."""
    found = []
    for place, newer in enumerate(told):
        for older in told[:place]:
            if not newer.words or not older.words:
                continue
            # Most pairs share neither beginning nor end; looking there first keeps fifty facts cheap.
            if newer.words[:2] != older.words[:2] and newer.words[-2:] != older.words[-2:]:
                continue
            value = difference(newer.words, older.words)
            if value is not None:
                found.append((newer, older, value))
    return found
