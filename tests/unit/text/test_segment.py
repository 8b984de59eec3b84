"""Segments: in order, exact, complete; aligned with sections, paragraphs and fences (SM-21, SM-22)."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.errors import BadInput
from scrubjay.text.frontmatter.block import body_start
from scrubjay.text.graphemes import is_boundary
from scrubjay.text.lines import line_of, line_starts
from scrubjay.text.segment import LEARN, RECALL, Segment, Size, segment
from scrubjay.text.tokens import token_count

VAULTS = Path(__file__).parents[3] / "../shared/data/vaults"
SMALL = Size(ideal=8, max=12, min=4)


def check(text: str, segments: list[Segment], start: int = 0) -> None:
    starts = line_starts(text)
    position = start
    for found in segments:
        assert found.text == text[found.start : found.end]
        assert found.start >= position
        assert not text[position : found.start].strip()
        assert found.text.strip()
        assert (found.line, found.last_line) == (line_of(starts, found.start), line_of(starts, found.end - 1))
        assert is_boundary(text, found.start)
        assert is_boundary(text, found.end)
        position = found.end
    assert not text[position:].strip()


PARTS = st.sampled_from(
    [
        "# H\n",
        "## H\n",
        "word ",
        "word. ",
        "\n",
        "\n\n",
        "```\n",
        "- a\n",
        "> q\n",
        "数据库",
        "。",
        "👩‍👩‍👧",
        "🇩🇪",
        "é",
        "e\u0301",
        "\r\n",
        "x" * 90,
        "\u0301",
        "\u200d",
        "def f():\n",
        "    return 1\n",
        "class A:\n",
        "# c\n",
        "\ufeff",
        "\u2028",
        "\0",
        "क्षि",
        "\x1c",
    ]
)
SIZES = st.sampled_from([SMALL, RECALL, Size(ideal=1, max=1, min=0), Size(ideal=3, max=5, min=2)])


@given(st.lists(PARTS, max_size=40).map("".join), st.sampled_from(["markdown", "prose", "code"]), SIZES)
def test_segments_are_exact_and_complete(text: str, kind: Literal["markdown", "prose", "code"], size: Size) -> None:
    """F109: nothing lost, nothing twice, no character cut in half."""
    check(text, segment(text, kind=kind, language="python", size=size))


@given(st.text(), st.sampled_from(["markdown", "prose", "code"]))
def test_any_text(text: str, kind: Literal["markdown", "prose", "code"]) -> None:
    check(text, segment(text, kind=kind, language="javascript", size=SMALL))


@given(st.lists(PARTS, max_size=20).map("".join), st.data())
def test_start_may_be_anywhere(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)).filter(lambda place: is_boundary(text, place)))
    for kind in ("markdown", "prose", "code"):
        segments = segment(text, kind=kind, language="python", size=SMALL, start=start)
        assert "".join("".join(found.text.split()) for found in segments) == "".join(text[start:].split())


def test_sections_make_segments() -> None:
    text = "# Doc\n\nintro " + "word " * 90 + "\n\n## A\n\n" + "alpha " * 100 + "\n\n## B\n\n" + "beta " * 100 + "\n"
    found = segment(text)
    assert [item.headings for item in found] == [("Doc",), ("Doc", "A"), ("Doc", "B")]
    assert [item.line for item in found] == [1, 5, 9]
    assert found[1].text.startswith("## A\n\nalpha")


def test_small_neighbours_are_merged_under_their_heading() -> None:
    text = "# Doc\n\n## A\n\n### One\n\nfirst\n\n### Two\n\nsecond\n\n## B\n\n" + "beta " * 190
    assert [item.headings for item in segment(text)] == [("Doc", "A"), ("Doc", "B")]


def test_a_heading_stays_with_its_first_text() -> None:
    text = "word " * 8 + "\n\n# Title\n\n## Sub\n\n" + "text " * 8 + "\n\n" + "more " * 8
    found = segment(text, size=SMALL)
    assert found[1].text.startswith("# Title\n\n## Sub\n\ntext")
    assert found[1].headings == ("Title", "Sub")


def test_a_fence_is_divided_only_when_it_is_too_large() -> None:
    fence = "```\n" + "one two\n\n# three\n" * 2 + "```"
    inner = fence.replace("\n", "\n  ")
    text = f"{'word ' * 8}\n\n{fence}\n\n- item item item item\n\n  {inner}\n\nend end end end"
    found = segment(text, size=Size(ideal=8, max=20, min=0))
    assert sum(fence in item.text or inner in item.text for item in found) == 2
    large = segment("```\n" + "one two three\n" * 20 + "```\n", size=SMALL)
    assert len(large) > 2
    assert all(token_count(item.text) <= 1.3 * SMALL.max for item in large), "three words count 3, not 3.9"


def test_long_paragraphs_are_cut_at_sentences() -> None:
    text = "One two three four. Five six seven eight! 一二三四五。六七八九十。Nine ten (eleven twelve)."
    assert [item.text for item in segment(text, kind="prose", size=Size(ideal=5, max=6, min=0))] == [
        "One two three four.",
        "Five six seven eight!",
        "一二三四五。",
        "六七八九十。",
        "Nine ten (eleven twelve).",
    ]


@pytest.mark.parametrize(
    "unit", ["word ", "a", "数据库迁移方案，很好", "数", "👩‍👩‍👧", "🇩🇪", "e\u0301", "한국어 ", "\0", "<", "`", "* "]
)
def test_a_line_of_any_length_is_cut(unit: str) -> None:
    text = unit * (60_000 // len(unit))
    found = segment(text)
    check(text, found)
    assert max(token_count(item.text) for item in found) <= RECALL.max
    assert max(len(item.text) for item in found) <= RECALL.max * 6


def test_many_headings() -> None:
    check(text := "## h\n" * 100_000, found := segment(text))
    assert max(token_count(item.text) for item in found) <= 1.3 * RECALL.max, "a word alone counts 1, not 1.3"


@pytest.mark.skipif(not VAULTS.is_dir(), reason="the shared data is not here")
def test_real_documents() -> None:
    sizes = []
    for path in sorted(VAULTS.rglob("*.md"))[::3]:
        text = path.read_bytes().decode("utf-8", "replace")
        start = body_start(text)
        found = segment(text, start=start)
        check(text, found, start)
        sizes += [token_count(item.text) for item in found]
        check(text, segment(text, start=start, size=LEARN), start)
    sizes.sort()
    assert sizes[-1] <= 1.2 * RECALL.max
    assert RECALL.min < sizes[len(sizes) // 2] < RECALL.max
    assert sizes[len(sizes) // 10] >= 40


def test_frontmatter_is_left_out() -> None:
    text = "---\ntitle: x\n---\nbody\n"
    assert [(item.text, item.line) for item in segment(text, start=body_start(text))] == [("body", 4)]
    assert segment("---\ntitle: x\n---", start=16) == []


def test_bad_arguments() -> None:
    with pytest.raises(BadInput, match="'poem'"):
        segment("x", kind="poem")  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="rise"):
        Size(ideal=5, max=4, min=1)
