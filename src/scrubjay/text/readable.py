"""Markdown as a reader sees it: without comments, and without headings that nothing follows."""

from __future__ import annotations

import re

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_HEADING = re.compile(r"#{1,6}(?:\s|$)")


def readable(text: str) -> str:
    """``text`` without HTML comments and trailing headings; empty when nothing but those was there."""
    lines = _COMMENT.sub("", text).rstrip().split("\n") if "<!--" in text else text.rstrip().split("\n")
    while lines and (not lines[-1].strip() or (len(lines) > 1 and _HEADING.match(lines[-1]))):
        lines.pop()
    return "\n".join(lines)
