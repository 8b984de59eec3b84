"""Calendar arithmetic without a time zone: stretches of local time and the date lexemes that lie in them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

_MOST_DAYS = 31
_MOST_MONTHS = 24
_MOST_YEARS = 60


@dataclass(frozen=True, slots=True)
class Period:
    """``[start, end)`` in local time. ``lexemes`` are given where they say less than the dates: ``@05`` for any May."""

    start: datetime
    end: datetime
    lexemes: tuple[str, ...] = ()


def days(first: date, last: date, lexemes: tuple[str, ...] = ()) -> Period:
    """From the beginning of ``first`` to the end of ``last``."""
    return Period(datetime.combine(first, time()), datetime.combine(last + timedelta(days=1), time()), lexemes)


def add_months(first: date, months: int) -> date:
    """The day ``months`` later, or the last day of that month where it has no such day."""
    year, month = divmod(first.year * 12 + first.month - 1 + months, 12)
    for day in range(first.day, 27, -1):
        try:
            return date(year, month + 1, day)
        except ValueError:
            if day <= 28:
                raise
    return date(year, month + 1, first.day)


def months(year: int, month: int, count: int = 1, lexemes: tuple[str, ...] = ()) -> Period:
    """``count`` whole months from ``month`` on."""
    first = date(year, month, 1)
    return days(first, add_months(first, count) - timedelta(days=1), lexemes)


def around(unit: str, today: date, offset: int) -> Period:
    """The calendar ``unit`` that holds ``today``, moved by ``offset`` units."""
    match unit:
        case "day":
            return days(today + timedelta(days=offset), today + timedelta(days=offset))
        case "week":
            monday = today - timedelta(days=today.weekday() - 7 * offset)
            return days(monday, monday + timedelta(days=6))
        case "weekend":
            saturday = today + timedelta(days=5 - today.weekday() + 7 * offset)
            return days(saturday, saturday + timedelta(days=1))
        case "month":
            first = add_months(today.replace(day=1), offset)
            return months(first.year, first.month)
        case "quarter":
            first = add_months(date(today.year, (today.month - 1) // 3 * 3 + 1, 1), 3 * offset)
            return months(first.year, first.month, 3)
        case "year":
            return months(today.year + offset, 1, 12)
        case "decade":
            return months(today.year // 10 * 10 + 10 * offset, 1, 120)
        case _:
            raise ValueError(unit)


def moved(today: date, unit: str, count: int) -> date:
    """``today`` moved by ``count`` units, keeping the day of the month where it exists."""
    match unit:
        case "day":
            return today + timedelta(days=count)
        case "week" | "weekend":
            return today + timedelta(weeks=count)
        case "month" | "quarter" | "year" | "decade":
            return add_months(today, count * {"month": 1, "quarter": 3, "year": 12, "decade": 120}[unit])
        case _:
            raise ValueError(unit)


def lexemes_of(period: Period) -> tuple[str, ...]:
    """The date lexemes of ``period``: its days, or its months when it is longer than 31 days, or its years."""
    if period.lexemes:
        return period.lexemes
    first, after = period.start.date(), (period.end - timedelta(microseconds=1)).date() + timedelta(days=1)
    whole_months = first.day == 1 and after.day == 1
    if whole_months and first.month == 1 and after.month == 1:
        return _years(first.year, after.year - 1)
    if not whole_months and (after - first).days <= _MOST_DAYS:
        return tuple(f"@{first + timedelta(days=number)}" for number in range((after - first).days))
    last = after - timedelta(days=1)
    count = (last.year - first.year) * 12 + last.month - first.month + 1
    if count > _MOST_MONTHS:
        return _years(first.year, last.year)
    starts = [add_months(first.replace(day=1), number) for number in range(count)]
    return tuple(f"@{start.year:04d}-{start.month:02d}" for start in starts)


def _years(first: int, last: int) -> tuple[str, ...]:
    return tuple(f"@{year:04d}" for year in range(max(first, last - _MOST_YEARS + 1), last + 1))
