"""The words of a question as symbols of time (``date_words``), with their places in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any

from scrubjay.text.characters import HAN
from scrubjay.text.date_words import CHINESE, CHINESE_DIGITS, LONGEST_PHRASE, VERBS, WORDS


@dataclass(frozen=True, slots=True)
class Token:
    """A word of the question; ``symbol`` is ``.`` where it says nothing about time.

    Beside the symbols of ``date_words``: ``N`` a number in digits, ``V`` a month written like a verb (``may``),
    ``y`` a year, ``o`` a day of a month, ``D`` a full date as its possible (year, month, day or None), ``q`` a
    quarter, ``e`` a decade by its first year.
    """

    symbol: str
    value: Any
    start: int
    end: int


_ISO = re.compile(r"([0-9]{4})([-/.])([0-9]{1,2})\2([0-9]{1,2})(?:T[0-9:.]*(?:Z|[+-][0-9:]+)?)?")
_ISO_MONTH = re.compile(r"([0-9]{4})-([0-9]{2})")
_DAY_FIRST = re.compile(r"([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})")
_SLASHES = re.compile(r"([0-9]{1,2})/([0-9]{1,2})/([0-9]{4})")
_ORDINAL = re.compile(r"([0-9]{1,2})(?:st|nd|rd|th|-?го|-?е|-?ое)")
_DECADE = re.compile(r"(19|20)?([0-9])0(?:s|-?е|-?х|-?ые|-?ых)")
_QUARTER = re.compile(r"q([1-4])")
_NUMBER = re.compile(r"[0-9]{1,30}")
_YEARS = (1900, 2100)

_APART = '\\s,;?!()\\[\\]{}"“”«»<>|，。、；：？！（）'
_LOOSE = re.compile(f"[^{_APART}]+|[;?!|。；？！]")
_FIRST_HAN = "\u2e80"
_HYPHENS = re.compile(r"[-–—]")
_PIECE = re.compile(r"[^\W\d_]+|[0-9]{1,2}|[0-9]{4}")


def tokens_of(text: str) -> list[Token]:
    """The tokens of ``text``; words without weight (``x``) are left out."""
    found = list(_phrases(text, list(_raw(text))))
    return [token for token in found if token.symbol != "x"]


def _raw(text: str) -> Iterator[Token]:
    pattern = _mixed() if max(text, default="") >= _FIRST_HAN else _LOOSE
    for match in pattern.finditer(text):
        if match.lastgroup:
            yield _chinese(match)
        else:
            yield from _loose(match.group(), match.start())


def _loose(chunk: str, start: int) -> Iterator[Token]:
    bare = chunk.rstrip(".:'’*_`").removesuffix("'s").removesuffix("’s")
    lead = len(bare) - len(bare.lstrip("'’*_`"))
    bare = bare[lead:]
    start += lead
    token = _token(bare, start)
    pieces = _HYPHENS.split(bare)
    if token.symbol == "." and len(pieces) == 2 and all(_PIECE.fullmatch(piece) for piece in pieces):
        yield from _hyphenated(pieces, start)
    else:
        yield token


def _hyphenated(pieces: list[str], start: int) -> Iterator[Token]:
    for number, piece in enumerate(pieces):
        if number:
            yield Token("h", 0, start - 1, start)
        yield _token(piece, start)
        start += len(piece) + 1


def _token(word: str, start: int) -> Token:
    folded = word.casefold().replace("ё", "е")
    symbol, value = WORDS.get(folded) or _figures(folded, word) or (".", folded)
    if symbol == "M" and word in VERBS:
        symbol = "V"
    return Token(symbol, value, start, start + len(word))


def _figures(folded: str, word: str) -> tuple[str, Any] | None:
    if folded in {"-", "–", "—"}:
        return "h", 0
    if not any(letter in "0123456789" for letter in folded):
        return None
    if match := _ISO.fullmatch(word):
        return _date(match[1], match[3], match[4])
    if match := _ISO_MONTH.fullmatch(folded):
        return _date(match[1], match[2], None)
    if match := _DAY_FIRST.fullmatch(folded):
        return _date(match[3], match[2], match[1])
    if match := _SLASHES.fullmatch(folded):
        return _date(match[3], match[1], match[2], swapped=True)
    if (match := _ORDINAL.fullmatch(folded)) and int(match[1]) <= 31:
        return "o", int(match[1])
    if match := _DECADE.fullmatch(folded):
        century = match[1] or ("19" if int(match[2]) > 2 else "20")
        return "e", int(century + match[2] + "0")
    if match := _QUARTER.fullmatch(folded):
        return "q", int(match[1])
    if _NUMBER.fullmatch(folded):
        return _number(int(folded), len(folded))
    return None


def _number(number: int, digits: int) -> tuple[str, Any]:
    if digits == 4 and _YEARS[0] <= number < _YEARS[1]:
        return "y", number
    return "N", (number, number)


def _date(year: str, month: str, day: str | None, *, swapped: bool = False) -> tuple[str, Any] | None:
    """A valid date; where month and day may be ``swapped``, the month comes first if it can, the other is kept."""
    readings = [(int(year), int(month), int(day) if day else None)]
    if swapped and day and month != day:
        readings.append((int(year), int(day), int(month)))
    valid = [reading for reading in readings if _exists(*reading)]
    return ("D", tuple(valid)) if valid else None


def _exists(year: int, month: int, day: int | None) -> bool:
    try:
        date(year, month, day or 1)
    except ValueError:
        return False
    return True


def _phrases(text: str, tokens: list[Token]) -> Iterator[Token]:
    """Joins words that make sense only together, such as "a couple of"."""
    position = 0
    while position < len(tokens):
        for length in range(min(LONGEST_PHRASE, len(tokens) - position), 1, -1):
            last = tokens[position + length - 1]
            phrase = " ".join(text[tokens[position].start : last.end].casefold().split())
            if entry := WORDS.get(phrase):
                yield Token(entry[0], entry[1], tokens[position].start, last.end)
                position += length
                break
        else:
            yield tokens[position]
            position += 1


# --- Chinese ---------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _mixed() -> re.Pattern[str]:
    digits, numerals = "〇零一二三四五六七八九", "一二两兩三四五六七八九十"
    units = "|".join(sorted((word for word, entry in CHINESE.items() if entry[0] == "u"), key=len, reverse=True))
    words = "|".join(sorted(CHINESE, key=len, reverse=True))
    return re.compile(
        rf"(?P<y>(?<![0-9])[0-9]{{4}}|[{digits}]{{4}})年"
        rf"|(?P<m>(?<![0-9])[0-9]{{1,2}}|[{numerals}]{{1,3}})月份?(?!前)"
        rf"|(?P<o>(?<![0-9])[0-9]{{1,2}}|[{numerals}]{{1,3}})[日号號](?!前)"
        rf"|(?P<e>[0-9]0|[{numerals}]十)年代"
        rf"|(?P<n>(?<![0-9.])[0-9]{{1,6}}|[{numerals}]{{1,3}}|几|幾|数|數)(?=[ 个個]*(?:{units}))"
        rf"|(?P<word>{words})|(?P<other>[{HAN}])|[^{_APART}{HAN}]+|[;?!|。；？！]"
    )


def _chinese(match: re.Match[str]) -> Token:
    kind, start, end = str(match.lastgroup), match.start(), match.end()
    if kind == "other":
        return Token(".", match.group(), start, end)
    if kind == "word":
        return Token(*CHINESE[match.group()], start, end)
    written = match.group(kind)
    if kind == "n":
        number = _chinese_number(written)
        return Token("n", (number, number) if number else (2, 5), start, end)
    if kind == "e":
        tens = _chinese_number(written)
        return Token("e", (1900 if tens > 20 else 2000) + tens, start, end)
    return Token(kind, _chinese_number(written), start, end)


def _chinese_number(written: str) -> int:
    """十五 is 15, 二十 is 20, 二〇二三 is 2023; 0 for 几 and 数."""
    if written.isascii():
        return int(written)
    if "十" in written:
        tens, _, ones = written.partition("十")
        return 10 * (CHINESE_DIGITS.get(tens, 1)) + CHINESE_DIGITS.get(ones, 0)
    digits = "".join(str(CHINESE_DIGITS[letter]) for letter in written if letter in CHINESE_DIGITS)
    return int(digits or 0)
