"""Daily logs: what happened on a day, as dated bullets (CC-P7, XC-13).

The form of ``logs/YYYY/MM/YYYY-MM-DD.md`` is written, one file a day, added to at its end. The newer form of
``logs/YYYY/MM/DD/<id>-<title>.md``, one file a session, is read too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, time

from scrubjay.vaults.dialects.claude_memory import host

_BULLET = re.compile(r"- (?:(?P<time>\d{2}:\d{2})(?::\d{2})? )?(?P<text>\S.*)")
_SPEAKERS = {">": "user", "<": "assistant", ".": "tool"}
_SPACES = re.compile(r"\s+")
MOST_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    """A line of a log: when on its day, where it says so, what, and who said it where it says that."""

    text: str
    at: time | None = None
    speaker: str = ""


def path_of(day: date, *, folder: str = host.LOGS) -> str:
    """Where the log of ``day`` lies, relative to the memory."""
    return f"{folder}/{day:%Y}/{day:%m}/{day:%Y-%m-%d}.md"


def sessions_of(day: date, *, folder: str = host.LOGS) -> str:
    """The folder in which the newer form keeps the sessions of ``day``."""
    return f"{folder}/{day:%Y}/{day:%m}/{day:%d}/"


def bullet(text: str, at: time) -> str:
    """The line that is added for ``text``: one line, whatever it holds."""
    said = _SPACES.sub(" ", text).strip()[:MOST_CHARACTERS]
    return f"- {at:%H:%M} {said}\n"


def added(log: str, line: str, day: date) -> str:
    """``log`` with ``line`` at its end; a new one begins with its day."""
    if not log.strip():
        return f"# {day:%Y-%m-%d}\n\n{line}"
    return f"{log}{'' if log.endswith(chr(10)) else chr(10)}{line}"


def read(log: str) -> list[Happened]:
    """The lines of a log in either form, in order; what is neither a bullet nor said by somebody is left out."""
    found: list[Happened] = []
    for line in log.split("\n"):
        stripped = line.rstrip("\r")
        if match := _BULLET.fullmatch(stripped):
            found.append(Happened(text=match["text"].strip(), at=_time(match["time"])))
        elif stripped[:2] in ("> ", "< ", ". ") and stripped[2:].strip():
            found.append(Happened(text=stripped[2:].strip(), speaker=_SPEAKERS[stripped[0]]))
    return found


def _time(text: str | None) -> time | None:
    try:
        return time.fromisoformat(text) if text else None
    except ValueError:
        return None
