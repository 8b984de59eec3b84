"""Facts from beginning to end: remembered, repeated, corrected, superseded, forgotten, brought back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from scrubjay import Memory
from scrubjay.errors import BadInput, Conflict, NotFound
from scrubjay.types import Fact


def texts(facts: list[Fact]) -> list[str]:
    return [fact.text for fact in facts]


def found(memory: Memory, question: str, **options: object) -> list[str]:
    return [hit.text for hit in memory.search(question, abstain=False, **options).hits]  # type: ignore[arg-type]


def test_what_is_remembered_is_in_the_vault_and_found(memory: Memory, tmp_path: Path) -> None:
    """F14: the answer is read back from the disk, and the fact is searchable in the same call."""
    fact = memory.remember("Max prefers uv over pip.", category="Preference")
    assert fact.action == "created"
    assert "Max prefers uv over pip." in (tmp_path / "vault" / fact.path).read_text("utf-8")
    assert found(memory, "which package manager does Max prefer?") == ["Max prefers uv over pip."]
    assert texts(memory.facts(category="Preference")) == ["Max prefers uv over pip."]


def test_the_same_statement_again_changes_nothing(memory: Memory) -> None:
    """F21, F22: adding twice is one item, and the answer says that it was known."""
    first = memory.remember("The API listens on port 8080.")
    again = memory.remember("  the API listens on  port 8080. ")
    assert again.action == "known"
    assert again.id == first.id
    assert len(memory.facts()) == 1
    assert len(memory.operations()) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("port 8080 for service A", "port 8081 for service A"),
        ("The release is on 2026-05-01.", "The release is on 2026-06-01."),
        ("Ticket AB-12 is open.", "Ticket AB-13 is open."),
        ("端口是8080", "端口是8081"),
        ("Версия 1.0.21 стабильна", "Версия 1.0.22 стабильна"),
    ],
)
def test_statements_that_differ_in_a_number_are_both_kept(memory: Memory, one: str, other: str) -> None:
    """F15: digits, dates and identifiers make another statement, and the reply names what was done."""
    memory.remember(one)
    second = memory.remember(other)
    assert second.action == "created"
    assert texts(memory.facts()) == [one, other]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Production deployment is allowed", "Production deployment is not allowed"),
        ("I love Chinese food", "I hate Chinese food"),
        ("Мы используем Docker", "Мы не используем Docker"),
        ("我喜欢咖啡", "我不喜欢咖啡"),
        ("The cache is enabled.", "The cache is disabled."),
    ],
)
def test_the_opposite_supersedes_with_history(memory: Memory, one: str, other: str) -> None:
    """F16, F20, F91: never dropped as a duplicate; one is current, the other stays in the history."""
    old = memory.remember(one)
    new = memory.remember(other)
    assert new.action == "superseded"
    assert new.supersedes == old.id
    assert texts(memory.facts()) == [other]
    assert texts(memory.history(new.id)) == [one, other]
    assert texts(memory.facts(include_superseded=True)) == [one, other]


def test_another_object_of_the_same_subject_and_predicate_is_surfaced(memory: Memory) -> None:
    """F91: both stay until somebody decides; the reply and the hits name the conflict."""
    one = memory.remember("Alice works at Acme.", subject="Alice", predicate="works at", object="Acme")
    two = memory.remember("Alice works at Globex.", subject="Alice", predicate="works at", object="Globex")
    assert two.conflicts == (one.id,)
    hits = memory.search("where does Alice work?", abstain=False).hits
    assert {hit.note for hit in hits} == {f"conflicts with {one.id}", f"conflicts with {two.id}"}


def test_unrelated_facts_never_touch_each_other(memory: Memory) -> None:
    """F88: only the same subject and attribute may conflict."""
    pairs = [
        ("Alice", "likes", "tea"),
        ("Bob", "likes", "coffee"),
        ("Alice", "owns", "a cat"),
        ("Bob", "owns", "a dog"),
    ]
    stored = [
        memory.remember(f"{subject} {predicate} {object}.", subject=subject, predicate=predicate, object=object)
        for subject, predicate, object in pairs
    ]
    assert [fact.action for fact in stored] == ["created"] * 4
    assert not any(fact.conflicts for fact in stored)
    assert len(memory.facts()) == 4


def test_superseding_keeps_what_is_not_given(memory: Memory) -> None:
    """MX-7: the successor inherits category and confidence; the old one is marked and kept."""
    old = memory.remember("Max prefers uv over pip.", category="Preference", confidence=0.7, tags=["tools"])
    new = memory.supersede(old.id, "Max prefers pixi over uv.")
    assert (new.category, new.confidence, new.tags, new.supersedes) == ("Preference", 0.7, ("tools",), old.id)
    versions = memory.history(old.id)
    assert [version.id for version in versions] == [old.id, new.id]
    assert versions[0].superseded_by == new.id
    assert found(memory, "what does Max prefer") == ["Max prefers pixi over uv."]


def test_superseding_has_clear_errors(memory: Memory) -> None:
    old = memory.remember("The port is 1.")
    new = memory.supersede(old.id, "The port is 2.")
    with pytest.raises(Conflict, match="superseded already") as error:
        memory.supersede(old.id, "The port is 3.")
    assert new.id in error.value.hint
    with pytest.raises(NotFound):
        memory.supersede("01ARZ3NDEKTSV4RRFFQ69G5FAV", "x")
    with pytest.raises(BadInput):
        memory.supersede(new.id, "  ")
    assert memory.supersede(new.id, "The port is 2.").action == "known"


def test_the_past_can_be_asked_for(memory: Memory) -> None:
    """Two clocks: what was true then, and what was believed then (F86: partial dates are intervals)."""
    old = memory.remember("Alice works at Acme.", valid_from="2020")
    memory.supersede(old.id, "Alice works at Globex.", valid_from="2024-03")
    assert found(memory, "where does Alice work") == ["Alice works at Globex."]
    assert found(memory, "where does Alice work", as_of="2022") == ["Alice works at Acme."]
    assert found(memory, "where does Alice work", as_of="2019-12-31") == []
    before = old.recorded.start
    assert before is not None
    assert texts(memory.facts(known_at=before, as_of="2025-01-01")) == ["Alice works at Acme."]


def test_a_current_fact_outranks_what_it_corrected(memory: Memory) -> None:
    """F82, F90: the old one is hidden unless asked for, and then it is marked."""
    old = memory.remember("The staging database is called mango mango mango.")
    new = memory.supersede(old.id, "The staging database is called papaya.")
    recall = memory.search("what is the staging database called", abstain=False, explain=True)
    assert [hit.id for hit in recall.hits] == [new.id]
    assert [(item.id, item.reason) for item in recall.suppressed] == [(old.id, "superseded")]
    every = memory.search("staging database", include_superseded=True, abstain=False).hits
    day = f"{new.recorded.start:%Y-%m-%d}"
    assert {hit.id: hit.note for hit in every} == {
        old.id: f"superseded, held until {day}; then: The staging database is called papaya.",
        new.id: f"since {day}; before: The staging database is called mango mango mango.",
    }


def test_what_has_expired_is_hidden_and_explained(memory: Memory) -> None:
    fact = memory.remember("Renew the certificate of the gateway.", category="TODO", valid_to="2020-01-01")
    recall = memory.search("certificate of the gateway", abstain=False, explain=True)
    assert recall.hits == ()
    assert [(item.id, item.reason) for item in recall.suppressed] == [(fact.id, "expired")]


def test_forgetting_takes_it_out_of_everything_and_undo_brings_it_back(memory: Memory, tmp_path: Path) -> None:
    """F28, F37, SEC-7: file, words, lists and look-up agree."""
    fact = memory.remember("The alarm code is on the fridge.")
    memory.forget(fact.id)
    assert found(memory, "alarm code fridge") == []
    assert memory.facts(include_superseded=True) == []
    assert not (tmp_path / "vault" / fact.path).exists()
    with pytest.raises(NotFound):
        memory.show(fact.id)
    assert "alarm" not in " ".join(
        operation.summary for operation in memory.operations() if operation.verb == "forget"
    ).replace(fact.path, "")
    memory.undo()
    assert found(memory, "alarm code fridge") == ["The alarm code is on the fridge."]
    assert memory.history(fact.id)[0].id == fact.id


def test_undo_takes_back_the_newest_first(memory: Memory) -> None:
    memory.remember("one thing")
    old = memory.remember("two things")
    memory.supersede(old.id, "three things")
    memory.undo()
    assert texts(memory.facts()) == ["one thing", "two things"]
    memory.undo()
    assert texts(memory.facts()) == ["one thing"]
    memory.undo()
    assert memory.facts() == []
    with pytest.raises(NotFound, match="nothing to undo"):
        memory.undo()


def test_undo_can_be_undone(memory: Memory) -> None:
    memory.remember("one thing")
    undone = memory.undo()
    memory.undo(undone.id)
    assert texts(memory.facts()) == ["one thing"]


def test_undo_never_overwrites_a_later_edit(memory: Memory, tmp_path: Path) -> None:
    fact = memory.remember("one thing")
    path = tmp_path / "vault" / fact.path
    path.write_text(path.read_text("utf-8").replace("one thing", "one other thing"), "utf-8")
    with pytest.raises(Conflict, match="changed after"):
        memory.undo()
    assert "one other thing" in path.read_text("utf-8")


def test_retracting_hides_a_fact_for_good(memory: Memory) -> None:
    fact = memory.remember("The moon is made of cheese.")
    memory.retract(fact.id)
    assert memory.facts() == []
    assert memory.history(fact.id)[0].retracted


def test_deleting_the_index_loses_nothing(open_memory: Callable[..., Memory], own_home: Path) -> None:
    """The vault is true: answers, ids, history and undo are the same after the index is gone."""
    import shutil

    memory = open_memory()
    old = memory.remember("The port is 8080.", tags=["net"])
    new = memory.supersede(old.id, "The port is 9090.")
    memory.note("Deploying", "Run the script twice.\n\n## Why\n\nThe first run warms the cache.", topic="ops/deploy")
    before = memory.search("which port, and why run the script twice", abstain=False)
    memory.close()
    shutil.rmtree(own_home / ".scrubjay" / "state")
    again = open_memory()
    after = again.search("which port, and why run the script twice", abstain=False)
    assert [(hit.id, hit.score, hit.text) for hit in after.hits] == [
        (hit.id, hit.score, hit.text) for hit in before.hits
    ]
    assert [fact.id for fact in again.history(old.id)] == [old.id, new.id]
    again.undo()
    assert texts(again.facts()) == ["The port is 8080."]


@pytest.mark.parametrize(
    "text", ["a | b", "emoji 😀🦜", "quote ' and \" and `", "x" * 50_000, "nul \x00 here", "línea\u2028sep"]
)
def test_odd_texts_survive(memory: Memory, text: str) -> None:
    fact = memory.remember(text)
    assert memory.history(fact.id)[0].text == fact.text
    assert fact.text.replace("\ufffd", "\x00").replace("\n", "\u2028") == text


def test_bad_arguments_are_named(memory: Memory) -> None:
    with pytest.raises(BadInput, match="confidence"):
        memory.remember("x", confidence=1.5)
    with pytest.raises(BadInput, match="empty"):
        memory.remember(" \n ")
    with pytest.raises(BadInput, match="string"):
        memory.remember(12)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="valid_to must come after"):
        memory.remember("x", valid_from="2026-02-01", valid_to="2026-01-01")
    with pytest.raises(BadInput, match="not a time"):
        memory.remember("x", valid_from="soon")
    assert memory.facts() == []


def test_times_without_a_zone_are_the_users(open_memory: Callable[..., Memory]) -> None:
    """F85, F86: naive and aware times never meet unresolved."""
    from zoneinfo import ZoneInfo

    memory = open_memory(zone=ZoneInfo("Asia/Tokyo"))
    fact = memory.remember("x y z", valid_from="2026-05-01", valid_to=datetime(2026, 6, 1))
    assert fact.valid.start == datetime(2026, 4, 30, 15, tzinfo=UTC)
    assert fact.valid.end == datetime(2026, 5, 31, 15, tzinfo=UTC)
