"""The fence around what an agent reads from memory, and what may not get into it (SEC-3, HK-8)."""

from __future__ import annotations

import re

OPENING = "<memory-context>"
CLOSING = "</memory-context>"

_TAGS = re.compile(r"<\s*(/?)\s*(memory-context|system-reminder|system)\b", re.IGNORECASE)
# Unicode's controls but newline and tab, and its format characters: direction marks, joiners, tags (Cc, Cf).
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f]+"
)


def harmless(text: str) -> str:
    """``text`` without control and direction characters, and with our fence tags defused (SEC-3)."""
    return _TAGS.sub(r"‹\1\2", _INVISIBLE.sub("", text))
