"""Injected blocks: every trick with tags keeps what a person said and loses what they did not (TR-7)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.transcripts import fences


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("<memory-context>a</memory-context> said", "said"),
        ("said <memory-context source='x' age=\"1\">a</memory-context>", "said"),
        ("said <MEMORY-CONTEXT\n>a</Memory-Context >", "said"),
        ("one <memory-context>a</ memory-context> two", "one two"),
        ("one\n<memory-context>\na\n</memory-context>\ntwo", "one\n\ntwo"),
        ("a <ide_opened_file>x</ide_opened_file> b <ide_diagnostics>y</ide_diagnostics> c", "a b c"),
        ("<user-prompt-submit-hook>x</user-prompt-submit-hook>said", "said"),
        ("<memory-context>a <memory-context>b</memory-context> c</memory-context> said", "said"),
        ("<system-reminder>a <memory-context>b</system-reminder> said", "said"),
        ("<system-reminder>a <ide_x>b</system-reminder></ide_x> said", "</ide_x> said"),
        ("<memory-context/> said", "said"),
        ("<memory-contexts>kept</memory-contexts>", "<memory-contexts>kept</memory-contexts>"),
        ("<b>kept</b> & <details>kept</details>", "<b>kept</b> & <details>kept</details>"),
    ],
)
def test_blocks_are_taken_out(text: str, wanted: str) -> None:
    assert fences.strip_blocks(text).text == wanted


def test_an_opening_that_is_never_closed_swallows_nothing_and_is_told() -> None:
    found = fences.strip_blocks("before <memory-context> recalled? or said?")
    assert (found.text, found.unclosed) == ("before <memory-context> recalled? or said?", ("memory-context",))
    inner = fences.strip_blocks("<memory-context> a <memory-context> b </memory-context> said")
    assert (inner.text, inner.removed, inner.unclosed) == (
        "<memory-context> a said",
        ("memory-context",),
        ("memory-context",),
    )


def test_a_closing_without_an_opening_stays() -> None:
    """After the true end of a block nothing more is taken for recalled."""
    found = fences.strip_blocks("<memory-context>a</memory-context> said </memory-context> more")
    assert (found.text, found.unclosed) == ("said </memory-context> more", ())


def test_who_talks_about_tags_is_left_alone() -> None:
    text = "What does `<system-reminder>` do, and `</system-reminder>`?"
    assert fences.strip_blocks(text) == fences.Stripped(text)


def test_many_tags_take_linear_work() -> None:
    """Every opening of one name followed by every closing of another, and long runs of blanks inside brackets."""
    text = "<memory-context>" * 50_000 + "</system-reminder>" * 50_000 + ("<" + " " * 500) * 500
    found = fences.strip_blocks(text)
    assert (len(found.unclosed), found.removed) == (50_000, ())


_parts = st.lists(
    st.sampled_from(["<memory-context>", "</memory-context>", "<system-reminder>", "</system-reminder>", "`"])
    | st.text(alphabet="abc \n<", max_size=5)
)


@given(_parts)
def test_what_stands_outside_of_all_blocks_is_never_lost(parts: list[str]) -> None:
    text = "".join(parts)
    found = fences.strip_blocks("KEPT " + text.replace("<memory", "<memory") + " ")
    assert found.text.startswith("KEPT")
    assert fences.strip_blocks(f"<memory-context>{text}</memory-context> LAST").text.endswith("LAST")
    assert (
        "<memory-context>x</memory-context>"
        not in fences.strip_blocks(text + "<memory-context>x</memory-context>").text
    )
