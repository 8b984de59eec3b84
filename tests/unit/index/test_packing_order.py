"""Rows of token vectors fill pages well in the order they are stored."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from scrubjay.index.sqlite.vectors import packed


@given(st.lists(st.integers(min_value=0, max_value=9_000), max_size=80), st.integers(min_value=1, max_value=8_192))
def test_every_row_is_stored_once(sizes: list[int], room: int) -> None:
    assert sorted(packed(sizes, room)) == list(range(len(sizes)))


def test_pages_are_filled_by_the_largest_that_fit() -> None:
    assert packed([100, 900, 500, 470], 1_000) == [1, 2, 3, 0]


def test_packed_pages_hold_more() -> None:
    rng = random.Random(0)
    sizes = [64 * rng.randint(2, 80) for _ in range(64)]

    def pages(order: list[int]) -> int:
        count, free = 0, 0
        for place in order:
            if sizes[place] > free:
                count, free = count + 1, 8_184
            free -= sizes[place]
        return count

    assert pages(packed(sizes, 8_184)) <= 0.95 * pages(list(range(len(sizes))))
