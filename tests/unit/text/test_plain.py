"""Markdown as a reader sees it: for titles, summaries and terms (SM-20, SM-23)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.text.plain import fenced, first_sentence, plain_line, shortened, without_markup


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("## What's new {/*whats-new*/}", "What's new"),
        ("# Title # ", "Title"),
        ("### Слово {#anchor}", "Слово"),
        ("- [x] **bold** and _slanted_ `code_name` ~~gone~~", "bold and slanted code_name gone"),
        ("> 1. See [the docs](https://example.org/a_(b)) now.", "See the docs now."),
        ("[a][ref] and [[Page#part|shown]] and [[Other]]", "a and shown and Other"),
        ("![logo](a.png) Text", "Text"),
        ("![A diagram](a.png)", "A diagram"),
        ("[![badge](b.svg)](https://ci)", "badge"),
        ('<a href="x" class="y">Link</a> &amp; more<br/>', "Link & more"),
        ("text[start:end] and a[0][1] stay", "text[start:end] and a[0][1] stay"),
        ("snake_case, __init__ and 2 * 3 stay", "snake_case, __init__ and 2 * 3 stay"),
        ("a \\*literal\\* star", "a *literal* star"),
        ("write to <me@example.org> or https://example.org.", "write to or"),
        ("zero\u200bwidth \u202eback \x1b[31mred", "zerowidth back [31mred"),
        ("👩‍👩‍👧 family", "👩‍👩‍👧 family"),
        ("see `projects/<id>/vault` and <b>this</b>", "see projects/<id>/vault and this"),
        ("", ""),
    ],
)
def test_one_line(line: str, shown: str) -> None:
    assert plain_line(line) == shown


def test_lines_stay_lines() -> None:
    assert without_markup("a\n<!-- b\nc -->\nd [e](f)\n[g]: http://x\n").split("\n") == ["a", " ", "d e", "", ""]


def test_fenced_code_is_taken_apart() -> None:
    prose, code = fenced("a\n```py\nx = 1\n````\nb\n- ~~~\n  y\n  ~~~\nc\n```\nopen")
    assert prose == "a\nb\nc"
    assert code == "x = 1\n  y\nopen"


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("One. Two.", "One."),
        ("Version 1.2 of node.js works. Yes.", "Version 1.2 of node.js works."),
        ("e.g. this one! Next", "e.g. this one!"),
        ("Это т.е. пример. Дальше", "Это т.е. пример."),
        ("第一句。第二句。", "第一句。"),
        ("no end", "no end"),
        ("Delete it (and its children!) at once. Then", "Delete it (and its children!) at once."),
        ('He said "stop." Then', 'He said "stop."'),
        ("Use a ? b : c here. Then", "Use a ? b : c here."),
        ("“第一句。”第二句。", "“第一句。”"),
    ],
)
def test_first_sentence(text: str, first: str) -> None:
    assert first_sentence(text) == first


def test_shortened_at_words_and_never_inside_a_character() -> None:
    assert shortened("one two three", 20) == "one two three"
    assert shortened("one two three", 9) == "one two…"
    assert shortened("👩‍👩‍👧👩‍👩‍👧", 8) == "👩‍👩‍👧…"


@given(st.text(), st.integers(2, 40))
def test_any_line(text: str, limit: int) -> None:
    shown = plain_line(text)
    assert "\n" not in shown
    assert shown == " ".join(shown.split())
    assert all(letter.isprintable() or letter == "\u200d" for letter in shown)
    assert len(shortened(shown, limit)) <= max(limit, len(shown) if len(shown) <= limit else limit)


@pytest.mark.parametrize(
    "part",
    [
        "<",
        "<!--",
        "{/*",
        "[",
        "](",
        "![",
        "_",
        "__a",
        "`",
        "~~~\n",
        "&#",
        "http://",
        "a@",
        "<a ",
        "\\",
        ":a:`",
        " #",
        " _a",
    ],
)
def test_hostile_lines(part: str) -> None:
    """Every pattern is linear: this would take minutes otherwise."""
    without_markup(part * 20_000)
    plain_line(part * 20_000)
    fenced(part * 20_000)
