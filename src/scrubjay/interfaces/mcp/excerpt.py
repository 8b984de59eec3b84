"""The part of a long text that a question is about, inside a token budget."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from scrubjay.text.analyze import lexemes
from scrubjay.text.tokens import token_count

_CHARACTERS_A_TOKEN = 4
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？；])")
_GAP = "…"


def cost(text: str) -> int:
    """Tokens of ``text``, not too few where words are long: paths, code, ids."""
    return max(token_count(text), len(text) // _CHARACTERS_A_TOKEN)


def excerpt(text: str, words: Collection[str], tokens: int) -> str:
    """``text``, or where it costs more than ``tokens`` the lines around the one that has most of ``words`` (lexemes).

    What is left out before and after is marked with "…"; without any of the words it is the beginning.
    """
    if cost(text) <= tokens:
        return text
    pieces, joint = _pieces(text)
    best = _best(pieces, words)
    first = last = best
    chosen = cut(pieces[best], tokens - 2)
    if chosen != pieces[best]:
        return _marked(chosen.removesuffix(_GAP).rstrip(), before=best > 0, after=True)
    grown = True
    while grown:
        grown = False
        for step in (last + 1, first - 1):  # what follows explains more often than what came before
            if not 0 <= step < len(pieces):
                continue
            wider = joint.join(pieces[min(first, step) : max(last, step) + 1])
            if cost(wider) <= tokens - 2:
                chosen, first, last, grown = wider, min(first, step), max(last, step), True
    return _marked(chosen.strip("\n"), before=first > 0, after=last < len(pieces) - 1)


def cut(text: str, tokens: int) -> str:
    """``text`` cut at a word end (between characters where a script has no spaces) to about ``tokens``."""
    if cost(text) <= tokens:
        return text
    low, high = 0, min(len(text), max(tokens, 1) * _CHARACTERS_A_TOKEN)
    while low < high:
        middle = (low + high + 1) // 2
        if cost(text[:middle]) <= tokens:
            low = middle
        else:
            high = middle - 1
    begun = text[:low]
    word_end = max(begun.rfind(" "), begun.rfind("\n"))
    return f"{(begun[:word_end] if word_end > low // 2 else begun).rstrip()} {_GAP}"


def _pieces(text: str) -> tuple[Sequence[str], str]:
    """Lines, or the sentences of a text that is one line, and what joins them."""
    lines = text.strip().split("\n")
    if len(lines) > 1:
        return lines, "\n"
    return [part for part in _SENTENCE.split(lines[0]) if part] or lines, " "


def _best(pieces: Sequence[str], words: Collection[str]) -> int:
    """The place of the piece with most of ``words``, the first of several."""
    wanted = frozenset(words)
    scores = [len(wanted.intersection(lexemes(piece))) if wanted else 0 for piece in pieces]
    return max(range(len(pieces)), key=lambda place: (scores[place], -place))


def _marked(text: str, *, before: bool, after: bool) -> str:
    return f"{_GAP + ' ' if before else ''}{text}{' ' + _GAP if after else ''}"
