"""Running text: paragraphs, and what is too long for one in lines, sentences, words and, last, characters."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scrubjay.text.graphemes import cut_before, is_boundary
from scrubjay.text.segment.pack import Piece, Size, weight

_PARAGRAPH = re.compile(r"(?:\r\n|\r|\n)(?:[^\S\r\n]*+(?:\r\n|\r|\n))++")
_LINE = re.compile(r"\r\n|\r|\n")
_SENTENCE = re.compile(
    r"""(?:(?<=[.!?…])|(?<=[.!?…]["'»”’)\]]))\s++|(?<=[。！？；])(?![。！？；”’」』）])|(?<=[。！？；][”’」』）])"""
)
_CLAUSE = re.compile(r"[，、；：,;:)）\]\s]")


def prose_pieces(
    text: str, start: int, end: int, size: Size, section: int = 0, headings: tuple[str, ...] = ()
) -> list[Piece]:
    """The paragraphs of ``text[start:end]``, each cut further where it is larger than ``size.whole``."""
    pieces: list[Piece] = []
    for first, last in _cut(text, start, end, _PARAGRAPH):
        pieces += divided(text, first, last, size, section, headings)
    return pieces


def divided(
    text: str, start: int, end: int, size: Size, section: int = 0, headings: tuple[str, ...] = ()
) -> list[Piece]:
    """``text[start:end]`` as one piece, or as pieces at lines, sentences and words when it is larger than
    ``size.whole``."""
    return [
        Piece(first, last, tokens, section, headings)
        for first, last, tokens in _divide(text, start, end, size, (_LINE, _SENTENCE))
    ]


def _divide(
    text: str, start: int, end: int, size: Size, separators: tuple[re.Pattern[str], ...]
) -> Iterator[tuple[int, int, int]]:
    body = text[start:end]
    if body.isspace():
        return
    tokens = weight(body, size)
    if tokens <= size.whole:
        yield start, end, tokens
    elif separators:
        for first, last in _cut(text, start, end, separators[0]):
            yield from _divide(text, first, last, size, separators[1:])
    else:
        yield from _words(text, start, end, size)


def _words(text: str, start: int, end: int, size: Size) -> Iterator[tuple[int, int, int]]:
    """A sentence that is too long: as many words at a time as fill a segment."""
    as_many = re.compile(rf"\s*+(?:\S++\s*+){{1,{max(1, size.ideal * 10 // 13)}}}")
    for first, last in _cut(text, start, end, as_many):
        tokens = weight(text[first:last], size)
        if tokens <= size.max:
            yield first, last, tokens
        else:
            yield from _characters(text, first, last, size)


def _characters(text: str, start: int, end: int, size: Size) -> Iterator[tuple[int, int, int]]:
    """Words that are too long, such as Chinese without full stops or base64: by length, at a comma where one is near,
    never inside what a reader takes for one character."""
    while start < end:
        window = min(end - start, size.ideal * size.density)
        tokens = weight(text[start : start + window], size)
        if tokens > size.ideal:
            window = max(1, window * size.ideal // tokens)
        place = (
            end if start + window >= end else min(end, cut_before(text, _clause(text, start, start + window), start))
        )
        yield start, place, weight(text[start:place], size)
        start = place


def _clause(text: str, start: int, end: int) -> int:
    """A place behind a comma in the last third of ``text[start:end]``, or ``end``."""
    commas = list(_CLAUSE.finditer(text, end - (end - start) // 3, end))
    return commas[-1].end() if commas else end


def _cut(text: str, start: int, end: int, separator: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """``text[start:end]`` in parts, each with the separator behind it."""
    for match in separator.finditer(text, start, end):
        if match.end() > start and is_boundary(text, match.end()):
            yield start, match.end()
            start = match.end()
    if start < end:
        yield start, end
