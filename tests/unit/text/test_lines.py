"""Line numbers as editors count them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.text.lines import line_of, line_starts, newline_of, split_lines

ANY = st.text(st.sampled_from("ab\r\n\u2028\x0c\x85 "))


@given(ANY)
def test_lines_join_to_the_text(text: str) -> None:
    """F109: U+2028, form feeds and NEL end no line."""
    lines = split_lines(text)
    assert "".join(lines) == text
    assert all(line.rstrip("\r\n") == line.rstrip("\r\n").split("\n")[0].split("\r")[0] for line in lines)
    assert [sum(map(len, lines[:index])) for index in range(len(lines))] == (line_starts(text) if text else [])


@pytest.mark.parametrize(("offset", "line"), [(0, 1), (1, 1), (2, 2), (4, 3), (5, 3)])
def test_line_of(offset: int, line: int) -> None:
    assert line_of(line_starts("a\nb\rcc\r\n"), offset) == line


def test_newline_of() -> None:
    assert [newline_of(text) for text in ("", "a", "a\nb\r\n", "a\r\nb\n", "a\rb")] == ["\n", "\n", "\n", "\r\n", "\r"]
