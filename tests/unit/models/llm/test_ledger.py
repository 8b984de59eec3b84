"""The ledger counts every call of every process, and its caps hold between them."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from scrubjay.errors import Unavailable
from scrubjay.models.llm.ledger import Ledger
from scrubjay.models.llm.usage import Caps, Day

MONDAY = datetime(2026, 11, 30, 23, 59, tzinfo=UTC)


def ledger(folder: Path, now: datetime = MONDAY, **caps: float) -> Ledger:
    return Ledger(folder, Caps(**caps), now=lambda: now)  # type: ignore[arg-type]


def start(kept: Ledger, expected: int = 100):
    return kept.start(purpose="extract", prompt="extract/1", model="openai:m", expected=expected)


def test_nothing_was_used_before_anything_was_and_nothing_is_created(tmp_path: Path) -> None:
    assert ledger(tmp_path / "llm").today() == Day(day=date(2026, 11, 30))
    assert not (tmp_path / "llm").exists()


def test_a_call_counts_from_its_beginning_and_with_what_it_took_in_the_end(tmp_path: Path) -> None:
    kept = ledger(tmp_path)
    call = start(kept)
    day = kept.today()
    assert (day.calls, day.running, day.input_tokens) == (1, 1, 100)  # a process that dies now has called all the same
    kept.finish(call, outcome="answered", input=80, output=20, money=0.5, seconds=1.0)
    day = kept.today()
    assert (day.calls, day.running, day.tokens, day.money, day.unpriced) == (1, 0, 100, 0.5, 0)
    kept.correct(call, outcome="invalid")
    assert dict(kept.today().outcomes) == {"invalid": 1}
    assert kept.today().tokens == 100


def test_a_day_ends_at_midnight_and_a_call_belongs_to_the_day_it_began(tmp_path: Path) -> None:
    call = start(ledger(tmp_path))
    after = ledger(tmp_path, datetime(2026, 12, 1, 0, 1, tzinfo=UTC))
    after.finish(call, outcome="answered", input=1, output=1, money=None, seconds=1.0)
    assert after.today().calls == 0
    assert ledger(tmp_path).today().unpriced == 1


def test_caps_are_kept_to_the_call(tmp_path: Path) -> None:
    kept = ledger(tmp_path, calls=2)
    assert [start(kept).cap != "" for _ in range(4)] == [False, False, True, True]
    assert (kept.today().calls, kept.today().capped) == (2, 2)


def test_a_cap_of_tokens_counts_what_is_expected(tmp_path: Path) -> None:
    kept = ledger(tmp_path, tokens=250)
    assert not start(kept, 200).cap
    assert "250 tokens" in start(kept, 51).cap
    assert not start(kept, 50).cap


def test_a_cap_of_money_stops_when_it_is_spent(tmp_path: Path) -> None:
    kept = ledger(tmp_path, money=1.0)
    kept.finish(start(kept), outcome="answered", input=1, output=1, money=1.0, seconds=0.0)
    assert "1.00 dollars" in start(kept).cap


def test_torn_and_foreign_lines_are_counted_and_do_no_harm(tmp_path: Path) -> None:
    """F49: one bad line takes nothing else with it."""
    kept = ledger(tmp_path)
    start(kept)
    path = tmp_path / "2026-11-30.jsonl"
    path.write_bytes(path.read_bytes() + b'{"call": 5}\n[[[\n{"call": "x", "event": "?"}\n\xff\xfe\n' + b'{"at": "20')
    start(kept)
    day = kept.today()
    assert (day.calls, day.unreadable) == (2, 5)


@pytest.mark.parametrize("value", ['"many"', "-5", "1e400", "true", "null", "[]"])
def test_odd_numbers_add_nothing(tmp_path: Path, value: str) -> None:
    (tmp_path / "2026-11-30.jsonl").write_text(
        f'{{"call": "a", "event": "started", "input": {value}}}\n'
        f'{{"call": "a", "event": "finished", "output": {value}, "money": {value}}}\n',
        encoding="utf-8",
    )
    day = ledger(tmp_path).today()
    assert (day.calls, day.tokens, day.money) == (1, 0, 0.0)


def test_only_its_owner_may_read_it(tmp_path: Path) -> None:
    start(ledger(tmp_path / "llm"))
    assert (tmp_path / "llm").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "llm" / "2026-11-30.jsonl").stat().st_mode & 0o777 == 0o600


def test_what_cannot_be_counted_is_not_called(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(Unavailable):
        start(ledger(tmp_path / "file"))
    (tmp_path / "2026-11-30.jsonl").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Unavailable):
        start(ledger(tmp_path))
    assert not (tmp_path / "elsewhere").exists()
    (tmp_path / "2026-11-30.jsonl").unlink()
    os.mkfifo(tmp_path / "2026-11-30.jsonl")
    with pytest.raises(Unavailable):
        start(ledger(tmp_path))
    with pytest.raises(Unavailable):
        ledger(tmp_path).today()


def test_processes_share_one_cap(tmp_path: Path) -> None:
    """Four processes ask for forty calls each; the cap of fifty is reached and not passed."""
    code = """
import sys
from pathlib import Path
from scrubjay.models.llm.ledger import Ledger
from scrubjay.models.llm.usage import Caps
kept = Ledger(Path(sys.argv[1]), Caps(calls=50))
made = 0
for _ in range(40):
    call = kept.start(purpose="extract", prompt="extract/1", model="m", expected=1)
    if not call.cap:
        made += 1
        kept.finish(call, outcome="answered", input=1, output=1, money=0.0, seconds=0.0)
print(made)
"""
    command = [sys.executable, "-c", code, str(tmp_path)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") for _ in range(4)]
    made = [int(process.communicate()[0]) for process in running]
    assert sum(made) == 50
    files = list(tmp_path.glob("*.jsonl"))
    lines = [line for path in files for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == 160 + 50 + 110  # none torn, none lost
