"""A proposal of a model, and a person's plain yes to it, in three languages."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.text.agreement import agrees, proposal


@pytest.mark.parametrize(
    "text",
    [
        "Yes",
        "yes, let's do that",
        "OK, go ahead!",
        "Yes, please do.",
        "yes, do so",
        "Sounds good.",
        "Perfect, thanks",
        "Да, давай",
        "Согласен.",
        "好的",
        "可以，就这么办吧。",
    ],
)
def test_yes_and_nothing_else(text: str) -> None:
    assert agrees(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Yes, but use Redis 6",
        "yes?",
        "No",
        "ok so what is next",
        "goodness",
        "Да, но позже",
        "好的，不过用别的",
        "yes " * 60,
        "ok\n\nNow fix the test",
    ],
)
def test_a_reserve_or_more_is_no_yes(text: str) -> None:
    assert not agrees(text)


@pytest.mark.parametrize(
    ("sentence", "what"),
    [
        ("Shall we use Redis 7 for the cache?", "use Redis 7 for the cache"),
        ("I'd recommend using PostgreSQL 16.", "use PostgreSQL 16"),
        ("I suggest we go with FastAPI.", "go with FastAPI"),
        ("Предлагаю использовать PostgreSQL 16.", "использовать PostgreSQL 16"),
        ("我建议使用PostgreSQL 16。", "使用PostgreSQL 16"),
    ],
)
def test_what_is_proposed(sentence: str, what: str) -> None:
    assert proposal(sentence) == what


@pytest.mark.parametrize(
    "sentence",
    [
        "Should we use Redis or Memcached?",
        "We use Redis.",
        "Would you like to use Redis?",
        "Should we?",
        "I recommend reading the manual.",
    ],
)
def test_choices_and_remarks_propose_nothing(sentence: str) -> None:
    assert proposal(sentence) == ""


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    agrees(text)
    proposal(text)


def test_long_texts_are_read_in_time() -> None:
    for shape in ("yes ", "yes, and then ", "shall we use ", "go with that "):
        begin = time.process_time()
        agrees(shape * 50_000)
        proposal(shape * 20)
        assert time.process_time() - begin < 60
