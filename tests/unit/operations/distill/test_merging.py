"""Two memories in one text, and links that lead to the other one (SM-45, SM-46; F2)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.operations.distill import links, merging
from scrubjay.text import frontmatter
from scrubjay.types import Document
from scrubjay.vaults.documents import revision

FRONT = '---\ntitle: "{0}"\ncreated: 2026-01-0{1}\ntags: [{2}]\nkeywords: [{3}]\nretrieval_count: {1}\n---\n\n# {0}\n\n'


def document(name: str, text: str) -> Document:
    return Document(path=f"10-Memories/MEM-{name}.md", text=text, hash="0" * 64, size=len(text), mtime_ns=0)


def one(body: str, front: str = FRONT.format("One", 3, "PATTERN, http", "retry, http")) -> Document:
    return document("one", front + body)


def two(body: str, front: str = FRONT.format("Two", 1, "CONFIG, HTTP, pool", "Retry, pool")) -> Document:
    return document("two", front + body)


def merged(first: Document, second: Document) -> str:
    text = merging.merged(first, second, today="2026-12-01", retrieved=(7, "2026-11-30"))
    assert merging.lost(first, text) == merging.lost(second, text) == ""
    return text


def test_sm46_the_fields_of_both() -> None:
    values = frontmatter.parse(merged(one("A.\n"), two("B.\n"))).values
    assert values == {
        "title": "One",
        "created": "2026-01-01",
        "tags": ["PATTERN", "http", "CONFIG", "pool"],
        "keywords": ["http", "pool", "retry"],
        "retrieval_count": 7,
        "modified": "2026-12-01",
        "last_retrieved": "2026-11-30",
    }


def test_sm46_the_body_says_where_it_came_from() -> None:
    text = merged(one("A.\n"), two("B.\n\n## Detail\n\nC.\n"))
    assert "## Merged From MEM-two\n\n**Original title**: Two\n**Merged**: 2026-12-01 (keyword overlap 50%)" in text
    assert "### Detail" in text and "\n## Detail" not in text


def test_sm5_merged_text_stands_before_history_and_connections() -> None:
    body = "A.\n\n## History\n\n### Previous Version (2026-01-01)\n\nOld.\n\n## Connections\n- [[MEM-x]]\n"
    text = merged(one(body), two("B.\n"))
    assert text.index("## Merged From") < text.index("## History") < text.index("## Connections")


def test_sm46_connections_are_united_whole_and_never_lead_to_themselves() -> None:
    first = one("A.\n\n## Connections\n- [[MEM-two]]\n- [[MEM-x]]\n")
    second = two("B.\n\n## Connections\n- [[MEM-one]]: the start\n- [[MEM-x|again]]\n- [[MEM-y]]: why not\n")
    text = merged(first, second)
    assert text.endswith("## Connections\n- [[MEM-x]]\n- [[MEM-y]]: why not\n")


def test_sm46_new_connections_get_a_section() -> None:
    assert merged(one("A.\n"), two("B.\n\n## Connections\n- [[MEM-y]]\n")).endswith("\n\n## Connections\n- [[MEM-y]]\n")


@pytest.mark.parametrize("opening", ["```python\nx = 1", "<!-- a note", "~~~~\nx"])
def test_f2_an_open_fence_does_not_swallow_what_is_merged(opening: str) -> None:
    text = merged(one(f"A.\n\n{opening}\n"), two(f"B.\n\n{opening}\n"))
    assert "## Merged From MEM-two" in text
    assert revision.parts_of(text).additions < len(text)  # the heading is one, not code


def test_line_endings_and_byte_order_mark_stay() -> None:
    first = document("one", "\ufeff" + one("A.\n").text.replace("\n", "\r\n"))
    text = merged(first, two("B.\n\n## Connections\n- [[MEM-y]]\n"))
    assert text.startswith("\ufeff---\r\n") and "\n" not in text.replace("\r\n", "")


def test_f2_a_lost_line_is_named() -> None:
    assert merging.lost(one("A.\n\nThe last word.\n"), "A.") == "The last word."


@pytest.mark.parametrize(
    ("before", "after", "missing"),
    [
        ("- not\n- wait 5\n- not\n", "not, wait 5", "- not"),
        ("wait 5\n", "wait 15", "wait 5"),
        ("first\n\nthen\n", "then first", "then"),
        ("### A *b*\n\nc\n", "##### A b\n> c", ""),
    ],
)
def test_f2_every_line_counts_as_often_as_it_stands_there(before: str, after: str, missing: str) -> None:
    assert merging.lost(one(before), after) == missing


@given(st.text("ab #`~-*[]<!>\n|", max_size=80), st.text("ab #`~-*[]<!>\n|", max_size=80))
def test_f2_nothing_is_lost_in_any_merge(mine: str, theirs: str) -> None:
    merged(one(f"{mine}\n"), two(f"{theirs}\n"))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("[[a]] [[a|x]] [[a#h]] [[ab]] [[a#h|x]]", "[[b]] [[b|x]] [[b#h]] [[ab]] [[b#h|x]]"),
        ("[[folder/a]] [[a.md]] [[folder/a.md#h]] [[a/b]]", "[[folder/b]] [[b.md]] [[folder/b.md#h]] [[a/b]]"),
        ("`[[a]]`\n\n```\n[[a]]\n```\n", "`[[a]]`\n\n```\n[[a]]\n```\n"),
        ("x <!-- [[a]] --> [[ a ]] ![[a]]", "x <!-- [[a]] --> [[ b ]] ![[b]]"),
        ("no links, a", "no links, a"),
    ],
)
def test_sm46_links_are_turned_outside_code_only(text: str, wanted: str) -> None:
    assert links.turned(text, "a", "b") == wanted
