"""An export that came as a zip: its members checked before any is read (SEC-8)."""

from __future__ import annotations

import re
import stat
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zlib import error as zlib_error

from scrubjay.errors import Corrupt, Refused
from scrubjay.transcripts.places import open_file

MAX_RATIO = 100
MAX_SIZE = 10 * 1024**3  # bytes of all members together
MAX_MEMBERS = 200_000
_SMALL = 1 << 16  # bytes; a member of this size is no bomb, however well it packs
_DRIVE = re.compile(r"[A-Za-z]:")


@contextmanager
def opened(path: Path, *, follow: bool = False) -> Iterator[zipfile.ZipFile]:
    """The zip at ``path``, found harmless.

    Raises ``Refused`` for members that lead out of a folder, links, bombs; ``Corrupt`` for what is no zip.
    """
    with open_file(path, follow=follow) as file:
        try:
            with zipfile.ZipFile(file) as archive:
                _check(archive, path.name)
                yield archive
        except (zipfile.BadZipFile, zlib_error, EOFError, NotImplementedError, UnicodeError, ValueError) as error:
            raise Corrupt(f"{path.name} is not a sound zip: {error}.", hint="Export it again.") from None
        except RuntimeError as error:
            raise Refused(f"{path.name} cannot be read: {error}.", hint="Unpack it and name the folder.") from None


def _check(archive: zipfile.ZipFile, name: str) -> None:
    members = archive.infolist()
    total = sum(member.file_size for member in members)
    if len(members) > MAX_MEMBERS or total > MAX_SIZE:
        raise Refused(f"{name} would unpack to {total >> 20} MB in {len(members)} files.", hint="Check what it is.")
    for member in members:
        reason = _danger(member)
        if reason:
            shown = member.filename[:80].encode("ascii", "backslashreplace").decode("ascii")
            raise Refused(f"{name} holds {shown!r}, {reason}.", hint="Check where the file is from.")


def _danger(member: zipfile.ZipInfo) -> str:
    parts = member.orig_filename.replace("\\", "/").split("/")
    if parts[0] == "" or _DRIVE.match(parts[0]) or "\0" in member.orig_filename:
        return "a path that is absolute or holds NUL"
    if ".." in parts:
        return "a path that leads out of the folder"
    if stat.S_ISLNK(member.external_attr >> 16):
        return "a link"
    if member.file_size > _SMALL and member.file_size > MAX_RATIO * max(member.compress_size, 1):
        return "which unpacks to more than a hundred times its size"
    return ""
