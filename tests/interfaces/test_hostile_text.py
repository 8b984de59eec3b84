"""What memories say does not reach the terminal as orders, and is not lost as data (SEC-3, F109)."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scrubjay.interfaces.render import lines, objects
from scrubjay.interfaces.render.plain import block, one_line, packed, width, wrap
from scrubjay.types import Hit, Query, Recall, Record

HOSTILE = "Red \x1b[31malert\x1b[0m \x1b]0;title\x07 back\x08space \x9b2J \u202eevil\u2066 \u200bzero\ufeff end"


def orders(text: str) -> list[str]:
    return [letter for letter in text if unicodedata.category(letter) in ("Cc", "Cf") and letter not in "\n\t"]


@pytest.mark.parametrize("command", [("facts",), ("facts", "--json"), ("undo", "--list"), ("status",)])
def test_no_command_prints_control_characters(jay, command: tuple[str, ...]) -> None:
    jay("remember", HOSTILE, "--category", "Od\x1bd", "--tag", "t\x9bag")
    done = jay(*command)
    assert done.code == 0
    assert orders(done.out) == []


def test_json_keeps_every_character_escaped(jay) -> None:
    done = jay("remember", "right \u202e to left 太郎", "--json")
    assert orders(done.out) == []
    assert "太郎" in done.out
    assert "\\u202e" in done.out
    assert json.loads(done.out)["text"] == jay("facts", "--json").json["facts"][0]["text"]


def test_hostile_documents_are_shown_harmless(jay, own_home) -> None:
    path = own_home / ".scrubjay/vault/10-Memories/evil.md"
    path.parent.mkdir(parents=True)
    path.write_text(f"---\ntitle: {HOSTILE}\ntags: [\x1b]\n---\n\n# {HOSTILE}\n\n{HOSTILE}\r\nmore\n", encoding="utf-8")
    for command in (("show", "evil"), ("status",), ("sync",), ("forget", "evil")):
        done = jay(*command)
        assert orders(done.out + done.err) == [], command


def test_hostile_hits_are_shown_harmless() -> None:
    record = Record(
        id="01KB9Y0Q3V7ZJ8S4T2M6N5P1RX",
        layer="chunks",
        path="a\x1b[2Jb.md",
        text=HOSTILE,
        title=HOSTILE,
        speaker=HOSTILE,
        category=HOSTILE,
        headings=(HOSTILE,),
    )
    found = Recall(query=Query(text="q"), hits=(Hit(record=record, score=0.5, note=HOSTILE),), text=HOSTILE)
    from datetime import UTC

    shown = (
        lines.recall(found, zone=UTC, columns=80, explain=True) + lines.record(record, zone=UTC) + packed(found.text)
    )
    ours = shown.replace("\x1b[1m", "").replace("\x1b[2m", "").replace("\x1b[0m", "")
    assert orders(ours) == []
    assert objects.recall(found)["hits"][0]["text"] == HOSTILE


TEXTS = st.text(alphabet=st.one_of(st.characters(), st.sampled_from("\x1b\u202e\n\t 太郎🇱🇻👩‍👩‍👧é")), max_size=200)


@given(text=TEXTS, columns=st.integers(20, 100), most=st.integers(1, 4))
@example(text="x" * 500, columns=40, most=2)
@example(text="太郎" * 200, columns=41, most=4)
@example(text="a" * 39 + " b", columns=20, most=1)
def test_wrapped_text_fits(text: str, columns: int, most: int) -> None:
    wrapped = wrap(text, columns, most=most, indent="  ")
    assert len(wrapped) <= most
    for line in wrapped:
        assert orders(line) == []
        assert width(line) <= columns
        assert line.startswith("  ")


@given(text=TEXTS, limit=st.integers(3, 60))
def test_one_line_is_one_line_and_fits(text: str, limit: int) -> None:
    shown = one_line(text, limit)
    assert len(shown.splitlines()) <= 1
    assert orders(shown) == []
    assert width(shown) <= limit
    assert one_line(shown, limit) == shown


@given(text=TEXTS)
def test_a_block_keeps_its_lines(text: str) -> None:
    assert orders(block(text)) == []
    assert block("a\r\nb\rc") == "a\nb\nc"


def test_text_is_cut_between_characters_and_says_so() -> None:
    assert wrap("one two three four five six", 12, most=2) == ["one two", "three four …"]
    assert wrap("short", 12, most=2) == ["short"]
    assert one_line("one two three", 8) == "one two…"
    assert wrap("", 12, most=2) == []
