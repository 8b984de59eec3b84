"""Text as a terminal may show it: nothing in it moves a cursor or turns the direction of writing (SEC-3, F109)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from scrubjay.text.fence import harmless
from scrubjay.text.graphemes import cut_before

ELLIPSIS = "…"

_WIDE = (
    "\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60"
    "\U0001f300-\U0001faff\U00020000-\U0003fffd"
)
_PIECES = re.compile(rf"\s+|[{_WIDE}][\ufe0f\U0001f3fb-\U0001f3ff]*|[^\s{_WIDE}]+")


def one_line(text: str, limit: int | None = None) -> str:
    """``text`` without control characters on a single line, at most ``limit`` (three or more) columns of it."""
    # A memory may be megabytes long; what cannot be shown need not be cleaned either.
    shown = " ".join(harmless(text if limit is None else text[: limit * 8 + 200]).split())
    if limit is None or width(shown) <= limit:
        return shown
    return next(_fitted(shown, limit - 1), "").rstrip() + ELLIPSIS


def block(text: str) -> str:
    """``text`` without control characters, its line breaks kept."""
    return harmless(text.replace("\r\n", "\n").replace("\r", "\n"))


def packed(text: str) -> str:
    """The block for an agent, which is fenced on purpose, without control characters."""
    kept = "\n\t"
    return "".join(letter for letter in text if letter in kept or unicodedata.category(letter) not in ("Cc", "Cf"))


def wrap(text: str, columns: int, *, most: int, indent: str = "") -> list[str]:
    """``text`` in at most ``most`` lines of ``columns`` columns, each behind ``indent``; an ellipsis ends a cut one."""
    room = max(columns - width(indent), 10)
    shown = " ".join(harmless(text[: room * most * 4 + 200]).split())
    lines: list[str] = []
    for line in _fitted(shown, room):
        if len(lines) == most:
            lines[-1] = f"{next(_fitted(lines[-1], room - 2))} {ELLIPSIS}"
            break
        lines.append(line.rstrip())
    return [indent + line for line in lines]


def width(text: str) -> int:
    """How many columns ``text`` takes."""
    if text.isascii():
        return len(text)
    return sum(_columns(letter) for letter in text)


def _columns(letter: str) -> int:
    if unicodedata.category(letter) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in ("W", "F") else 1


def _fitted(text: str, room: int) -> Iterator[str]:
    """Lines of at most ``room`` columns, broken at spaces and between wide characters, within words only if need be."""
    line, used = "", 0
    for match in _PIECES.finditer(text):
        piece = match.group()
        needs = width(piece)
        if line and used + needs > room:
            yield line
            line, used = "", 0
        while needs > room:
            most = _fitting(piece, room)
            place = cut_before(piece, most)
            if place > most:  # one character of many code points, wider than a line
                place = most
            yield piece[:place]
            piece = piece[place:]
            needs = width(piece)
        if line or not piece.isspace():
            line, used = line + piece, used + needs
    if line:
        yield line


def _fitting(piece: str, room: int) -> int:
    used = 0
    for place, letter in enumerate(piece):
        used += _columns(letter)
        if used > room:
            return max(place, 1)
    return len(piece)


def strong(text: str) -> str:
    """``text`` to be seen first. The command line takes the codes out where they are not wanted."""
    return f"\x1b[1m{text}\x1b[0m"


def faint(text: str) -> str:
    """``text`` to be seen last."""
    return f"\x1b[2m{text}\x1b[0m"


def alert(text: str) -> str:
    """``text`` that nobody should overlook."""
    return f"\x1b[1;33m{text}\x1b[0m"


def gone(text: str) -> str:
    """``text`` that a change takes away."""
    return f"\x1b[31m{text}\x1b[0m"


def new(text: str) -> str:
    """``text`` that a change adds."""
    return f"\x1b[32m{text}\x1b[0m"


def count(number: int, thing: str) -> str:
    """``1 note``, ``1,234 notes``."""
    return f"{number:,} {thing}{'s' * (number != 1)}"
