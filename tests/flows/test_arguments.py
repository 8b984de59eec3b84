"""Arguments of the wrong type are a ``BadInput`` that names them, before anything is done."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from scrubjay import Memory, Message
from scrubjay.errors import BadInput

FIRST = datetime.min.replace(tzinfo=timezone(timedelta(hours=14)))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("limit", "3"),
        ("limit", 2.5),
        ("limit", True),
        ("budget", "1"),
        ("as_of", 5),
        ("as_of", FIRST),
        ("scopes", 5),
        ("scopes", [[1]]),
        ("layers", 5),
        ("layers", ["x"]),
        ("category", 5),
        ("tags", [1]),
    ],
)
def test_a_search_names_what_is_wrong(memory: Memory, name: str, value: Any) -> None:
    with pytest.raises(BadInput, match=name):
        memory.search("a question", **{name: value})


@pytest.mark.parametrize("query", [None, b"x", 5])
def test_a_question_is_a_string(memory: Memory, query: Any) -> None:
    with pytest.raises(BadInput, match="query"):
        memory.search(query)


def test_a_date_is_its_first_instant_in_the_users_zone(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory(zone=ZoneInfo("Asia/Tokyo"))
    assert memory.search("x", as_of=date(2026, 5, 1)).query.as_of == datetime(2026, 4, 30, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("category", ["a"]),
        ("category", 5),
        ("confidence", "high"),
        ("confidence", True),
        ("tags", [1]),
        ("subject", 3),
        ("scope", [1]),
        ("source", "me"),
        ("valid_from", 5),
    ],
)
def test_nothing_is_written_for_a_wrong_argument(memory: Memory, tmp_path: Path, name: str, value: Any) -> None:
    with pytest.raises(BadInput, match=name):
        memory.remember("some words", **{name: value})
    assert list((tmp_path / "vault").rglob("*.md")) == []


@pytest.mark.parametrize("method", ["history", "forget", "show", "retract"])
@pytest.mark.parametrize("value", [None, 5, " "])
def test_a_name_is_a_string(memory: Memory, method: str, value: Any) -> None:
    with pytest.raises(BadInput):
        getattr(memory, method)(value)


@pytest.mark.parametrize("what", [{}, {"a": 1}, [1], 5, b"x"])
def test_only_sessions_are_taken_in(memory: Memory, what: Any) -> None:
    with pytest.raises(BadInput, match="what"):
        memory.ingest(what)


def test_a_message_needs_a_text() -> None:
    with pytest.raises(BadInput, match="text"):
        Message(id="a", role="user", text=None)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [None, 5, "a\0b"])
def test_a_bundle_has_a_path(memory: Memory, value: Any) -> None:
    with pytest.raises(BadInput, match="target"):
        memory.export(value)
    with pytest.raises(BadInput, match="source"):
        memory.import_(value)


@pytest.mark.parametrize(
    ("name", "value"), [("zone", "Mars/X"), ("embedder", object()), ("reranker", object()), ("home", 5)]
)
def test_opening_names_what_is_wrong(tmp_path: Path, name: str, value: Any) -> None:
    with pytest.raises(BadInput, match=name):
        Memory.open(tmp_path / "vault", **{name: value})
    with pytest.raises(BadInput, match="path"):
        Memory.open(5)  # type: ignore[arg-type]


def test_a_fact_that_does_not_read_back_is_not_kept(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scrubjay.vaults.documents import fact

    def fail(*_: object, **__: object) -> None:
        raise BadInput("unreadable")

    monkeypatch.setattr(fact, "read", fail)
    with pytest.raises(BadInput, match="unreadable"):
        memory.remember("some words")
    monkeypatch.undo()
    assert list((tmp_path / "vault" / "40-Facts").rglob("*.md")) == []
    assert memory.facts() == []


def test_letter_case_makes_no_other_category(memory: Memory) -> None:
    assert memory.remember("Max drinks tea.", category="preference").category == "Preference"
    assert memory.remember("The box is red.", category="Colour").category == "Colour"
    assert memory.remember("A bag is blue.", category="colour").category == "Colour"
    assert [found.text for found in memory.facts(category="PREFERENCE")] == ["Max drinks tea."]
    assert [hit.text for hit in memory.search("bag", category="COLOUR", abstain=False).hits] == ["A bag is blue."]


def test_a_successor_never_begins_before_what_it_replaces(memory: Memory) -> None:
    old = memory.remember("The port is 1.", valid_from="2025")
    with pytest.raises(BadInput, match="valid_from"):
        memory.supersede(old.id, "The port is 2.", valid_from="2024")
    future = memory.remember("The fee is 3 euros.", valid_from="2999")
    assert memory.supersede(future.id, "The fee is 4 euros.").valid.start == future.valid.start


def test_sm8_a_category_in_brackets_or_in_the_words_is_the_category(memory: Memory, tmp_path: Path) -> None:
    assert memory.learn("One banana grows.", category="[pattern]").proposals[0].category == "PATTERN"
    folder = tmp_path / "specs" / "007_pool"
    folder.mkdir(parents=True)
    (folder / "report.md").write_text("# Pool\n\nThe pool has a limit of ten.\n", "utf-8")
    plan = memory.learn("--task 7 --category workflow", cwd=tmp_path)
    assert [proposal.category for proposal in plan.proposals] == ["WORKFLOW"]
