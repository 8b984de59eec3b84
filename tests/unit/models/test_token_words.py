"""Which word a token belongs to."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scrubjay.models.words import words_at


def spans(text: str, *pieces: str) -> list[tuple[int, int]]:
    found, at = [], 0
    for piece in pieces:
        at = text.index(piece, at)
        found.append((at, at + len(piece)))
        at += len(piece)
    return found


def test_pieces_belong_to_their_word() -> None:
    text = "Where is foo_bar, звонил?"
    assert words_at(text, spans(text, "Where", " is", " foo", "_", "bar", ",", " зво", "нил", "?")) == [
        "Where", "is", "foo_bar", "", "foo_bar", "", "звонил", "звонил", "",
    ]  # fmt: skip


def test_numbers_stay_whole_and_hyphenated_words_come_apart() -> None:
    text = "e-mail v3.11 2023-05-08"
    assert words_at(text, spans(text, "e", "mail", "3", "11", "2023", "08")) == [
        "e", "mail", "v3.11", "v3.11", "2023-05-08", "2023-05-08",
    ]  # fmt: skip


def test_the_ending_of_a_possessive_is_no_word() -> None:
    text = "Anna's don't O'Brien"
    assert words_at(text, spans(text, "Anna", "'", "s", "don", "t", "O", "Brien")) == [
        "Anna's", "", "", "don't", "", "O'Brien", "O'Brien",
    ]  # fmt: skip


def test_a_script_without_spaces_is_cut_by_the_tokenizer() -> None:
    text = "我们 用Python写"
    assert words_at(text, spans(text, "我们", " 用", "Python", "写")) == ["我们", "用", "Python", "写"]


def test_what_lies_before_the_text_is_no_word() -> None:
    assert words_at("abc", [(-7, -1), (0, 0), (-1, 3)]) == ["", "", "abc"]


@given(st.text(), st.lists(st.tuples(st.integers(-9, 30), st.integers(-9, 30))))
def test_any_offsets_give_a_word_each(text: str, offsets: list[tuple[int, int]]) -> None:
    found = words_at(text, offsets)
    assert len(found) == len(offsets)
    assert all(word in text for word in found)
