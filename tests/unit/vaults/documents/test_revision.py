"""A memory's text, created, updated, extended: nothing is lost, nothing else changes (SM-4, SM-5, SM-27 … SM-29)."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.errors import BadInput
from scrubjay.text import frontmatter, markdown
from scrubjay.text.tokens import on_disk_token_count
from scrubjay.types import Note
from scrubjay.vaults.documents import revision
from scrubjay.vaults.documents.revision import Revision

TODAY = Revision(today="2026-12-01")

MEMORY = """\
---
title: "Retry HTTP calls"
created: 2026-01-02
tags: [PATTERN, http]
topic: "python/http"
source: "user input"
modified: 2026-02-03
keywords: [retry, backoff]
summary: "Retry HTTP calls"
retrieval_count: 4
last_retrieved: 2026-03-01
token_count: 60
aliases: [retries]  # kept
---

# Retry HTTP calls

Use backoff.

## Setup

```yaml
## Connections
retries: 3
```

## Connections
- [[MEM-other]] because
"""


def note(body: str, **more: object) -> Note:
    values: dict[str, object] = {
        "id": "", "title": "Retry HTTP calls", "topic": "python/http", "tags": ("PATTERN", "http"),
        "created": "2026-11-30", "source": "file: http.md",
        "extra": {"keywords": ["retry"], "summary": "Retry", "retrieval_count": 0, "last_retrieved": None},
    }  # fmt: skip
    return Note(body=body, **{**values, **more})  # type: ignore[arg-type]


def titles(text: str) -> list[str]:
    return [f"{'#' * heading.level} {heading.title}" for heading in markdown.headings(text)]


# --- create ----------------------------------------------------------------------------------------------------


def test_create_writes_the_fields_of_sm4_in_their_order_and_the_sections_of_sm5() -> None:
    """SM-4, SM-5, SM-29."""
    text = revision.create(note("Use backoff."))
    assert list(frontmatter.parse(text).values) == [
        "title", "created", "tags", "topic", "source", "modified", "keywords", "summary", "retrieval_count",
        "last_retrieved", "token_count",
    ]  # fmt: skip
    assert frontmatter.parse(text).values["token_count"] == on_disk_token_count(text)
    assert titles(text) == ["# Retry HTTP calls", "## Connections"]


@pytest.mark.parametrize(
    "heading",
    [
        "# Retry HTTP calls",
        "### Retry HTTP calls",
        "Retry HTTP calls\n======",
        "## Retry HTTP calls {/*retry-http-calls*/}",
        "## Retry HTTP calls {#retry}",
        "## Retry `HTTP` calls <!-- retry -->",
    ],
)
def test_sm29_a_heading_that_repeats_the_title_is_left_out(heading: str) -> None:
    text = revision.create(note(f"{heading}\n\nUse backoff."))
    assert titles(text) == ["# Retry HTTP calls", "## Connections"]
    assert revision.body_of(text) == "Use backoff."


def test_sm29_a_heading_that_says_more_than_the_title_stays() -> None:
    heading = "# Retry [HTTP calls](http.md)"
    assert revision.body_of(revision.create(note(f"{heading}\n\nUse backoff."))).startswith(heading)


def test_sm29_a_body_that_ends_with_links_keeps_them_as_its_connections() -> None:
    text = revision.create(note("Use backoff.\n\n## Connections\n- [[MEM-x]]"))
    assert titles(text).count("## Connections") == 1
    assert "[[MEM-x]]" in text


def test_sm29_a_fence_that_the_body_leaves_open_does_not_swallow_what_follows() -> None:
    text = revision.create(note("```sh\nmake"))
    assert titles(text) == ["# Retry HTTP calls", "## Connections"]


# --- update ----------------------------------------------------------------------------------------------------


def test_sm27_update_keeps_created_topic_and_connections_and_moves_the_old_body_into_the_history() -> None:
    change = Revision(
        today="2026-12-01", tags=("net", "HTTP"), keywords=("jitter", "retry"), summary="Retry with jitter"
    )
    text = revision.update(MEMORY, "Use jitter.", change)
    values = frontmatter.parse(text).values
    assert values["created"] == "2026-01-02"
    assert values["topic"] == "python/http"
    assert values["tags"] == ["PATTERN", "http", "net"]
    assert values["modified"] == "2026-12-01"
    assert values["keywords"] == ["retry", "backoff", "jitter"]
    assert values["summary"] == "Retry with jitter"
    assert values["token_count"] == on_disk_token_count(text)
    assert (values["retrieval_count"], values["last_retrieved"]) == (4, "2026-03-01")
    assert "aliases: [retries]  # kept\n" in text
    assert titles(text) == [
        "# Retry HTTP calls",
        "## History",
        "### Previous Version (2026-02-03)",
        "#### Setup",
        "## Connections",
    ]
    assert revision.body_of(text) == "Use jitter."
    assert text.endswith("## Connections\n- [[MEM-other]] because\n")
    assert "```yaml\n## Connections\nretries: 3\n```" in text


def test_sm27_a_second_update_puts_the_newest_version_first() -> None:
    first = revision.update(MEMORY, "Second.", TODAY)
    second = revision.update(first, "Third.", Revision(today="2026-12-05"))
    found = [title for title in titles(second) if title.startswith("### ")]
    assert found == ["### Previous Version (2026-12-01)", "### Previous Version (2026-02-03)"]
    assert re.search(r"\(2026-12-01\)\n\nSecond\.\n", second)


def test_sm27_updates_of_one_day_have_headings_of_their_own() -> None:
    text = MEMORY
    for body in ("Second.", "Third.", "Fourth."):
        text = revision.update(text, body, TODAY)
    found = [title for title in titles(text) if title.startswith("### ")]
    assert found == [
        "### Previous Version (2026-12-01), 2",
        "### Previous Version (2026-12-01)",
        "### Previous Version (2026-02-03)",
    ]


def test_sm27_extensions_go_into_the_history_with_the_body() -> None:
    text = revision.update(revision.extend(MEMORY, "More.", TODAY, source="user input"), "New.", TODAY)
    assert titles(text)[1:] == [
        "## History", "### Previous Version (2026-12-01)", "#### Setup", "#### Extension (2026-12-01)",
        "## Connections",
    ]  # fmt: skip


def test_sm27_a_body_with_a_history_and_connections_of_its_own_is_a_body() -> None:
    body = "Born in 1990.\n\n## History\n\nFounded by two people.\n\n## Connections\n\nIt opens four sockets."
    text = revision.update(revision.create(note(body)), "New.", TODAY)
    assert revision.body_of(text) == "New."
    assert "Founded by two people." in revision.history_of(text)
    assert "It opens four sockets." in revision.history_of(text)
    again = revision.update(text, "## History\n\nAnother one.", Revision(today="2026-12-09"))
    assert revision.body_of(again) == "## History\n\nAnother one."
    assert again.count("### Previous Version") == 2


def test_sm27_title_topic_and_category_change_only_when_named() -> None:
    change = Revision(today="2026-12-01", title="Retries", topic="net", category="CONFIG")
    text = revision.update(MEMORY, "New.", change)
    values = frontmatter.parse(text).values
    assert (values["title"], values["topic"], values["tags"]) == ("Retries", "net", ["CONFIG", "http"])
    assert titles(text)[0] == "# Retries"


def test_r_com_4_line_endings_byte_order_mark_and_unknown_fields_stay() -> None:
    """R-COM-3, R-COM-4, R-COM-5."""
    crlf = "\ufeff" + MEMORY.replace("\n", "\r\n")
    text = revision.update(crlf, "One.\nTwo.", TODAY)
    assert text.startswith("\ufeff---\r\n")
    assert "\n" not in text.replace("\r\n", "")
    assert "One.\r\nTwo.\r\n" in text
    assert "aliases: [retries]  # kept\r\n" in text


def test_r_com_3_a_file_without_frontmatter_gets_none() -> None:
    assert not frontmatter.parse(revision.update("# Plain\n\nOld.\n", "New.", TODAY)).present
    assert revision.extend("Plain.", "More.", TODAY, source="x").startswith("Plain.\n\n## Extension (2026-12-01)")


def test_sm3_the_older_dialect_keeps_its_own_field() -> None:
    old = '---\nid: MEM-2026-01-01-001\ndate: 2026-01-01\nlast_updated: 2026-01-05\ntitle: "T"\n---\n\n# T\n\nOld.\n'
    text = revision.update(old, "New.", TODAY)
    values = frontmatter.parse(text).values
    assert (values["date"], values["last_updated"]) == ("2026-01-01", "2026-12-01")
    assert "modified" not in values
    assert "### Previous Version (2026-01-05)" in text


def test_an_undated_memory_has_an_undated_version() -> None:
    assert "### Previous Version (undated)" in revision.update("# T\n\nOld.\n", "New.", TODAY)


def test_r_com_3_a_body_between_rules_is_no_frontmatter() -> None:
    text = revision.update("Old.\n", "---\na: b\n---\n\nNew.", TODAY)
    assert not frontmatter.parse(text).present
    assert revision.body_of(text) == "---\na: b\n---\n\nNew."


def test_r_com_5_a_fence_left_open_below_a_rule_is_closed() -> None:
    text = revision.update(MEMORY, "---\n-->\n```\n---", TODAY)
    assert "## History" in titles(text)


def test_f30_broken_frontmatter_is_an_error_and_no_edit() -> None:
    with pytest.raises(BadInput, match="line 2"):
        revision.update('---\ntitle: "open\n---\n\nOld.\n', "New.", TODAY)


# --- extend ----------------------------------------------------------------------------------------------------


def test_sm28_extend_adds_a_dated_section_and_changes_nothing_else() -> None:
    text = revision.extend(MEMORY, "# More\n\nUse jitter.", TODAY, source="file: notes.md")
    block = "## Extension (2026-12-01)\n\n**Source**: file: notes.md\n\n### More\n\nUse jitter.\n\n"
    assert block in text
    assert titles(text)[-3:] == ["## Extension (2026-12-01)", "### More", "## Connections"]
    assert frontmatter.parse(text).values["token_count"] == on_disk_token_count(text)
    before = MEMORY.replace("modified: 2026-02-03", "modified: 2026-12-01")
    counted = re.compile(r"token_count: \d+")
    assert counted.sub("", text.replace(block, "")) == counted.sub("", before)


def test_sm28_an_extension_stands_before_merged_text_and_history() -> None:
    """SM-5 orders the sections; what stands in the history is not the memory's word any more."""
    merged = MEMORY.replace("## Connections\n-", "## Merged From MEM-y\n\nMerged.\n\n## Connections\n-")
    text = revision.extend(revision.update(merged, "New.", TODAY), "More.", TODAY, source="x")
    assert revision.body_of(text).startswith("New.\n\n## Extension (2026-12-01)")
    assert titles(revision.extend(merged, "More.", TODAY, source="x"))[2:4] == [
        "## Extension (2026-12-01)",
        "## Merged From MEM-y",
    ]


