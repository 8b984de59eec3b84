"""Three versions of some lines brought together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

MOST_PAIRS = 1_000_000
"""Pairs of lines that are compared at most: what differs in more is for a person."""

_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s")

Lines = Sequence[str]


def merged_lines(base: Lines, first: Lines, second: Lines) -> list[str] | None:
    """The lines with what each side changed of ``base``; ``None`` where both changed the same place differently.

    What both inserted at one place stays, ``first`` before ``second``; what one of them has of the other stays once.
    """
    if any(len(one) * len(other) > MOST_PAIRS for one, other in ((base, first), (base, second), (first, second))):
        return None
    result: list[str] = []
    for before, one, other in _regions(base, first, second):
        if one in (other, before):
            result += other
        elif other == before:
            result += one
        elif before:
            return None
        else:
            result += _both(one, other)
    return result


def _regions(base: Lines, first: Lines, second: Lines) -> Iterator[tuple[Lines, Lines, Lines]]:
    """The three versions, cut where all of them have the same line."""
    one, other = _places(base, first), _places(base, second)
    b = f = s = 0
    for place in range(len(base)):
        if place in one and place in other:
            yield base[b:place], first[f : one[place]], second[s : other[place]]
            yield base[place : place + 1], base[place : place + 1], base[place : place + 1]
            b, f, s = place + 1, one[place] + 1, other[place] + 1
    yield base[b:], first[f:], second[s:]


def _places(base: Lines, side: Lines) -> dict[int, int]:
    """Where the lines of ``base`` are in ``side``."""
    blocks = SequenceMatcher(None, base, side, autojunk=False).get_matching_blocks()
    return {start + step: there + step for start, there, size in blocks for step in range(size)}


def _both(one: Lines, other: Lines) -> list[str]:
    if holds(one, other):
        return list(one)
    if holds(other, one):
        return list(other)
    items = bool(_ITEM.match(one[-1]) and _ITEM.match(other[0]))
    gap = [] if items or not one[-1].strip() or not other[0].strip() else [""]
    return [*one, *gap, *other]


def holds(lines: Lines, part: Lines) -> bool:
    """Whether ``part`` stands in ``lines``, one line after the other."""
    if len(part) > len(lines):
        return False
    return any(lines[start : start + len(part)] == part for start in range(len(lines) - len(part) + 1))
