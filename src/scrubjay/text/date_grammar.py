"""The grammar of time: which sequences of symbols (``date_words``) mean which stretch of local time.

One table of patterns over symbols serves all languages; each has a function that turns the values into a ``Period``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from typing import Any

from scrubjay.text.date_lexer import Token
from scrubjay.text.periods import Period, around, days, months, moved


class _Words:
    """The values of the tokens of one expression, by symbol."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens

    def __getitem__(self, symbols: str) -> Any:
        return self.all(symbols)[0]

    def get(self, symbols: str) -> Any:
        return next(iter(self.all(symbols)), None)

    def all(self, symbols: str) -> list[Any]:
        return [token.value for token in self._tokens if token.symbol in symbols]


Builder = Callable[[_Words, datetime], Period | None]


def periods_in(tokens: Sequence[Token], here: datetime) -> list[tuple[int, int, Period]]:
    """``(first token, token after, period)`` of the longest readings that do not overlap, in order.

    ``here`` is the moment of speaking in local time, naive.
    """
    symbols = "".join(token.symbol for token in tokens)
    if not symbols.strip("."):
        return []
    matches = [(match.span(), build) for pattern, build in _grammar() for match in pattern.finditer(symbols)]
    matches.sort(key=lambda match: (match[0][0] - match[0][1], match[0][0]))
    taken: list[tuple[int, int, Period]] = []
    used = bytearray(len(symbols))
    for (first, last), build in matches:
        if any(used[first:last]):
            continue
        try:
            period = build(_Words(tokens[first:last]), here)
        except (ValueError, OverflowError):
            continue
        if period is not None:
            used[first:last] = b"\1" * (last - first)
            taken.append((first, last, period))
    return sorted(taken, key=lambda one: one[0])


def _full_date(words: _Words, _here: datetime) -> Period:
    readings = words["D"]
    year, month, day = readings[0]
    if day is None:
        return months(year, month)
    chosen = date(year, month, day)
    return days(chosen, chosen, tuple(f"@{date(*reading)}" for reading in readings))


def _full_dates(words: _Words, here: datetime) -> Period:
    first, last = (_full_date(_Words([Token("D", value, 0, 0)]), here) for value in words.all("D"))
    return Period(first.start, last.end)


def _day_of_month(words: _Words, here: datetime) -> Period | None:
    month, written = words["mMV"], words["oN"]
    day, most = written if isinstance(written, tuple) else (written, written)
    if day != most:
        return None
    year = words.get("y")
    if year is None and (named := words.get("k")):
        year = here.year + _years_of(named)
    if year is not None:
        return days(date(year, month, day), date(year, month, day))
    date(2000, month, day)  # does it exist at all?
    latest = next(one for back in range(9) if (one := _try_date(here.year - back, month, day)) and one <= here.date())
    return days(latest, latest, (f"@{month:02d}-{day:02d}",))


def _days_of_month(words: _Words, here: datetime) -> Period | None:
    """ "8–10 May": both ends as single days would be, the first not after the last."""
    ends = []
    for written in words.all("oN"):
        day = written if isinstance(written, int) else written[0]
        values = {"o": day, "m": words["mMV"], "y": words.get("y")}
        tokens = [Token(symbol, value, 0, 0) for symbol, value in values.items() if value is not None]
        ends.append(_day_of_month(_Words(tokens), here))
    first, last = ends
    if first is None or last is None or first.start > last.start:
        return None
    number = (last.end - first.start).days
    month = first.start.month
    anywhere = () if words.get("y") else tuple(f"@{month:02d}-{first.start.day + i:02d}" for i in range(number))
    return Period(first.start, last.end, anywhere)


def _try_date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _month_of_year(words: _Words, _here: datetime) -> Period:
    return months(words["y"], words["mMV"])


def _month_of_relative_year(words: _Words, here: datetime) -> Period:
    return months(here.year + _years_of(words.get("k") or (words["r"], words["u"])), words["mMV"])


