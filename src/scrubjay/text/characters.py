"""Classes of characters as the inside of a regular expression's brackets, and text made safe to normalise."""

from __future__ import annotations

import re
import unicodedata

HAN = "\u2e80-\u2fd5\u3005-\u3007\u3021-\u3029\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
HIRAGANA = "\u3041-\u309f"
KANA = HIRAGANA + "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7fb"
CJK = HAN + KANA + HANGUL

# Thai, Lao, Myanmar and Khmer separate words by meaning, not by spaces: they are cut like CJK.
UNSPACED = CJK + "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u1000-\u104f\u1780-\u17d3"

CJK_PUNCTUATION = "\u3000-\u3004\u3008-\u3020\u3030-\u303f\u30fb\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"

EMOJI = "\u203c\u2049\u231a-\u23ff\u25b6\u25c0\u2600-\u27bf\u2934\u2935\u2b00-\u2bff\U0001f000-\U0001faff"

CYRILLIC = "\u0400-\u052f\u1c80-\u1c8f\u2de0-\u2dff\ua640-\ua69f"
LATIN = "A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u1e00-\u1eff\u2c60-\u2c7f\ua720-\ua7ff"

# Ordering a run of n combining marks costs n squared, so long runs are cut. Marks are not word characters, but for the
# two halfwidth sound marks, which become combining ones.
_MARK_RUN = re.compile(r"(?:[^\w\s\x00-\x7f]|[\uff9e\uff9f]){30}")
_HALFWIDTH_MARK = re.compile("[\uff9e\uff9f]")


def compatible(text: str) -> str:
    """``text`` in NFKC, in time linear to its length; a run of more than 30 combining marks is cut by spaces."""
    if text.isascii():
        return text
    if _HALFWIDTH_MARK.search(text) or not unicodedata.is_normalized("NFC", text):
        text = _MARK_RUN.sub(lambda run: run.group() + " ", text)
    return unicodedata.normalize("NFKC", text)
