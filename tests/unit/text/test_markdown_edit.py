"""Edits of sections: fence-aware, and every byte outside stays (R-COM-5, SM-28)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.errors import NotFound
from scrubjay.text.markdown import append_section, headings, insert_before_section, replace_section, sections

NOTE = """---
title: T
---

# T

```
## Connections
```

Body

## History

old

### Previous

older

## Connections
<!-- [[MEM-other]] links go here -->
"""


def test_replace_section() -> None:
    text = replace_section(NOTE, "History", "\nnew\n\n")
    assert text == NOTE.replace("old\n\n### Previous\n\nolder\n", "new\n")
    with pytest.raises(NotFound, match="'Absent'"):
        replace_section(NOTE, "Absent", "x")


def test_insert_before_section() -> None:
    """The heading inside the fence is no heading."""
    text = insert_before_section(NOTE, "Connections", "## Extension (2026-11-30)\n\nmore")
    assert text == NOTE.replace("older\n\n", "older\n\n## Extension (2026-11-30)\n\nmore\n\n")
    assert insert_before_section("# T\n\nx", "Connections", "## E") == "# T\n\nx\n\n## E\n"
    assert insert_before_section("", "Connections", "## E\n") == "## E\n"


def test_append_section() -> None:
    assert append_section(NOTE, "History", "oldest") == NOTE.replace("older\n", "older\n\noldest\n")
    assert append_section(NOTE, "Connections", "- [[MEM-x]]") == NOTE + "\n- [[MEM-x]]\n"
    assert append_section("# T\r\n", "History", "a\nb") == "# T\r\n\r\n## History\r\n\r\na\r\nb\r\n"


@pytest.mark.parametrize("open_", ["```py\ncode", "~~~~\nx\n~~~", "<!-- note", "<pre>\nx"])
def test_an_open_block_does_not_swallow_what_follows(open_: str) -> None:
    text = append_section(f"# T\n\n{open_}", "New", "x")
    assert text.startswith(f"# T\n\n{open_}\n")
    assert [heading.title for heading in headings(text)] == ["T", "New"]
    text = insert_before_section("# T\n\n## End\n", "End", f"## Mid\n\n{open_}")
    assert [heading.title for heading in headings(text)] == ["T", "Mid", "End"]


PARTS = st.sampled_from(
    ["# A\n", "## B\n", "## B ##\n", "x\n", "\n", "```\n", "- l\n", "> q\n", "B\n---\n", "<!--\n", "-->\n", "## C\r\n"]
)


@given(st.lists(PARTS, max_size=10).map("".join), st.lists(PARTS, max_size=4).map("".join))
def test_everything_else_stays(text: str, block: str) -> None:
    section = next((section for section in sections(text) if section.title == "B"), None)
    inserted = insert_before_section(text, "B", block)
    appended = append_section(text, "B", block)
    if section is None:
        assert inserted.startswith(text)
        assert appended.startswith(text)
        return
    assert inserted.startswith(text[: section.start])
    assert inserted.endswith(text[section.start :])
    assert appended.startswith(text[: section.end])
    assert appended.endswith(text[section.end :])
    replaced = replace_section(text, "B", block)
    assert replaced.startswith(text[: section.body])
    assert replaced.endswith(text[section.end :])
    after = [found.title for found in sections(text) if found.start >= section.start]
    if after:
        assert [found.title for found in sections(inserted)][-len(after) :] == after
