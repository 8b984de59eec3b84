"""What a model sees of a folder, a text or an image (MT-3, MT-4b, MT-8)."""

from __future__ import annotations

import os
from dataclasses import dataclass

from scrubjay.errors import NotFound, Refused, Unavailable
from scrubjay.interfaces.memory_tool import edits, places
from scrubjay.interfaces.memory_tool.wording import Wording
from scrubjay.text.detect import decode, is_text
from scrubjay.vaults.tree import Item, Tree

PAGE = 16_000
"""Characters of one answer: what is longer would be cut by the host, without word of it (MT-4b)."""

MOST_LINES = 999_999
MOST_BYTES = 16 * 1024 * 1024
"""Of a file that is viewed."""

MOST_IMAGE_BYTES = 5 * 1024 * 1024
"""What the API takes of one image."""

_DEPTH = 2
_ROOM = 300  # characters for what is said about a cut
_UNITS = "BKMG"
_IMAGES = {".png": ("image/png", b"\x89PNG\r\n\x1a\n"), ".jpg": ("image/jpeg", b"\xff\xd8\xff")}
_IMAGES[".jpeg"] = _IMAGES[".jpg"]


@dataclass(frozen=True, slots=True)
class Image:
    """The bytes of a picture with their media type."""

    media_type: str
    data: bytes


def size(count: int) -> str:
    """``count`` bytes in short: ``0B``, ``812B``, ``1.5K``, ``2K`` (MT-3)."""
    unit = min(max(count.bit_length() - 1, 0) // 10, len(_UNITS) - 1)
    scaled = count / 1024**unit
    return f"{int(scaled)}{_UNITS[unit]}" if scaled == int(scaled) else f"{scaled:.1f}{_UNITS[unit]}"


def folder(tree: Tree, item: Item, wording: Wording, *, left_out: tuple[str, ...]) -> str:
    """The folder ``item`` and what lies in it, two levels deep, a line each."""
    path = places.virtual(item.path)
    lines = [wording.say("folder", path=path), f"{size(item.size)}\t{path}"]
    taken = sum(map(len, lines)) + len(lines)
    found = list(tree.items(item.path, depth=_DEPTH, left_out=left_out))
    for number, inner in enumerate(found):
        line = f"{size(inner.size)}\t{places.virtual(inner.path)}{'/' if inner.kind == 'folder' else ''}"
        taken += len(line) + 1
        if taken > PAGE - _ROOM:
            return "\n".join([*lines, wording.say("items left", count=f"{len(found) - number:,}")])
        lines.append(line)
    return "\n".join(lines)


def image_type(path: str) -> str:
    """The media type of an image by its name; empty for anything else."""
    return _IMAGES.get(os.path.splitext(path)[1].casefold(), ("", b""))[0]


def image(tree: Tree, item: Item, wording: Wording) -> Image:
    """The image in the file ``item``. Raises ``Refusal`` for one that is too large, or no such image."""
    media_type, signature = _IMAGES[os.path.splitext(item.path)[1].casefold()]
    data = _bytes(tree, item, wording, MOST_IMAGE_BYTES)
    if not data.startswith(signature):
        raise wording.refusal("unsupported", path=places.virtual(item.path))
    return Image(media_type, data)


def text(tree: Tree, item: Item, wording: Wording, wanted: tuple[int, int] | None) -> str:
    """The lines of the file ``item`` with their numbers; those from ``wanted[0]`` to ``wanted[1]`` where given.

    What does not fit is left out from some line on, and the answer says how to go on.
    """
    path = places.virtual(item.path)
    lines = _text(tree, item, wording).split("\n")
    if len(lines) > MOST_LINES:
        raise wording.refusal("too many lines", path=path)
    first, last = wanted or (1, -1)
    start = max(first, 1) - 1
    shown = edits.numbered(lines[start:] if last == -1 else lines[start : max(last, 0)], start + 1)
    head = wording.say("file", path=path)
    return "\n".join([head, *_page(shown, len(head), start, len(lines), last, wording)]) if shown else f"{head}\n"


def _page(rows: list[str], taken: int, start: int, total: int, end: int, wording: Wording) -> list[str]:
    """As many of ``rows`` as fit, and what is to be said of the others."""
    if taken + sum(map(len, rows)) + len(rows) <= PAGE:
        return rows
    room = PAGE - _ROOM - taken
    count = 0
    while count < len(rows) and (room := room - len(rows[count]) - 1) >= 0:
        count += 1
    if count:
        return [*rows[:count], *_left(start, count, len(rows), total, end, wording)]
    kept = PAGE - _ROOM - taken
    written = edits.WIDTH + 1
    cut = wording.say(
        "line cut", shown=f"{kept - written:,}", length=f"{len(rows[0]) - written:,}", line=f"{start + 1:,}"
    )
    return [rows[0][:kept], cut, *_left(start, 1, len(rows), total, end, wording)]


def _left(start: int, count: int, rows: int, total: int, end: int, wording: Wording) -> list[str]:
    if count == rows:
        return []
    last = start + count
    return [wording.say("lines left", first=start + 1, last=last, total=total, next=last + 1, end=end)]


def _text(tree: Tree, item: Item, wording: Wording) -> str:
    data = _bytes(tree, item, wording, MOST_BYTES)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        if not is_text(data, item.path):
            raise wording.refusal("not text", path=places.virtual(item.path)) from None
    return decode(data, item.path).text


def _bytes(tree: Tree, item: Item, wording: Wording, most: int) -> bytes:
    path = places.virtual(item.path)
    try:
        if item.size > most:
            raise wording.refusal("too large to view", path=path, size=size(item.size))
        return tree.read(item.path, most=most)
    except NotFound:
        raise wording.refusal("vanished", path=path) from None
    except Refused:
        raise wording.refusal("unsupported", path=path) from None
    except Unavailable as error:
        raise wording.refusal("failed", reason=error.message) from None
