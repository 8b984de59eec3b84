"""What a reader takes for one character stays one (F109)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.text.graphemes import cut_before, is_boundary


@pytest.mark.parametrize(
    "cluster",
    ["\r\n", "e\u0301", "👩‍👩‍👧", "👍🏽", "🇩🇪", "각", "\u1100\u1161\u11a8", "क्षि", "❤️", "\ud83d\ude00", "1️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "ก็"],
)
def test_clusters_are_not_cut(cluster: str) -> None:
    text = "a" + cluster + "b"
    assert [place for place in range(1, len(text)) if is_boundary(text, place)] == [1, len(text) - 1]
    assert all(cut_before(text, place) in (1, len(text) - 1) for place in range(1, len(text) - 1))


def test_flags_come_in_pairs() -> None:
    flags = "🇩🇪🇫🇷🇯🇵"
    assert [place for place in range(len(flags) + 1) if is_boundary(flags, place)] == [0, 2, 4, 6]


@given(st.text(st.sampled_from("a\u0301\u200d👩🇩각\r\n\u1100\ud800\udc00")), st.integers(1, 20))
def test_cuts_are_boundaries(text: str, position: int) -> None:
    place = cut_before(text, position)
    assert place <= len(text)
    assert is_boundary(text, place)
    assert place > 0 or not text