def test_sm28_at_the_end_where_there_are_no_connections() -> None:
    text = revision.extend("# T\n\nOld.", "More.", TODAY, source="")
    assert text == "# T\n\nOld.\n\n## Extension (2026-12-01)\n\n**Source**: user input\n\nMore."


@pytest.mark.parametrize("tags", ["tags: #PATTERN #http", "tag: PATTERN, http", "metadata:\n  tags: [PATTERN, http]"])
def test_r_com_3_tags_of_another_dialect_are_kept(tags: str) -> None:
    text = f"---\n{tags}\n---\n\nOld.\n"
    grown = revision.update(text, "New.", Revision(today="2026-12-01", tags=("new",)))
    assert frontmatter.parse(grown).strings("tags") == ("PATTERN", "http", "new")
    assert tags in revision.update(text, "New.", TODAY)


# --- always ----------------------------------------------------------------------------------------------------

LINES = st.sampled_from(
    ["alpha", "# One", "## Two", "### Three", "## History", "## Connections", "### Previous Version (2026-01-01)",
     "```", "~~~", "<!--", "-->", "- item", "> quote", "    code", "", "Title\n=====", "| a | b |", "[[MEM-x]]", "---"]
)  # fmt: skip
BODIES = st.lists(LINES, min_size=1, max_size=12).map("\n".join).filter(lambda body: bool(body.strip()))


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"[\w\[\]]+", text[frontmatter.parse(text).body_start :]))


