"""How old a memory is (CC-S4, F92)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from scrubjay.operations.notebook import freshness

NOW = datetime(2026, 5, 2, 1, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "days", "said"),
    [
        (NOW, 0, "today"),
        (NOW - timedelta(hours=1, minutes=1), 1, "yesterday"),
        (NOW - timedelta(hours=30), 2, "2 days ago"),
        (NOW - timedelta(days=60), 60, "60 days ago"),
        (NOW + timedelta(days=3), 0, "today"),
    ],
)
def test_cc_s4_age_is_told_in_whole_days(written: datetime, days: int, said: str) -> None:
    assert freshness.age(written, NOW, UTC) == days
    assert freshness.said(days) == said
    assert bool(freshness.note(days)) == (days > 1)


def test_days_are_those_of_the_reader() -> None:
    east = timezone(timedelta(hours=9))
    assert freshness.age(NOW - timedelta(hours=2), NOW, UTC) == 1
    assert freshness.age(NOW - timedelta(hours=2), NOW, east) == 0
