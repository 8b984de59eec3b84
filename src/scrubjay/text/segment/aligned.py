"""Texts cut into passages that are about one thing, to become memories (SM-21, SM-22).

A section, function or group of paragraphs stays whole up to ``size.max`` and is cut at the next subheading or paragraph
above; what is smaller than ``size.min`` joins a neighbour of the same topic. Passages are in order, do not overlap,
``text == source[start:end]``, and together hold every character that is no whitespace.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest
from typing import Literal

from scrubjay.text.plain import without_comments
from scrubjay.text.segment import LEARN, trimmed
from scrubjay.text.segment.pack import Piece, Size, fill, join, shared, with_leads

Kind = Literal["markdown", "prose", "code", "markup", "whole"]
"""``markup`` has headings of its own (``markup.py``); ``whole`` is data that no cut makes clearer."""

DEEPEST = 4
"""Level of the deepest heading that begins a segment (SM-21)."""

SAME_TOPIC = 0.4
"""Share of key terms above which two paragraphs go together (SM-21)."""

_SENTENCE_END = re.compile(r"[.!?…](?:[\"'»”)]|\s)+\S|[。！？]\S")


@dataclass(frozen=True, slots=True)
class Passage:
    """``source[start:end]`` on the 1-based lines ``line`` to ``last_line``.

    ``headings`` stand above all of it, outermost first; ``names`` are the headings, classes or functions that begin
    inside. ``part`` counts the passages that one section had to be cut into; 0 for a section that is whole.
    """

    text: str
    start: int
    end: int
    line: int
    last_line: int
    headings: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    part: int = 0


def passages(
    text: str,
    *,
    kind: Kind = "markdown",
    language: str | None = None,
    size: Size = LEARN,
    start: int = 0,
    by_topic: bool = True,
) -> list[Passage]:
    """The passages of ``text`` from offset ``start`` (where its frontmatter ends).

    A text without headings is cut where its topic changes, or, not ``by_topic``, only where it is too large.
    ``language`` is the programming language of code, or the markup (``rst``, ``adoc``, ``org``, ``tex``, ``html``).
    """
    from scrubjay.text.lines import line_of, line_starts

    pieces = _pieces(text, kind, language, size, start)
    if by_topic and kind in ("markdown", "markup", "prose") and not any(piece.section for piece in pieces):
        pieces = _by_terms(text, pieces)
    starts = line_starts(text)
    found = []
    for stretch, names, part in _named(pieces, _visible(text, _packed(pieces, size))):
        first, last = trimmed(text, stretch.start, stretch.end)
        if first < last:
            lines = line_of(starts, first), line_of(starts, last - 1)
            found.append(Passage(text[first:last], first, last, *lines, stretch.headings, names, part))
    return found


def _pieces(text: str, kind: Kind, language: str | None, size: Size, start: int) -> list[Piece]:
    match kind:
        case "markdown":
            from scrubjay.text.segment.markdown import markdown_pieces

            return markdown_pieces(text, start, size, DEEPEST)
        case "markup":
            from scrubjay.text.segment.markup import markup_pieces

            return markup_pieces(text, start, language or "", size, DEEPEST)
        case "code":
            from scrubjay.text.segment.code import code_pieces

            return code_pieces(text, start, language, size)
        case "prose":
            from scrubjay.text.segment.prose import prose_pieces

            return prose_pieces(text, start, len(text), size)
        case "whole":
            from scrubjay.text.segment.prose import divided

            return divided(text, start, len(text), size)


# --- what goes together -------------------------------------------------------------------------------------------


def _packed(pieces: Sequence[Piece], size: Size) -> list[Piece]:
    filled: list[Piece] = []
    for _, group in groupby(with_leads(pieces, size), key=lambda piece: piece.section):
        section = list(group)
        if sum(piece.tokens for piece in section) <= size.max:
            filled.append(_all(section))
        else:
            filled += fill(section, size)
    return _merged(_merged(filled, size, size.ideal), size, size.max)


def _all(section: Sequence[Piece]) -> Piece:
    whole = section[0]
    for piece in section[1:]:
        whole = join(whole, piece, section[0].headings)
    return whole


def _merged(stretches: Sequence[Piece], size: Size, limit: int) -> list[Piece]:
    """Small stretches with the neighbour of the same topic, where both have at most ``limit`` tokens."""
    merged: list[Piece] = []
    for stretch, behind in zip_longest(stretches, stretches[1:]):
        last = merged[-1] if merged else None
        if last and _go_together(last, stretch, size, limit) and not _introduces(stretch, behind, size):
            merged[-1] = join(last, stretch, shared(last.headings, stretch.headings))
        else:
            merged.append(stretch)
    return merged


def _go_together(one: Piece, other: Piece, size: Size, limit: int) -> bool:
    """Whether one of the two is small, and they stand below the same heading."""
    if min(one.tokens, other.tokens) >= size.min or one.tokens + other.tokens > limit:
        return False
    return len(shared(one.headings, other.headings)) >= max(len(one.headings), len(other.headings)) - 1


def _introduces(stretch: Piece, behind: Piece | None, size: Size) -> bool:
    """Whether ``stretch`` is the short beginning of a section whose first subsection is ``behind``."""
    if behind is None or stretch.tokens >= size.min or len(behind.headings) <= len(stretch.headings):
        return False
    return bool(stretch.headings) and behind.headings[: len(stretch.headings)] == stretch.headings


def _visible(text: str, stretches: Sequence[Piece]) -> list[Piece]:
    """The stretches, those that hold nothing but comments joined to the next or, at the end, to the one before."""
    shown: list[Piece] = []
    unseen: Piece | None = None
    for stretch in stretches:
        whole = stretch if unseen is None else join(unseen, stretch, stretch.headings)
        body = text[whole.start : whole.end]
        if "<!--" in body and not without_comments(body).strip():
            unseen = whole
        else:
            shown.append(whole)
            unseen = None
    if unseen is not None:
        shown[-1:] = [join(shown[-1], unseen, shown[-1].headings)] if shown else [unseen]
    return shown


def _by_terms(text: str, pieces: Sequence[Piece]) -> list[Piece]:
    """Paragraphs numbered by topic: the next one is on the same as long as it shares more than 40 % of the key terms,
    and a paragraph of one sentence goes with the one before it, the first with the one behind."""
    numbered: list[Piece] = []
    section, before, opening = 0, frozenset[str](), True
    for piece in pieces:
        body = text[piece.start : piece.end].rstrip()
        if piece.tokens >= LEARN.min or _SENTENCE_END.search(body):
            terms = _terms(body)
            section += not opening and _overlap(before, terms) <= SAME_TOPIC
            before, opening = terms, False
        numbered.append(piece._replace(section=section))
    return numbered


def _terms(text: str) -> frozenset[str]:
    from scrubjay.text.analyze import stem
    from scrubjay.text.terms import key_terms

    return frozenset(stem(term) for term in key_terms(text))


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / min(len(one), len(other)) if one and other else 0.0


# --- names --------------------------------------------------------------------------------------------------------


def _named(pieces: Sequence[Piece], stretches: Sequence[Piece]) -> list[tuple[Piece, tuple[str, ...], int]]:
    """Each stretch with the names of what begins in it, and its number among those of its section."""
    named: list[tuple[Piece, tuple[str, ...], int]] = []
    begun: set[tuple[str, ...]] = set()
    place, part = 0, 0
    for stretch in stretches:
        names: dict[str, None] = {}
        while place < len(pieces) and pieces[place].start < stretch.end:
            path = pieces[place].headings
            for above in (path[: depth + 1] for depth in range(len(path))):
                if above not in begun:
                    begun.add(above)
                    names[above[-1]] = None
            place += 1
        goes_on = place < len(pieces) and pieces[place].section == pieces[place - 1].section
        part = part + 1 if part or goes_on else 0
        named.append((stretch, tuple(names), part))
        part = part if goes_on else 0
    return named
