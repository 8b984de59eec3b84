"""The text files below a folder, and what they say (SM-16, SM-17).

Nothing that is met stops the walk: what cannot be learned from is named with the reason. Links are never followed, and
a name that tries to lead elsewhere is refused (F112).
"""

from __future__ import annotations

import codecs
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from scrubjay.errors import BadInput, NotFound, Refused, ScrubjayError
from scrubjay.proposals import Skipped
from scrubjay.text.detect import TEXT_SUFFIXES, decode, is_text
from scrubjay.vaults.paths import check, open_beneath

NO_TEXT_FILES = "No text files found in: {path}"
TOO_MANY_FILES = "Too many files ({count}). Maximum is 200."
NARROW = "Narrow your path or use file mode for specific files."
MANY_FILES = "Warning: {count} files found. Consider narrowing scope."
LARGE_FILE = "Skipping large file: {file} (>100KB)"

MOST_FILES = 200
MANY = 50
LARGEST = 102_400
"""Bytes of a file in a folder."""

LARGEST_NAMED = 10_000_000
"""Bytes of a file that was named itself."""

SKIPPED_FOLDERS = frozenset({".git", "node_modules", "__pycache__", ".obsidian"})
"""SM-16; ours besides: the vault itself, what other version control keeps, and folders that say what they are."""

_OURS_TO_SKIP = frozenset({".memory", ".hg", ".svn", ".jj"})
_TELLING = frozenset({"CACHEDIR.TAG", "pyvenv.cfg"})
_SECRET_NAMES = frozenset({".netrc", ".pgpass", ".npmrc", ".pypirc", "credentials", ".htpasswd"})
_SECRET_SUFFIXES = (".pem", ".key", ".p12", ".pfx", ".jks", ".kdbx", ".ppk")
_SNIFFED = (1 << 16) + 1  # bytes; one more than are looked at, so that no character at the end seems cut
_DEEPEST = 64


