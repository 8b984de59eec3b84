"""Time in questions: English, Russian, Chinese; always against the moment given, never against the clock."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.errors import BadInput
from scrubjay.text.analyze import date_lexemes
from scrubjay.text.date_words import CHINESE, WORDS
from scrubjay.text.dates import resolve, time_expressions

NOW = datetime(2023, 5, 31, 14, 0, tzinfo=UTC)  # a Wednesday
LAST_WEEK = [f"@2023-05-{day}" for day in range(22, 29)]


def lexemes(query: str) -> list[str]:
    return [lexeme for found in time_expressions(query, NOW) for lexeme in found.lexemes]


def dates(query: str) -> tuple[str, str]:
    """First and last day of the one expression in ``query``."""
    (found,) = time_expressions(query, NOW)
    return f"{found.start:%Y-%m-%d}", f"{found.end - timedelta(microseconds=1):%Y-%m-%d}"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("in May 2023", ["@2023-05"]),
        ("8 May", ["@05-08"]),
        ("May 8th, 2023", ["@2023-05-08"]),
        ("8th of May 2023", ["@2023-05-08"]),
        ("on Monday, 8 May 2023", ["@2023-05-08"]),
        ("8-10 May", ["@05-08", "@05-09", "@05-10"]),
        ("May 8-10, 2023", ["@2023-05-08", "@2023-05-09", "@2023-05-10"]),
        ("What happened in May?", ["@05"]),
        ("in september", ["@09"]),
        ("last May", ["@2022-05"]),
        ("what did she say last may", ["@2022-05"]),
        ("May last year", ["@2022-05"]),
        ("from March to June", ["@03", "@04", "@05", "@06"]),
        ("between May and July 2022", ["@2022-05", "@2022-06", "@2022-07"]),
        ("in 2022", ["@2022"]),
        ("from 2019 to 2021", ["@2019", "@2020", "@2021"]),
        ("2019–2021", ["@2019", "@2020", "@2021"]),
        ("last week", LAST_WEEK),
        ("yesterday's meeting", ["@2023-05-30"]),
        ("the day before yesterday", ["@2023-05-29"]),
        ("3 days ago", ["@2023-05-28"]),
        ("a few days ago", ["@2023-05-26", "@2023-05-27", "@2023-05-28", "@2023-05-29"]),
        ("last Friday", ["@2023-05-26"]),
        ("Friday of last week", ["@2023-05-26"]),
        ("this Friday", ["@2023-06-02"]),
        ("next Friday", ["@2023-06-02"]),
        ("last Wednesday", ["@2023-05-24"]),
        ("on Wednesday", ["@2023-05-31"]),
        ("this morning", ["@2023-05-31"]),
        ("last night", ["@2023-05-30", "@2023-05-31"]),
        ("last weekend", ["@2023-05-27", "@2023-05-28"]),
        ("last month", ["@2023-04"]),
        ("a couple of months ago", ["@2023-03"]),
        ("half a year ago", ["@2022-11"]),
        ("last 3 months", ["@2023-02", "@2023-03", "@2023-04", "@2023-05"]),
        ("2 years ago", ["@2021"]),
        ("last year", ["@2022"]),
        ("last summer", ["@2022-06", "@2022-07", "@2022-08"]),
        ("in the summer of 2022", ["@2022-06", "@2022-07", "@2022-08"]),
        ("Q1 2023", ["@2023-01", "@2023-02", "@2023-03"]),
        ("in the 1990s", [f"@{year}" for year in range(1990, 2000)]),
        ("since March", ["@2023-03", "@2023-04", "@2023-05"]),
        ("2023-05-08", ["@2023-05-08"]),
        ("2023-05-08T10:00:00Z", ["@2023-05-08"]),
        ("2023-05", ["@2023-05"]),
        ("10/13/2023", ["@2023-10-13"]),
        ("5/8/2023", ["@2023-05-08", "@2023-08-05"]),
        ("an hour ago", ["@2023-05-31"]),
        ("on 29 February", ["@02-29"]),
        ("May 8 or June 3?", ["@05-08", "@06-03"]),
        ("tomorrow", ["@2023-06-01"]),
    ],
)
def test_english(query: str, expected: list[str]):
    assert lexemes(query) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("два дня назад", ["@2023-05-29"]),
        ("3 дня назад", ["@2023-05-28"]),
        ("в мае 2023", ["@2023-05"]),
        ("8 мая 2023 года", ["@2023-05-08"]),
        ("8 мая", ["@05-08"]),
        ("с 8 по 10 мая 2022 года", ["@2022-05-08", "@2022-05-09", "@2022-05-10"]),
        ("что было в мае", ["@05"]),
        ("с мая по июль", ["@05", "@06", "@07"]),
        ("в мае прошлого года", ["@2022-05"]),
        ("в 2022 году", ["@2022"]),
        ("на прошлой неделе", LAST_WEEK),
        ("за последние 2 дня", ["@2023-05-29", "@2023-05-30", "@2023-05-31"]),
        ("вчера", ["@2023-05-30"]),
        ("Вчера вечером", ["@2023-05-30"]),
        ("позавчера", ["@2023-05-29"]),
        ("в прошлую пятницу", ["@2023-05-26"]),
        ("в среду", ["@2023-05-31"]),
        ("в прошлом месяце", ["@2023-04"]),
        ("год назад", ["@2022"]),
        ("полгода назад", ["@2022-11"]),
        ("пару дней назад", ["@2023-05-29"]),
        ("прошлым летом", ["@2022-06", "@2022-07", "@2022-08"]),
        ("сегодня утром", ["@2023-05-31"]),
        ("08.05.2023", ["@2023-05-08"]),
        ("через два дня", ["@2023-06-02"]),
        ("в 90-е", [f"@{year}" for year in range(1990, 2000)]),
    ],
)
def test_russian(query: str, expected: list[str]):
    assert lexemes(query) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("我们上周决定了什么", LAST_WEEK),
        ("昨天", ["@2023-05-30"]),
        ("前天", ["@2023-05-29"]),
        ("2023年5月", ["@2023-05"]),
        ("2023年5月8日", ["@2023-05-08"]),
        ("二〇二三年五月", ["@2023-05"]),
        ("5月8号", ["@05-08"]),
        ("5月", ["@05"]),
        ("三天前", ["@2023-05-28"]),
        ("3天前", ["@2023-05-28"]),
        ("十五天前", ["@2023-05-16"]),
        ("几天前", ["@2023-05-26", "@2023-05-27", "@2023-05-28", "@2023-05-29"]),
        ("3个月前", ["@2023-02"]),
        ("半年前", ["@2022-11"]),
        ("五年前", ["@2018"]),
        ("去年", ["@2022"]),
        ("去年5月", ["@2022-05"]),
        ("去年夏天", ["@2022-06", "@2022-07", "@2022-08"]),
        ("上周五", ["@2023-05-26"]),
        ("下周一", ["@2023-06-05"]),
        ("上个月", ["@2023-04"]),
        ("上週", LAST_WEEK),
        ("最近两天", ["@2023-05-29", "@2023-05-30", "@2023-05-31"]),
        ("昨晚", ["@2023-05-30", "@2023-05-31"]),
        ("今天早上", ["@2023-05-31"]),
        ("上个周末", ["@2023-05-27", "@2023-05-28"]),
        ("用Python写的2022年报告", ["@2022"]),
    ],
)
def test_chinese(query: str, expected: list[str]):
    assert lexemes(query) == expected


@pytest.mark.parametrize(
    "query",
    [
        "", "May I ask?", "You may do it", "this may be wrong", "I will march to town", "version 1.0.21", "port 8080",
        "every Friday", "каждую пятницу", "每周五", "in 3 days we wrote it", "did prices fall", "2023-13-40",
        "9999999999 days ago", "999999 years ago", "fix #2022-05-foo", "какая неделя", "the second one", "前",
    ],
)  # fmt: skip
def test_what_only_looks_like_time(query: str):
    assert time_expressions(query, NOW) == []


def test_span_is_where_it_stands():
    query = "What did we decide in May 2023 about auth, and yesterday?"
    first, second = time_expressions(query, NOW)
    assert query[slice(*first.span)] == "in May 2023"
    assert query[slice(*second.span)] == "yesterday"


def test_two_weeks_ago_is_the_week_around_that_day():
    assert dates("two weeks ago") == ("2023-05-14", "2023-05-20")


def test_half_open_interval_in_utc():
    """F86: always aware, always an interval: the first instant belongs to it, the last does not."""
    (found,) = time_expressions("in 2026", NOW)
    assert (found.start, found.end) == (datetime(2026, 1, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC))
    assert found.start.tzinfo is UTC


def test_yesterday_is_that_of_the_message():
    """F85: a message of 8 May 2023 that says "yesterday" means 7 May, whatever today is."""
    said = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    meant = resolve("I went there yesterday", said)
    assert meant is not None
    assert meant.lexemes == ("@2023-05-07",)
    assert meant.start == datetime(2023, 5, 7, tzinfo=UTC)
    assert resolve("I went there", said) is None


def test_yesterday_is_that_of_the_person():
    """F85: at 20:00 UTC it is already tomorrow in Tokyo, and still the same day in Denver."""
    said = datetime(2023, 5, 8, 20, 0, tzinfo=UTC)
    tokyo = resolve("yesterday", said, timezone(timedelta(hours=9)))
    denver = resolve("yesterday", said, timezone(timedelta(hours=-6)))
    assert tokyo is not None
    assert denver is not None
    assert tokyo.lexemes == ("@2023-05-08",)
    assert tokyo.start == datetime(2023, 5, 7, 15, 0, tzinfo=UTC)
    assert denver.lexemes == ("@2023-05-07",)
    assert denver.end == datetime(2023, 5, 8, 6, 0, tzinfo=UTC)


def test_a_day_of_changing_clocks_has_its_own_length():
    berlin = ZoneInfo("Europe/Berlin")
    (found,) = time_expressions("yesterday", datetime(2023, 3, 27, 12, 0, tzinfo=UTC), berlin)
    assert found.end - found.start == timedelta(hours=23)


def test_naive_moment_is_refused():
    """F86: a moment without a zone is an error that says so, not an empty answer."""
    with pytest.raises(BadInput, match="time zone"):
        time_expressions("yesterday", datetime(2023, 5, 8))


@pytest.mark.parametrize("query", ["in May 2023", "8 May", "last Monday", "in 2023", "last month", "上周", "вчера"])
def test_a_record_of_that_day_carries_one_of_the_lexemes(query: str):
    (found,) = time_expressions(query, NOW)
    assert set(date_lexemes(found.start)) & set(found.lexemes)
    assert set(date_lexemes(found.end - timedelta(seconds=1))) & set(found.lexemes)


WORD = st.sampled_from(
    [*WORDS, *CHINESE, "8", "31", "2023", "2023-02-30", "29 Feb", "0 May", "May", "99999999", "?", ","]
)


@given(st.lists(WORD, max_size=8), st.datetimes(timezones=st.just(UTC)), st.booleans())
def test_any_words_of_time_make_sense_or_nothing(words: list[str], now: datetime, spaced: bool):
    """Never an exception, an empty interval, a bad span or a foreign lexeme, at the ends of the calendar too."""
    query = (" " if spaced else "").join(words)
    end_before = 0
    for found in time_expressions(query, now):
        assert found.start < found.end
        assert end_before <= found.span[0] < found.span[1] <= len(query)
        assert found.lexemes
        assert all(lexeme.startswith("@") and lexeme[1:].replace("-", "").isdecimal() for lexeme in found.lexemes)
        end_before = found.span[1]


def test_a_long_text_is_read_only_at_its_beginning():
    assert len(time_expressions("yesterday " * 100_000, NOW)) <= 2_000


@pytest.mark.parametrize("hours", [-12, 14])
@pytest.mark.parametrize("now", [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)])
def test_the_ends_of_the_calendar_hold_no_expression_or_a_true_one(now: datetime, hours: int) -> None:
    """A message may claim any time; in some zones its day does not exist."""
    for found in time_expressions("yesterday, next year and in May", now, timezone(timedelta(hours=hours))):
        assert found.start < found.end
