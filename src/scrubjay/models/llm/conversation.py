"""A conversation as data for a model: one JSON object a line, inside a fence that no text can close (SEC-3, F112).

A line of JSON holds no line break, so that whatever was said stays inside its own line; what chat templates and hosts
take for marks is written so that it is none. Secrets are taken out once more, since this leaves for a server (SEC-2).
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any

from scrubjay.text.secrets import redact
from scrubjay.types import Message

BEGIN, END = "BEGIN DATA", "END DATA"
PIECES = 4
"""Windows that one message may fill; of a longer one, the beginning and the end are read."""
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_CONTEXT = 100  # tokens of the message before a window, to understand it by


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A part of a conversation that fits into one call: ``text`` for the model, ``messages`` by their numbers in it,
    those aside that are there for context only."""

    text: str
    messages: Mapping[int, Message]


def tokens(text: str) -> int:
    """About how many tokens ``text`` is: four bytes are about one, in every script."""
    return len(text.encode("utf-8", "surrogatepass")) // 4 + 1


def fenced(objects: Iterable[Mapping[str, Any]]) -> str:
    """``objects`` as data between the two lines that prompts speak of."""
    return "\n".join([BEGIN, *map(_line, objects), END])


def windows(messages: Sequence[Message], *, zone: tzinfo, size: int) -> Iterator[Window]:
    """What people and assistants said, in parts of about ``size`` tokens; a part begins with the end of the message
    before it. Times are shown in ``zone``."""
    spoken = [(number, one) for number, one in enumerate(messages, 1) if one.role in ("user", "assistant")]
    lines: list[dict[str, Any]] = []
    inside: dict[int, Message] = {}
    used = 0
    before: dict[str, Any] | None = None
    for number, message in spoken:
        for piece in _pieces(clean(message.text), size):
            line = {"n": number, **_about(message, zone), "text": piece}
            cost = tokens(_line(line))
            if lines and used + cost > size:
                yield Window(text=fenced(lines), messages=inside)
                lines, inside = ([] if before is None else [_as_context(before)]), {}
                used = sum(tokens(_line(one)) for one in lines)
            lines.append(line)
            inside[number] = message
            used += cost
            before = line
    if inside:
        yield Window(text=fenced(lines), messages=inside)


def clean(text: str) -> str:
    """``text`` without secrets and without characters that nobody sees, in which instructions may hide."""
    redacted, _ = redact(text)
    if redacted.isascii() and redacted.isprintable():
        return redacted
    return "".join(letter for letter in redacted if not is_invisible(letter))


def line(text: str) -> str:
    """``text`` on one line, with single blanks and without what nobody sees."""
    return " ".join("".join(letter for letter in text if not is_invisible(letter)).split())


def is_invisible(letter: str) -> bool:
    """Whether ``letter`` is a control, a format character or half a surrogate pair; line breaks and tabs are seen."""
    return letter not in "\n\t\r" and unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co")


def _line(data: Mapping[str, Any]) -> str:
    written = json.dumps(data, ensure_ascii=False, separators=(", ", ": "))
    return written.replace("</", "<\\/").replace("<|", "\\u003c|").replace("|>", "|\\u003e")


def _about(message: Message, zone: tzinfo) -> dict[str, Any]:
    speaker = {"speaker": clean(message.speaker)[:80]} if message.speaker else {}
    at = {"at": _shown(message.at, zone)} if message.at else {}
    return {"role": message.role, **speaker, **at}


def _shown(at: datetime, zone: tzinfo) -> str:
    """The time on the clock of ``zone``, with the weekday, which "by Friday" needs."""
    with suppress(OverflowError):  # the first and the last day of the calendar are not there in every zone
        at = at.astimezone(zone)
    return f"{_WEEKDAYS[at.weekday()]} {at:%Y-%m-%d %H:%M}"


def _as_context(line: Mapping[str, Any]) -> dict[str, Any]:
    return {**line, "context": True, "text": line["text"][-_CONTEXT * 4 :]}


def _pieces(text: str, size: int) -> list[str]:
    """``text`` in pieces that fit into a window, cut at line ends or spaces where there are some."""
    room = max(size * 3, 300)  # bytes; the rest is for the line's own words
    pieces: list[str] = []
    while len(text.encode("utf-8", "replace")) > room:
        head = text.encode("utf-8", "replace")[:room].decode("utf-8", "ignore")
        cut = max(head.rfind("\n"), head.rfind(" "), len(head) // 2)
        pieces.append(text[:cut])
        text = text[cut:]
        if len(pieces) == PIECES - 1:
            tail = text.encode("utf-8", "replace")[-room:].decode("utf-8", "ignore")
            return [*pieces, tail]
    return [piece for piece in [*pieces, text] if piece.strip()]
