"""Edits of a text as the memory tool defines them: pure, and on ``\\n`` alone (MT-3, MT-5, MT-7 c and d)."""

from __future__ import annotations

from dataclasses import dataclass

from scrubjay.interfaces.memory_tool.wording import Wording

WIDTH = 6  # of a line number
_AROUND = 2  # lines shown before and after a change
_MOST_ECHOED = 2_000  # characters of what was looked for
_MOST_LINES = 100  # line numbers named when there are several places


def numbered(lines: list[str], first: int) -> list[str]:
    """``lines`` with their numbers, the first of which is ``first``."""
    return [f"{number:>{WIDTH}}\t{line}" for number, line in enumerate(lines, first)]


@dataclass(slots=True)
class Replacement:
    """Replaces the one place where ``old`` stands by ``new``; ``at`` is where that was, in characters, once done."""

    path: str
    old: str
    new: str
    wording: Wording
    at: int = 0

    def __call__(self, text: str) -> str:
        """``text`` after the change. Raises ``Refusal`` when ``old`` stands nowhere or in several places."""
        places = _places(text, self.old)
        if not places:
            raise self.wording.refusal("not verbatim", old_str=_short(self.old), path=self.path)
        if len(places) > 1:
            numbers = [str(text.count("\n", 0, place) + 1) for place in places[:_MOST_LINES]]
            listed = ", ".join([*numbers, "…"] if len(places) > _MOST_LINES else numbers)
            raise self.wording.refusal("several", old_str=_short(self.old), lines=listed)
        self.at = places[0]
        return text[: self.at] + self.new + text[self.at + len(self.old) :]

    def snippet(self, text: str) -> str:
        """The lines of the changed ``text`` around the change, with their numbers."""
        changed = text.count("\n", 0, self.at)
        start = max(0, changed - _AROUND)
        return "\n".join(numbered(text.split("\n")[start : changed + _AROUND + 1], start + 1))


@dataclass(frozen=True, slots=True)
class Insertion:
    """Puts ``addition`` after line ``line``; 0 is the top."""

    line: int
    addition: str
    wording: Wording

    def __call__(self, text: str) -> str:
        """``text`` after the change, with a line end at its end. Raises ``Refusal`` when there is no such line."""
        lines = text.split("\n")
        if not lines[-1]:
            lines.pop()
        if not 0 <= self.line <= len(lines):
            raise self.wording.refusal("bad line", line=self.line, total=len(lines))
        lines.insert(self.line, self.addition.rstrip("\n"))
        changed = "\n".join(lines)
        return changed if changed.endswith("\n") else f"{changed}\n"


def _places(text: str, wanted: str) -> list[int]:
    """Where ``wanted`` begins in ``text``; places may overlap. An empty text stands nowhere."""
    found: list[int] = []
    place = text.find(wanted) if wanted else -1
    while place >= 0 and len(found) <= _MOST_LINES:
        found.append(place)
        place = text.find(wanted, place + 1)
    return found


def _short(text: str) -> str:
    return text if len(text) <= _MOST_ECHOED else f"{text[:_MOST_ECHOED]}…"
