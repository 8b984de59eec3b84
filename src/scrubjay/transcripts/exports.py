"""Exports of chat services: a zip, a folder, or a JSON file with conversations, read one conversation at a time."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from scrubjay.errors import BadInput, ScrubjayError
from scrubjay.transcripts import archive, arrays, places
from scrubjay.transcripts.fields import mapping, parse
from scrubjay.transcripts.lines import watched
from scrubjay.transcripts.reading import Context, Skipped

CONVERSATIONS = re.compile(r"(?:.*/)?conversations(?:-\d{1,6})?\.json")
_MOST_BESIDE = 64 * 1024 * 1024  # bytes of a file that is read as a whole


def conversations(path: Path, context: Context, *, follow: bool = False) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each conversation in ``path`` with the name of its file. What did not change since the cursor is left out.

    Raises ``Refused``, ``Unavailable`` or ``Corrupt`` for a ``path`` that cannot be read; a bad item is reported.
    """
    if path.is_dir():
        for found in sorted(path.iterdir()):
            if CONVERSATIONS.fullmatch(found.name):
                yield from _guarded(found, context)
    elif _is_zip(path, follow=follow):
        with watched(path, context, follow=follow) as fresh:
            if fresh:
                yield from _zipped(path, context, follow=follow)
    else:
        yield from _file(path, context, follow=follow)


def beside(path: Path, name: str, context: Context, *, follow: bool = False) -> Any:
    """What the JSON file called ``name`` in the export holds; ``None`` where it is missing or damaged."""
    try:
        if path.is_dir():
            data = places.small(path / name, _MOST_BESIDE)
        elif _is_zip(path, follow=follow):
            with archive.opened(path, follow=follow) as opened:
                data = _member(opened, name)
        else:
            data = places.small(path, _MOST_BESIDE) if path.name == name else b""
        return parse(data.decode("utf-8", "replace").removeprefix("\ufeff")) if data else None
    except ScrubjayError as error:
        context.report.problem(name, error.message)
        return None


def names(path: Path, *, follow: bool = False) -> list[str]:
    """The names of the files in a zip or folder."""
    if path.is_dir():
        return sorted(found.name for found in path.iterdir())
    with archive.opened(path, follow=follow) as opened:
        return opened.namelist()


def head(path: Path, *, follow: bool = False) -> bytes:
    """The first bytes of the first file with conversations."""
    if path.is_dir():
        found = next((one for one in sorted(path.iterdir()) if CONVERSATIONS.fullmatch(one.name)), None)
        return places.head(found) if found else b""
    with archive.opened(path, follow=follow) as opened:
        info = next((one for one in opened.infolist() if CONVERSATIONS.fullmatch(one.filename)), None)
        if info is None:
            return b""
        with opened.open(info) as stream:
            return stream.read(places.HEAD)


def _is_zip(path: Path, *, follow: bool) -> bool:
    return places.head(path, follow=follow)[:4] in (b"PK\x03\x04", b"PK\x05\x06")


def _guarded(path: Path, context: Context) -> Iterator[tuple[str, dict[str, Any]]]:
    """A file of a folder: one that cannot be read is noted, the others are read."""
    try:
        yield from _file(path, context, follow=False)
    except ScrubjayError as error:
        context.report.skipped.append(Skipped(str(path), error.message))


def _file(path: Path, context: Context, *, follow: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    with watched(path, context, follow=follow) as file:
        if file:
            yield from _items(file, path.name, context)


def _zipped(path: Path, context: Context, *, follow: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    with archive.opened(path, follow=follow) as opened:
        for info in opened.infolist():
            if CONVERSATIONS.fullmatch(info.filename):
                with opened.open(info) as stream:
                    yield from _items(stream, info.filename, context)


def _items(file: IO[bytes], name: str, context: Context) -> Iterator[tuple[str, dict[str, Any]]]:
    """The conversations of an array, of an object that holds one, or of an object that is one itself."""
    start = file.read(places.HEAD)
    rest = io.BufferedReader(_After(start, file))
    if start.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{" and b'"conversations"' not in start:
        data = rest.read(_MOST_BESIDE + 1)
        if len(data) > _MOST_BESIDE:
            context.report.problem(name, f"is larger than {_MOST_BESIDE >> 20} MB and no array, skipped")
            return
        try:
            yield name, mapping(parse(data.decode("utf-8", "replace").removeprefix("\ufeff")))
        except BadInput as error:
            context.report.problem(name, error.message)
        return
    for item in arrays.items(rest, name, context.report, "conversations"):
        if isinstance(item, dict):
            yield name, item
        else:
            context.report.problem(name, "holds an item that is no conversation")


class _After(io.RawIOBase):
    """A stream from its beginning, of which ``start`` was read already: a member of a zip need not be read twice."""

    def __init__(self, start: bytes, rest: IO[bytes]) -> None:
        self._start = start
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._start[: len(buffer)] or self._rest.read(len(buffer))
        self._start = self._start[len(data) :]
        buffer[: len(data)] = data
        return len(data)


def _member(opened: Any, name: str) -> bytes:
    info = next((one for one in opened.infolist() if one.filename.split("/")[-1] == name), None)
    if info is None or info.file_size > _MOST_BESIDE:
        return b""
    with opened.open(info) as stream:
        return bytes(stream.read(_MOST_BESIDE))
