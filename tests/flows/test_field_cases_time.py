"""Field cases 7: time and truth. Whose clock, which interval, what holds now."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from scrubjay import Memory, Message, Session
from scrubjay.operations.recall import search as recall_search
from scrubjay.types import Fact

TOKYO = ZoneInfo("Asia/Tokyo")


def texts(facts: list[Fact]) -> list[str]:
    return [fact.text for fact in facts]


def found(memory: Memory, question: str, **options: object) -> list[str]:
    return [hit.text for hit in memory.search(question, abstain=False, **options).hits]  # type: ignore[arg-type]


def test_yesterday_is_the_users_yesterday(open_memory: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch) -> None:
    """F85: asked at nine in the morning in Tokyo, when it is still the day before in UTC."""
    said = [datetime(2023, 5, day, hour, tzinfo=TOKYO) for day, hour in ((3, 12), (5, 12), (7, 1), (7, 23))]
    memory = open_memory(zone=TOKYO)
    messages = [Message(id=f"{at:%d-%H}", role="user", text=f"Ran {n} miles.", at=at) for n, at in enumerate(said)]
    memory.ingest(Session(id="s", messages=messages))
    monkeypatch.setattr(recall_search, "now", lambda: datetime(2023, 5, 8, 6, tzinfo=TOKYO).astimezone(UTC))
    hits = memory.search("how many miles yesterday", abstain=False).hits
    assert {hit.message_ids[0] for hit in hits[:2]} == {"07-01", "07-23"}


def test_yesterday_in_a_message_stands_beside_its_date(memory: Memory) -> None:
    """F85: what "yesterday" means is fixed by the message's own time, which every answer carries."""
    at = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    text = "I went to the support group yesterday."
    memory.ingest(Session(id="s", messages=[Message(id="m", role="user", speaker="Caroline", text=text, at=at)]))
    recall = memory.search("when did Caroline go to the support group", abstain=False)
    assert recall.hits[0].at == at
    assert "2023-05-08" in recall.hits[0].citation
    assert "2023-05-08" in recall.text


def test_times_in_a_file_without_a_zone_are_the_users(open_memory: Callable[..., Memory], tmp_path: Path) -> None:
    """F85, F86."""
    (tmp_path / "talk.jsonl").write_text('{"role": "user", "text": "otters", "at": "2023-05-08T01:00:00"}\n', "utf-8")
    memory = open_memory(zone=TOKYO)
    memory.ingest(tmp_path / "talk.jsonl")
    assert memory.search("otters", abstain=False).hits[0].at == datetime(2023, 5, 7, 16, tzinfo=UTC)


@pytest.mark.parametrize(
    "moment",
    ["2026-03-01", "2026-03", "2026", "2026-03-01T00:00:00Z", datetime(2026, 3, 1), datetime(2026, 3, 1, tzinfo=UTC)],
)
def test_a_year_is_an_interval(memory: Memory, moment: datetime | str) -> None:
    """F86: "2026" begins with the year; naive, aware, whole and partial moments all compare."""
    memory.remember("The office is in Riga.", valid_from="2026")
    memory.remember("The office has a garden.", valid_from="2025-06", valid_to="2027")
    assert texts(memory.facts(as_of=moment)) == ["The office is in Riga.", "The office has a garden."]
    assert set(found(memory, "office", as_of=moment)) == {"The office is in Riga.", "The office has a garden."}
    assert texts(memory.facts(as_of="2025-12-31")) == ["The office has a garden."]
    assert found(memory, "office", as_of="2025-12-31") == ["The office has a garden."]


def test_a_time_written_by_hand_is_read_as_one(memory: Memory, tmp_path: Path) -> None:
    """F86: a person writes `valid_from: 2026` into the file, which YAML reads as a number."""
    fact = memory.remember("The office is in Riga.", valid_from="2025-01-01")
    path = tmp_path / "vault" / fact.path
    text = re.sub(r"^valid_from:.*$", "valid_from: 2026", path.read_text("utf-8"), flags=re.MULTILINE)
    path.write_text(text, "utf-8")
    memory.sync()
    assert texts(memory.facts(as_of="2026-03-01")) == ["The office is in Riga."]
    assert memory.facts(as_of="2025-06-01") == []


def test_what_no_longer_holds_is_in_no_default_answer(memory: Memory) -> None:
    """F90: neither in hits nor in the block for an agent nor in the list; asked for, it is marked."""
    old = memory.remember("The port of staging is 8080.")
    new = memory.supersede(old.id, "The port of staging is 9090.")
    wrong = memory.remember("Staging runs on the moon.")
    memory.retract(wrong.id)
    recall = memory.search("port of staging", abstain=False)
    assert [hit.text for hit in recall.hits] == ["The port of staging is 9090."]
    assert "8080" not in recall.text
    assert "moon" not in recall.text
    assert texts(memory.facts()) == ["The port of staging is 9090."]
    everything = memory.search("port of staging moon", include_superseded=True, abstain=False)
    day = f"{new.recorded.start:%Y-%m-%d}"
    assert {hit.text: hit.note for hit in everything.hits} == {
        "The port of staging is 9090.": f"since {day}; before: The port of staging is 8080.",
        "The port of staging is 8080.": f"superseded, held until {day}; then: The port of staging is 9090.",
        "Staging runs on the moon.": "retracted",
    }


def test_of_two_that_disagree_one_becomes_current(memory: Memory) -> None:
    """F91: the conflict is told with the write and with the answer; superseding settles it."""
    one = memory.remember("Max is a vegetarian.", subject="Max", predicate="diet", object="vegetarian")
    two = memory.remember("Max loves steak.", subject="max", predicate="Diet", object="steak")
    assert two.conflicts == (one.id,)
    assert "conflicts with" in memory.search("what does Max eat, a vegetarian steak?", abstain=False).text
    memory.retract(two.id)
    settled = memory.supersede(one.id, "Max eats steak now.", object="steak")
    assert [fact.id for fact in memory.facts()] == [settled.id]
    notes = [hit.note for hit in memory.search("what does Max eat", abstain=False).hits]
    assert notes == [f"since {settled.recorded.start:%Y-%m-%d}"]


def test_reading_leaves_age_and_order_alone(memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """F92: sixty days old stays sixty days old, however often it is read."""
    long_ago = datetime.now(UTC) - timedelta(days=60)
    old = memory.remember("Renew the certificate of the gateway.", category="TODO", valid_from=long_ago)
    memory.remember("Order a certificate for the mail server.", category="TODO")
    files = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in (tmp_path / "vault").rglob("*.md")}

    def ranking() -> list[tuple[str, datetime | None]]:
        return [(hit.id, hit.at) for hit in memory.search("certificate", abstain=False).hits]

    before = ranking()
    for _ in range(5):
        memory.search("gateway certificate", abstain=False)
        memory.show(old.id)
        memory.history(old.id)
        memory.facts(include_superseded=True)
        memory.status()
        memory.doctor()
        memory.sync()
    assert ranking() == before
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in files} == files
    assert memory.history(old.id)[0].recorded == old.recorded
    assert len(memory.operations()) == 2
