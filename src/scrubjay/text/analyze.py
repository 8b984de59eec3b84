"""The one analyser: text becomes lexemes here before any index sees it, query and index alike (design §2.6).

The index keeps every word, stop words too: "The Who", "to be or not to be" and the identifier ``it`` stay findable.
Only queries drop stop words, and only while something else is left. A word in quotation marks, or written in capitals
in a query that is not (``IT``, ``US``, ``WHO``), is meant and kept. Negations are never dropped; ``don't`` is do, not.

Scripts without spaces become characters and pairs of characters, so that terms of one or two characters match. Emoji
are lexemes one by one. Everything else is cut into tokens, tokens into words (``words``), words into stems.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import lru_cache
from itertools import pairwise

from scrubjay.text.characters import EMOJI, UNSPACED, compatible
from scrubjay.text.stopwords import CJK_LETTERS, NEGATIONS, STOP_WORDS, chinese_phrases
from scrubjay.text.words import words_of

# What parts tokens: in ASCII everything but letters, digits and joiners; elsewhere controls, punctuation, arrows,
# mathematics, boxes, private use and surrogates.
_ASCII_SEPARATORS = '\\x00-\\x20!"$%()*,;<=>?\\[\\]^`{|}~\\x7f'
_SEPARATORS = _ASCII_SEPARATORS + (
    "\\x80-\\xa9\\xab\\xac\\xae-\\xb1\\xb4\\xb6-\\xb8\\xbb\\xbf\\xd7\\xf7"
    "\\u037e\\u0387\\u055a-\\u055f\\u0589\\u05be\\u05c0\\u05c3\\u060c\\u061b\\u061f\\u066a-\\u066d\\u06d4\\u0964\\u0965"
    "\\u1680\\u2000-\\u200a\\u2010-\\u2018\\u201a-\\u205f\\u2065-\\u206f\\u20a0-\\u20cf\\u2190-\\u2bff\\u2e00-\\u2e7f"
    "\\u2ff0-\\u3004\\u3008-\\u3020\\u3030-\\u303f\\u30a0\\u30fb\\ud800-\\uf8ff\\ufe10-\\ufe6f\\ufff0-\\uffff"
    "\\U000e0000-\\U0010ffff"
)
_ASCII_TOKEN = re.compile(f"[^{_ASCII_SEPARATORS}]+")
_QUOTED = re.compile(r"[\"“«„「『]([^\"“”«»„「」『』]+)[\"”»“」』]")
_OPERATORS = frozenset({"and", "or"})
_LONG_TOKEN = 64  # characters; longer ones are too rare to be worth remembering


def lexemes(text: str) -> list[str]:
    """The lexemes of ``text`` for the index, in order and as often as they occur. None holds a space or NUL."""
    found: list[str] = []
    text = compatible(text)
    for match in _tokens(text).finditer(text):
        kind = match.lastindex
        token = match.group()
        if kind is None:
            found += _indexed(token) if len(token) <= _LONG_TOKEN else _index(token)
        elif kind == 1:
            found += token
            found += _pairs(token)
        else:
            found.append(token)
    return found


def query_lexemes(text: str) -> list[str]:
    """The lexemes to look for, each once, in the order of the question, without stop words and question words.

    A query of stop words only keeps them all, and so does a phrase in quotation marks.
    """
    text = compatible(text)
    everything = list(_query_words(text, 0, len(text)))
    insisted = _quoted_stop_words(text)
    has_small_letters = not text.isupper()
    meant: dict[str, bool] = {}
    for word, lexeme, at in everything:
        if at in insisted or (has_small_letters and _is_name(word, text[at : at + len(word)])):
            meant[lexeme] = True
        elif not is_stop_word(word):
            meant[lexeme] = meant.get(lexeme, False) or word not in NEGATIONS
    if any(meant.values()):
        return list(meant)
    return list(dict.fromkeys(lexemes(text)))


def date_lexemes(at: datetime) -> list[str]:
    """The lexemes that stand for the calendar day of ``at``, in the zone that ``at`` is given in.

    ``2023-05-08`` gives ``@2023 @2023-05 @2023-05-08 @05 @05-08``. Words of a text never look like these.
    """
    year, month, day = f"{at.year:04d}", f"{at.month:02d}", f"{at.day:02d}"
    return [f"@{year}", f"@{year}-{month}", f"@{year}-{month}-{day}", f"@{month}", f"@{month}-{day}"]


def is_stop_word(word: str) -> bool:
    """Whether a folded word, or a character of a script without spaces, says nothing by itself."""
    return word in STOP_WORDS or word in CJK_LETTERS or (len(word) == 1 and "\u3041" <= word <= "\u309f")


@lru_cache(maxsize=1 << 15)
def stem(word: str) -> str:
    """The Snowball stem of a folded word, by its script; names with digits or signs are left as they are."""
    if not word.isalpha():
        return word
    stemmed: str
    if word.isascii():
        stemmed = _stemmer("english")(word)
    elif "\u0400" <= word[0] <= "\u052f":
        stemmed = _stemmer("russian")(word)
    else:
        return word
    return stemmed or word


def _tokens(text: str) -> re.Pattern[str]:
    """The pattern that cuts ``text``: group 1 is a run without spaces, group 2 an emoji, else it is a token.

    Wide classes take milliseconds to compile, so that plain English never pays for them.
    """
    return _ASCII_TOKEN if text.isascii() else _wide_token()


@lru_cache(maxsize=1)
def _wide_token() -> re.Pattern[str]:
    return re.compile(f"([{UNSPACED}]+)|([{EMOJI}])|[^{_SEPARATORS}{UNSPACED}{EMOJI}]+")


def _index(token: str) -> list[str]:
    return [stem(word) for word in words_of(token)]


@lru_cache(maxsize=1 << 16)
def _indexed(token: str) -> tuple[str, ...]:
    return tuple(_index(token))


def _pairs(run: str) -> list[str]:
    return [first + second for first, second in pairwise(run)]


def _query_words(text: str, start: int, end: int) -> Iterator[tuple[str, str, int]]:
    """``(word, lexeme, offset of its token)`` for everything in ``text[start:end]`` that could be looked for."""
    for match in _tokens(text).finditer(text, start, end):
        at = match.start()
        if match.lastindex == 1:
            for piece in chinese_phrases().split(match.group()):
                yield from ((letter, letter, at) for letter in piece)
                yield from ((pair, pair, at) for pair in _pairs(piece) if not all(map(is_stop_word, pair)))
        elif match.lastindex == 2:
            yield match.group(), match.group(), at
        else:
            yield from ((word, stem(word), at) for word in words_of(match.group()))


def _quoted_stop_words(text: str) -> set[int]:
    """Offsets of the tokens in quotation marks between which nothing but stop words stands: "The Who"."""
    offsets: set[int] = set()
    for quoted in _QUOTED.finditer(text):
        words = list(_query_words(text, *quoted.span(1)))
        if all(is_stop_word(word) or word in NEGATIONS for word, _, _ in words):
            offsets.update(at for _, _, at in words)
    return offsets


def _is_name(word: str, written: str) -> bool:
    """Whether a stop word was written as a name: ``IT``, ``US``, ``WHO``, but not the operators AND, OR."""
    return len(word) > 1 and written.isupper() and word == written.casefold() and word not in _OPERATORS


@lru_cache(maxsize=2)
def _stemmer(language: str) -> Callable[[str], str]:
    """A stemmer without a cache of its own: that cache is not safe between threads, ``stem`` has one that is."""
    from Stemmer import Stemmer

    stem_word: Callable[[str], str] = Stemmer(language, 0).stemWord
    return stem_word
