"""JSON Lines, one record at a time with the byte where it starts, from where the last reading stopped (TR-0)."""

from __future__ import annotations

import codecs
import hashlib
import io
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from scrubjay.errors import BadInput
from scrubjay.transcripts.drafts import Draft
from scrubjay.transcripts.fields import mapping, parse
from scrubjay.transcripts.places import open_file
from scrubjay.transcripts.reading import Context, Position
from scrubjay.types import Session

MAX_LINE = 32 * 1024 * 1024  # bytes (SEC-6)
_HEAD = 4096  # bytes that tell a file from another one under its name
_WIDE = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True, slots=True)
class Line:
    """An object in a file: the number of its line, the byte where it starts, its fields."""

    number: int
    start: int
    value: dict[str, Any]


@dataclass(slots=True)
class Parsed:
    """What a format made of the lines it was given.

    ``reaches_back`` says that something in them changes what stands before them, so that all must be read.
    ``mark`` is kept in the position.
    """

    drafts: list[Draft] = field(default_factory=list)
    reaches_back: bool = False
    mark: str = ""


class Lines:
    """The objects of an open file from ``since`` on. After the last one ``position`` tells where to go on.

    A last line that is no JSON and has no end is being written: it is left for next time, and is no problem.
    """

    def __init__(self, file: IO[bytes], name: str, context: Context, since: Position | None = None) -> None:
        self.since = since
        self.position = Position(offset=0, size=0, mtime_ns=0)
        self.pending = False
        self._file = file
        self._name = name
        self._report = context.report

    def __iter__(self) -> Iterator[Line]:
        status = os.fstat(self._file.fileno())
        encoding = _wide(self._file)
        start, number = (self.since.offset, self.since.line) if self.since and not encoding else (0, 0)
        self._file.seek(start)
        end = start
        for raw, size, whole in self._raw(encoding, number):
            value = self._value(raw, number + 1, whole)
            if self.pending:
                break
            start, end, number = end, end + size, number + 1
            if value is not None:
                yield Line(number, start, value)
        offset = status.st_size if encoding else end
        digest = _digest(self._file, min(offset, _HEAD))
        self.position = Position(
            offset=offset, size=status.st_size, mtime_ns=status.st_mtime_ns, head=digest, line=number
        )

    def first(self) -> dict[str, Any]:
        """The object in the first line, wherever reading goes on from; empty where there is none."""
        self._file.seek(0)
        raw = self._file.readline(MAX_LINE)
        try:
            return mapping(parse(raw.decode("utf-8", "replace").removeprefix("\ufeff")))
        except BadInput:
            return {}

    def _raw(self, encoding: str, number: int) -> Iterator[tuple[bytes | str, int, bool]]:
        """Each line after line ``number``, its size, and whether it has its end; one that is too long is empty."""
        text = io.TextIOWrapper(self._file, encoding, "replace", newline="\n") if encoding else None
        source: IO[Any] = text or self._file
        newline: Any = "\n" if encoding else b"\n"
        try:
            while raw := source.readline(MAX_LINE + 1):
                number += 1
                size = len(raw)
                whole = raw.endswith(newline)
                if size > MAX_LINE:
                    while raw and not raw.endswith(newline):
                        raw = source.readline(MAX_LINE)
                        size += len(raw)
                    self._report.problem(self._name, "longer than 32 MB, skipped", number)
                    raw, whole = raw[:0], True
                yield raw, size, whole
        finally:
            if text:
                text.detach()

    def _value(self, raw: bytes | str, number: int, whole: bool) -> dict[str, Any] | None:
        line = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else raw
        line = line.removeprefix("\ufeff").strip(" \t\r\n\0")
        if not line:
            return None
        try:
            value = parse(line)
        except BadInput as error:
            self.pending = not whole
            if whole:
                self._report.problem(self._name, error.message, number)
            return None
        if isinstance(value, dict):
            return value
        self._report.problem(self._name, "is not an object", number)
        return None


def sessions(
    path: Path, context: Context, parsed: Callable[[Lines], Parsed], *, follow: bool = False
) -> Iterator[Session]:
    """The sessions that ``parsed`` makes of the lines of ``path``, as far as they are new.

    Raises as ``open_file`` does.
    """
    report, key = context.report, os.path.abspath(path)
    report.files += 1
    with open_file(path, follow=follow) as file:
        since = context.since.files.get(key)
        if since and not still_begins(file, since):
            since = None
        if since and _unchanged(file, since):
            report.unchanged += 1
            report.positions[key] = since
            return
        if _wide(file):
            since = None  # bytes say nothing about places in wide characters
        before = report.checkpoint()
        lines = Lines(file, path.name, context, since)
        found = parsed(lines)
        if since and found.reaches_back:
            report.restore(before)
            lines = Lines(file, path.name, context)
            found = parsed(lines)
        position = lines.position
    if lines.pending:
        report.pending.append(key)
    for draft in found.drafts:
        if since:
            draft.meta["resumed"] = True
        if session := draft.session(report, since=since.offset if since else 0):
            yield session
    report.positions[key] = Position(
        offset=position.offset,
        size=position.size,
        mtime_ns=position.mtime_ns,
        head=position.head,
        line=position.line,
        mark=found.mark or (since.mark if since else ""),
    )


@contextmanager
def watched(
    path: Path, context: Context, *, follow: bool = False, beside: Sequence[str] = ()
) -> Iterator[IO[bytes] | None]:
    """A file that is always read as a whole, or ``None`` where nothing changed; afterwards its position is noted.

    ``beside`` are endings of files that belong to it, such as a database's log.
    """
    report, key = context.report, os.path.abspath(path)
    report.files += 1
    with open_file(path, follow=follow) as file:
        status = os.fstat(file.fileno())
        digest = _digest(file, min(status.st_size, _HEAD))
        mark = " ".join(_stamp(path.with_name(path.name + ending)) for ending in beside)
        position = Position(
            offset=status.st_size, size=status.st_size, mtime_ns=status.st_mtime_ns, head=digest, mark=mark
        )
        if context.since.files.get(key) == position:
            report.unchanged += 1
            report.positions[key] = position
            yield None
            return
        file.seek(0)
        yield file
        report.positions[key] = position


def _stamp(path: Path) -> str:
    """A file's size and time of modification; a dash where there is none."""
    try:
        status = path.stat()
    except OSError:
        return "-"
    return f"{status.st_size}:{status.st_mtime_ns}"


def _unchanged(file: IO[bytes], since: Position) -> bool:
    status = os.fstat(file.fileno())
    return status.st_size == since.size and status.st_mtime_ns == since.mtime_ns


def still_begins(file: IO[bytes], since: Position) -> bool:
    """Whether the file begins as it did and reaches as far."""
    long_enough = os.fstat(file.fileno()).st_size >= since.offset
    return long_enough and _digest(file, min(since.offset, _HEAD)) == since.head


def _wide(file: IO[bytes]) -> str:
    """The encoding that the file's byte order mark names, where its characters are wider than bytes."""
    file.seek(0)
    head = file.read(4)
    return next((name for mark, name in _WIDE if head.startswith(mark)), "")


def _digest(file: IO[bytes], length: int) -> str:
    file.seek(0)
    return hashlib.sha256(file.read(length)).hexdigest()[:16]
