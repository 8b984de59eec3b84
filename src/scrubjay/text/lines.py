"""Lines as editors, git and CommonMark count them: ended by ``\\n``, ``\\r\\n`` or ``\\r``, by nothing else.

``str.splitlines`` also cuts at U+2028, form feeds and others, which shifts every line number after them (F109).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

_ENDING = re.compile(r"\r\n|\r|\n")


def split_lines(text: str) -> list[str]:
    """The lines of ``text`` with their endings; joined they give ``text`` again."""
    if "\r" not in text:
        lines = text.split("\n")
        return [line + "\n" for line in lines[:-1]] + lines[-1:] if lines[-1] else [line + "\n" for line in lines[:-1]]
    starts = line_starts(text)
    return [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True) if start < end]


def line_starts(text: str) -> list[int]:
    """The character offset of each line, beginning with 0. A final line ending starts no further line."""
    if "\r" in text:
        starts = [0, *(match.end() for match in _ENDING.finditer(text))]
    else:
        starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))][:-1]
    return starts[:-1] if len(starts) > 1 and starts[-1] == len(text) else starts


def line_of(starts: Sequence[int], offset: int) -> int:
    """The 1-based line in which the character at ``offset`` stands."""
    return bisect_right(starts, offset)


def newline_of(text: str) -> str:
    """The line ending that ``text`` uses: that of its first line, ``\\n`` where it has none."""
    match = _ENDING.search(text)
    return match.group() if match else "\n"
