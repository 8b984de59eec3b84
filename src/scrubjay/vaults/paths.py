"""Paths inside a vault: every one that comes from a tool, a model, a file or an import passes here (SEC-1, CC-T1).

``check`` looks at the text of a path alone, ``resolve`` at the disk, ``open_beneath`` opens without following links.
A path is judged as it is and as others might read it: percent-decoded, in Unicode's compatibility form, without
invisible letters. What would climb or escape in any reading is refused, even where we would not read it so.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from scrubjay.errors import NotFound, Refused

MAX_COMPONENT = 255
MAX_PATH = 3072
HINT = "Use a path relative to the vault, such as 10-Memories/MEM-name.md."

_CODED = re.compile(r"[%~:]")
_PERCENT = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_DRIVE = re.compile(r"[A-Za-z]:")
_DEVICES = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9])", re.IGNORECASE)
# Short names that Windows gives .git and its like; invisible letters that some file systems drop (CVE-2014-9390).
_GIT = frozenset({".git", "git~1", "git~2"})
_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def check(path: str) -> str:
    """The normal form of a vault-relative ``path``: POSIX separators, NFC, no empty or ``.`` components.

    Raises ``Refused`` for whatever could lead out of the vault or be read as another name: absolute paths, ``..`` in
    any disguise, backslashes, drive letters, control characters, ``.git``, and names longer than 255 bytes.
    """
    if len(path) > MAX_PATH:
        _refuse(path[:40] + "…", "is too long")
    normal = unicodedata.normalize("NFC", path)
    _refuse_letters(path, normal)
    if normal.startswith("/"):
        _refuse(path, "is absolute")
    if "\\" in normal:
        _refuse(path, "holds a backslash")
    if _DRIVE.match(normal):
        _refuse(path, "begins with a drive letter")
    parts = [part for part in normal.split("/") if part not in ("", ".")]
    if not parts:
        _refuse(path, "names no file")
    for part in parts:
        _check_part(path, part)
    return "/".join(parts)


def check_writable(path: str) -> str:
    """``check``, and only names that every file system can hold: none that Windows reserves or that ends in a dot or
    space. No hidden names either: those belong to other programs, which may run what they find there."""
    checked = check(path)
    for part in checked.split("/"):
        if _reserved(part):
            _refuse(path, f"holds {part!r}, a name that Windows reserves")
        if part[-1] in ". ":
            _refuse(path, f"holds {part!r}, which ends in a dot or space")
        if part.startswith(".") and part not in (".gitignore", ".gitattributes"):
            _refuse(path, f"holds {part!r}, a hidden name")
    return checked


def resolve(root: Path, path: str) -> Path:
    """Where ``path`` lies on the disk, inside ``root``; what does not exist yet is allowed.

    The deepest existing ancestor, links followed, must lie in ``root``; so must what the last component points to.
    A name stored in another Unicode form (NFD from a Mac) is found by its NFC path. Raises ``Refused``.
    """
    parts = check(path).split("/")
    top = os.path.realpath(root)
    place = top
    for position, part in enumerate(parts):
        place, mode = _step(place, part)
        if mode is None:
            return Path(place, *parts[position + 1 :])
        if stat.S_ISLNK(mode):
            target = _inside(top, place, path)
            if position < len(parts) - 1:
                place = target
    return Path(place)


def open_beneath(root: Path, path: str, flags: int, mode: int = 0o600) -> int:
    """Opens a regular file inside ``root`` and returns its descriptor; the caller closes it.

    The last component is never followed when it is a link, and a pipe or device never blocks. When opened for writing,
    what was opened must still be what ``path`` names. Raises ``NotFound`` and ``Refused``; other errors of the
    operating system as they are.
    """
    place = resolve(root, path)
    safe = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    safe |= getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(place, flags | safe, mode)
    except OSError as error:
        _explain_open(error, path)
        raise
    try:
        opened = os.fstat(descriptor)
        if not stat.S_ISREG(opened.st_mode):
            _refuse(path, "is not a regular file", hint="Only files hold memories.")
        if flags & (os.O_WRONLY | os.O_RDWR):
            require_same(root, path, opened)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def require_same(root: Path, path: str, opened: os.stat_result) -> None:
    """Raises ``Refused`` unless ``path`` still names the file that ``opened`` describes (device and inode)."""
    try:
        found = os.lstat(resolve(root, path))
    except FileNotFoundError:
        _refuse(path, "vanished while it was being opened", hint="Try again.")
    if (found.st_dev, found.st_ino) != (opened.st_dev, opened.st_ino):
        _refuse(path, "was replaced while it was being opened", hint="Try again.")


def _refuse(path: str, why: str, *, hint: str = HINT) -> NoReturn:
    raise Refused(f"The path {path!r} {why}.", hint=hint)


def _refuse_letters(path: str, view: str) -> None:
    if view.isprintable():
        return
    for letter in view:
        category = unicodedata.category(letter)
        if category in ("Cc", "Zl", "Zp") or letter in _BIDI:
            _refuse(path, "holds a control character")
        if category == "Cs":
            _refuse(path, "holds half of a character (a lone surrogate)")


def _check_part(path: str, part: str) -> None:
    if len(part.encode("utf-8")) > MAX_COMPONENT:
        _refuse(path, f"has a name longer than {MAX_COMPONENT} bytes")
    if _reads_one_way(part):
        return
    if not part.strip(". "):
        _refuse(path, "climbs out with dots" if ".." in part else "holds a name of dots or spaces only")
    for view in _readings(path, part):
        _check_reading(path, view)


def _reads_one_way(part: str) -> bool:
    """Whether nobody can read anything else into ``part``, so that it needs no closer look."""
    if not part[0].isalnum() or part[-1] in ". " or _CODED.search(part):
        return False
    return part.isascii() or (part.isprintable() and unicodedata.is_normalized("NFKC", part))


def _check_reading(path: str, view: str) -> None:
    _refuse_letters(path, view)
    if "\\" in view:
        _refuse(path, "holds a backslash in disguise")
    if view.startswith("/") or re.match(r"[A-Za-z]:(?:/|$)", view):
        _refuse(path, "is absolute in disguise")
    for piece in view.split("/"):
        if ".." in piece and not piece.strip(". "):
            _refuse(path, "climbs out with dots in disguise")
        if piece.rstrip(". ").casefold() in _GIT:
            _refuse(path, "leads into a git repository's own folder", hint="Leave .git to git.")


def _readings(path: str, part: str) -> Iterator[str]:
    """``part`` as others might read it, until decoding changes nothing more."""
    view = part
    for _ in range(8):
        folded = unicodedata.normalize("NFKC", _visible(view))
        yield folded
        decoded = _PERCENT.sub(_decode_percent, folded)
        if decoded == folded:
            return
        if decoded.count("/") > folded.count("/"):
            _refuse(path, "holds an encoded separator")
        view = decoded
    _refuse(path, "is encoded over and over")


def _decode_percent(found: re.Match[str]) -> str:
    return bytes.fromhex(found.group().replace("%", "")).decode("utf-8", "replace")


def _visible(text: str) -> str:
    return text if text.isascii() else "".join(letter for letter in text if unicodedata.category(letter) != "Cf")


def _reserved(part: str) -> bool:
    stem = part.partition(".")[0].rstrip(" ")
    return len(stem) <= 7 and _DEVICES.fullmatch(unicodedata.normalize("NFKC", stem)) is not None


def _step(folder: str, name: str) -> tuple[str, int | None]:
    """The place of ``name`` in ``folder`` and its mode, ``None`` when there is nothing of that name."""
    place = os.path.join(folder, name)
    try:
        return place, os.lstat(place).st_mode
    except (FileNotFoundError, NotADirectoryError):
        if name.isascii():
            return place, None
    stored = _stored_name(folder, name)
    if stored is None:
        return place, None
    place = os.path.join(folder, stored)
    return place, os.lstat(place).st_mode


def _stored_name(folder: str, name: str) -> str | None:
    """The name in ``folder`` that is ``name`` in another Unicode form."""
    try:
        names = os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return None
    for stored in names:
        if not unicodedata.is_normalized("NFC", stored) and unicodedata.normalize("NFC", stored) == name:
            return stored
    return None


def _inside(top: str, link: str, path: str) -> str:
    try:
        target = os.path.realpath(link, strict=True)
    except (FileNotFoundError, NotADirectoryError):
        _refuse(path, "goes through a link that leads nowhere", hint="Remove or repair the link.")
    except OSError:
        _refuse(path, "goes through a link that cannot be followed", hint="Remove or repair the link.")
    if target != top and not target.startswith(top.rstrip(os.sep) + os.sep):
        _refuse(path, "goes through a link that leads out of the vault", hint="Replace the link by the file itself.")
    return target


def _explain_open(error: OSError, path: str) -> None:
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        raise NotFound(f"There is no document at {path}.", hint="List the vault to see what there is.") from None
    if error.errno in (errno.ELOOP, errno.EMLINK):
        _refuse(path, "is a symbolic link", hint="Replace the link by the file itself.")
    if error.errno == errno.ENXIO:
        _refuse(path, "is not a regular file", hint="Only files hold memories.")
    if error.errno == errno.EISDIR:
        _refuse(path, "is a folder", hint="Name a file.")
