"""Bytes from anywhere: encodings, what is text, scripts and languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.text.detect import TEXT_SUFFIXES, decode, is_text, language, script

RUSSIAN = "Привет, мир! Это обычный русский текст о базе данных."
CHINESE = "数据库连接池的配置，我们决定使用异步驱动。"


@pytest.mark.parametrize(
    ("text", "encoding", "expected"),
    [
        ("hello\r\nJānis/太郎 ✓\u2028", "utf-8", "utf-8"),
        ("", "utf-8", "utf-8"),
        (RUSSIAN, "utf-8-sig", "utf-8-sig"),
        (RUSSIAN, "utf-16", "utf-16"),
        ("hello world", "utf-16-le", "utf-16-le"),
        ("hello world", "utf-16-be", "utf-16-be"),
        (RUSSIAN, "utf-32", "utf-32"),
        (RUSSIAN, "cp1251", "cp1251"),
        (RUSSIAN * 30, "cp1251", "cp1251"),
        ("Привет", "cp1251", "cp1251"),
        ("ПРИВЕТ МИР", "cp1251", "cp1251"),
        ("# Заметка\n\nmax_connections = 10 для сервера", "cp1251", "cp1251"),
        (RUSSIAN, "koi8_r", "koi8_r"),
        (CHINESE, "gbk", "gb18030"),
        (CHINESE * 30, "gbk", "gb18030"),
        ("配置", "gbk", "gb18030"),
        ("naïve café", "latin-1", "cp1252"),
        ("naïve café – déjà vu", "cp1252", "cp1252"),
    ],
)
def test_encoding_is_recognised_and_round_trips(text: str, encoding: str, expected: str):
    """F109, R-COM-1: old code pages, byte order marks and line ends; ``exact`` as long as nothing was lost."""
    decoded = decode(text.encode(encoding))
    assert (decoded.text, decoded.encoding, decoded.exact) == (text, expected, True)


def test_byte_order_mark_is_taken_off():
    """F109: a BOM is no character of the text."""
    assert decode(b"\xef\xbb\xbf---\n").text == "---\n"


def test_utf16_of_the_other_byte_order_is_read_but_never_rewritten():
    decoded = decode(b"\xfe\xff" + "hi".encode("utf-16-be"))
    assert decoded.text == "hi"
    assert not decoded.exact


def test_broken_utf8_stays_utf8():
    """F109: a character cut at the end of a piece does not turn the text into another encoding."""
    decoded = decode("первая\nвторая 🎉".encode()[:-1], "a.md")
    assert decoded.text == "первая\nвторая \ufffd"
    assert (decoded.encoding, decoded.exact) == ("utf-8", False)
    (problem,) = decoded.problems
    assert (problem.path, problem.line) == ("a.md", 2)
    assert problem.message == "Line 2 has bytes that are not UTF-8; they were replaced."


def test_encoded_surrogates_are_replaced():
    """R-COM-1: no lone surrogate gets in, so that the text can be written again."""
    decoded = decode(b"before \xed\xa0\x80 after")
    assert decoded.text == "before \ufffd after"
    assert (decoded.encoding, decoded.exact) == ("utf-8", False)


def test_nul_is_reported_with_its_line():
    decoded = decode(b"one\ntwo\0\n")
    assert decoded.exact
    assert [(problem.line, "NUL" in problem.message) for problem in decoded.problems] == [(2, True)]


def test_foreign_encoding_is_a_problem_that_names_it():
    (problem,) = decode(RUSSIAN.encode("cp1251")).problems
    assert "cp1251" in problem.message


@given(st.binary(max_size=200))
def test_any_bytes_become_text(data: bytes):
    decoded = decode(data)
    decoded.text.encode()
    assert not decoded.exact or decoded.text.encode(decoded.encoding) == data
    assert is_text(data, "x.md")
    assert is_text(data) in (True, False)


@given(st.text(st.characters(codec="utf-8")))
def test_utf8_always_comes_back(text: str):
    if not text.startswith("\ufeff"):
        decoded = decode(text.encode())
        assert decoded.exact
        assert decoded.text == text or "\0" in text


def test_white_list_is_the_whole_first_tier():
    """SM-17: 51 endings, whatever their case."""
    assert len(TEXT_SUFFIXES) == 51
    assert is_text(b"\0", "SRC/MAIN.PY")
    assert not is_text(b"\0", "main.pyc")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"plain", True),
        ("юникод".encode(), True),
        ("юникод".encode("cp1251"), True),
        (("я" * 40_000).encode()[:65_535] + b"\x8f", True),
        ("text".encode("utf-16"), True),
        (b"a\0b", False),
        (b"%PDF-1.4\n", False),
        (b"\x89PNG\r\n\x1a\n", False),
        (b"\xff\x01\x02", False),
        (b"PK\x03\x04", False),
    ],
)
def test_unknown_ending_is_judged_by_its_bytes(data: bytes, expected: bool):
    """SM-17, second tier."""
    assert is_text(data, "LICENSE") is expected


@pytest.mark.parametrize(
    ("text", "expected_script", "expected_language"),
    [
        ("What is it", "latin", "en"),
        ("pytest config", "latin", "en"),
        ("a naïve approach to the café", "latin", "en"),
        ("Das ist nicht gut", "latin", "other"),
        ("où est la bibliothèque", "latin", "other"),
        (RUSSIAN, "cyrillic", "ru"),
        ("Це українська мова, її чути", "cyrillic", "other"),
        (CHINESE, "cjk", "zh"),
        ("用Python写脚本", "cjk", "zh"),
        ("日本語の検索です", "cjk", "other"),
        ("한국어", "cjk", "other"),
        ("ελληνικά", "other", "other"),
        ("", "other", "other"),
        ("123 !", "other", "other"),
    ],
)
def test_script_and_language(text: str, expected_script: str, expected_language: str):
    assert script(text) == expected_script
    assert language(text) == expected_language
