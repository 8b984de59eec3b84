"""Where a text may be cut without breaking what a reader takes for one character (F109).

The rules of UAX 29 as far as the standard library can tell: combining marks, emoji sequences, flags, Hangul jamo,
Indic conjuncts, CR LF and surrogates stay together.
"""

from __future__ import annotations

import unicodedata

_JOINER = "\u200d"


def is_boundary(text: str, position: int, low: int = 0) -> bool:
    """Whether ``text`` may be cut at ``position``; ``low`` is an earlier boundary, to count flags from."""
    if position <= 0 or position >= len(text):
        return True
    before, after = text[position - 1], text[position]
    if before < "\u0300" and (after < "\u0300" or unicodedata.category(before) == "Cc"):
        return not (before == "\r" and after == "\n")
    if _extends(after) or (_is_high(before) and _is_low(after)):
        return False
    if before == _JOINER:
        return unicodedata.category(after) not in ("So", "Sm", "Lo")
    if _is_flag(before) and _is_flag(after):
        return _flags_before(text, position, low) % 2 == 0
    return not (_is_virama(before) and unicodedata.category(after) == "Lo") and not _joins_jamo(before, after)


def cut_before(text: str, position: int, low: int = 0) -> int:
    """The last place in ``low < place <= position`` where ``text`` may be cut; where there is none, the first one
    behind ``position``."""
    if position >= len(text):
        return len(text)
    place = position
    while place > low and not is_boundary(text, place, low):
        place -= 1
    if place > low:
        return place
    place = position + 1
    while not is_boundary(text, place, low):
        place += 1
    return place


def _extends(letter: str) -> bool:
    return (
        letter == _JOINER
        or unicodedata.category(letter)[0] == "M"
        or "\U0001f3fb" <= letter <= "\U0001f3ff"
        or ("\U000e0020" <= letter <= "\U000e007f" or letter in "\uff9e\uff9f\u200c")
    )


def _is_flag(letter: str) -> bool:
    return "\U0001f1e6" <= letter <= "\U0001f1ff"


def _flags_before(text: str, position: int, low: int) -> int:
    start = position
    while start > low and _is_flag(text[start - 1]):
        start -= 1
    return position - start


def _is_virama(letter: str) -> bool:
    return unicodedata.combining(letter) == 9


def _is_high(letter: str) -> bool:
    return "\ud800" <= letter <= "\udbff"


def _is_low(letter: str) -> bool:
    return "\udc00" <= letter <= "\udfff"


def _joins_jamo(before: str, after: str) -> bool:
    leading = "\u1100" <= before <= "\u115f" or "\ua960" <= before <= "\ua97c"
    vowel = "\u1160" <= after <= "\u11a7" or "\ud7b0" <= after <= "\ud7c6"
    trailing = "\u11a8" <= after <= "\u11ff" or "\ud7cb" <= after <= "\ud7fb"
    if leading:
        return vowel or "\u1100" <= after <= "\u115f" or "\uac00" <= after <= "\ud7a3"
    open_ = "\u1160" <= before <= "\u11a7" or ("\uac00" <= before <= "\ud7a3" and (ord(before) - 0xAC00) % 28 == 0)
    if open_:
        return vowel or trailing
    return trailing and ("\uac00" <= before <= "\ud7a3" or "\u11a8" <= before <= "\u11ff")
