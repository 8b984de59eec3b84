"""Who gets which version of a document (F37, F106)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scrubjay.operations.share.planning import plan

IDS = st.dictionaries(st.sampled_from("abcd"), st.sampled_from("123"))


def test_what_one_side_changed_goes_to_the_other() -> None:
    found = plan({"a": "1", "b": "1"}, {"a": "2", "b": "1", "c": "1"}, {"a": "1", "b": "2", "d": "1"})
    assert (found.give, found.take, found.merge) == (["a", "c"], ["b", "d"], [])


def test_f37_a_deletion_wins_unless_the_other_side_changed_it_since() -> None:
    assert plan({"a": "1"}, {}, {"a": "1"}).withdraw == ["a"]
    assert plan({"a": "1"}, {"a": "1"}, {}).drop == ["a"]
    assert plan({"a": "1"}, {}, {"a": "2"}).keep == plan({"a": "1"}, {}, {"a": "2"}).take == ["a"]
    assert plan({"a": "1"}, {"a": "2"}, {}).keep == plan({"a": "1"}, {"a": "2"}, {}).give == ["a"]
    assert plan({"a": "1"}, {}, {}).withdraw == []


@given(IDS, IDS, IDS)
def test_every_difference_is_planned_once_and_both_sides_see_it_alike(
    base: dict[str, str], ours: dict[str, str], theirs: dict[str, str]
) -> None:
    one, other = plan(base, ours, theirs), plan(base, theirs, ours)
    assert (one.take, one.drop, one.merge, one.keep) == (other.give, other.withdraw, other.merge, other.keep)
    planned = [*one.take, *one.give, *one.drop, *one.withdraw, *one.merge]
    differing = sorted(path for path in {*ours, *theirs} if ours.get(path) != theirs.get(path))
    assert sorted(planned) == differing
