"""What a reader sees of Markdown."""

from __future__ import annotations

import pytest

from scrubjay.text.readable import readable


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("# Tea\n\nHot.\n\n## Connections\n<!-- [[MEM-other]] links go here -->\n", "# Tea\n\nHot."),
        ("<!-- a\nb -->", ""),
        ("before <!-- x --> after", "before  after"),
        ("# Only a heading", "# Only a heading"),
        ("text\n\n## One\n### Two\n", "text"),
        ("an unclosed <!-- comment", "an unclosed <!-- comment"),
        ("#tag is no heading", "#tag is no heading"),
        ("", ""),
    ],
)
def test_comments_and_empty_headings_go(text: str, seen: str) -> None:
    assert readable(text) == seen