def _years_of(named: tuple[int, str]) -> int:
    offset, unit = named
    if unit != "year":
        raise ValueError(unit)
    return offset


def _relative_month(words: _Words, here: datetime) -> Period | None:
    month, direction = words["mMV"], words["r"]
    if direction == 0 and words.get("V"):
        return None  # "this may be …"
    if direction == 0:
        return months(here.year, month)
    if direction > 0:
        return months(here.year + (month <= here.month) + direction - 1, month)
    return months(here.year - (month >= here.month) + direction + 1, month)


def _any_month(words: _Words, here: datetime) -> Period:
    month = words["mMV"]
    return months(here.year - (month > here.month), month, 1, (f"@{month:02d}",))


def _months(words: _Words, here: datetime) -> Period:
    first, last = words.all("mMV")
    years = words.all("y")
    count = (last - first) % 12 + 1
    if years:
        return months(years[-1] - (first > last if len(years) == 1 else 0), first, count)
    numbers = tuple(f"@{(first - 1 + number) % 12 + 1:02d}" for number in range(count))
    return months(here.year - (first > here.month), first, count, numbers)


def _year(words: _Words, _here: datetime) -> Period:
    years = words.all("y")
    return months(years[0], 1, 12 * (years[-1] - years[0] + 1))


def _quarter(words: _Words, here: datetime) -> Period:
    year = words.get("y") or here.year
    return months(year, 3 * words["q"] - 2, 3)


def _decade(words: _Words, _here: datetime) -> Period:
    return months(words["e"], 1, 120)


def _season(words: _Words, here: datetime) -> Period:
    month = words["s"]
    if year := words.get("y"):
        return months(year, month, 3)
    if named := words.get("k"):
        return months(here.year + _years_of(named), month, 3)
    begun = here.year - (month > here.month)
    if (direction := words.get("r")) is None:
        return months(begun, month, 3, tuple(f"@{(month - 1 + number) % 12 + 1:02d}" for number in range(3)))
    if direction == 0:
        return months(here.year, month, 3)
    if direction > 0:
        return months(begun + 1, month, 3)
    over = months(begun, month, 3).end <= here
    return months(begun - (not over) + direction + 1, month, 3)


def _relative_unit(words: _Words, here: datetime) -> Period | None:
    offset, unit = words.get("k") or (words["r"], words["u"])
    if unit in {"hour", "minute"}:
        return _window(unit, (1, 1), here, offset) if offset else None
    return around(unit, here.date(), offset)


def _last_weekend(words: _Words, here: datetime) -> Period | None:
    if words["u"] != "weekend":
        return None
    return around("weekend", here.date(), 0 if here.weekday() >= 5 else -1)


def _rolling(words: _Words, here: datetime) -> Period | None:
    return _window(words["u"], words.get("nN") or (1, 1), here, words["rp"])


def _rolling_half_year(words: _Words, here: datetime) -> Period | None:
    number, unit = words["Q"]
    return _window(unit, (number, number), here, words["rp"])


def _window(unit: str, number: tuple[int, int], here: datetime, direction: int) -> Period | None:
    """The ``number`` units up to now, today included, or from now on."""
    most = number[1]
    if unit in {"hour", "minute"}:
        length = timedelta(**{unit + "s": most})
        return Period(here - length, here) if direction < 0 else Period(here, here + length)
    today = here.date()
    if direction < 0:
        return days(moved(today, unit, -most), today)
    return days(today, moved(today, unit, most)) if direction > 0 else None


def _ago(words: _Words, here: datetime) -> Period:
    if half := words.get("Q"):
        return _at_distance(half[1], (-half[0], -half[0]), here)
    least, most = words.get("nN") or (1, 1)
    return _at_distance(words["u"], (-most, -least), here)


def _ahead(words: _Words, here: datetime) -> Period:
    return _at_distance(words["u"], words.get("nN") or (1, 1), here)


