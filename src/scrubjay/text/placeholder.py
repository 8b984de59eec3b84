"""Lines that stand for text which is not there: "[rest unchanged…]", "# ... existing code ..." (F5).

Deliberately narrow: nothing but the stand-in on the line, an ellipsis or brackets around it, and a word that says that
something was left out.
"""

from __future__ import annotations

import re

_MARKS = "#/*-;%> \t"
_LONGEST = 100
_ELLIPSIS = re.compile(r"\.{3,}|…")
_BRACKETED = re.compile(r"\[[^\[\]]*\]|\([^()]*\)|（[^（）]*）|【[^【】]*】")
_LEFT_OUT = re.compile(
    r"\b(?:rest|remaining|remainder|unchanged|existing|omitted|previous|as before|same as above)\b"
    r"|\b(?:остальн|без изменени|пропущен|прежн|как раньше|как было)"
    r"|其余|其餘|剩余|不变|不變|省略|同上|原有|现有|現有",
    re.IGNORECASE,
)


def placeholder(text: str) -> str | None:
    """The first line of ``text`` that is such a stand-in, or ``None``."""
    for line in text.splitlines():
        bare = line.strip(_MARKS)
        if bare and len(bare) <= _LONGEST and _stands_in(bare):
            return line.strip()
    return None


def _stands_in(line: str) -> bool:
    shaped = line[0] in "[(（【.…" or line.startswith("<!--") or line.endswith("...") or "…" in line[-3:]
    if not shaped or not _LEFT_OUT.search(line):
        return False
    if _BRACKETED.fullmatch(line) or line.startswith("<!--"):
        return True
    return bool(_ELLIPSIS.match(line) or (_ELLIPSIS.search(line[-3:]) and len(line.split()) <= 6))
