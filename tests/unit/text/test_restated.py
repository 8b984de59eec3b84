"""Whether one statement gives another value for what another said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.text.restated import Difference, difference, tokens


def compared(mine: str, theirs: str) -> Difference | None:
    return difference(tokens(mine), tokens(theirs))


@pytest.mark.parametrize(
    ("mine", "theirs", "value", "other"),
    [
        ("The port is 9090.", "The port is 8080.", {"9090"}, {"8080"}),
        ("Max prefers pixi.", "Max prefers uv.", {"pixi"}, {"uv"}),
        ("Karen belongs to the Church of Scotland.", "Karen belongs to the Catholic Church.", None, None),
        ("Порт сервера: 9090", "Порт сервера: 8080", {"9090"}, {"8080"}),
        ("服务器端口是九千", "服务器端口是八千", {"九"}, {"八"}),
        ("The capital of France is Lyon.", "The capital of France is Paris.", {"lyon"}, {"paris"}),
    ],
)
def test_another_value_for_the_same_thing(
    mine: str, theirs: str, value: set[str] | None, other: set[str] | None
) -> None:
    found = compared(mine, theirs)
    assert found is not None
    if value is not None:
        assert (found.mine, found.theirs) == (value, other)


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ("The port is 9090.", "The port is 9090."),
        ("The capital of Germany is Berlin.", "The capital of France is Paris."),
        ("Alice lives in Rome.", "The build takes an hour."),
        ("Max prefers uv and pixi.", "Max prefers uv."),
        ("", "The port is 1."),
        ("", ""),
    ],
)
def test_not_two_values_of_one_thing(mine: str, theirs: str) -> None:
    assert compared(mine, theirs) is None


def test_a_value_at_the_end_is_told_from_another_subject() -> None:
    """ "Anna prefers uv" says nothing against "Max prefers uv"."""
    at_the_end, at_the_beginning = (
        compared("The port is 1.", "The port is 2."),
        compared("Anna uses uv.", "Max uses uv."),
    )
    assert at_the_end is not None
    assert at_the_end.last
    assert at_the_beginning is not None
    assert not at_the_beginning.last


@given(st.text(max_size=60), st.text(max_size=60))
def test_both_sides_see_the_same_difference(one: str, other: str) -> None:
    there, back = compared(one, other), compared(other, one)
    assert (there is None) == (back is None)
    if there is not None and back is not None:
        assert (there.mine, there.theirs, there.last) == (back.theirs, back.mine, back.last)
