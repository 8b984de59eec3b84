"""Two texts side by side, or one below the other where there is no room; wide letters count as two columns."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

from scrubjay.interfaces.render.plain import block, width, wrap

NARROW = 100
"""Columns below which two columns of text are too narrow to read."""
_CONTEXT = 2
_MOST_LINES = 2_000

Row = tuple[str, str, str]


def compared(old: str, new: str, *, columns: int, most: int = 40) -> list[str]:
    """``old`` and ``new`` as lines for a terminal of ``columns`` columns, ``most`` of them at the most."""
    before, after = _lines(old), _lines(new)
    lines = list(_beside(before, after, columns) if columns >= NARROW else _below(before, after, columns))
    if len(lines) > most:
        return [*lines[:most], f"… {len(lines) - most} more lines"]
    return lines


def _lines(text: str) -> list[str]:
    return block(text).expandtabs(4).split("\n")[:_MOST_LINES]


def _beside(before: Sequence[str], after: Sequence[str], columns: int) -> Iterator[str]:
    room = (columns - 5) // 2
    yield f"  {_padded('before', room)} │ after"
    for mark, left, right in _rows(before, after):
        lefts, rights = _wrapped(left, room), _wrapped(right, room)
        for place in range(max(len(lefts), len(rights))):
            one = lefts[place] if place < len(lefts) else ""
            other = rights[place] if place < len(rights) else ""
            yield f"{mark} {_padded(one, room)} │ {other}".rstrip()


def _below(before: Sequence[str], after: Sequence[str], columns: int) -> Iterator[str]:
    for mark, left, right in _rows(before, after):
        pairs = [(" ", left)] if mark == " " else [("-", left), ("+", right)]
        for sign, text in pairs:
            if text or mark == " ":
                yield from (f"{sign} {line}".rstrip() for line in _wrapped(text, columns - 2))


def _rows(before: Sequence[str], after: Sequence[str]) -> Iterator[Row]:
    """Mark, left and right of each line; long stretches that are the same are left out."""
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for number, group in enumerate(matcher.get_grouped_opcodes(_CONTEXT)):
        if number:
            yield " ", "…", "…"
        for tag, first, last, other_first, other_last in group:
            lefts, rights = before[first:last], after[other_first:other_last]
            mark = {"equal": " ", "delete": "-", "insert": "+"}.get(tag, "~")
            for place in range(max(len(lefts), len(rights))):
                yield (
                    mark,
                    lefts[place] if place < len(lefts) else "",
                    rights[place] if place < len(rights) else "",
                )


def _wrapped(text: str, room: int) -> list[str]:
    lead = text[: len(text) - len(text.lstrip(" "))][: room // 3]
    return wrap(text, room, most=50, indent=lead) or [""]


def _padded(text: str, room: int) -> str:
    return text + " " * max(0, room - width(text))