class Found(NamedTuple):
    """A file that may be learned from: ``path`` relative to the folder, POSIX; ``size`` in bytes."""

    path: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What a folder holds: files sorted by path, what was left out and why, and sentences for the reader."""

    root: Path
    shown: str
    files: tuple[Found, ...]
    skipped: tuple[Skipped, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """How many files could be learned from."""
        return len(self.files)


def scan(root: str | os.PathLike[str], *, shown: str | None = None) -> Listing:
    """The text files below ``root``. Raises ``NotFound`` without any, ``BadInput`` for more than 200 (the number is
    that of all of them), and ``Refused`` where ``root`` itself is a link."""
    top = Path(root)
    name = shown if shown is not None else top.as_posix()
    _refuse_link(top, name)
    files: list[Found] = []
    skipped: list[Skipped] = []
    for entry in _walk(str(top), "", skipped, 0):
        found = _looked_at(top, entry)
        (files if isinstance(found, Found) else skipped).append(found)  # type: ignore[arg-type]
    if not files:
        raise NotFound(NO_TEXT_FILES.format(path=name), hint=_why_none(skipped))
    if len(files) > MOST_FILES:
        raise BadInput(TOO_MANY_FILES.format(count=len(files)), hint=NARROW)
    return Listing(
        root=top,
        shown=name,
        files=tuple(sorted(files)),
        skipped=tuple(sorted(skipped, key=lambda one: one.path)),
        notices=(MANY_FILES.format(count=len(files)),) if len(files) > MANY else (),
    )


def read(root: Path, path: str, largest: int = LARGEST) -> str | Skipped:
    """The text of ``path`` below ``root`` with ``\\n`` between its lines, or why it cannot be learned from."""
    try:
        with os.fdopen(open_beneath(root, path, os.O_RDONLY), "rb") as stream:
            data = stream.read(largest + 1)
    except (ScrubjayError, OSError) as error:
        return Skipped(path=printable(path), reason=_reason(error))
    if len(data) > largest:
        return Skipped(path=printable(path), reason=_too_large(path, largest))
    return text_of(data, path)


def text_of(data: bytes, path: str) -> str | Skipped:
    """The text of a file that holds ``data``, or why it is none: binary, NUL, or not in UTF-8 (R-COM-1, F109)."""
    if b"\0" in data or not is_text(data, path):
        return Skipped(path=printable(path), reason=_why_no_text(data))
    decoded = decode(data, path)
    if decoded.encoding not in ("utf-8", "utf-8-sig") or (decoded.problems and not _only_surrogates(data)):
        problem = decoded.problems[0].message if decoded.problems else f"It is in {decoded.encoding}."
        return Skipped(path=printable(path), reason=f"Not UTF-8. {problem}")
    text = decoded.text
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def printable(path: str) -> str:
    """A path that does no harm where it is shown: control characters and stray bytes as escapes."""
    if path.isprintable():
        return path
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii") for letter in path
    )


def size_text(size: int) -> str:
    """A size for people: ``4.1KB`` (SM-18)."""
    return f"{size / 1024:.1f}KB"


# --- walking ------------------------------------------------------------------------------------------------------


class _Entry(NamedTuple):
    path: str
    stat: os.stat_result


def _walk(folder: str, prefix: str, skipped: list[Skipped], depth: int) -> Iterator[_Entry]:
    try:
        with os.scandir(folder) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        skipped.append(Skipped(path=printable(prefix or "."), reason=_reason(error)))
        return
    if depth and not _TELLING.isdisjoint(entry.name for entry in found):
        return
    for entry in found:
        path = f"{prefix}{entry.name}"
        try:
            info = entry.stat(follow_symlinks=False)
        except OSError as error:
            skipped.append(Skipped(path=printable(path), reason=_reason(error)))
            continue
        if not stat.S_ISDIR(info.st_mode):
            yield _Entry(path, info)
        elif entry.name in SKIPPED_FOLDERS or entry.name in _OURS_TO_SKIP:
            continue
        elif depth >= _DEEPEST:
            skipped.append(Skipped(path=printable(path), reason="Nested too deeply."))
        else:
            yield from _walk(entry.path, f"{path}/", skipped, depth + 1)


def _looked_at(root: Path, entry: _Entry) -> Found | Skipped:
    """Whether the file may be learned from, without reading more of it than its beginning."""
    path, info = entry
    if stat.S_ISLNK(info.st_mode):
        return Skipped(path=printable(path), reason="A symbolic link; links are not followed.")
    if not stat.S_ISREG(info.st_mode):
        return Skipped(path=printable(path), reason="No regular file.")
    try:
        check(path)
    except Refused as refusal:
        return Skipped(path=printable(path), reason=printable(refusal.message))
    name = path.rpartition("/")[2].lower()
    if _may_be_secret(name):
        return Skipped(path=path, reason="It may hold secrets. Name the file itself to learn from it.")
    if info.st_size > LARGEST:
        return Skipped(path=path, reason=LARGE_FILE.format(file=path))
    if os.path.splitext(name)[1] not in TEXT_SUFFIXES and (why := _sniffed(root, path)):
        return Skipped(path=path, reason=why)
    return Found(path, info.st_size)


def _may_be_secret(name: str) -> bool:
    if name in _SECRET_NAMES or name.endswith(_SECRET_SUFFIXES):
        return True
    if name.startswith("id_") and "." not in name:
        return True
    return name.startswith(".env") and not name.endswith((".example", ".sample", ".template"))


def _sniffed(root: Path, path: str) -> str:
    """Why the beginning of the file is no text; empty when it is."""
    try:
        with os.fdopen(open_beneath(root, path, os.O_RDONLY), "rb") as stream:
            head = stream.read(_SNIFFED)
    except (ScrubjayError, OSError) as error:
        return _reason(error)
    return _why_no_text(head) if b"\0" in head or not is_text(head, path) else ""


# --- reasons ------------------------------------------------------------------------------------------------------


def _refuse_link(top: Path, shown: str) -> None:
    if top.is_symlink():
        target = printable(os.path.realpath(top))
        raise Refused(
            f"{shown} is a symbolic link, and links are not followed.", hint=f"Name the folder itself: {target}"
        )


def _reason(error: Exception) -> str:
    if isinstance(error, ScrubjayError):
        return printable(error.message)
    why = error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__
    return f"Cannot be read: {why}."


def _too_large(path: str, largest: int) -> str:
    if largest == LARGEST:
        return LARGE_FILE.format(file=printable(path))
    return f"Larger than {largest // 1_000_000} MB."


def _why_no_text(data: bytes) -> str:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)):
        return "Not UTF-8. It is in UTF-16 or UTF-32; save it as UTF-8."
    return "Not text: it holds NUL characters." if b"\0" in data else "Not text: a binary file."


def _only_surrogates(data: bytes) -> bool:
    """Whether nothing but encoded surrogates keeps ``data`` from being UTF-8; those are replaced (R-COM-1)."""
    try:
        data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True


def _why_none(skipped: list[Skipped]) -> str:
    if not skipped:
        return ""
    return f"{len(skipped)} files were left out, such as {skipped[0].path}: {skipped[0].reason}"
