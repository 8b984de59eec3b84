"""What somebody wants to learn from: a task, a folder, a file, or the text itself (SM-8, SM-10)."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NoReturn

from scrubjay.errors import BadInput, NotFound

USAGE = "Usage: /learn <text or file path or directory> OR /learn --task N"
FILE_NOT_FOUND = "File not found: {path}"
DIRECTORY_NOT_FOUND = "Directory not found: {path}"

LONGEST_PATH = 4096
"""Characters; no system has longer paths, so more is text."""

MOST_TASKS = 999_999

_TASK = re.compile(r"--task(?:[ =]+(\S*))?(?:\s+--category[ =]+(\S+))?\s*$")
_CATEGORY = re.compile(r"[\w-]{1,40}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What to learn from. ``text`` is the text of mode ``text``, ``path`` the absolute place of a file or folder and
    ``shown`` how it is named in the map, ``task`` the number of a task. ``category`` is the one to focus on."""

    mode: Literal["text", "file", "directory", "task"]
    cwd: Path
    text: str = ""
    path: Path | None = None
    shown: str = ""
    task: int | None = None
    category: str | None = None


def parse(
    words: str | os.PathLike[str] | Sequence[str] | None,
    *,
    cwd: str | os.PathLike[str],
    task: int | None = None,
    category: str | None = None,
) -> Request:
    """What ``words`` ask for, the first match of: ``--task N``, a folder (``-d path``, or it ends with ``/``, or it is
    one), a file (``-f path``, or it is one), text.

    A path object is never text. Raises ``BadInput`` when nothing is given, and ``NotFound`` for a folder or file that
    was named as one and does not exist.
    """
    base = Path(os.path.abspath(cwd))
    if task is not None:
        return _task(str(task), category, base)
    if words is None:
        raise BadInput(USAGE)
    if isinstance(words, os.PathLike):
        return _path(os.fspath(words), base, category)
    text = words if isinstance(words, str) else " ".join(words)
    asked = text.strip()
    if not asked:
        raise BadInput(USAGE)
    if found := _TASK.match(asked):
        return _task(found.group(1) or "", found.group(2) or category, base)
    return _named(asked, base, category) or Request(mode="text", cwd=base, text=text, category=_checked(category))


def of_text(text: str, *, cwd: str | os.PathLike[str], category: str | None = None) -> Request:
    """``text`` itself as what to learn from, also where it looks like a path or an option."""
    return Request(mode="text", cwd=Path(os.path.abspath(cwd)), text=text, category=_checked(category))


def _named(asked: str, base: Path, category: str | None) -> Request | None:
    """The folder or file that ``asked`` names; ``None`` when it is text. Patterns come before the disk (SM-8)."""
    if not _may_be_path(asked):
        return None
    if asked.startswith("-d "):
        return _directory(asked[3:].strip(), base, category)
    if asked.endswith("/") and "://" not in asked:
        return _directory(asked.removeprefix("-f ").strip(), base, category)
    if asked.startswith("-f "):
        return _file(asked[3:].strip(), base, category)
    place = _place(asked, base)
    if os.path.isdir(place):
        return _directory(asked, base, category)
    if os.path.isfile(place):
        return _file(asked, base, category)
    return None


def _path(asked: str, base: Path, category: str | None) -> Request:
    if not _may_be_path(asked):
        raise BadInput("The path holds a line break or NUL, or is too long.", hint="Name a file or folder.")
    return _directory(asked, base, category) if os.path.isdir(_place(asked, base)) else _file(asked, base, category)


def _may_be_path(asked: str) -> bool:
    return len(asked) <= LONGEST_PATH and not any(letter in asked for letter in "\n\r\0")


def _directory(asked: str, base: Path, category: str | None) -> Request:
    place = _place(asked, base)
    if not os.path.isdir(place):
        hint = "" if asked.count(" ") < 3 else "To learn the words themselves, leave out the slash at the end."
        raise NotFound(DIRECTORY_NOT_FOUND.format(path=asked), hint=hint)
    return Request(mode="directory", cwd=base, path=place, shown=_shown(place, base), category=_checked(category))


def _file(asked: str, base: Path, category: str | None) -> Request:
    place = _place(asked, base)
    if not os.path.isfile(place):
        raise NotFound(FILE_NOT_FOUND.format(path=asked))
    return Request(mode="file", cwd=base, path=place, shown=_shown(place, base), category=_checked(category))


def _task(number: str, category: str | None, base: Path) -> Request:
    if not (number.isascii() and number.isdecimal()) or len(number) > 6 or int(number) > MOST_TASKS:
        raise BadInput(USAGE, hint="N is the number of a task.")
    return Request(mode="task", cwd=base, task=int(number), category=_checked(category))


def _checked(category: str | None) -> str | None:
    """A category in the form of a tag: ``[pattern]`` is ``PATTERN`` (SM-6)."""
    if category is None or not category.strip():
        return None
    bare = category.strip().strip("[]")
    if not _CATEGORY.fullmatch(bare):
        _refuse_category(category)
    return bare.upper()


def _refuse_category(category: str) -> NoReturn:
    from scrubjay.proposals import CATEGORIES

    raise BadInput(f"{category!r} is no category.", hint=f"Use {', '.join(CATEGORIES)}.")


def _place(asked: str, base: Path) -> Path:
    """The absolute path; ``..`` and ``~`` resolved, links not."""
    path = os.path.expanduser(asked) if asked.startswith("~") else asked
    return Path(os.path.normpath(os.path.join(base, path)))


def _shown(place: Path, base: Path) -> str:
    """The path as the map names it: relative to ``base`` inside it, so that no home folder is written down."""
    return place.relative_to(base).as_posix() if place.is_relative_to(base) else place.as_posix()