def _at_distance(unit: str, number: tuple[int, int], here: datetime) -> Period:
    """The time between the two distances from now, as vague as its unit: a day, seven days, a month, a year."""
    near, far = number
    if unit in {"hour", "minute"}:
        step = timedelta(**{unit + "s": 1})
        return Period(here + near * step - step / 2, here + far * step + step / 2)
    today = here.date()
    if unit == "week":
        return days(today + timedelta(days=7 * near - 3), today + timedelta(days=7 * far + 3))
    return Period(around(unit, today, near).start, around(unit, today, far).end)


def _weekday(words: _Words, here: datetime) -> Period:
    """A bare or "last" weekday looks back, "next" ahead; "this Friday" lies in this week."""
    weekday, today = words["wW"], here.date()
    direction = words.get("r")
    if direction is None:
        day = today - timedelta(days=(today.weekday() - weekday) % 7)
    elif direction == 0:
        day = today + timedelta(days=weekday - today.weekday())
    elif direction > 0:
        day = today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1 + 7 * (direction - 1))
    else:
        day = today - timedelta(days=(today.weekday() - weekday - 1) % 7 + 1 - 7 * (direction + 1))
    return days(day, day)


def _weekday_of_week(words: _Words, here: datetime) -> Period | None:
    if named := words.get("c"):
        offset, weekday = named
    else:
        weekday = words["wW"]
        offset, unit = words.get("k") or (words["r"], words["u"])
        if unit != "week":
            return None
    day = here.date() + timedelta(days=weekday - here.weekday() + 7 * offset)
    return days(day, day)


def _day(words: _Words, here: datetime) -> Period:
    return around("day", here.date(), words["d"])


def _part_of_day(words: _Words, here: datetime) -> Period | None:
    """ "This morning", "yesterday evening"; "last night" began yesterday."""
    if words.get("T"):
        offset, (first, last) = words["T"]
    else:
        first, last = words["t"]
        offset = words.get("d") if words.get("r") is None else words["r"]
    midnight = datetime.combine(here.date() + timedelta(days=offset), time())
    return Period(midnight + timedelta(hours=first), midnight + timedelta(hours=last))


# ``_M_`` is any month, ``_N_`` any number; a number before or after a month is a day only when written in digits.
_RULES: tuple[tuple[str, Builder], ...] = (
    ("D", _full_date),
    ("D[hg]D|bD&D", _full_dates),
    ("[wW]?[oN]_M_(?:yu?)?", _day_of_month),
    ("[wW]?_M_[oN]y?", _day_of_month),
    ("[yk]_M_o", _day_of_month),
    ("[oN][hg][oN]_M_(?:yu?)?|_M_[oN][hg][oN]y?", _days_of_month),
    ("_M_yu?|y_M_", _month_of_year),
    ("_M_ru|ru_M_|k_M_|_M_k", _month_of_relative_year),
    ("r_M_", _relative_month),
    ("m|(?<=[ihf])[MV]", _any_month),
    ("_M_y?[hg]_M_(?:yu?)?|b_M_y?&_M_y?|y_M_h_M_", _months),
    ("yu?[hg]yu?|by&yu?|yu?", _year),
    ("qy?|yq", _quarter),
    ("e", _decade),
    ("syu?|ys|rs|ks|(?<=[ihf])s", _season),
    ("ru|k", _relative_unit),
    ("(?<=i)u", _last_weekend),
    ("[rp]_N_u|pu", _rolling),
    ("[rp]Q", _rolling_half_year),
    ("_N_ua|(?<![nN])ua|Qa", _ago),
    ("z_N_u|zu|_N_ul", _ahead),
    ("(?<!v)w|(?<=[ihf])W|r[wW]", _weekday),
    ("c|ru[wW]|[wW]ru|k[wW]|[wW]k", _weekday_of_week),
    ("d", _day),
    ("dt|rt|T", _part_of_day),
)


@lru_cache(maxsize=1)
def _grammar() -> tuple[tuple[re.Pattern[str], Builder], ...]:
    return tuple(
        (re.compile(pattern.replace("_M_", "[mMV]").replace("_N_", "[nN]")), build) for pattern, build in _RULES
    )
