"""Which memories are doubles, and what becomes of their lines (F15, F16, F19, F88)."""

from __future__ import annotations

import pytest

from scrubjay.operations.dream.doubles import doubles, merged
from scrubjay.vaults.dialects.claude_memory.topics import Topic

LONG = "The build runs on the big machine in the cellar and takes about ten minutes when nobody else uses it."


def pairs(**bodies: str) -> list[tuple[str, str, bool]]:
    topics = {f"{name}.md": Topic(name=name, type="project", body=body) for name, body in bodies.items()}
    return [(double.stays, double.goes, double.exact) for double in doubles(topics, {"a.md": 1.0})]


def test_the_same_words_are_exact_doubles() -> None:
    assert pairs(a=LONG, b=f"{LONG}\n", c="Something else.") == [("a.md", "b.md", True)]
    assert pairs(b=LONG, a=LONG, c=LONG) == [("a.md", "b.md", True), ("a.md", "c.md", True)]


@pytest.mark.parametrize(
    "other",
    [
        LONG.replace("ten", "12"),
        LONG.replace("runs", "never runs"),
        LONG.replace("The build", "The Jenkins build"),
        f"{LONG} Since 2026-04-01.",
        "Deploys go out on Fridays.",
    ],
)
def test_f15_f16_f88_what_differs_in_number_date_name_or_meaning_is_no_double(other: str) -> None:
    assert pairs(a=LONG, b=other) == []


def test_near_doubles_are_found_and_kinds_are_kept_apart() -> None:
    near = LONG.replace("about ", "").replace("when nobody else uses it", "while nobody else uses it")
    assert pairs(a=LONG, b=near) == [("a.md", "b.md", False)]
    topics = {"a.md": Topic(name="a", type="user", body=LONG), "b.md": Topic(name="b", type="project", body=near)}
    assert doubles(topics, {}) == []


def test_f4_a_merge_keeps_every_line_of_both() -> None:
    assert merged("one\ntwo\n", "two\nthree\n") == "one\ntwo\n\nthree\n"
    assert merged("one\n", "one\n") == "one\n"
