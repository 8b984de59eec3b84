"""Questions about what held before, whether it still holds and when it changed; old truth and new kept apart."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from scrubjay import Memory

OLD, NEW = datetime(2024, 1, 10, tzinfo=UTC), datetime(2025, 6, 2, tzinfo=UTC)


def asked(memory: Memory, question: str, **options: object) -> list[str]:
    return [hit.text for hit in memory.search(question, abstain=False, **options).hits]  # type: ignore[arg-type]


@pytest.fixture
def changed(memory: Memory) -> Memory:
    """A memory in which three things changed on 2 June 2025."""
    pairs = [
        ("Our package manager is pip.", "Our package manager is pixi."),
        ("Алиса работает в компании Акме.", "Алиса работает в компании Глобус."),
        ("我们的数据库是 MySQL。", "我们的数据库是 PostgreSQL。"),
    ]
    for old, new in pairs:
        memory.supersede(memory.remember(old, valid_from=OLD).id, new, valid_from=NEW)
    return memory


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        ("Which package manager did we use before?", "Our package manager is pip.", "Our package manager is pixi."),
        ("Где Алиса работала раньше?", "Алиса работает в компании Акме.", "Алиса работает в компании Глобус."),
        ("以前的数据库是什么？", "我们的数据库是 MySQL。", "我们的数据库是 PostgreSQL。"),
    ],
)
def test_what_held_before_comes_first_when_it_is_asked_for(
    changed: Memory, question: str, first: str, second: str
) -> None:
    assert asked(changed, question)[:2] == [first, second]


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        ("When did the package manager change?", "Our package manager is pixi.", "Our package manager is pip."),
        ("Is pip still our package manager?", "Our package manager is pixi.", "Our package manager is pip."),
        ("Алиса всё ещё работает в Акме?", "Алиса работает в компании Глобус.", "Алиса работает в компании Акме."),
        ("数据库什么时候换成 PostgreSQL 的？", "我们的数据库是 PostgreSQL。", "我们的数据库是 MySQL。"),
    ],
)
def test_what_holds_now_comes_first_and_then_what_it_replaced(
    changed: Memory, question: str, first: str, second: str
) -> None:
    assert asked(changed, question)[:2] == [first, second]


def test_a_question_about_the_present_gets_the_present(changed: Memory) -> None:
    """F82, F90."""
    assert "Our package manager is pip." not in asked(changed, "Which package manager do we use?")


def test_the_answer_says_since_when_and_what_was_before(changed: Memory) -> None:
    """What did we decide, and when did that change? Both are in one hit, dated, and in the block for an agent."""
    recall = changed.search("Which package manager do we use, and when did that change?", abstain=False)
    assert recall.hits[0].note == "since 2025-06-02; before: Our package manager is pip."
    assert recall.hits[0].note in recall.text
    assert changed.search("Which package manager do we use?", abstain=False).hits[0].note == "since 2025-06-02"
    older = changed.search("Which package manager did we use before?", abstain=False).hits[0]
    assert older.note == "superseded, held until 2025-06-02; then: Our package manager is pixi."


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Which package manager did we use in May 2024?", "Our package manager is pip."),
        ("Which package manager did we use in July 2025?", "Our package manager is pixi."),
        ("Где Алиса работала в мае 2024?", "Алиса работает в компании Акме."),
        ("2024年5月的数据库是什么？", "我们的数据库是 MySQL。"),
    ],
)
def test_a_period_gets_what_held_in_it(changed: Memory, question: str, first: str) -> None:
    assert asked(changed, question)[0] == first


def test_what_was_never_true_is_no_history(memory: Memory) -> None:
    wrong = memory.remember("The office was in Rome.")
    memory.retract(wrong.id)
    memory.remember("The office is in Oslo.")
    memory.remember("The office will be in Bern.", valid_from="2199")
    assert asked(memory, "Where was the office before?") == ["The office is in Oslo."]


def test_as_of_asks_for_one_moment_whatever_the_words(changed: Memory) -> None:
    answer = asked(changed, "Which package manager did we use before?", as_of="2024-06")
    assert "Our package manager is pip." in answer
    assert "Our package manager is pixi." not in answer


def test_a_later_value_goes_before_an_earlier_one_that_nobody_closed(memory: Memory) -> None:
    """F20, F91: two statements without subject and predicate; both are kept, the newer is read first."""
    old = memory.remember("The office printer is called Bert Bert.")
    new = memory.remember("The office printer is called Ernie.")
    hits = memory.search("what is the office printer called Bert", abstain=False).hits
    assert [hit.id for hit in hits] == [old.id, new.id], "the question names the earlier value"
    hits = memory.search("what is the office printer called", abstain=False).hits
    assert [hit.id for hit in hits] == [new.id, old.id]
    assert hits[1].note == f"a later statement says otherwise: {new.id}"


def test_what_is_said_of_somebody_else_contradicts_nobody(memory: Memory) -> None:
    first = memory.remember("Max uses the package manager uv.")
    memory.remember("Anna uses the package manager uv.")
    hits = memory.search("which package manager does Max use", abstain=False).hits
    assert hits[0].id == first.id
    assert [hit.note for hit in hits] == ["", ""]


def test_what_holds_again_is_dated_anew(memory: Memory) -> None:
    """pip, uv, and pip again: the last word is pip."""
    first = memory.remember("The package manager is pip.")
    memory.remember("The package manager is uv.")
    again = memory.remember("The package manager is pip.")
    assert (again.action, again.supersedes) == ("superseded", first.id)
    assert memory.remember("The package manager is pip.").action == "known"
    assert asked(memory, "which package manager")[0] == "The package manager is pip."
    assert [fact.id for fact in memory.history(first.id)] == [first.id, again.id]


def test_what_replaced_a_fact_is_shown_with_it_in_whatever_language(memory: Memory) -> None:
    old = memory.remember("We use MySQL for the orders database.", valid_from=OLD)
    new = memory.supersede(old.id, "Для заказов теперь PostgreSQL.", valid_from=NEW)
    last = memory.supersede(new.id, "订单现在用 CockroachDB。", valid_from="2026")
    hits = memory.search("what did we use for the orders database, and when did that change?", abstain=False).hits
    assert [hit.id for hit in hits] == [last.id, new.id, old.id]
    present = memory.search("what do we use for the orders database?", abstain=False).hits
    assert old.id not in [hit.id for hit in present]
