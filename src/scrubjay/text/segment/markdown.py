"""Markdown: sections, then blocks; lists by item, fences whole."""

from __future__ import annotations

from collections.abc import Iterator

from scrubjay.text.markdown.blocks import Heading, Structure, structure
from scrubjay.text.segment.pack import Piece, Size, weight
from scrubjay.text.segment.prose import divided

_EMPTY = ("blank", "marker")


def markdown_pieces(text: str, start: int, size: Size, deepest: int = 6) -> list[Piece]:
    """The blocks of ``text`` from ``start``, with the headings above each, down to level ``deepest``."""
    found = structure(text, start)
    headings = {heading.line - 1: heading for heading in found.headings}
    path: list[Heading] = []
    titles: tuple[str, ...] = ()
    section = 0
    pieces: list[Piece] = []
    for first, last in _blocks(found):
        heading = headings.get(first)
        if heading is not None and heading.level <= deepest:
            while path and path[-1].level >= heading.level:
                path.pop()
            path.append(heading)
            titles = tuple(above.title for above in path)
            section += 1
        begin, end = max(start, found.starts[first]), found.starts[last]
        tokens = weight(text[begin:end], size)
        if tokens <= size.max:
            pieces.append(Piece(begin, end, tokens, section, titles, leads=heading is not None))
        else:
            for inner_begin, inner_end in _inside(found, first, last):
                pieces += divided(text, max(begin, inner_begin), inner_end, size, section, titles)
    return pieces


def _blocks(found: Structure) -> Iterator[tuple[int, int]]:
    """The lines ``first``:``last`` of each block that lies in no other."""
    lines = len(found.kinds)
    for index, first in enumerate(found.blocks):
        yield first, found.blocks[index + 1] if index + 1 < len(found.blocks) else lines


def _inside(found: Structure, first: int, last: int) -> Iterator[tuple[int, int]]:
    """The parts of a block that is too large: paragraphs and fences inside a list item or quote, as offsets."""
    begin = first
    for line in range(first + 1, last):
        before, kind = found.kinds[line - 1], found.kinds[line]
        if (before == "fence") != (kind == "fence") or (before in _EMPTY and kind not in _EMPTY):
            yield found.starts[begin], found.starts[line]
            begin = line
    yield found.starts[begin], found.starts[last]
