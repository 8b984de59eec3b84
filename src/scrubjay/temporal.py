"""Two clocks, one rule: what was true when, as far as we knew when (design §2.4, GR-2, MX-7).

``valid`` is time in the world, ``recorded`` time in our books. Closing a fact is itself knowledge: before
``recorded.end`` we believed it open. Every index is tested against ``visible``.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Protocol

from scrubjay.errors import BadInput
from scrubjay.types import Interval

FIRST = datetime.min.replace(tzinfo=UTC)
"""The beginning of the calendar: what ended then was never true."""

LAST = datetime.max.replace(tzinfo=UTC)
"""The end of the calendar: no moment comes after it."""

_PARTIAL = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")


class Dated(Protocol):
    """What ``visible`` needs to know; ``Fact`` and ``Record`` both have it."""

    @property
    def valid(self) -> Interval: ...
    @property
    def recorded(self) -> Interval: ...
    @property
    def superseded_from(self) -> datetime | None: ...
    @property
    def retracted(self) -> bool: ...


def now() -> datetime:
    """The present moment, aware UTC, to the microsecond."""
    return datetime.now(UTC)


def visible(thing: Dated, *, as_of: datetime, known_at: datetime) -> bool:
    """Whether ``thing`` was true at ``as_of`` according to what was believed at ``known_at``."""
    return standing(thing, as_of=as_of, known_at=known_at) == "current"


def standing(thing: Dated, *, as_of: datetime, known_at: datetime) -> str:
    """Why ``thing`` is or is not visible: ``current``, ``unknown`` (not recorded yet), ``retracted``,
    ``future`` (not valid yet), ``expired`` or ``superseded``."""
    if thing.recorded.start is not None and known_at < thing.recorded.start:
        return "unknown"
    closed = thing.recorded.end is not None and thing.recorded.end <= known_at
    if closed and thing.retracted:
        return "retracted"
    if thing.valid.start is not None and as_of < thing.valid.start:
        return "superseded" if closed and thing.superseded_from is not None else "future"
    if closed and thing.superseded_from is not None and thing.superseded_from <= as_of:
        return "superseded"
    if thing.valid.end is not None and thing.valid.end <= as_of:
        return "expired"
    return "current"


def validity(thing: Dated) -> Interval:
    """When ``thing`` was true according to what is believed now."""
    ends = [end for end in (thing.valid.end, thing.superseded_from) if end is not None]
    return Interval(start=thing.valid.start, end=min(ends) if ends else None)


def parse_time(text: str, *, zone: tzinfo = UTC) -> datetime:
    """An ISO 8601 moment; a date or partial date (``2026``, ``2026-05``) is its first instant in ``zone``.

    Naive times are read in ``zone``. Raises ``BadInput`` for anything else.
    """
    return parse_interval(text, zone=zone)[0]


def parse_interval(text: str, *, zone: tzinfo = UTC) -> tuple[datetime, datetime]:
    """The stretch that an ISO moment, date, month or year covers, as ``(first instant, instant after)`` in UTC.

    Where nothing comes after, the last instant there is takes its place. Raises ``BadInput`` for anything else.
    """
    cleaned = text.strip()
    partial = _PARTIAL.fullmatch(cleaned)
    try:
        if partial:
            return _calendar(*(int(group) if group else None for group in partial.groups()), zone=zone)
        moment = datetime.fromisoformat(cleaned)
        start = (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)
    except ValueError:
        raise BadInput(f"{text!r} is not a time.", hint="Write it as 2026-05-31 or 2026-05-31T14:00:00Z.") from None
    except OverflowError:
        raise BadInput(f"{text!r} is not in the years 1 to 9999 of UTC.", hint="Use a time in between.") from None
    return start, _later(start, timedelta(microseconds=1))


def _calendar(year: int | None, month: int | None, day: int | None, *, zone: tzinfo) -> tuple[datetime, datetime]:
    assert year is not None
    start = datetime(year, month or 1, day or 1, tzinfo=zone)
    if day:
        end = _later(start, timedelta(days=1))
    elif year == LAST.year and month in (None, 12):
        end = LAST
    elif month:
        end = datetime(year + month // 12, month % 12 + 1, 1, tzinfo=zone)
    else:
        end = datetime(year + 1, 1, 1, tzinfo=zone)
    return start.astimezone(UTC), _later(end)


def _later(moment: datetime, by: timedelta = timedelta(0)) -> datetime:
    """``by`` after ``moment``, by the clock of its zone, in UTC; ``LAST`` where the calendar ends before."""
    try:
        return (moment + by).astimezone(UTC)
    except OverflowError:
        return LAST


def format_time(moment: datetime | None) -> str:
    """UTC as written in documents: ``2026-11-30T10:00:00Z``, with microseconds only where there are some."""
    if moment is None:
        return ""
    text = moment.astimezone(UTC).isoformat(timespec="microseconds" if moment.microsecond else "seconds")
    return text.replace("+00:00", "Z")
