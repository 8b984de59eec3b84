"""The difference of two texts as lines for a terminal: aligned, safe, readable at any width (F109)."""

from __future__ import annotations

import re
import unicodedata

from hypothesis import example, given, settings
from hypothesis import strategies as st

from scrubjay.interfaces.render.diff import NARROW, compared
from scrubjay.interfaces.render.plain import width

OLD = "The client retries five times.\n\n- 键过期时间为一小时\n\n    code(a)\n\nSame.\n"
NEW = "The client retries eight times.\n\n- 键过期时间为两小时\n\n    code(a, b)\n\nSame.\n"
COLOUR = re.compile(r"\x1b\[(?:0|2|31|32)m")


def bare(lines: list[str]) -> list[str]:
    return [COLOUR.sub("", line) for line in lines]


def test_side_by_side_the_columns_stand_below_each_other_also_for_wide_letters() -> None:
    lines = bare(compared(OLD, NEW, columns=NARROW))
    assert lines[0].split("│")[0].strip() == "before"
    assert len({width(line.split("│")[0]) for line in lines if "│" in line}) == 1
    assert any(line.startswith("~ - 键过期时间为一小时") and "两小时" in line for line in lines)
    assert any("    code(a)" in line and "    code(a, b)" in line for line in lines)


def test_the_words_that_changed_are_marked_and_no_others() -> None:
    text = "\n".join(compared(OLD, NEW, columns=120))
    assert "retries \x1b[31mfive\x1b[0m times" in text and "retries \x1b[32meight\x1b[0m times" in text
    assert "为\x1b[31m一\x1b[0m小时" in text and "为\x1b[32m两\x1b[0m小时" in text


def test_a_narrow_terminal_gets_one_below_the_other() -> None:
    lines = bare(compared(OLD, NEW, columns=60))
    assert "- The client retries five times." in lines and "+ The client retries eight times." in lines
    assert not any("│" in line for line in lines)


def test_what_is_only_added_needs_no_empty_column() -> None:
    lines = bare(compared("One.", "One.\n\nTwo.", columns=120))
    assert lines == ["  One.", "+", "+ Two."]


def test_the_same_is_said_to_be_the_same() -> None:
    assert bare(compared("One.\n", "One.", columns=120)) == ["  (no difference)"]


def test_far_apart_changes_leave_out_what_is_between() -> None:
    old = "\n".join(f"line {number}" for number in range(40))
    new = old.replace("line 3\n", "line three\n").replace("line 30\n", "line thirty\n")
    lines = bare(compared(old, new, columns=80))
    assert "  …" in lines and "  line 15" not in lines


def test_much_is_cut_and_says_so() -> None:
    old, new = ("\n".join(f"{word} {number}" for number in range(5000)) for word in ("old", "new"))
    lines = bare(compared(old, new, columns=120, most=10))
    assert len(lines) == 11 and "more lines" in lines[-1]


TEXTS = st.text(alphabet=st.one_of(st.characters(), st.sampled_from("ab \n\t\x1b\u202e太郎é👩‍👩‍👧")), max_size=120)


@settings(max_examples=200)
@given(old=TEXTS, new=TEXTS, columns=st.integers(40, 130))
@example(old="太" * 200, new="郎" * 200, columns=101)
@example(old="  " * 60 + "x", new="  " * 60 + "y", columns=100)
def test_any_two_texts_fit_and_give_no_orders(old: str, new: str, columns: int) -> None:
    for line in bare(compared(old, new, columns=columns)):
        assert width(line) <= columns
        assert [letter for letter in line if unicodedata.category(letter) in ("Cc", "Cf")] == []
