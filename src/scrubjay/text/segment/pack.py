"""Pieces packed into segments: full ones within a section, small neighbours under one heading together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from scrubjay.errors import BadInput
from scrubjay.text.tokens import token_count

CHARACTERS_A_TOKEN = 4
"""A token holds no more. By words alone (R-COM-7) base64 would be one token, and technical prose, full of paths and
names, overran the 512 tokens of the packaged model in a third to two thirds of its segments."""


@dataclass(frozen=True, slots=True)
class Size:
    """Sizes of segments in tokens: filled up to ``ideal``, never above ``max`` where that can be helped, and merged
    with a neighbour below ``min``.

    A paragraph or fence of up to ``whole`` tokens is not cut (by default those up to ``max``), and a token holds at
    most ``density`` characters.
    """

    ideal: int
    max: int
    min: int
    whole: int = 0
    density: int = CHARACTERS_A_TOKEN

    def __post_init__(self) -> None:
        if not 0 <= self.min <= self.ideal <= self.max or self.ideal < 1:
            raise BadInput(f"Sizes must rise from min to ideal to max, not {self.min}, {self.ideal}, {self.max}.")
        if self.whole < self.max:
            object.__setattr__(self, "whole", self.max)


RECALL = Size(ideal=250, max=400, min=80)
"""Segments that are searched; most are 200 to 400 tokens and fit the window of the packaged model."""


class Piece(NamedTuple):
    """A stretch that stays whole. ``section`` numbers the section it belongs to; ``leads`` tells that it must stay
    with the piece after it (a heading)."""

    start: int
    end: int
    tokens: int
    section: int = 0
    headings: tuple[str, ...] = ()
    leads: bool = False


def weight(text: str, size: Size) -> int:
    """The size of ``text`` in tokens (R-COM-7), and no less than its length allows; something above ``size.whole``
    where that is plain from the length, so that no long text is counted more than once."""
    least = len(text) // size.density
    return least if least > size.whole else max(token_count(text), least)


def pack(pieces: Sequence[Piece], size: Size) -> list[Piece]:
    """The stretches to cut at, in order."""
    filled: list[Piece] = []
    for _, section in groupby(with_leads(pieces, size), key=lambda piece: piece.section):
        filled += fill(section, size)
    return _merge(filled, size)


def with_leads(pieces: Iterable[Piece], size: Size) -> Iterator[Piece]:
    """Joins headings to what follows them; a run of headings alone is cut where it grows too large."""
    lead: Piece | None = None
    for piece in pieces:
        if lead is not None and piece.leads and lead.tokens + piece.tokens > size.max:
            yield lead
            lead = None
        joined = piece if lead is None else join(lead, piece, piece.headings)
        if piece.leads:
            lead = joined
        else:
            yield joined
            lead = None
    if lead is not None:
        yield lead


def fill(pieces: Iterable[Piece], size: Size) -> list[Piece]:
    """The pieces of one section, filled up to the ideal size; a small rest joins the one before it."""
    filled: list[Piece] = []
    for piece in pieces:
        last = filled[-1] if filled else None
        if last and last.tokens < size.ideal and last.tokens + piece.tokens <= size.max:
            filled[-1] = join(last, piece, last.headings)
        else:
            filled.append(piece)
    if len(filled) > 1 and filled[-1].tokens < size.min and filled[-2].tokens + filled[-1].tokens <= size.max:
        rest = filled.pop()
        filled[-1] = join(filled[-1], rest, filled[-1].headings)
    return filled


def _merge(stretches: Sequence[Piece], size: Size) -> list[Piece]:
    merged: list[Piece] = []
    for stretch in stretches:
        last = merged[-1] if merged else None
        small = last is not None and min(last.tokens, stretch.tokens) < size.min
        if last and small and last.tokens + stretch.tokens <= size.ideal:
            above = shared(last.headings, stretch.headings)
            if len(above) >= max(len(last.headings), len(stretch.headings)) - 1:
                merged[-1] = join(last, stretch, above)
                continue
        merged.append(stretch)
    return merged


def shared(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """The headings that both stand below."""
    if one == other:
        return one
    count = 0
    while count < min(len(one), len(other)) and one[count] == other[count]:
        count += 1
    return one[:count]


def join(first: Piece, second: Piece, headings: tuple[str, ...]) -> Piece:
    """Both pieces as one below ``headings``."""
    tokens = first.tokens + second.tokens
    return Piece(first.start, second.end, tokens, second.section, headings, first.leads and second.leads)
