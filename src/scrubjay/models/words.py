"""Which word of a text each token of a model belongs to, so that a token can weigh what its word weighs."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from scrubjay.text.characters import UNSPACED

# A number with its dots, dashes and colons is one word (3.11, 2023-05-08), and so is a word with an apostrophe.
_WORD = re.compile(
    rf"[^\W\d_{UNSPACED}]?\d+(?:[.:/\-]\d+)+|[^\W{UNSPACED}]+(?:['’][^\W{UNSPACED}]+)*|(?P<unspaced>[{UNSPACED}]+)"
)
_ENDING = re.compile(r"['’](?:s|t|re|ve|ll|d|m)$", re.IGNORECASE)
_ALPHANUMERIC = re.compile(r"[^\W_]")


def words_at(text: str, spans: Sequence[tuple[int, int]]) -> list[str]:
    """The word of ``text`` at each of ``spans`` (start and end offsets, as a tokenizer gives them).

    Empty for a token without a letter or digit, for one before the text (a prefix, a special token), and for an ending
    such as the ``'s`` of ``Anna's``. In a script without spaces a token's word is the token itself.
    """
    found = list(_WORD.finditer(text))
    starts = [match.start() for match in found]
    words: list[str] = []
    for start, end in spans:
        letter = _ALPHANUMERIC.search(text, max(start, 0), max(end, 0))
        at = bisect_right(starts, letter.start()) - 1 if letter else -1
        words.append(_word_at(found[at], text[max(start, 0) : end], letter.start()) if letter and at >= 0 else "")
    return words


def _word_at(match: re.Match[str], token: str, position: int) -> str:
    """What the token whose first letter stands at ``position`` belongs to, inside ``match``."""
    word = match.group()
    if match.lastgroup == "unspaced":
        return token.strip()
    ending = _ENDING.search(word)
    if position >= match.end() or (ending and position > match.start() + ending.start()):
        return ""
    return word
