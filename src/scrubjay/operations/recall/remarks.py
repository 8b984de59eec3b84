"""What a reader should know about a hit: since when it holds, what it replaced or was replaced by, what contradicts it
(MX-7, F82, F91)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from scrubjay.operations.facts import rivals
from scrubjay.operations.recall import trust
from scrubjay.operations.store import Store
from scrubjay.ports import Filter
from scrubjay.temporal import standing
from scrubjay.types import Record

OLDER = "older version of the note"

LONGEST = 100
"""Characters of another version's text that a remark quotes."""


def remark(
    record: Record, stores: Sequence[Store], moment: datetime, *, overtaken: Mapping[str, str], past: bool
) -> str:
    """The remark on ``record`` as known at ``moment``; empty where there is nothing to say.

    ``overtaken`` leads from a fact to a later one that gives another value (``updates.overtaken``). What a current fact
    replaced is quoted only when the question is about the ``past``: it belongs in no other answer (F90).
    """
    stands = standing(record, as_of=moment, known_at=moment)
    if record.layer != "facts":
        return ", ".join(filter(None, (OLDER if stands != "current" else "", trust.remark(record))))
    if stands == "superseded":
        return _superseded(record, stores)
    if stands == "expired":
        return f"held until {_day(record.valid.end)}"
    if stands == "future":
        return f"holds from {_day(record.valid.start)}"
    if stands != "current":
        return stands
    return "; ".join(filter(None, (_replaced(record, stores, past), _disputed(record, stores, moment, overtaken))))


def _superseded(record: Record, stores: Sequence[Store]) -> str:
    newer = _other(record.superseded_by, stores)
    until = f"superseded, held until {_day(record.superseded_from)}" if record.superseded_from else "superseded"
    if newer is None:
        return until
    last = _current(newer, stores)
    now = f"; now: {_short(last.text)}" if last.id != newer.id else ""
    return f"{until}; then: {_short(newer.text)}{now}"


def _current(record: Record, stores: Sequence[Store]) -> Record:
    """The end of the chain of facts that replaced one another."""
    passed = {record.id}
    while (newer := _other(record.superseded_by, stores)) is not None and newer.id not in passed:
        passed.add(newer.id)
        record = newer
    return record


def _replaced(record: Record, stores: Sequence[Store], past: bool) -> str:
    older = _other(record.supersedes, stores)
    if older is None:
        return ""
    since = f"since {_day(record.valid.start or record.recorded.start)}"
    return f"{since}; before: {_short(older.text)}" if past else since


def _disputed(record: Record, stores: Sequence[Store], moment: datetime, overtaken: Mapping[str, str]) -> str:
    if record.subject and record.predicate:
        where = Filter(layers=frozenset({"facts"}), as_of=moment, known_at=moment)
        others = [other for store in stores for other in rivals(record, store.index.facts_about(record.subject, where))]
        if others:
            return f"conflicts with {', '.join(others)}"
    later = overtaken.get(record.id)
    return f"a later statement says otherwise: {later}" if later else ""


def _other(id: str | None, stores: Sequence[Store]) -> Record | None:
    return next((found for store in stores if (found := store.index.record(id)) is not None), None) if id else None


def _day(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d}" if moment else "an unknown day"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"
