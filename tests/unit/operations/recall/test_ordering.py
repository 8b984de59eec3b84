"""The last word on order: decay, repetitions, facts before their sources."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from scrubjay.config import DecaySettings
from scrubjay.operations.recall.ordering import Scored, decay, distinct, echoes_last, facts_first, order
from scrubjay.types import Record

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def scored(id: str, score: float = 0.5, **values: object) -> Scored:
    base: dict[str, object] = {"layer": "facts", "path": f"{id}.md", "text": id}
    return Scored(Record(id=id, **{**base, **values}), score, {})  # type: ignore[arg-type]


def test_decay_reorders_and_never_hides() -> None:
    """F75: an old answer keeps half of its rank, and its score as it is."""
    old = scored("old", 0.6, category="TODO", at=NOW - timedelta(days=3650))
    new = scored("new", 0.4, category="TODO", at=NOW)
    ordered = order([old, new], now=NOW, settings=DecaySettings())
    assert [item.record.id for item in ordered] == ["new", "old"]
    assert [item.score for item in ordered] == [0.4, 0.6]
    assert [item.record.id for item in order([old], now=NOW, settings=DecaySettings())] == ["old"]


def test_what_people_are_does_not_age() -> None:
    settings = DecaySettings()
    for category in ("Identity", "Preference", "Decision"):
        assert (
            decay(scored("x", category=category, at=NOW - timedelta(days=999)).record, now=NOW, settings=settings) == 1
        )
    half = decay(scored("x", category="TODO", at=NOW - timedelta(days=30)).record, now=NOW, settings=settings)
    assert half == 0.75
    message = scored("x", layer="chunks", category="TODO", at=NOW - timedelta(days=999)).record
    assert decay(message, now=NOW, settings=settings) == 1


def test_a_future_date_is_no_bonus() -> None:
    assert (
        decay(scored("x", category="TODO", at=NOW + timedelta(days=9)).record, now=NOW, settings=DecaySettings()) == 1
    )


def test_repetitions_are_shown_once() -> None:
    """F22."""
    kept, dropped = distinct([scored("a", text="The same  thing"), scored("b", text="the same thing"), scored("c")])
    assert [item.record.id for item in kept] == ["a", "c"]
    assert [(item.id, item.reason) for item in dropped] == [("b", "same as a")]


def test_the_same_words_said_twice_are_two_pieces_of_evidence() -> None:
    said = [scored(str(day), layer="chunks", text="ok", at=NOW + timedelta(days=day)) for day in range(2)]
    assert distinct(said) == (said, [])


def test_a_fact_stands_before_the_message_it_came_from() -> None:
    message = scored("message", layer="chunks", message_ids=("m1",))
    other = scored("other", layer="chunks", message_ids=("m2",))
    fact = scored("fact", message_ids=("m1",))
    assert [item.record.id for item in facts_first([other, message, fact])] == ["other", "fact", "message"]
    assert [item.record.id for item in facts_first([fact, message])] == ["fact", "message"]


def test_a_summary_that_repeats_the_hits_stands_behind_them() -> None:
    """An extractive summary holds sentences that were said; they are evidence once."""
    said = scored("said", layer="chunks", text="Hello! We chose PostgreSQL for the orders of the shop.")
    echo = scored("echo", layer="episodes", text="Max: We chose PostgreSQL for the orders of the shop.\nAnna: Fine.")
    other = scored("other", layer="episodes", text="Max: The printer was moved to the second floor.")
    fact = scored("fact", layer="facts", text="Orders lie in PostgreSQL.")
    assert [item.record.id for item in echoes_last([said, echo, other, fact], 8)] == ["said", "other", "fact", "echo"]
    assert [item.record.id for item in echoes_last([echo, said], 8)] == ["echo", "said"], "the best hit stays"
    assert [item.record.id for item in echoes_last([fact, echo, said], 2)] == ["fact", "echo", "said"]
    assert echoes_last([], 8) == []
