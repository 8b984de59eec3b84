"""Putting an entry into the text of a settings file, and taking it out again, without touching another byte."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from scrubjay.errors import BadInput
from scrubjay.interfaces.install.hosts import Entry, is_ours
from scrubjay.text import jsonc

Made = tuple[tuple[str, ...], ...]


class Unreadable(BadInput):
    """The text is not what it must be; ``line`` is 1-based."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


def find(text: str, entry: Entry) -> Any:
    """What stands in ``text`` where ``entry`` would: its value; of a list the item that is ours. ``None`` for nothing.

    Raises ``Unreadable``.
    """
    if entry.form == "file":
        return text
    found: Any = _tables(text) if entry.form == "table" else _json(text)
    for name in entry.path:
        if not isinstance(found, Mapping) or name not in found:
            return None
        found = found[name]
    if entry.form == "item":
        return next((item for item in found if is_ours(item)), None) if isinstance(found, list) else None
    return found


def put(text: str, entry: Entry) -> tuple[str, Made]:
    """``text`` with ``entry``, and which objects and lists on its way had to be made. Raises ``Unreadable``."""
    if entry.form == "file":
        return entry.value, ()
    if entry.form == "table":
        return _with_table(text, entry), ()
    way = entry.path if entry.form == "item" else entry.path[:-1]
    there = _json(text)
    made = tuple(way[: depth + 1] for depth in range(len(way)) if _at(there, way[: depth + 1]) is None)
    try:
        changed = (jsonc.append if entry.form == "item" else jsonc.put)(text, entry.path, entry.value)
    except jsonc.Malformed as error:
        raise Unreadable(error.line, error.message) from None
    except KeyError:
        raise Unreadable(1, f"has {'.'.join(entry.path)} already") from None
    return changed, made


def take(text: str, entry: Entry, made: Made) -> str:
    """``text`` without ``entry``, and without what was made for it where that is empty now. What is not there any more,
    or was changed by somebody, stays as it is. Raises ``Unreadable``."""
    if entry.form == "table":
        return _without_table(text, entry)
    try:
        if entry.form == "member" and _at(_json(text), entry.path) == entry.value:
            text = jsonc.take(text, entry.path)
        elif entry.form == "item" and isinstance(items := _at(_json(text), entry.path), list) and entry.value in items:
            text = jsonc.take(text, [*entry.path, items.index(entry.value)])
        for way in sorted(made, key=len, reverse=True):
            if _at(_json(text), way) in ({}, []):
                text = jsonc.take(text, way)
    except jsonc.Malformed as error:
        raise Unreadable(error.line, error.message) from None
    return text


def _json(text: str) -> Any:
    if not text.strip("\ufeff \t\r\n"):
        return {}
    try:
        return jsonc.parse(text).plain()
    except jsonc.Malformed as error:
        raise Unreadable(error.line, error.message) from None


def _at(found: Any, way: Sequence[str]) -> Any:
    for name in way:
        if not isinstance(found, Mapping) or name not in found:
            return None
        found = found[name]
    return found


def _tables(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        raise Unreadable(int(line.group(1)) if line else 1, "is not TOML here") from None


def _with_table(text: str, entry: Entry) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text.strip() else newline if text.endswith("\n") else newline * 2
    changed = text + gap + _table(entry).replace("\n", newline)
    try:
        whole = _tables(changed)
    except Unreadable:
        whole = {}
    if _at(whole, entry.path) != entry.value:
        raise Unreadable(1, f"does not take a table {'.'.join(entry.path)} at its end")
    return changed


def _table(entry: Entry) -> str:
    rows = "".join(f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in entry.value.items())
    return f"[{'.'.join(entry.path)}]\n{rows}"


def _without_table(text: str, entry: Entry) -> str:
    before = _tables(text)
    if _at(before, entry.path) != entry.value:
        return text
    newline = "\r\n" if "\r\n" in text else "\n"
    block = _table(entry).replace("\n", newline)
    start = text.find(block)
    if start < 0:
        raise Unreadable(1, f"holds the table {'.'.join(entry.path)} in another form")
    head, tail = text[:start], text[start + len(block) :]
    if not tail.strip():
        head = head.removesuffix(newline)
    return head + tail
