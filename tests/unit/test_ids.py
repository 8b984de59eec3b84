"""Ids that are derived and still sort by a moment."""

from scrubjay.ids import dated_id, derived_id, is_id


def test_a_dated_id_is_the_same_every_time_and_sorts_by_its_moment() -> None:
    early, late = dated_id(1_000, "a", "b"), dated_id(2_000, "a", "b")
    assert early == dated_id(1_000, "a", "b") and is_id(early)
    assert early < late < dated_id(3_000, "0")
    assert early[-16:] == derived_id("a", "b")[-16:]


def test_a_moment_before_the_epoch_counts_as_the_epoch() -> None:
    assert dated_id(-5, "a") == dated_id(0, "a")
