"""The order of old truth and new: no item is lost or doubled, whatever links a set of facts has."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from scrubjay.operations.recall.ordering import Scored
from scrubjay.operations.recall.updates import in_order, known_then, overtaken
from scrubjay.types import Interval, Record

START = datetime(2026, 1, 1, tzinfo=UTC)
IDS = "abcdef"

links = st.lists(st.tuples(st.sampled_from(IDS), st.sampled_from(IDS)), max_size=6)
values = st.lists(
    st.sampled_from(["The port is 1.", "The port is 2.", "Otters swim.", "The port is 3.", ""]), max_size=6
)


def facts(texts: list[str], linked: list[tuple[str, str]]) -> list[Scored]:
    newer, older = dict(linked), {b: a for a, b in linked}
    return [
        Scored(
            Record(
                id=IDS[place],
                layer="facts",
                path=f"{place}.md",
                text=text,
                recorded=Interval(start=START + timedelta(days=place)),
                superseded_by=newer.get(IDS[place]),
                supersedes=older.get(IDS[place]),
            ),
            0.5,
            {},
        )
        for place, text in enumerate(texts)
    ]


@given(values, links, st.sampled_from(["present", "before", "still", "change"]), st.booleans())
def test_the_order_keeps_every_item_once(
    texts: list[str], linked: list[tuple[str, str]], tense: str, dated: bool
) -> None:
    """Links may form circles: a vault is edited by hand."""
    given_items = facts(texts, linked)
    period = Interval(start=START, end=START + timedelta(days=2)) if dated else None
    result = in_order(given_items, "what is the port", tense, period)  # type: ignore[arg-type]
    assert sorted(item.record.id for item in result) == sorted(item.record.id for item in given_items)


def test_the_newest_of_many_values_comes_first() -> None:
    told = facts(["The port is 1.", "The port is 2.", "The port is 3."], [])
    assert [item.record.id for item in in_order(told, "which port", "present", None)] == ["c", "b", "a"]
    assert overtaken(told) == {"a": "b", "b": "c"}


def test_a_value_is_followed_by_what_it_replaced() -> None:
    told = facts(["Old.", "Otters swim.", "New."], [("a", "c")])
    assert [item.record.id for item in in_order(told, "?", "present", None)] == ["c", "a", "b"]
    assert [item.record.id for item in in_order(told, "?", "before", None)] == ["a", "c", "b"]


def test_what_was_never_believed_answers_no_question_about_the_past() -> None:
    moment = START + timedelta(days=9)
    told = [
        Scored(
            Record(id="r", layer="facts", path="r.md", text="x", retracted=True, recorded=Interval(end=START)), 0.5, {}
        ),
        Scored(
            Record(
                id="f", layer="facts", path="f.md", text="x", valid=Interval(start=datetime.max.replace(tzinfo=UTC))
            ),
            0.5,
            {},
        ),
        Scored(Record(id="e", layer="facts", path="e.md", text="x", valid=Interval(end=START)), 0.5, {}),
    ]
    assert [item.record.id for item in known_then(told, as_of=moment, known_at=moment)] == ["e"]