@given(BODIES, st.lists(BODIES, min_size=1, max_size=3))
def test_no_word_is_ever_lost(body: str, later: list[str]) -> None:
    """F4, F5: whatever Markdown comes, an update moves and an extension adds."""
    text = revision.create(note(body))
    for number, new in enumerate(later):
        if number % 2 == 0:
            grown = revision.update(text, new, TODAY)
        else:
            grown = revision.extend(text, new, TODAY, source="test")
        assert not frontmatter.parse(grown).problems
        assert not (words(text) + words(new)) - words(grown)
        text = grown


@given(BODIES, BODIES)
def test_what_an_update_wrote_is_found_again(old: str, new: str) -> None:
    text = revision.update(revision.create(note(old)), new, TODAY)
    parts = revision.parts_of(text)
    assert parts.body <= parts.additions <= parts.end <= len(text)
    if old.strip():
        assert parts.history is not None or not revision.body_of(revision.create(note(old)))


PLAIN = BODIES.filter(lambda body: revision.HISTORY not in body)


@given(PLAIN, st.lists(PLAIN, min_size=1, max_size=3))
def test_the_older_versions_are_the_whole_history(body: str, later: list[str]) -> None:
    """Nothing that was replaced is taken for current, and nothing current for replaced."""
    text = revision.create(note(body))
    for day, new in enumerate(later, 2):
        replaced = revision.body_of(text)
        text = revision.update(text, new, Revision(today=f"2026-12-0{day}"))
        older = revision.older_versions(text)
        assert "".join(text[one.start : one.end] for one in older) == revision.history_of(text)
        assert words(revision.current_of(text)) + words(revision.history_of(text)) == words(text)
        assert not words(new) - words(revision.current_of(text))
        if replaced:
            assert not words(replaced) - words(text[older[0].start : older[0].end])
            assert older[0].replaced == f"2026-12-0{day}"
            assert older[0].written == ("2026-11-30" if day == 2 else f"2026-12-0{day - 1}")


def test_older_versions_are_dated_by_what_replaced_them() -> None:
    headings = ["Pre-Compression (2026-03-01)", "Previous Version (2026-02-01)", "Previous Version (undated)"]
    history = "".join(f"### {heading}\n\nOld.\n\n" for heading in headings)
    text = MEMORY.replace("## Connections\n- ", f"## History\n\n{history}## Connections\n- ")
    dates = [(one.written, one.replaced) for one in revision.older_versions(text)]
    assert dates == [("", "2026-03-01"), ("2026-02-01", "2026-03-01"), ("", "2026-02-01")]
    assert revision.current_of(text) == MEMORY
    assert revision.older_versions(MEMORY) == []


def test_sm28_an_extension_below_the_history_is_current_only_if_nothing_came_after_it() -> None:
    text = MEMORY.replace(
        "## Connections\n- ",
        "## History\n\n### Previous Version (2026-01-02)\n\nOld.\n\n"
        "## Extension (2026-01-20)\n\nPerhaps old.\n\n## Extension (2026-02-03)\n\nNew.\n\n## Connections\n- ",
    )
    current = revision.current_of(text)
    assert "New." in current and "[[MEM-other]]" in current and "Perhaps old." not in current
