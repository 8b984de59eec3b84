"""F73, F84: a memory of a few facts refuses what it knows nothing of, and still answers what it knows.

Both kinds of error are counted over a hundred related and eighty unrelated questions, because no gate is without them:
whoever moves it sees what was gained and what was lost.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from benchmarks import abstention
from scrubjay import Memory
from tests.flows.small_memories import MEMORIES, Kind, Small
from tests.flows.test_field_cases_recall import FIVE

# Answered with the right fact first, of all questions of a kind.
LEAST: dict[Kind, float] = {"direct": 1.0, "word": 0.65, "other words": 0.6, "other language": 0.75}


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Memory]]:
    """Each small memory, ranked as shipped."""
    root = tmp_path_factory.mktemp("small")
    opened: dict[str, Memory] = {}
    for name, small in {**MEMORIES, "five": Small(FIVE, (), ()), "bench": Small(abstention.SMALL, (), ())}.items():
        (root / name).mkdir()
        memory = opened[name] = Memory.open(root / name / "vault", home=root / name / "home", background=False)
        for fact in small.facts:
            memory.remember(fact)
        assert memory.drain().error == ""
    yield opened
    for memory in opened.values():
        memory.close()


@pytest.mark.parametrize("kind", LEAST)
def test_what_a_small_memory_knows_is_answered(stores: dict[str, Memory], kind: Kind) -> None:
    asked = [
        (question, [hit.text for hit in stores[name].search(question).hits][:1] == [small.facts[place]])
        for name, small in MEMORIES.items()
        for question, place, its_kind in small.related
        if its_kind == kind
    ]
    missed = [question for question, right in asked if not right]
    assert len(missed) <= len(asked) * (1 - LEAST[kind]), missed


def test_what_a_small_memory_knows_nothing_of_is_refused(stores: dict[str, Memory]) -> None:
    asked = [(question, stores[name]) for name, small in MEMORIES.items() for question in small.unrelated]
    answered = [question for question, memory in asked if memory.search(question).hits]
    assert len(answered) <= 0.1 * len(asked), answered


def test_five_memories_refuse_all_of_twenty_unrelated_questions(stores: dict[str, Memory]) -> None:
    answered = [question for question in abstention.UNRELATED if stores["bench"].search(question).hits]
    assert answered == []
    for question in abstention.RELATED:
        assert stores["bench"].search(question).hits


@pytest.mark.parametrize("name", ["five", "one"])
def test_penguins_on_mars(stores: dict[str, Memory], name: str) -> None:
    """F73: the case's own words, whose tokens look like names and dates in the memory."""
    assert stores[name].search("penguins on mars").hits == ()
