"""Two estimates of how many tokens a text costs (R-COM-7)."""

from __future__ import annotations

import re
from functools import lru_cache

from scrubjay.text.characters import CJK_PUNCTUATION, UNSPACED


def token_count(text: str) -> int:
    """Tokens of ``text`` for budgets and for deciding where to cut: floor(1.3 × words), and one for each character
    of a script written without spaces (CJK, kana, Hangul, Thai), whose runs do not count as words (R-COM-7 ``Z``)."""
    if text.isascii():
        return on_disk_token_count(text)
    unspaced = sum(map(len, _runs().findall(text)))
    spaced = _breaks().sub(" ", text) if unspaced else text
    return on_disk_token_count(spaced) + unspaced


def on_disk_token_count(text: str) -> int:
    """The ``token_count`` of a memory's frontmatter: floor(1.3 × ``wc -w``) of the whole file (SM-4, R-COM-7)."""
    return len(text.split()) * 13 // 10


@lru_cache(maxsize=1)
def _runs() -> re.Pattern[str]:
    return re.compile(f"[{UNSPACED}]++")


@lru_cache(maxsize=1)
def _breaks() -> re.Pattern[str]:
    return re.compile(f"[{UNSPACED}{CJK_PUNCTUATION}]++")
