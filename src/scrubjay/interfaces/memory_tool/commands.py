"""What a model asks of its memory: one dataclass a command, made from the input of a tool call (MT-2).

Inputs are written by a model and checked here: what is missing or of another type is a ``Refusal`` that names the
field.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scrubjay.interfaces.memory_tool.wording import Wording
from scrubjay.vaults.encoding import to_bytes

_MOST_SHOWN = 100  # characters of a name that nobody knows


@dataclass(frozen=True, slots=True)
class View:
    """Shows a folder, or the lines ``first`` to ``last`` of a file; ``last`` -1 is the end."""

    path: str
    range: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Create:
    """Makes a new file."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Replace:
    """Replaces the one place where ``old`` stands; without ``new`` it is cut out."""

    path: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Insert:
    """Puts ``text`` after line ``line``; 0 is the top."""

    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Delete:
    """Removes a file or a folder."""

    path: str


@dataclass(frozen=True, slots=True)
class Rename:
    """Moves a file or a folder."""

    source: str
    target: str


Command = View | Create | Replace | Insert | Delete | Rename


def read(given: object, wording: Wording) -> Command:
    """The command that ``given``, the input of a tool call, means. Raises ``Refusal``."""
    if not isinstance(given, Mapping):
        raise wording.refusal("no input")
    fields = _Fields(given, wording)
    match given.get("command"):
        case "view":
            return View(fields.path("path"), fields.range("view_range"))
        case "create":
            return Create(fields.path("path"), fields.text("file_text"))
        case "str_replace":
            return Replace(fields.path("path"), fields.text("old_str"), fields.text("new_str", default=""))
        case "insert":
            return Insert(fields.path("path"), fields.number("insert_line"), fields.text("insert_text"))
        case "delete":
            return Delete(fields.path("path"))
        case "rename":
            return Rename(fields.path("old_path"), fields.path("new_path"))
        case None:
            raise wording.refusal("no input")
        case other:
            raise wording.refusal("unknown command", command=str(other)[:_MOST_SHOWN])


class _Fields:
    """The fields of one input, each by its type."""

    def __init__(self, given: Mapping[object, object], wording: Wording) -> None:
        self._given = given
        self._wording = wording

    def path(self, name: str) -> str:
        value = self._required(name)
        if not isinstance(value, str):
            raise self._wrong(name, "a path")
        return value

    def text(self, name: str, *, default: str | None = None) -> str:
        """A text; halves of characters are joined, and lone ones replaced, for no file can hold them (F109)."""
        value = self._given.get(name) if default is not None else self._required(name)
        if value is None:
            return default or ""
        if not isinstance(value, str):
            raise self._wrong(name, "a text")
        return to_bytes(value, fresh=False).decode("utf-8")

    def number(self, name: str) -> int:
        value = _whole(self._required(name))
        if value is None:
            raise self._wrong(name, "a whole number")
        return value

    def range(self, name: str) -> tuple[int, int] | None:
        value = self._given.get(name)
        if value is None or value == []:
            return None
        numbers = [_whole(item) for item in value] if isinstance(value, list | tuple) else []
        if len(numbers) != 2 or numbers[0] is None or numbers[1] is None:
            raise self._wrong(name, "two line numbers, the first and the last")
        return numbers[0], numbers[1]

    def _required(self, name: str) -> object:
        value = self._given.get(name)
        if value is None:
            raise self._wording.refusal("missing field", command=self._given.get("command"), field=name)
        return value

    def _wrong(self, name: str, expected: str) -> Exception:
        return self._wording.refusal("wrong field", field=name, expected=expected)


def _whole(value: object) -> int | None:
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None
