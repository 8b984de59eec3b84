"""Documents that two people changed (CC-T3, F106, F108): what both meant, nothing lost, in whichever order."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrubjay.text import frontmatter
from scrubjay.text.merge import marker_line, merged

HEAD = "---\nname: build\ndescription: How we build\ntype: project\n---\n"


def both_ways(base: str, ours: str, theirs: str) -> str | None:
    one, other = merged(base, ours, theirs), merged(base, theirs, ours)
    assert one == other
    return one


def test_changes_of_different_sections_are_both_kept() -> None:
    base = f"{HEAD}\nIntro.\n\n## A\n\nold a\n\n## B\n\nold b\n"
    ours, theirs = base.replace("old a", "new a"), base.replace("old b", "new b")
    assert both_ways(base, ours, theirs) == base.replace("old a", "new a").replace("old b", "new b")


def test_two_sections_added_at_the_end_are_both_kept() -> None:
    base = f"{HEAD}\nIntro.\n\n## A\n\na\n"
    found = both_ways(base, f"{base}\n## Mine\n\nm\n", f"{base}\n## Yours\n\ny\n")
    assert found == f"{base}\n## Mine\n\nm\n\n## Yours\n\ny\n" or found == f"{base}\n## Yours\n\ny\n\n## Mine\n\nm\n"


def test_an_edit_and_a_section_added_behind_it_are_both_kept() -> None:
    base = "## A\n\ntext\n"
    assert both_ways(base, base + "\n## B\n\nb\n", "## A\n\nother text\n") == "## A\n\nother text\n\n## B\n\nb\n"


def test_items_that_both_add_to_one_list_are_both_kept() -> None:
    base = "- one\n- two\n"
    assert both_ways(base, base + "- three\n", base + "- four\n") == "- one\n- two\n- four\n- three\n"


def test_paragraphs_that_both_add_do_not_run_together() -> None:
    base = "One.\n\nLast.\n"
    assert both_ways(base, "One.\n\nMine.\n\nLast.\n", "One.\n\nYours.\n\nLast.\n") == (
        "One.\n\nMine.\n\nYours.\n\nLast.\n"
    )


def test_different_fields_are_both_set_and_the_rest_keeps_its_bytes() -> None:
    base = f"{HEAD}\nText.\n"
    ours = base.replace("How we build", "How we build now")
    theirs = base.replace("type: project", "type: reference")
    found = both_ways(base, ours, theirs)
    assert found is not None
    values = frontmatter.parse(found).values
    assert values == {"name": "build", "description": "How we build now", "type": "reference"}
    assert found.endswith("---\n\nText.\n")


def test_tags_are_a_set_and_the_later_date_holds() -> None:
    base = "---\ntags: [a, b]\nmodified: 2026-01-01\n---\nx\n"
    ours = "---\ntags: [a, b, c]\nmodified: 2026-03-01\n---\nx\n"
    theirs = "---\ntags: [b, d]\nmodified: 2026-02-01\n---\nx\n"
    found = both_ways(base, ours, theirs)
    assert found is not None
    assert "modified: 2026-03-01" in found
    assert {word.strip("[], ") for word in found.split("\n")[1].split()[1:]} == {"b", "c", "d"}


def test_fields_in_a_block_are_merged_one_by_one() -> None:
    base = "---\nname: n\nmetadata:\n  type: project\n---\nx\n"
    ours = base.replace("project", "user")
    theirs = base.replace("  type: project\n", "  type: project\n  owner: Ada\n")
    assert both_ways(base, ours, theirs) == "---\nname: n\nmetadata:\n  type: user\n  owner: Ada\n---\nx\n"


@pytest.mark.parametrize(
    ("base", "ours", "theirs"),
    [
        ("We use npm.\n", "We use pnpm.\n", "We use yarn.\n"),
        (HEAD, HEAD.replace("How", "Why"), HEAD.replace("How", "When")),
        ("", "one\n## A\nx", "one\n## A\ny"),
        ("a\n", "<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> x\n", "d\n"),
        ("---\na: 1\n---\n", "---\na: 1\na: 2\n---\nx", "---\na: 1\n---\ny"),
        ("a", "b" * 600_000, "c"),
        ("x\n" * 1500, "y\n" + "x\n" * 1400, "x\n" * 1300 + "z\n"),
    ],
)
def test_contradictions_are_left_to_people(base: str, ours: str, theirs: str) -> None:
    assert both_ways(base, ours, theirs) is None


def test_what_one_side_took_out_while_the_other_changed_it_stays() -> None:
    base = "Intro\n\n## A\n\na\n\n## B\n\nb\n"
    assert both_ways(base, "Intro\n\n## B\n\nb\n", base.replace("\na\n", "\nA!\n")) == base.replace("\na\n", "\nA!\n")
    assert both_ways(base, "Intro\n\n## B\n\nb\n", base.replace("\nb\n", "\nB!\n")) == "Intro\n\n## B\n\nB!\n"


def test_line_endings_follow_the_side_that_changed_them() -> None:
    base = "a\n\nb\n\nc\n"
    assert both_ways(base, "A\n\nb\n\nc\n", "a\r\n\r\nb\r\n\r\nC\r\n") == "A\r\n\r\nb\r\n\r\nC\r\n"


def test_f108_markers_are_found_with_their_line() -> None:
    assert marker_line("a\nb\n<<<<<<< HEAD\n") == 3
    assert marker_line("a\n=======\n<<<<<<<< eight\n<<<<<<<x\n") == 0
    assert marker_line("---\n>>>>>>> x\n") == 2


WORDS = st.sampled_from(
    ["alpha", "beta", "gamma", "delta", "epsilon", "日本語", "- item", "- other", "## Head", "## Tail", ""]
)
TEXT = st.lists(WORDS, max_size=12).map(lambda lines: "".join(f"{line}\n" for line in lines))
EDITS = st.lists(st.tuples(st.integers(0, 12), st.sampled_from(["put", "cut", "set"])), max_size=3)
TAGS = st.lists(st.sampled_from("abcd"), unique=True, max_size=4)


def edited(text: str, edits: list[tuple[int, str]], word: str) -> str:
    lines = text.splitlines()
    for number, (wanted, what) in enumerate(edits):
        place = min(wanted, len(lines))
        if what == "put":
            lines.insert(place, f"{word} {number}")
        elif place < len(lines):
            lines[place : place + 1] = [] if what == "cut" else [f"{word} {number}"]
    return "".join(f"{line}\n" for line in lines)


def front(tags: list[str], owner: str) -> str:
    return f"---\ntags: [{', '.join(tags)}]\nowner: {owner}\n---\n"


@settings(max_examples=300)
@given(TEXT, EDITS, EDITS, st.lists(TAGS, min_size=3, max_size=3), st.booleans())
def test_merging_is_commutative_loses_nothing_and_is_the_same_again(
    text: str, mine: list[tuple[int, str]], yours: list[tuple[int, str]], tags: list[list[str]], headed: bool
) -> None:
    base, ours, theirs = text, edited(text, mine, "mine"), edited(text, yours, "yours")
    if headed:
        base, ours, theirs = front(tags[0], "x") + base, front(tags[1], "y") + ours, front(tags[2], "x") + theirs
    found = both_ways(base, ours, theirs)
    assert both_ways(base, ours, base) == ours
    if found is None:
        return
    lines = [line for line in found.splitlines() if line.strip()]
    for side in (ours, theirs):
        added = [line for line in side.splitlines() if line.startswith(("mine ", "yours "))]
        assert [line for line in added if line not in lines] == []
    for line in {line for line in base.splitlines() if line.strip() and not line.startswith(("tags:", "---"))}:
        # Of equal lines each side may have taken out another one.
        taken_out = sum(base.splitlines().count(line) - side.splitlines().count(line) for side in (ours, theirs))
        assert lines.count(line) >= base.splitlines().count(line) - taken_out
    if len(set(text.split("\n"))) < text.count("\n") + 1:
        return  # which of several equal lines somebody meant cannot be told again
    # Whoever was interrupted between taking in and sending merges once more: nothing may come twice.
    for side in (theirs, ours):
        again = both_ways(base, found, side)
        assert again is not None
        assert again.rstrip("\n") == found.rstrip("\n")


@settings(max_examples=200)
@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=60))
def test_any_text_is_merged_or_left_and_never_breaks(base: str, ours: str, theirs: str) -> None:
    both_ways(base, ours, theirs)
