"""Texts cut into segments for search and for ``/learn``: at sections, paragraphs and functions first (SM-21, SM-22).

Segments are in order and do not overlap, ``text == source[start:end]``, and together they hold every character that
is no whitespace. Everything is linear in the text; a line of 5 MB is cut like any other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from scrubjay.errors import BadInput
from scrubjay.text.segment.pack import RECALL, Piece, Size, pack

__all__ = ["LEARN", "RECALL", "Segment", "Size", "segment", "trimmed"]

LEARN = Size(ideal=500, max=800, min=100, whole=8000, density=16)
"""Segments that become memories (SM-22). A paragraph above 800 tokens stays whole, unless it is data; lengths count
for nothing but data, because 800 tokens are 800 by R-COM-7."""


@dataclass(frozen=True, slots=True)
class Segment:
    """``source[start:end]`` on the 1-based lines ``line`` to ``last_line``, below ``headings`` (outermost first; for
    code the names of class and function)."""

    text: str
    start: int
    end: int
    line: int
    last_line: int
    headings: tuple[str, ...] = ()


def segment(
    text: str,
    *,
    kind: Literal["markdown", "code", "prose"] = "markdown",
    language: str | None = None,
    size: Size = RECALL,
    start: int = 0,
) -> list[Segment]:
    """The segments of ``text`` from offset ``start`` (where its frontmatter ends).

    ``language`` names the programming language of code (``python``, ``c++``, ``ts`` …); code in an unknown language,
    or that cannot be parsed, is cut at blank lines. ``size`` is in tokens (R-COM-7). A heading stays with its first
    text, and a fence is divided only when it is larger than ``size.max``.
    """
    from scrubjay.text.lines import line_of, line_starts

    stretches = pack(_pieces(text, kind, language, size, start), size)
    starts = line_starts(text)
    segments = []
    for stretch in stretches:
        first, last = trimmed(text, stretch.start, stretch.end)
        if first < last:
            lines = line_of(starts, first), line_of(starts, last - 1)
            segments.append(Segment(text[first:last], first, last, *lines, stretch.headings))
    return segments


def _pieces(text: str, kind: str, language: str | None, size: Size, start: int) -> list[Piece]:
    match kind:
        case "markdown":
            from scrubjay.text.segment.markdown import markdown_pieces

            return markdown_pieces(text, start, size)
        case "code":
            from scrubjay.text.segment.code import code_pieces

            return code_pieces(text, start, language, size)
        case "prose":
            from scrubjay.text.segment.prose import prose_pieces

            return prose_pieces(text, start, len(text), size)
    raise BadInput(f"{kind!r} is no kind of text.", hint="Use markdown, code or prose.")


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The stretch without empty lines before it and whitespace behind it; the first line keeps its indentation."""
    body = text[start:end]
    last = len(body.rstrip())
    first = len(body) - len(body.lstrip())
    line = max(body.rfind("\n", 0, first), body.rfind("\r", 0, first)) + 1
    return start + line, start + last
