"""When it is time to dream (CC-D1)."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from scrubjay.operations.dream.gates import Night, closed, sessions

NOW = datetime(2026, 5, 8, 12, 0, tzinfo=UTC)


@pytest.fixture
def night(tmp_path: Path) -> Night:
    for number in range(6):
        file = tmp_path / f"s{number}.jsonl"
        file.write_text("{}\n", encoding="utf-8")
        os.utime(file, (NOW.timestamp(), NOW.timestamp()))
    return Night(allowed=True, memory_on=True, environ={}, last=None, looked=None, transcripts=tmp_path, current="s0")


def test_cc_d1_every_gate_is_asked(night: Night) -> None:
    assert closed(night, NOW) == ""
    for change, word in (
        ({"allowed": False}, "switched off"),
        ({"memory_on": False}, "memory is switched off"),
        ({"environ": {"CLAUDE_CODE_REMOTE": "true"}}, "remote"),
        ({"last": NOW - timedelta(hours=23)}, "24 hours"),
        ({"looked": NOW - timedelta(minutes=9)}, "10 minutes"),
        ({"last": NOW - timedelta(days=2), "current": "s1"}, ""),
    ):
        assert word in closed(replace(night, **change), NOW)  # type: ignore[arg-type]


def test_cc_d1_sessions_are_those_touched_since_without_the_current_one(night: Night, tmp_path: Path) -> None:
    assert sessions(tmp_path, since=None) == 6
    assert sessions(tmp_path, since=None, current="s0") == 5
    assert sessions(tmp_path, since=NOW) == 0
    assert sessions(tmp_path / "nowhere", since=None) == 0
    (tmp_path / "s5.jsonl").unlink()
    assert "Only 4 of 5 sessions" in closed(night, NOW)


def test_cc_d1_nothing_is_counted_while_a_cheaper_gate_is_closed(night: Night, tmp_path: Path) -> None:
    assert "24 hours" in closed(replace(night, last=NOW, transcripts=tmp_path / "nowhere"), NOW)
