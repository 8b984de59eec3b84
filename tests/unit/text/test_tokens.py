"""Token estimates (R-COM-7)."""

from __future__ import annotations

import pytest

from scrubjay.text.tokens import on_disk_token_count, token_count


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("one", 1),
        ("one two three four", 5),
        (" ".join(["word"] * 10), 13),
        (" ".join(["word"] * 70), 91),
        ("раз - два", 3),
        ("数据库", 3),
        ("数据库连接。超时！", 7),
        ("用 Python 写", 3),
        ("用Python写", 3),
        ("カタカナ ひらがな 한국어", 11),
        ("tab\tline\n\nend", 3),
    ],
)
def test_token_count(text: str, expected: int):
    assert token_count(text) == expected


def test_unspaced_page_is_seen_as_large():
    """R-COM-7 ``Z``: ``wc -w`` sees one word in a Chinese page and would never split it."""
    page = "数据库" * 400
    assert token_count(page) == 1200
    assert on_disk_token_count(page) == 1


def test_on_disk_count_is_that_of_wc():
    """SM-4: floor(1.3 × words) of the whole file; exact where floating point would not be."""
    for words in range(300):
        assert on_disk_token_count("w " * words) == words * 13 // 10
        assert token_count("w " * words) == words * 13 // 10
