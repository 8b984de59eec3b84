"""Two people changed the same document: what both meant, where that can be told, and ``None`` where it cannot.

The merge goes by meaning: fields of the frontmatter one by one, then sections by their headings, then lines. Whatever
one side added is in the result, and so is what neither took out; the order of the sides does not matter (CC-T3, F106).
Two different wordings of the same line are for a person to decide.
"""

from __future__ import annotations

import re

from scrubjay.text import frontmatter
from scrubjay.text.merge.fields import merged_block
from scrubjay.text.merge.sections import merged_body

__all__ = ["marker_line", "merged"]

MOST_CHARACTERS = 512 * 1024
"""Of a document that is merged; a larger one that two people changed is for them to merge."""

_MARKER = re.compile(r"^(?:<{7}|>{7}|\|{7})(?: |$)", re.MULTILINE)


def merged(base: str, ours: str, theirs: str) -> str | None:
    """The text with what ``ours`` and ``theirs`` each changed of ``base``; ``None`` when they contradict each other."""
    trivial = {ours: theirs, theirs: ours, ours if ours == theirs else None: ours}.get(base)
    if ours == theirs:
        return ours
    if trivial is not None:
        return trivial
    if max(map(len, (base, ours, theirs))) > MOST_CHARACTERS or marker_line(ours) or marker_line(theirs):
        return None
    newline = _newline(base, ours, theirs)
    before, *sides = (text.replace("\r\n", "\n") for text in (base, ours, theirs))
    first, second = sorted(sides)
    parsed = [frontmatter.parse(text) for text in (before, first, second)]
    if any(one.problems for one in parsed):
        return None
    block = merged_block(*parsed)
    bodies = [text[one.body_start :] for text, one in zip((before, first, second), parsed, strict=True)]
    body = merged_body(*bodies) if block is not None else None
    return None if block is None or body is None else (block + body).replace("\n", newline)


def marker_line(text: str) -> int:
    """The 1-based line of the first mark that an unresolved merge left in ``text``; 0 without any (F108)."""
    found = _MARKER.search(text)
    return text.count("\n", 0, found.start()) + 1 if found else 0


def _newline(base: str, ours: str, theirs: str) -> str:
    old, one, other = ("\r\n" if "\r\n" in text else "\n" for text in (base, ours, theirs))
    return one if one == other else other if one == old else one
