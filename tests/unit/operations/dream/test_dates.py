"""Relative days get their dates (CC-F4, F85)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.operations.dream.dates import dated

WRITTEN = datetime(2026, 5, 8, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Deployed yesterday.", "Deployed yesterday (2026-05-07)."),
        ("We ship tomorrow, not today.", "We ship tomorrow (2026-05-09), not today."),
        ("It broke 3 days ago.", "It broke 3 days ago (2026-05-05)."),
        ("Вчера упал сервер.", "Вчера (2026-05-07) упал сервер."),
        ("昨天部署了。", "昨天 (2026-05-07)部署了。"),
        ("Deployed yesterday (2026-05-07).", "Deployed yesterday (2026-05-07)."),
        ('He said "yesterday".', 'He said "yesterday".'),
        ("Run `at tomorrow`.", "Run `at tomorrow`."),
        ("```\nyesterday\n```\n", "```\nyesterday\n```\n"),
        ("The Beatles sang something.", "The Beatles sang something."),
    ],
)
def test_cc_f4_a_relative_day_is_dated_by_when_it_was_written(text: str, wanted: str) -> None:
    assert dated(text, WRITTEN, UTC) == wanted


@given(st.text(max_size=80))
def test_nothing_is_taken_away_and_twice_is_once(text: str) -> None:
    once = dated(text, WRITTEN, UTC)
    assert dated(once, WRITTEN, UTC) == once
    rest = iter(once)
    assert all(letter in rest for letter in text)
