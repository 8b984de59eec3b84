"""Passages: sections, functions and paragraphs that are about one thing (SM-21, SM-22)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.text.frontmatter.block import body_start
from scrubjay.text.lines import line_of, line_starts, split_lines
from scrubjay.text.segment import LEARN
from scrubjay.text.segment.aligned import Kind, Passage, passages
from scrubjay.text.tokens import token_count

VAULTS = Path(__file__).parents[3] / "../shared/data/vaults"
KINDS: tuple[Kind, ...] = ("markdown", "prose", "code", "markup", "whole")


def words(count: int, word: str = "word") -> str:
    """A paragraph of ``count`` tokens, in sentences."""
    return " ".join(f"{word}." if number % 10 == 9 else word for number in range(count * 10 // 13 + 1))


def check(text: str, found: list[Passage], start: int = 0) -> None:
    starts, lines, position = line_starts(text), split_lines(text), start
    for passage in found:
        assert passage.text == text[passage.start : passage.end]
        assert not text[position : passage.start].strip()
        assert (passage.line, passage.last_line) == (line_of(starts, passage.start), line_of(starts, passage.end - 1))
        assert passage.text.strip() in "".join(lines[passage.line - 1 : passage.last_line])
        position = passage.end
    assert not text[position:].strip()


def titles(text: str) -> list[tuple[str, ...]]:
    return [passage.headings for passage in passages(text)]


PARTS = st.sampled_from(
    [
        "# H\n",
        "## H\n",
        "##### h\n",
        "Word words. ",
        "\n\n",
        "```\n",
        "- a\n",
        "<!-- c -->\n",
        "数据库。",
        "👩‍👩‍👧",
        "\r\n",
        "\u2028",
        "x" * 9000,
        "\ufeff",
        "def f():\n",
        "    return 1\n\n",
        "T\n===\n",
        "== A\n",
        "* B\n",
        "<h2>C</h2>\n",
        words(120),
        words(900),
    ]
)


@given(st.lists(PARTS, max_size=14).map("".join), st.sampled_from(KINDS), st.booleans())
def test_sm_21_nothing_is_lost_and_lines_are_exact(text: str, kind: Kind, by_topic: bool) -> None:
    """F109: every character that is no whitespace, once, in order."""
    for language in ("python", "rst", "html") if kind in ("code", "markup") else ("",):
        check(text, passages(text, kind=kind, language=language, by_topic=by_topic))


def test_sm_21_sections_down_to_level_four() -> None:
    body = words(150)
    text = "".join(f"{'#' * level} L{level}\n\n{body}\n\n" for level in range(1, 7))
    found = passages(text)
    assert [passage.names for passage in found] == [("L1",), ("L2",), ("L3",), ("L4",)]
    assert "##### L5" in found[-1].text
    assert "###### L6" in found[-1].text
    assert found[-1].headings == ("L1", "L2", "L3", "L4")


def test_sm_21_what_stands_before_the_first_heading() -> None:
    text = f"{words(150)}\n\n# A\n\n{words(150)}"
    assert titles(text) == [(), ("A",)]


def test_sm_21_headings_in_fences_and_comments_are_none() -> None:
    """R-COM-5: a comment in shell code is no heading."""
    body = words(150)
    text = (
        f"# A\n\n{body}\n\n```sh\n# not a heading\n```\n\n~~~\n## nor this\n~~~\n\n<!--\n# nor this\n-->\n\n## B\n\n"
        + body
    )
    assert titles(text) == [("A",), ("A", "B")]


@pytest.mark.parametrize(("tokens", "whole"), [(790, True), (830, False)])
def test_sm_22_sections_are_cut_above_eight_hundred_tokens(tokens: int, whole: bool) -> None:
    paragraphs = "\n\n".join(words(tokens // 10) for _ in range(10))
    found = passages(f"# A\n\n{paragraphs}")
    assert (len(found) == 1) is whole
    assert all(token_count(passage.text) <= LEARN.max for passage in found)
    assert [passage.part for passage in found] == ([0] if whole else [1, 2])


def test_sm_22_a_paragraph_or_fence_stays_whole() -> None:
    for text in (words(2000), f"```\n{words(1000)}\n\n{words(1000)}\n```"):
        assert len(passages(f"# A\n\n{text}")) == 1
    assert len(passages("data " * 30_000)) > 1


def test_sm_22_small_sections_join_their_neighbours_below_the_same_heading() -> None:
    small, large = words(40), words(300)
    text = f"# A\n\n## B\n\n{small}\n\n## C\n\n{small}\n\n## D\n\n{large}\n\n# E\n\n{small}\n\n## F\n\n{large}"
    found = passages(text)
    assert [passage.names for passage in found] == [("A", "B", "C", "D"), ("E", "F")]
    assert [passage.headings for passage in found] == [("A",), ("E",)]
    apart = passages(f"# A\n\n## B\n\n{large}\n\n# C\n\n## D\n\n{small}")
    assert [passage.headings[0] for passage in apart] == ["A", "C"]


def test_sm_22_chinese_counts_characters() -> None:
    """R-COM-7 ``Z``: a page without spaces is no single word."""
    section = "数据库迁移方案需要回滚。" * 30
    found = passages(f"# 一\n\n{section}\n\n# 二\n\n{section}\n\n# 三\n\n" + "\n\n".join([section] * 4))
    assert [passage.headings for passage in found] == [("一",), ("二",), ("三",), ("三",)]


PYTHON = "Pools keep connections open. Each connection of the pool waits for queries. Pools of connections save time. "
BREAD = "Bread needs flour and water. Flour makes dough, and the dough of bread rises. Bake the bread slowly. "


def test_sm_21_paragraphs_go_together_by_their_terms() -> None:
    text = "\n\n".join([PYTHON * 6, PYTHON * 5, BREAD * 6, BREAD * 7])
    assert [passage.text.count("\n\n") for passage in passages(text)] == [1, 1]
    assert passages(text)[1].text.startswith("Bread")
    assert [passage.line for passage in passages(text, kind="prose")] == [1, 5]


def test_sm_21_a_paragraph_of_one_sentence_joins_a_neighbour() -> None:
    text = "\n\n".join(["An opening line", PYTHON * 8, "By the way, cats sleep", BREAD * 8])
    assert [(passage.line, passage.last_line) for passage in passages(text)] == [(1, 5), (7, 7)]


def test_sm_21_a_folder_is_cut_by_size_only() -> None:
    text = "\n\n".join([PYTHON * 8, BREAD * 8])
    assert len(passages(text, by_topic=False)) == 1


def test_sm_21_code_by_functions_with_their_comments_and_imports_together() -> None:
    function = "# about {0}\n@decorated\ndef {0}(x):\n    return " + " + ".join(["x"] * 60) + "\n\n\n"
    source = "import os\nimport sys\nfrom a import b\n\n\n" + "".join(function.format(name) for name in "fgh")
    found = passages(source, kind="code", language="python")
    assert [passage.names for passage in found] == [("f",), ("g",), ("h",)]
    assert found[0].text.startswith("import os\nimport sys\nfrom a import b")
    assert found[1].text.startswith("# about g\n@decorated\ndef g(x):")


def test_sm_22_large_code_is_cut_at_methods_then_at_blank_lines() -> None:
    method = "    def {}(self):\n        return " + " + ".join(["x"] * 150) + "\n\n"
    found = passages("class A:\n" + "".join(method.format(name) for name in "abcd"), kind="code", language="python")
    assert [passage.names for passage in found] == [("A", "a"), ("b",), ("c",), ("d",)]
    block = "    x = " + " + ".join(["x"] * 150) + "\n\n"
    long = passages("def f():\n" + block * 5, kind="code", language="python")
    assert [passage.part for passage in long] == [1, 2, 3][: len(long)]
    assert len(long) > 1


@pytest.mark.parametrize(
    ("markup", "source"),
    [
        ("rst", "=====\nTitle\n=====\n\n{0}\n\nOne\n---\n\n{0}\n\nTwo\n---\n\n{0}\n"),
        ("adoc", "= Title\n\n{0}\n\n== One\n\n{0}\n\n== Two\n\n{0}\n"),
        ("org", "* Title\n\n{0}\n\n** One\n\n{0}\n\n** Two\n\n{0}\n"),
        ("tex", "\\chapter{{Title}}\n\n{0}\n\n\\section{{One}}\n\n{0}\n\n\\section*{{Two}}\n\n{0}\n"),
        (
            "html",
            '<h1 class="x">Title</h1>\n<p>{0}</p>\n<h2>One</h2>\n<p>{0}</p>\n<h2><a href="#">Two</a></h2>\n<p>{0}</p>',
        ),
    ],
)
def test_other_markup_is_cut_at_its_headings(markup: str, source: str) -> None:
    text = source.format(words(150))
    found = passages(text, kind="markup", language=markup)
    assert [passage.headings for passage in found] == [("Title",), ("Title", "One"), ("Title", "Two")]
    check(text, found)


def test_a_comment_alone_is_no_passage() -> None:
    comment = f"<!-- {words(300)} -->\n\n"
    assert len(passages(comment + f"# A\n\n{words(300)}\n\n" + comment)) == 1
    assert len(passages(comment)) == 1


@pytest.mark.parametrize(
    "source",
    [
        "#" * 50_000,
        "# a\n" * 20_000,
        "`" * 50_000,
        "<!--" * 20_000,
        "a_" * 30_000,
        "[" * 50_000,
        "\n" * 50_000,
        "<h1>" * 20_000,
        " _a" * 30_000,
        "a\n===\n" * 9_000,
    ],
)
def test_hostile_texts(source: str) -> None:
    for kind in KINDS:
        check(source, passages(source, kind=kind, language="html"))


@pytest.mark.skipif(not VAULTS.is_dir(), reason="the shared vaults are not here")
def test_real_documents() -> None:
    for path in sorted(VAULTS.rglob("*.md"))[::12]:
        text = path.read_bytes().decode("utf-8", "replace")
        start = body_start(text)
        check(text, passages(text, start=start), start)
