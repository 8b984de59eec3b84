"""BM25 over the lexemes of a record, and which lexemes of a question are worth following (F80). Loads nothing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

HEAD_WEIGHT, BODY_WEIGHT = 2.0, 1.0
_K1, _B = 1.2, 0.75
# Postings that one query may touch: about 5 ms at 0.5 µs each (F80).
_POSTINGS = 10_000
_LOWER = {ord(letter): letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}


def affordable(known: Mapping[str, int]) -> list[str]:
    """The rarest lexemes whose postings together stay affordable; at least one."""
    chosen: list[str] = []
    spent = 0
    for lexeme, count in sorted(known.items(), key=lambda item: item[1]):
        spent += count
        if chosen and spent > _POSTINGS:
            break
        chosen.append(lexeme)
    return chosen


def bm25(head: Sequence[str], body: Sequence[str], weights: Mapping[str, float], average: float) -> float:
    """How well a record of these lexemes fits ``weights``; ``average`` is the mean length of all records."""
    counts: dict[str, float] = {}
    for words, weight in ((head, HEAD_WEIGHT), (body, BODY_WEIGHT)):
        for word in words:
            if word in weights:
                counts[word] = counts.get(word, 0.0) + weight
    if not counts:
        return 0.0
    norm = _K1 * (1 - _B + _B * (len(head) + len(body)) / (average or 1.0))
    return sum(weights[word] * count * (_K1 + 1) / (count + norm) for word, count in counts.items())


def rarity(count: int, total: int) -> float:
    """How much a lexeme says that ``count`` of ``total`` records hold."""
    return math.log1p((total - count + 0.5) / (count + 0.5))


def searchable(lexeme: str) -> bool:
    """Whether the index can hold it: FTS5 reads a query up to the first NUL, and blanks part lexemes."""
    return bool(lexeme) and not any(sign <= " " or sign == "\x7f" for sign in lexeme)


def clean(text: str) -> str:
    """``text`` as UTF-8 can hold it: lone surrogates become ``?`` (R-COM-1)."""
    if text.isascii():
        return text
    return text.encode("utf-8", "replace").decode("utf-8")


def folded(lexeme: str) -> str:
    """As the tokenizer ``ascii`` stores it: ASCII letters in lower case."""
    return clean(lexeme).translate(_LOWER)


def quoted(lexeme: str) -> str:
    """``lexeme`` as FTS5 reads one word of a query."""
    doubled = clean(lexeme).replace('"', '""')
    return f'"{doubled}"'
