"""Reads a configuration file: bounded, decoded, parsed, flattened to keys with the lines they stand on.

A file in a project may have come with a clone, so there no symbolic link is followed and nothing but a regular file
is opened (SEC-1, F112).
"""

from __future__ import annotations

import os
import re
import stat
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrubjay.errors import BadSetting

FILE_LIMIT = 64_000
LINE_LIMIT = 1_000
"""Longer files and lines are not parsed: the time that ``tomllib`` takes for a dotted key grows with the square of its
length, and a 64 KB line of dots, which a clone may bring, would take half a minute."""

_HEADER = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]")
_ASSIGNMENT = re.compile(r"\s*([^=#]+?)\s*=")


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A value that somebody gave for ``key``, and ``where``, for people."""

    key: str
    value: Any
    where: str


def read_file(path: Path, *, follow: bool) -> list[Given]:
    """What the file at ``path`` sets; nothing when there is no file. Raises ``BadSetting`` when it cannot be used."""
    data = _bytes(path, follow=follow)
    if data is None:
        return []
    try:
        text = data.decode("utf-8-sig")
        _refuse_long_lines(path, text)
        tables = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise BadSetting(f"{path} is not UTF-8 (byte {error.start}).", hint="Save it as UTF-8.") from error
    except RecursionError as error:
        raise BadSetting(
            f"{path} is nested too deeply.", hint="A settings file holds [sections] of plain values."
        ) from error
    except ValueError as error:
        raise BadSetting(
            f"{path} is not valid TOML: {printable(str(error))}.", hint="Mend that line, or move the file away."
        ) from error
    lines = _lines(text)
    return [
        Given(key=key, value=value, where=f"{path}, line {lines[key]}" if key in lines else str(path))
        for key, value in _flat(tables)
    ]


def printable(text: str, limit: int = 200) -> str:
    """``text`` fit for a terminal: shortened, control characters escaped."""
    shown = "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text[:limit])
    return shown + ("…" if len(text) > limit else "")


def _bytes(path: Path, *, follow: bool) -> bytes | None:
    try:
        if not follow:
            _refuse_links(path)
        # Without O_NONBLOCK a pipe in the file's place would block us for ever.
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | (0 if follow else getattr(os, "O_NOFOLLOW", 0))
        with os.fdopen(os.open(path, flags), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise BadSetting(f"{path} is not a regular file.", hint="Put a settings file there, or nothing.")
            data = file.read(FILE_LIMIT + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise BadSetting(
            f"{path} cannot be read: {error.strerror}.", hint="Mend its permissions, or move it away."
        ) from error
    if len(data) > FILE_LIMIT:
        raise BadSetting(f"{path} is larger than 64 KB.", hint="A settings file holds a few lines; move the rest away.")
    return data


def _refuse_links(path: Path) -> None:
    for part in (path.parent, path):
        if stat.S_ISLNK(os.lstat(part).st_mode):
            raise BadSetting(f"{part} is a symbolic link, and links in a project are not followed.", hint="Use a file.")


def _refuse_long_lines(path: Path, text: str) -> None:
    for number, line in enumerate(text.split("\n"), start=1):
        if len(line) > LINE_LIMIT:
            raise BadSetting(
                f"{path}, line {number} has more than 1,000 characters.", hint="Break a long list into lines."
            )


def _flat(tables: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for section, table in tables.items():
        if not isinstance(table, dict) or not table:
            yield section, table
            continue
        for name, value in table.items():
            yield f"{section}.{name}", value


def _lines(text: str) -> dict[str, int]:
    """The line on which each ``section.name`` is given, where plain formatting lets one see it."""
    lines: dict[str, int] = {}
    section = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            section = header[1].replace('"', "")
            lines.setdefault(section, number)
        elif assignment := _ASSIGNMENT.match(line):
            name = assignment[1].replace('"', "")
            lines.setdefault(f"{section}.{name}" if section else name, number)
    return lines
