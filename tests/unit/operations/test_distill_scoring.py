"""The score of a memory (SM-43, §12.3): numbers of the specification, and what must hold for any memory."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.operations.distill import scoring
from scrubjay.operations.indices import IndexEntry

TODAY = date(2026, 12, 1)


def entry(id: str = "MEM-a", **values: object) -> IndexEntry:
    return IndexEntry(**{"id": id, "path": f"10-Memories/{id}.md", "created": "2026-12-01", **values})  # type: ignore[arg-type]


def ago(days: int) -> str:
    return f"{TODAY - timedelta(days=days)}"


def one(*entries: IndexEntry) -> scoring.Score:
    return next(score for score in scoring.scores(entries, TODAY) if score.entry.id == "MEM-a")


def test_sm43_the_score_of_the_specification() -> None:
    """§12.3: 0.3 + 0.25 + 0.1 + 0.125 = 0.775, the purge band."""
    other = entry("MEM-b", keywords=("x", "q"), created=ago(100))
    score = one(entry(created=ago(100), token_count=900, keywords=("x", "y")), other)
    assert (score.staleness, score.unused, score.size, score.duplicate) == (1.0, True, 0.5, 0.5)
    assert score.composite == pytest.approx(0.775) and score.band == "purge"


def test_sm43_retrieved_today_it_is_healthy() -> None:
    """§12.3: the same memory, retrieved once today: 0.225."""
    other = entry("MEM-b", keywords=("x", "q"), created=ago(100))
    used = entry(created=ago(100), token_count=900, keywords=("x", "y"), retrieval_count=1, last_retrieved="2026-12-01")
    score = one(used, other)
    assert (score.staleness, score.unused) == (0.0, False)
    assert score.composite == pytest.approx(0.225) and score.band == "healthy"


def test_sm43_a_settled_memory_is_less_stale() -> None:
    score = one(entry(created=ago(200), retrieval_count=2, last_retrieved=ago(45)))
    assert score.staleness == pytest.approx(45 / 90 - 0.3)


def test_sm43_tombstones_have_no_score() -> None:
    assert scoring.scores([entry(status="tombstoned")], TODAY) == []


@pytest.mark.parametrize(
    ("number", "name"), [(100, "healthy"), (80, "healthy"), (79, "manageable"), (59, "concerning"), (39, "critical")]
)
def test_sm43_health_has_a_name(number: int, name: str) -> None:
    assert scoring.health_name(number) == name


def test_sm45_candidates_of_a_purge_are_not_the_purge_band() -> None:
    score = one(entry(created=ago(40)))
    assert score.purgeable and score.band != "purge"
    assert not one(entry(created=ago(29))).purgeable


def test_sm45_a_category_has_its_time_and_an_insight_none() -> None:
    assert one(entry(category="CONFIG", created=ago(200))).over == 20
    assert one(entry(category="INSIGHT", created=ago(2000))).over == 0


def test_sm47_what_was_compressed_counts_without_its_history() -> None:
    [score] = scoring.scores([entry(token_count=1300)], TODAY, {"MEM-a": 500})
    assert score.size == 0.0


@given(
    st.lists(
        st.builds(
            entry,
            st.sampled_from(["MEM-a", "MEM-b", "MEM-c"]),
            token_count=st.integers(0, 10**6),
            keywords=st.lists(st.sampled_from("abcdefgh"), max_size=8).map(tuple),
            retrieval_count=st.integers(0, 100),
            created=st.sampled_from(["", "nonsense", "2020-01-01", "2026-11-30", "2030-01-01"]),
            last_retrieved=st.sampled_from([None, "2026-01-01", "2031-01-01", "?"]),
        ),
        max_size=6,
        unique_by=lambda item: item.id,
    )
)
def test_any_memory_has_a_score_between_zero_and_one(entries: list[IndexEntry]) -> None:
    found = scoring.scores(entries, TODAY)
    assert len(found) == len(entries)
    assert all(0 <= score.composite <= 1 and 0 <= score.duplicate <= 1 for score in found)
    assert 0 <= scoring.health(found) <= 100


@given(
    st.lists(
        st.builds(
            entry, st.integers(0, 30).map("MEM-{}".format), keywords=st.lists(st.sampled_from("abcdef")).map(tuple)
        ),
        max_size=20,
        unique_by=lambda item: item.id,
    )
)
def test_sm43_the_duplicate_share_is_that_of_the_plain_rule(entries: list[IndexEntry]) -> None:
    """Rare words first is only faster: max over others of |kw ∩ kw'| / |kw|, 0 without keywords."""
    for score in scoring.scores(entries, TODAY):
        own = set(score.entry.keywords)
        others = [len(own & set(one.keywords)) for one in entries if one.id != score.entry.id]
        assert score.duplicate == (max(others, default=0) / len(own) if own else 0.0)
