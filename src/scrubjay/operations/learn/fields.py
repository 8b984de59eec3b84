"""Reading JSON that people and programs wrote: what is missing, of another type or misspelled is an error by name."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

from scrubjay.errors import BadInput
from scrubjay.temporal import parse_time

MOST_BYTES = 256 * 1024 * 1024
HINT = "Compare it with what `scrubjay learn --plan` writes."

Json = dict[str, Any]
Item = TypeVar("Item")


class Fields:
    """The fields of one object of a file: each is asked for once, with its type, and none may be left over."""

    def __init__(self, value: object, file: str, place: str) -> None:
        self.file, self.place = file, place
        self._left: dict[str, object] = {}
        if not isinstance(value, dict):
            raise BadInput(f"{file}: {place or 'the file'} must be an object.", hint=HINT)
        self._left = dict(value)

    def take(self, name: str, default: object = None) -> object:
        """The value of ``name``, or ``default`` where it is missing or null."""
        value = self._left.pop(name, None)
        return default if value is None else value

    def ignore(self, *names: str) -> None:
        """Passes over ``names``, which are written for readers."""
        for name in names:
            self._left.pop(name, None)

    def text(self, name: str, default: str | None = None) -> str:
        """A text."""
        value = self.take(name, default)
        if not isinstance(value, str):
            raise self.wrong(name, "must be a text")
        return value

    def number(self, name: str, default: int = 0) -> int:
        """A whole number."""
        value = self.take(name, default)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise self.wrong(name, "must be a whole number")
        return value

    def share(self, name: str) -> float | None:
        """A number, or ``None``."""
        value = self.take(name)
        if value is None:
            return None
        if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
            raise self.wrong(name, "must be a number")
        return float(value)

    def choice(self, name: str, known: tuple[str, ...]) -> Any:
        """One of ``known``."""
        value = self.take(name)
        if value not in known:
            raise self.wrong(name, f"must be one of {', '.join(known)}")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts."""
        value = self.take(name, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.wrong(name, "must be a list of texts")
        return tuple(value)

    def lines(self, name: str) -> tuple[int, int]:
        """Lines such as ``15-42``."""
        first, dash, last = self.text(name, "1-1").partition("-")
        if not (dash and first.isascii() and first.isdigit() and last.isascii() and last.isdigit() and len(last) < 10):
            raise self.wrong(name, "must be like 15-42")
        return int(first), int(last)

    def time(self, name: str) -> datetime:
        """A moment."""
        try:
            return parse_time(self.text(name))
        except BadInput:
            raise self.wrong(name, "must be a time such as 2026-05-31T14:00:00Z") from None

    def mapping(self, name: str) -> Json:
        """An object, as it is."""
        value = self.take(name, {})
        if not isinstance(value, dict):
            raise self.wrong(name, "must be an object")
        return value

    def inner(self, name: str) -> Fields:
        """An object with fields of its own."""
        return Fields(self.take(name), self.file, f"{self.place}.{name}".lstrip("."))

    def list(self, name: str, *, required: bool = False) -> list[Fields]:
        """A list of objects; one that is not there is empty, unless it is ``required``."""
        value = self.take(name, None if required else [])
        if not isinstance(value, list):
            raise self.wrong(name, "must be a list")
        place = f"{self.place}.{name}".lstrip(".")
        return [Fields(item, self.file, f"{place}[{number}]") for number, item in enumerate(value)]

    def all(self, name: str, read: Callable[[Fields], Item]) -> tuple[Item, ...]:
        """A list of objects, each read by ``read``."""
        return tuple(read(fields) for fields in self.list(name))

    def finish(self) -> None:
        """Raises ``BadInput`` for what nobody asked for: it may be a misspelled answer."""
        for name in self._left:
            raise self.wrong(name, "is not a field that belongs here")

    def wrong(self, name: str, reason: str) -> BadInput:
        """What is wrong with ``name``, as an error to raise."""
        return BadInput(f"{self.file}: {self.place}.{name} {reason}.".replace(": .", ": "), hint=HINT)


def loaded(text: str | bytes, name: str) -> object:
    """The JSON value in ``text``. Raises ``BadInput`` naming ``name`` and the line."""
    if len(text) > MOST_BYTES:
        raise BadInput(f"{name} is larger than {MOST_BYTES // 1024 // 1024} MB.", hint=HINT)
    try:
        return json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise BadInput(f"{name}, line {error.lineno}: {error.msg}.", hint=HINT) from None
    except (UnicodeDecodeError, RecursionError, ValueError) as error:
        raise BadInput(f"{name} cannot be read as JSON: {error}.", hint=HINT) from None


def _no_constant(word: str) -> object:
    raise ValueError(f"{word} is no JSON")
