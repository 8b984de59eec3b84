"""The key terms of a text: few words that tell what it is about, the same for the same text (SM-21 … SM-23, SM-25).

A term is lower case. Words have at least five characters; technical tokens (``retry_after``, ``node.js``, ``HTTP``,
``utf-8``) and parts of names may be shorter; Chinese and Japanese text gives pairs of characters, and what keeps coming
up together as one term (数据库, not 数据 and 据库). The most frequent come first, then proper names before technical
tokens before common words, then what occurs first. Link targets, tags and addresses give none; fenced code gives terms
only where the text around it has too few.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from functools import lru_cache
from operator import add

from scrubjay.text.characters import UNSPACED, compatible
from scrubjay.text.plain import fenced, without_markup
from scrubjay.text.stopwords import CJK_LETTERS, CODE_WORDS, FILLERS, NEGATIONS, RELATIONS, STOP_WORDS, chinese_fillers
from scrubjay.text.words import fold

_SHORTEST_WORD = 5  # "words > 4 characters"
_SHORTEST_TECHNICAL = 2
_LONGEST = 60  # characters; what is longer is data, no term
_LONGEST_GROWN = 6
_TOGETHER = 0.75  # of its occurrences, from which on a pair with its neighbour is one term

_NAME = r"\w++(?:[.\-]++\w++)*+(?:\+\+|#)?"
_SENTENCE_END = re.compile(r"[.!?:\n\r#*>•|\-]\s*$")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+")
_CAMEL = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
_OPAQUE = re.compile(
    r"[0-9.\-_]+|(?=.*[0-9])[0-9a-fA-F\-]{7,}|[0-9]+(?:px|ms|rem|em|kb|mb|gb|st|nd|rd|th|[dshx])|u?[0-9a-f]{4}|0\w*"
)
_LOOKED_AT = 8  # places of a capitalised word, to see whether it is a name


class _Kind(IntEnum):
    PROPER = 0
    TECHNICAL = 1
    COMMON = 2


def key_terms(text: str, limit: int = 5, *, code: bool = False) -> list[str]:
    """At most ``limit`` terms of ``text`` (Markdown or other prose, or ``code``), best first."""
    text = compatible(text)
    prose, verbatim = ("", text) if code else fenced(text)
    terms = _ranked(without_markup(prose), limit) if prose else []
    if verbatim and len(terms) < limit:
        terms += [term for term in _ranked(verbatim.replace(".", " "), limit, CODE_WORDS) if term not in terms]
    return terms[:limit]


def _ranked(text: str, limit: int, ignored: frozenset[str] = frozenset()) -> list[str]:
    ascii_ = text.isascii()
    tokens = Counter((_ascii_token() if ascii_ else _wide_token()).findall(text))
    counts: dict[str, int] = {}
    marked: dict[str, list[tuple[_Kind, str]]] = {}  # what may make a term more than a common word
    for token, times in tokens.items():
        for term, kind in _token_terms(token):
            counts[term] = counts.get(term, 0) + times
            if kind is not _Kind.COMMON:
                marked.setdefault(term, []).append((kind, token))
    for term in ignored.intersection(counts):
        del counts[term]
    unspaced = "" if ascii_ else _unspaced(text)
    pairs = Counter(map(add, unspaced, unspaced[1:]))
    least = _least([*counts.values(), *pairs.values()], 3 * limit)
    best = [(-times, _kind(text, marked.get(term, ())), term) for term, times in counts.items() if times >= least]
    best += [(-times, _Kind.COMMON, pair) for pair, times in pairs.items() if times >= least and "\n" not in pair]
    if unspaced:
        folded = text.casefold()
        best.sort(key=lambda item: (item[0], item[1], folded.find(item[2]) % (len(folded) + 1)))
        return _grown([term for _, _, term in best[: 3 * limit]], unspaced, limit)[:limit]
    best.sort(key=lambda item: item[:2])  # equals stay in the order of the text
    return [term for _, _, term in best[:limit]]


def _least(times: list[int], count: int) -> int:
    """The ``count``-th largest of ``times``."""
    times.sort(reverse=True)
    return times[min(count, len(times)) - 1] if times else 0


def _kind(text: str, marked: Iterable[tuple[_Kind, str]]) -> _Kind:
    """The best kind of a term: a capital counts where it does not only begin sentences."""
    kinds = [kind for kind, spelling in marked if kind is not _Kind.PROPER or _is_name(text, spelling)]
    return min(kinds, default=_Kind.COMMON)


@lru_cache(maxsize=1)
def _ascii_token() -> re.Pattern[str]:
    return re.compile(_NAME, re.ASCII)


@lru_cache(maxsize=1)
def _wide_token() -> re.Pattern[str]:
    return re.compile(_NAME.replace(r"\w", rf"[^\W{UNSPACED}]"))


@lru_cache(maxsize=1 << 15)
def _token_terms(token: str) -> tuple[tuple[str, _Kind], ...]:
    """A token and, where it is a name of several words, these."""
    token = token.strip("_.-")
    if not token or len(token) > _LONGEST or _OPAQUE.fullmatch(token):
        return ()
    folded = fold(token)
    if _is_technical(token):
        whole = len(token) >= _SHORTEST_TECHNICAL and not _is_stop(folded)
        parts = tuple((part, _Kind.COMMON) for part in _parts(token))
        return ((folded, _Kind.TECHNICAL), *parts) if whole else parts
    if len(folded) >= _SHORTEST_WORD and not _is_stop(folded):
        return ((folded, _Kind.PROPER if token[0].isupper() else _Kind.COMMON),)
    return ()


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
    return word in STOP_WORDS or word in NEGATIONS or word in RELATIONS or word in FILLERS


def _is_name(text: str, spelling: str) -> bool:
    """Whether the capitalised ``spelling`` stands somewhere other than where a capital means nothing."""
    place = text.find(spelling)
    for _ in range(_LOOKED_AT):
        if place < 0:
            return False
        end = place + len(spelling)
        whole = not text[place - 1 : place].isalnum() and not text[end : end + 1].isalnum()
        if whole and not _begins(text, place):
            return True
        place = text.find(spelling, place + len(spelling))
    return False


def _begins(text: str, start: int) -> bool:
    """Whether a sentence, a heading or a list item begins here, where a capital means nothing."""
    before = text[max(0, start - 8) : start]
    return not before.strip() or _SENTENCE_END.search(before.rstrip("\"'“”«»(*_`")) is not None


# --- scripts without spaces ---------------------------------------------------------------------------------------


def _unspaced(text: str) -> str:
    """The runs of ``text`` in scripts without spaces, one a line, cut where a letter or phrase says nothing."""
    runs = "\n".join(_unspaced_run().findall(text))
    return chinese_fillers().sub("\n", runs)


@lru_cache(maxsize=1)
def _unspaced_run() -> re.Pattern[str]:
    nothing = "".join(CJK_LETTERS) + "\u3041-\u309f"
    return re.compile(f"(?:(?![{nothing}])[{UNSPACED}])++")


def _grown(ranked: Sequence[str], text: str, limit: int) -> list[str]:
    """``ranked`` with pairs that are part of a longer term replaced by it; the pairs it explains come last."""
    grown: dict[str, int] = {}
    rest: list[str] = []
    for term in ranked:
        if len(grown) == limit:
            break
        times = text.count(term) if len(term) == 2 else 0
        if times < 2:
            grown.setdefault(term, 0)
        elif any(term in longer and times * _TOGETHER <= count for longer, count in grown.items()):
            rest.append(term)
        else:
            longest, count = _grow(term, times, text)
            if len(longest) == 2 or not any(longest[:3] in longer or longest[-3:] in longer for longer in grown):
                grown.setdefault(longest, count)
            if longest != term:
                rest.append(term)
    return list(dict.fromkeys([*grown, *rest]))


def _grow(term: str, times: int, text: str) -> tuple[str, int]:
    """The longest term around ``term`` that is nearly as frequent, and how often it occurs."""
    while len(term) < _LONGEST_GROWN:
        places = list(_places(term, text))
        count, behind = _most(text[place + len(term) : place + len(term) + 1] for place in places)
        count_before, before = _most(text[place - 1 : place] for place in places)
        longer = term + behind
        if count_before > count:
            count, longer = count_before, before + term
        if count < 2 or count < _TOGETHER * times:
            break
        term, times = longer, count
    return term, times


def _most(letters: Iterable[str]) -> tuple[int, str]:
    """The most frequent of ``letters`` and how often it occurs; nothing where that is the end of a run."""
    counts = Counter(letters)
    letter = max(counts, key=counts.__getitem__)
    return (counts[letter], letter) if letter.strip() else (0, "")


def _places(term: str, text: str) -> Iterator[int]:
    place = text.find(term)
    while place >= 0:
        yield place
        place = text.find(term, place + 1)
