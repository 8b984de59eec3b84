"""The key terms of a text: few words that tell what it is about, the same for the same text (SM-21 … SM-23, SM-25).

A term is lower case. Words have at least five characters; technical tokens (``retry_after``, ``node.js``, ``HTTP``,
``utf-8``) and parts of names may be shorter; Chinese and Japanese text gives pairs of characters. The most frequent
come first, then proper names before technical tokens before common words, then what occurs first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise

from scrubjay.text.characters import UNSPACED, compatible
from scrubjay.text.stopwords import CJK_LETTERS, NEGATIONS, RELATIONS, STOP_WORDS, chinese_phrases
from scrubjay.text.words import fold

_SHORTEST_WORD = 5  # "words > 4 characters"
_SHORTEST_TECHNICAL = 2
_LONGEST = 60  # characters; what is longer is data, no term

_NAME = r"\w+(?:[.\-_]+\w+)*(?:\+\+|#)?"
_SENTENCE_END = re.compile(r"[.!?:\n\r#*>•|\-]\s*$")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+")
_CAMEL = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
_OPAQUE = re.compile(r"[0-9.\-_]+|(?=.*[0-9])[0-9a-fA-F\-]{7,}")


class _Kind(IntEnum):
    PROPER = 0
    TECHNICAL = 1
    COMMON = 2


@dataclass(slots=True)
class _Count:
    first: int
    kind: _Kind
    times: int = 0


def key_terms(text: str, limit: int = 5) -> list[str]:
    """At most ``limit`` terms of ``text``, best first."""
    counts: dict[str, _Count] = {}
    for term, kind in _terms(compatible(text)):
        count = counts.setdefault(term, _Count(first=len(counts), kind=kind))
        count.times += 1
        count.kind = min(count.kind, kind)
    ranked = sorted(counts, key=lambda term: (-counts[term].times, counts[term].kind, counts[term].first))
    return ranked[:limit]


def _terms(text: str) -> Iterator[tuple[str, _Kind]]:
    for match in re.finditer(f"(?P<run>[{UNSPACED}]+)|(?P<token>{_spaced()})", text):
        if run := match.group("run"):
            yield from _pairs(run)
        else:
            for term, kind in _token_terms(match.group()):
                begins = kind is _Kind.PROPER and _begins(text, match.start())
                yield term, _Kind.COMMON if begins else kind


def _spaced() -> str:
    """``_NAME`` without the characters of scripts that are cut into pairs."""
    return _NAME.replace(r"\w", rf"[^\W{UNSPACED}]")


def _token_terms(token: str) -> Iterator[tuple[str, _Kind]]:
    """A token and, where it is a name of several words, these."""
    token = token.strip("_.-")
    if not token or len(token) > _LONGEST or _OPAQUE.fullmatch(token):
        return
    folded = fold(token)
    if _is_technical(token):
        if len(token) >= _SHORTEST_TECHNICAL and not _is_stop(folded):
            yield folded, _Kind.TECHNICAL
        yield from ((part, _Kind.COMMON) for part in _parts(token))
    elif len(folded) >= _SHORTEST_WORD and not _is_stop(folded):
        yield folded, _Kind.PROPER if token[0].isupper() else _Kind.COMMON


def _parts(token: str) -> list[str]:
    """The long words in a name of several; the name of a product such as PostgreSQL is one word."""
    parts = _PARTS.findall(token)
    if len(parts) < 2 or (token.isalpha() and parts[-1].isupper()):
        return []
    folded = [fold(part) for part in parts]
    return [part for part in folded if len(part) >= _SHORTEST_WORD and not _is_stop(part)]


def _is_technical(token: str) -> bool:
    letters = token.isalpha()
    return not letters or _CAMEL.search(token) is not None or (token.isupper() and 2 <= len(token) <= 6)


def _is_stop(word: str) -> bool:
    return word in STOP_WORDS or word in NEGATIONS or word in RELATIONS


def _begins(text: str, start: int) -> bool:
    """Whether a sentence, a heading or a list item begins here, where a capital means nothing."""
    before = text[max(0, start - 8) : start]
    return not before.strip() or _SENTENCE_END.search(before.rstrip("\"'“”«»(*_`")) is not None


def _pairs(run: str) -> Iterator[tuple[str, _Kind]]:
    for piece in chinese_phrases().split(run):
        for first, second in pairwise(piece):
            if not (_says_nothing(first) or _says_nothing(second)):
                yield first + second, _Kind.COMMON


def _says_nothing(letter: str) -> bool:
    return letter in CJK_LETTERS or "\u3041" <= letter <= "\u309f"
