"""Changing one thing in JSON and leaving every other byte: order, indentation, comments, commas, line endings.

What ``put`` and ``append`` add, ``take`` takes out again so that the text is as before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from scrubjay.text.jsonc.parse import Malformed, Node, parse

Path = Sequence[str | int]


def put(text: str, path: Path, value: Any) -> str:
    """``text`` with ``value`` at ``path``, whose last part is a key; objects on the way are made where they lack.

    Raises ``Malformed`` for a text that is not JSON or has something else on the way, ``KeyError`` when there is a
    value already.
    """
    text = _begun(text)
    parent, missing = _reach(text, path[:-1])
    if parent.kind != "object":
        raise Malformed(1, f"{'.'.join(map(str, path[:-1]))} is not an object")
    if not missing and parent.get(str(path[-1])) is not None:
        raise KeyError(path[-1])
    for name in reversed([*missing[1:], path[-1]] if missing else []):
        value = {name: value}
    return _added(text, parent, str(missing[0] if missing else path[-1]), value)


def append(text: str, path: Path, value: Any) -> str:
    """``text`` with ``value`` as the last item of the array at ``path``, which is made where it is missing."""
    text = _begun(text)
    parent, missing = _reach(text, path)
    if missing:
        return put(text, path, [value])
    if parent.kind != "array":
        raise Malformed(1, f"{'.'.join(map(str, path))} is not a list")
    return _added(text, parent, None, value)


def take(text: str, path: Path) -> str:
    """``text`` without what is at ``path``. Raises ``KeyError`` when there is nothing."""
    parent, missing = _reach(text, path[:-1])
    last = path[-1]
    if missing:
        raise KeyError(last)
    if isinstance(last, int):
        place = last
    else:
        places = [number for number, name in enumerate(parent.keys) if name == last]
        place = places[-1] if places else -1
    if not 0 <= place < len(parent.items):
        raise KeyError(last)
    return _without(text, parent, place)


def _begun(text: str) -> str:
    """``text``, an empty one as an empty object."""
    return text if text.strip("\ufeff \t\r\n") else text + "{}"


def _reach(text: str, path: Path) -> tuple[Node, list[str | int]]:
    """The node at ``path``, or the deepest one on the way with the names that are missing below it."""
    node = parse(text)
    for depth, name in enumerate(path):
        if isinstance(name, int):
            node = node.items[name]
            continue
        if node.kind != "object":
            raise Malformed(1, f"{'.'.join(map(str, path[:depth])) or 'the whole'} is not an object")
        inner = node.get(name)
        if inner is None:
            return node, list(path[depth:])
        node = inner
    if node.kind == "scalar":
        raise Malformed(1, f"{'.'.join(map(str, path)) or 'the whole'} is not an object")
    return node, []


def _added(text: str, parent: Node, key: str | None, value: Any) -> str:
    data = text.encode("utf-8", "surrogatepass")
    newline = "\r\n" if "\r\n" in text else "\n"
    unit = _unit(text)
    outer = _indent_at(data, parent.start)
    inside = _members_indent(data, parent)
    one_line = bool(parent.items) and inside is None
    indent = inside if inside is not None else outer + unit
    said = json.dumps(value, ensure_ascii=False, indent=None if one_line else unit)
    said = said.replace("\n", newline + indent)
    member = f"{json.dumps(key, ensure_ascii=False)}: {said}" if key is not None else said
    if not parent.items:
        gap = data[parent.start + 1 : parent.end - 1].decode("utf-8", "surrogatepass")
        kept = gap.rstrip() if gap.strip() else ""
        new = f"{kept}{newline}{indent}{member}{newline}{outer}"
        return _spliced(data, parent.start + 1, parent.end - 1, new)
    end = parent.items[-1].end
    comma = _comma_behind(data, end, parent.end)
    lead = " " if one_line else newline + indent
    if comma is None:
        return _spliced(data, end, end, f",{lead}{member}")
    return _spliced(data, comma + 1, comma + 1, f"{lead}{member},")


def _without(text: str, parent: Node, place: int) -> str:
    data = text.encode("utf-8", "surrogatepass")
    start, end = parent.places[place], parent.items[place].end
    comma = _comma_behind(data, end, parent.end)
    if len(parent.items) == 1:
        stop = comma + 1 if comma is not None else end
        before, after = data[parent.start + 1 : start], data[stop : parent.end - 1]
        if not before.strip() and not after.strip():
            return _spliced(data, parent.start + 1, parent.end - 1, "")
        return _spliced(data, _white_before(data, start), stop, "")
    if place == len(parent.items) - 1:
        previous = parent.items[place - 1].end
        if comma is not None:  # a trailing comma: the one before stays and trails
            return _spliced(data, _white_before(data, start), comma + 1, "")
        separator = _comma_behind(data, previous, start)
        between = data[separator + 1 : start] if separator is not None else b""
        if separator is not None and between.strip():  # a comment that belongs to the member before
            cut = _spliced(data, _white_before(data, start), end, "").encode("utf-8", "surrogatepass")
            return _spliced(cut, separator, separator + 1, "")
        return _spliced(data, previous if separator is None else separator, end, "")
    return _spliced(data, _white_before(data, start), comma + 1 if comma is not None else end, "")


def _spliced(data: bytes, start: int, end: int, new: str) -> str:
    whole = data[:start] + new.encode("utf-8", "surrogatepass") + data[end:]
    return whole.decode("utf-8", "surrogatepass")


def _white_before(data: bytes, start: int) -> int:
    while start > 0 and data[start - 1 : start] in (b" ", b"\t", b"\r", b"\n"):
        start -= 1
    return start


def _comma_behind(data: bytes, start: int, stop: int) -> int | None:
    """The place of the comma between ``start`` and ``stop``, comments passed over."""
    found = re.compile(rb"(?:\s|/\*.*?\*/|//[^\n]*)*,", re.DOTALL).match(data, start, stop)
    return found.end() - 1 if found else None


def _unit(text: str) -> str:
    found = re.search(r"\n([ \t]+)\S", text)
    return found.group(1) if found else "  "


def _indent_at(data: bytes, place: int) -> str:
    """The indentation of the line that ``place`` is on."""
    line = data[data.rfind(b"\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip(b" \t"))].decode("utf-8", "surrogatepass")


def _members_indent(data: bytes, parent: Node) -> str | None:
    """How the members of ``parent`` are indented; ``None`` when they stand on its own line."""
    if not parent.items:
        return None
    start = parent.places[-1]
    line = data.rfind(b"\n", 0, start)
    if line < parent.start:
        return None
    lead = data[line + 1 : start]
    return lead.decode("utf-8", "surrogatepass") if not lead.strip() else _indent_at(data, start)
