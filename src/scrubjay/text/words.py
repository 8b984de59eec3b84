"""From one token of text, such as ``src/app/main.py`` or ``don't``, to the words a reader may look for it by.

A token is what stands between spaces and sentence punctuation. Its words are the token itself, when it is a name made
of parts, and its parts, down to single words: ``getUserName`` gives ``getusername``, ``get``, ``user``, ``name``. All
are folded: case folded, Latin and Greek accents removed, ё as е. Query and index cut tokens the same way, so it is
enough that two spellings share one word.
"""

from __future__ import annotations

import re
import unicodedata

LONGEST = 80  # characters; a longer word is known by its beginning

_EDGES = "_.-/\\:@'’+#&"
_LEVELS = tuple(re.compile(pattern) for pattern in (r"[/\\:@#&+]+", r"\.+", r"[-_]+"))
_LEADS = frozenset({"--", "@", "#", "."})

_IGNORED = re.compile("[\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff]+")
_ACCENTS = re.compile("(?<![\u0400-\u052f])[\u0300-\u036f]+")
_STRAY_MARKS = re.compile("[\u0300-\u036f\u0483-\u0489]+")
_LETTERS = str.maketrans({"ё": "е", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"})

_HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_MIXED = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]|[A-Za-z][0-9]|[0-9][A-Za-z]")
_MOST_HUMPS = 8  # more of them, and it is no name but an encoded blob

_HEX = re.compile(r"(?=[0-9a-fA-F]*[0-9])(?=[0-9]*[a-fA-F])[0-9a-fA-F]{7,128}")
_SHORT_HASH = 7
_NUMERIC = re.compile(r"[vV]?[0-9]+(?:[._:/-][0-9]+)+")
_GROUPED = re.compile(r"[0-9]{1,3}(?:_[0-9]{3})+")
_STAMP = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})[T_][0-9]{2}")

_POSSESSIVE = re.compile(r"['’][sS]$")
_CONTRACTION = re.compile(r"([^']+?)(n't|'(?:s|re|ve|ll|d|m))", re.IGNORECASE)
_IRREGULAR = {"won't": ("will", "not"), "can't": ("can", "not"), "shan't": ("shall", "not"), "ain't": ("is", "not")}
_AUXILIARIES = "do does did is are was were has have had would could should must need".split()
_CONTRACTED = {"cannot": ("can", "not")} | {f"{verb}nt": (verb, "not") for verb in _AUXILIARIES}


def fold(word: str) -> str:
    """``word`` with case, accents and invisible characters out of the way; ``word`` is in NFKC."""
    word = word.casefold()
    if word.isascii():
        return word
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", _IGNORED.sub("", word)))
    return _STRAY_MARKS.sub("", unicodedata.normalize("NFC", bare).translate(_LETTERS))


def words_of(token: str) -> list[str]:
    """The folded words of a token, whole names before their parts; none for a token of joiners only."""
    if token.isascii() and token.islower() and token.isalpha() and token not in _CONTRACTED:
        return [token[:LONGEST]]  # most tokens are words, and speed is felt here
    found: dict[str, None] = {}
    token = _POSSESSIVE.sub("", token)
    core = token.strip(_EDGES)
    if not core:
        return []
    start = token.index(core)
    marked = _marked(token[:start], core, token[start + len(core) :])
    if marked != core:
        found[_clip(fold(marked))] = None
        if len(core) == 1:
            return list(found)
    _expand(core, 0, found)
    found.pop("", None)
    return list(found)


def _marked(lead: str, core: str, tail: str) -> str:
    """``core`` with the signs that belong to a name: ``--flag``, ``@scope``, ``#tag``, ``.NET``, ``C++``, ``C#``."""
    if lead in _LEADS and (core[0].isalpha() or lead == "#"):
        return lead + core
    if core[-1].isalpha() and tail[:2] == "++":
        return core + "++"
    if len(core) == 1 and core.isalpha() and tail[:1] == "#":
        return core + "#"
    return core


def _expand(piece: str, level: int, found: dict[str, None]) -> None:
    """Adds ``piece`` and, where a joiner of ``level`` or finer cuts it, its parts."""
    if piece.isalnum():
        _add_word(piece, found)
        return
    if _NUMERIC.fullmatch(piece):
        _add_numeric(piece, found)
        return
    if stamp := _STAMP.match(piece):
        found[_clip(fold(piece))] = None
        _add_numeric(stamp.group(1), found)
        return
    for finer in range(level, len(_LEVELS)):
        parts = [bare for part in _LEVELS[finer].split(piece) if (bare := part.strip(_EDGES))]
        if len(parts) > 1:
            _add_name(piece, parts, finer, found)
            return
    _add_word(piece, found)


def _add_name(piece: str, parts: list[str], level: int, found: dict[str, None]) -> None:
    found[_clip(fold(piece))] = None
    if level == len(_LEVELS) - 1 and len(parts) <= 4:
        found[_clip(fold("".join(parts)))] = None  # wi-fi is wifi, user_name is userName
    dotted = level == 1
    for part in parts:
        if not (dotted and len(part) < 3 and part.isdecimal()):
            _expand(part, level + 1, found)


def _add_numeric(piece: str, found: dict[str, None]) -> None:
    """Versions, dates, addresses, times: whole, without a ``v``, as major.minor, and their long numbers."""
    bare = piece.lstrip("vV")
    found[_clip(piece.casefold())] = None
    found[_clip(bare)] = None
    if _GROUPED.fullmatch(bare):
        found[_clip(bare.replace("_", ""))] = None
    address, colon, _port = bare.partition(":")
    if colon and "." in address:
        found[_clip(address)] = None
    elif bare.count(".") >= 2:
        found[_clip(".".join(bare.split(".")[:2]))] = None
    for number in re.split(r"\D+", bare):
        if len(number) >= 3:
            found[_clip(number)] = None


def _add_word(word: str, found: dict[str, None]) -> None:
    if "'" in word or "’" in word:
        _add_apostrophe(word.replace("’", "'"), found)
        return
    folded = fold(word)
    if folded in _CONTRACTED:
        found.update(dict.fromkeys(_CONTRACTED[folded]))
    found[_clip(folded)] = None
    if _HEX.fullmatch(word):
        found[folded[:_SHORT_HASH]] = None
    elif len(word) <= LONGEST and _MIXED.search(word):
        humps = _HUMPS.findall(word)
        if 1 < len(humps) <= _MOST_HUMPS:
            found.update((fold(hump), None) for hump in humps if len(hump) > 1)


def _add_apostrophe(word: str, found: dict[str, None]) -> None:
    """``don't`` is do and not, ``Caroline's`` is caroline, ``O'Brien`` is obrien, o and brien."""
    if irregular := _IRREGULAR.get(word.casefold()):
        found.update(dict.fromkeys(irregular))
    elif contraction := _CONTRACTION.fullmatch(word):
        _add_word(contraction.group(1), found)
        if contraction.group(2).casefold() == "n't":
            found["not"] = None
    else:
        parts = [part for part in word.split("'") if part]
        if len(parts) > 1:
            found[_clip(fold("".join(parts)))] = None
        for part in parts:
            _add_word(part, found)
        if "n't" in word.casefold():
            found["not"] = None  # shouldn't've


def _clip(word: str) -> str:
    return word[:LONGEST]
