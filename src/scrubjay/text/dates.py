"""Expressions of time in a question: "last week", "in May 2023", "два дня назад", "去年5月" (F85, F86).

Words become symbols (``date_lexer``), and one small grammar over symbols serves all languages. What is relative is
resolved against the moment given, in the zone of the person who asks; no clock is read here. Every expression is a
half-open interval in UTC, and the lexemes that records said in it carry (``analyze.date_lexemes``).

Conventions: weeks begin on Monday; "last week" is the calendar week before; "two weeks ago" is the seven days around
that day; "last 3 days" reaches up to and includes today; a day, month or season without a year is the latest that has
begun, while its lexemes match every year; winter 2022 begins in December 2022.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from scrubjay.errors import BadInput
from scrubjay.text.date_grammar import periods_in
from scrubjay.text.date_lexer import tokens_of
from scrubjay.text.periods import Period, days, lexemes_of

_LONGEST_QUERY = 20_000  # characters; what follows is no question


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeExpression:
    """A stretch of time that a question names: ``[start, end)`` in UTC, where it stands (``span``), its lexemes."""

    start: datetime
    end: datetime
    span: tuple[int, int]
    lexemes: tuple[str, ...]


def time_expressions(query: str, now: datetime, zone: tzinfo = UTC) -> list[TimeExpression]:
    """All expressions of time in ``query``, in order, none overlapping another.

    ``now`` is the moment of asking, aware; ``zone`` is where the person lives. Raises ``BadInput`` for a naive ``now``.
    """
    if now.tzinfo is None:
        raise BadInput("now has no time zone.", hint="Pass an aware datetime, such as datetime.now(timezone.utc).")
    tokens = tokens_of(query[:_LONGEST_QUERY])
    try:
        here = now.astimezone(zone).replace(tzinfo=None)
    except OverflowError:  # on the first and the last day of the calendar, which are not there in every zone
        return []
    found = []
    for first, after, period in periods_in(tokens, here):
        before = tokens[first - 1].symbol if first else ""
        start = tokens[first - (before in {"i", "f"})].start
        meant = _since(period, here) if before == "f" else period
        if expression := _expression(meant, (start, tokens[after - 1].end), zone):
            found.append(expression)
    return found


def resolve(expression: str, at: datetime, zone: tzinfo = UTC) -> TimeExpression | None:
    """What ``expression`` meant when it was said at ``at``: "yesterday" in a message of 8 May is 7 May (F85).

    The first expression of time counts; ``None`` when there is none.
    """
    return next(iter(time_expressions(expression, at, zone)), None)


def _expression(period: Period, span: tuple[int, int], zone: tzinfo) -> TimeExpression | None:
    try:
        start, end = (moment.replace(tzinfo=zone).astimezone(UTC) for moment in (period.start, period.end))
    except (OverflowError, ValueError):
        return None
    return TimeExpression(start=start, end=end, span=span, lexemes=lexemes_of(period)) if start < end else None


def _since(period: Period, here: datetime) -> Period:
    tomorrow = days(here.date(), here.date()).end
    return Period(period.start, tomorrow) if period.start < tomorrow else period
