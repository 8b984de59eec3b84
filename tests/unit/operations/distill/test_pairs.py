"""Which memories are offered to be one (SM-46)."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from scrubjay.operations.distill import scoring
from scrubjay.operations.distill.pairs import PAIR, cluster, pairs_of, ranked
from scrubjay.operations.indices import IndexEntry

TODAY = date(2026, 11, 30)


def entry(number: int, words: str = "abc", topic: str = "web/api", count: int = 0, created: str = "") -> IndexEntry:
    id = f"MEM-{number:02}"
    return IndexEntry(
        id=id, path=f"10-Memories/{id}.md", topic=topic, keywords=tuple(words), retrieval_count=count, created=created
    )


def found(*entries: IndexEntry) -> list[tuple[str, str]]:
    return [(one.id, other.id) for one, other in pairs_of(scoring.scores(entries, TODAY))]


def test_sm46_the_more_used_then_older_then_smaller_id_stays() -> None:
    assert ranked(entry(1), entry(2, count=3))[0].id == "MEM-02"
    assert ranked(entry(1, created="2026-02-01"), entry(2, created="2026-01-01"))[0].id == "MEM-02"
    assert ranked(entry(2), entry(1))[0].id == "MEM-01"
    assert ranked(entry(1), entry(2, created="2026-01-01"))[0].id == "MEM-02"


def test_sm46_only_within_a_cluster_and_from_six_tenths_on() -> None:
    assert found(entry(1, topic="web"), entry(2, topic="db")) == []
    assert found(entry(1, "abcde"), entry(2, "abcxy")) == [("MEM-01", "MEM-02")]
    assert found(entry(1, "abcde"), entry(2, "abuvw")) == []
    assert found(entry(1, "abcdefgh"), entry(2, "ab")) == [("MEM-01", "MEM-02")]


def test_sm46_all_that_have_the_same_keywords_go_into_the_best_of_them() -> None:
    """And a vault where all have them is no more work than one where nobody has."""
    entries = [entry(number, count=int(number == 7)) for number in range(30)]
    assert found(*entries) == [("MEM-07", f"MEM-{number:02}") for number in range(30) if number != 7]


@given(
    st.lists(
        st.builds(
            entry,
            st.integers(0, 40),
            st.text("abcdef", max_size=5),
            st.sampled_from(["web/x", "web", "db", ""]),
            st.integers(0, 3),
        ),
        max_size=25,
        unique_by=lambda one: one.id,
    )
)
def test_sm46_the_pairs_are_those_of_the_plain_rule(entries: list[IndexEntry]) -> None:
    """Every pair overlaps enough, nobody goes twice, and no pair that is left out could be added."""
    pairs = pairs_of(scoring.scores(entries, TODAY))
    gone = [second.id for _, second in pairs]
    assert len(gone) == len(set(gone))
    for first, second in pairs:
        assert cluster(first) == cluster(second)
        assert scoring.overlap(first.keywords, second.keywords) >= PAIR
        assert ranked(first, second) == (first, second)
    left = [one for one in entries if one.id not in gone]
    for place, one in enumerate(left):
        for other in left[place + 1 :]:
            near = scoring.overlap(one.keywords, other.keywords) >= PAIR
            assert not (near and cluster(one) == cluster(other))
