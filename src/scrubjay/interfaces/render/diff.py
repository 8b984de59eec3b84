"""Two texts side by side, or one below the other where there is no room; wide letters count as two columns."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from scrubjay.interfaces.render.plain import block, faint, gone, new, one_line, width, wrap

NARROW = 100
"""Columns below which two columns of text are too narrow to read."""

_CONTEXT = 2
_MOST_LINES = 2_000
_CLOSELY = 2_000  # characters of a line up to which its words are compared
_WIDE = r"\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003fffd"
_WORD = re.compile(rf"[{_WIDE}]|[^\W{_WIDE}]+|\s+|[^\w\s]")
_ALIKE = 0.4

Span = tuple[int, int]


class Row(NamedTuple):
    """A line of both texts. ``mark`` is that of a diff, ``~`` for a line that changed; ``None`` is no line at all."""

    mark: str
    left: str | None
    right: str | None


def compared(old: str, new: str, *, columns: int, most: int = 40) -> list[str]:
    """``old`` and ``new`` as lines for a terminal of ``columns`` columns, ``most`` of them at the most.

    Nothing but what changed is shown, with two lines around it. Side by side from 100 columns on, unless one of the
    sides would be empty.
    """
    rows = list(_rows(_lines(old), _lines(new)))
    if not rows:
        return [faint("  (no difference)")]
    both = {row.mark for row in rows} - {" ", "+"} and {row.mark for row in rows} - {" ", "-"}
    side_by_side = both and columns >= NARROW
    lines = [_header(columns)] if side_by_side else []
    for number, row in enumerate(rows):
        lines += _beside(row, columns) if side_by_side else _below(row, columns)
        if len(lines) > most:
            left = len(lines) - most + len(rows) - number - 1
            return [*lines[:most], faint(f"  … {left:,} more lines")]
    return lines


def _lines(text: str) -> list[str]:
    return block(text).strip("\n").expandtabs(4).split("\n")[:_MOST_LINES]


def _header(columns: int) -> str:
    return faint(f"  {_padded('before', 'before', _half(columns))} │ after")


def _half(columns: int) -> int:
    return (columns - 5) // 2


def _beside(row: Row, columns: int) -> Iterator[str]:
    room = _half(columns)
    olds, news = _spans(row)
    lefts, rights = _styled(row.left, olds, room, gone), _styled(row.right, news, room, new)
    for place in range(max(len(lefts), len(rights))):
        one, shown = lefts[place] if place < len(lefts) else ("", "")
        other = rights[place][1] if place < len(rights) else ""
        yield f"{row.mark} {_padded(one, shown, room)} │ {other}".rstrip()


def _below(row: Row, columns: int) -> Iterator[str]:
    room = columns - 2
    if row.mark == " ":
        yield from (f"  {shown}".rstrip() for _, shown in _styled(row.left, (), room, gone))
        return
    olds, news = _spans(row)
    yield from (f"- {shown}".rstrip() for _, shown in _styled(row.left, olds, room, gone))
    yield from (f"+ {shown}".rstrip() for _, shown in _styled(row.right, news, room, new))


def _rows(before: Sequence[str], after: Sequence[str]) -> Iterator[Row]:
    """The lines of both; long stretches that are the same are left out."""
    # With the default of difflib lines that are frequent in long texts pair with nothing, which keeps it quick.
    matcher = difflib.SequenceMatcher(None, before, after)
    for number, group in enumerate(matcher.get_grouped_opcodes(_CONTEXT)):
        if number:
            yield Row(" ", "…", "…")
        for tag, first, last, other_first, other_last in group:
            lefts, rights = before[first:last], after[other_first:other_last]
            for place in range(max(len(lefts), len(rights))):
                left = lefts[place] if place < len(lefts) else None
                right = rights[place] if place < len(rights) else None
                mark = " " if tag == "equal" else "+" if left is None else "-" if right is None else "~"
                yield Row(mark, left, right)


def _spans(row: Row) -> tuple[list[Span], list[Span]]:
    """What is different in the two lines, word by word, as places in each line as ``one_line`` shows it."""
    left, right = row.left, row.right
    if row.mark == " ":
        return [], []
    if left is None or right is None:
        return [(0, len(left or ""))], [(0, len(right or ""))]
    old, fresh = one_line(left), one_line(right)
    whole = [(0, len(old))], [(0, len(fresh))]
    if max(len(old), len(fresh)) > _CLOSELY:
        return whole
    olds, news = _WORD.findall(old), _WORD.findall(fresh)
    matcher = difflib.SequenceMatcher(None, olds, news)
    if matcher.ratio() < _ALIKE:
        return whole
    changes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    return (
        [_span(olds, first, last) for _, first, last, _, _ in changes],
        [_span(news, first, last) for _, _, _, first, last in changes],
    )


def _span(words: Sequence[str], first: int, last: int) -> Span:
    start = sum(map(len, words[:first]))
    return start, start + sum(map(len, words[first:last]))


def _styled(text: str | None, spans: Sequence[Span], room: int, style: Callable[[str], str]) -> list[tuple[str, str]]:
    """The wrapped lines of ``text`` as they are and as they are shown, with ``spans`` of it in ``style``."""
    if text is None:
        return []
    lead = text[: len(text) - len(text.lstrip(" "))][: room // 3]
    whole, place, lines = one_line(text), 0, []
    for line in wrap(text, room, most=50, indent=lead):
        bare = line[len(lead) :]
        found = whole.find(bare, place)
        start = place if found < 0 else found  # an ellipsis at the end of a cut text is in no line
        lines.append((line, lead + _marked(bare, start, spans, style)))
        place = start + len(bare)
    return lines or [("", "")]


def _marked(line: str, start: int, spans: Sequence[Span], style: Callable[[str], str]) -> str:
    pieces, place = [], 0
    for first, last in spans:
        here, end = max(first - start, place), min(last - start, len(line))
        if here < end:
            pieces += [line[place:here], style(line[here:end])]
            place = end
    return "".join([*pieces, line[place:]])


def _padded(text: str, shown: str, room: int) -> str:
    return shown + " " * max(0, room - width(text))
