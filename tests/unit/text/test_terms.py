"""Key terms (SM-21 … SM-23): what a text is about, the same every time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.text.terms import key_terms


def test_frequency_decides():
    text = "Backoff with jitter. Backoff again, jitter again, backoff always in requests."
    assert key_terms(text)[:2] == ["backoff", "jitter"]


def test_proper_before_technical_before_common_before_later():
    """SM-23: at the same frequency the kind decides, then the first occurrence."""
    text = "we migrated servers with retry_at because Alice wanted cheaper machines"
    assert key_terms(text, 10) == ["alice", "retry_at", "migrated", "servers", "retry", "wanted", "cheaper", "machines"]


def test_short_words_and_stop_words_are_no_terms():
    assert key_terms("The cat sat there because everything should") == []
    assert key_terms("Потому что этого никогда") == []


def test_capital_at_the_beginning_of_a_sentence_means_nothing():
    first, *_ = key_terms("Servers crashed. Machines stopped. Then Alice came.", 1)
    assert first == "alice"
    assert key_terms("# Servers and machines\n- Volumes near Alice", 2)[0] == "alice"


def test_technical_tokens_stay_whole_and_may_be_short():
    assert key_terms("use C++ and node.js with utf-8 via HTTP", 10) == ["c++", "node.js", "utf-8", "http"]


def test_parts_of_names_count():
    """SM-23 ``Z``: camel and snake parts count as words of the text."""
    assert key_terms("connectionPool connection_timeout", 3)[0] == "connection"
    assert "postgre" not in key_terms("PostgreSQL")


def test_hashes_and_numbers_are_no_terms():
    assert key_terms("12345 2023-05-08 1.0.21 d41d8cd98f00b204 3f2504e0-4f89-11d3") == []


def test_case_is_no_difference():
    assert key_terms("Backoff BACKOFF backoff jitter") == ["backoff", "jitter"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Миграция базы данных: миграция падает", ["миграция", "данных", "падает"]),
        ("数据库很慢。数据库", ["数据库", "数据", "据库"]),
        ("检索", ["检索"]),
    ],
)
def test_russian_keeps_words_and_chinese_pairs(text: str, expected: list[str]):
    assert key_terms(text) == expected


def test_limit():
    text = "alpha1 bravo1 charlie delta1 echoes foxtrot"
    assert len(key_terms(text)) == 5
    assert len(key_terms(text, 3)) == 3
    assert key_terms("", 3) == []


@given(st.text(st.characters(codec=None), max_size=80))
def test_any_text_gives_the_same_distinct_terms_twice(text: str):
    terms = key_terms(text)
    assert terms == key_terms(text)
    assert len(set(terms)) == len(terms) <= 5
    assert all(term == term.strip() and term for term in terms)


def test_overlap_of_an_extended_text_stays_high():
    """SM-25: terms of a text are found again among the terms of a longer text on the same matter."""
    text = "asyncpg pool exhausted: raise max_connections, and retry the asyncpg pool with exponential backoff"
    longer = text + ". The asyncpg pool waits; exponential backoff helps."
    assert len(set(key_terms(text)) & set(key_terms(longer))) >= 3
