"""Reading and replacing the files of a host: whole or not at all, links kept, nothing outside what somebody owns."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from scrubjay.errors import Conflict, Refused, Unavailable
from scrubjay.vaults import atomic

MOST_BYTES = 16 << 20


def read(file: Path, within: Sequence[Path]) -> bytes | None:
    """The bytes of ``file``, ``None`` where there is none. Raises ``Refused`` for what leads out of ``within`` or is no
    file, ``Unavailable`` for what cannot be read."""
    target = _target(file, within)
    with _explained(file):
        try:
            found = os.lstat(target)
        except (FileNotFoundError, NotADirectoryError):
            return None
        if not stat.S_ISREG(found.st_mode) or found.st_size > MOST_BYTES:
            raise Refused(f"{file} is not a settings file.", hint="Look at what it is, and move it away.")
        return target.read_bytes()


def write(file: Path, data: bytes, *, before: bytes | None, within: Sequence[Path]) -> list[Path]:
    """Replaces ``file``, which must hold ``before`` (``None``: nothing); returns the folders that were made for it.

    A link stays a link: what it leads to is replaced, as those who manage their settings with links expect. Raises
    ``Conflict`` when the file changed meanwhile; then nothing has.
    """
    target = _target(file, within)
    made = [folder for folder in target.parents if not folder.exists()]

    def unchanged() -> None:
        if read(file, within) != before:
            raise Conflict(f"{file} changed meanwhile, so it was left alone.", hint="Run the command again.")

    with _explained(file), atomic.folders_for(target.parent):
        unchanged()
        if before is None:
            atomic.put_new(target.parent, target.name, data, verify=unchanged)
        else:
            atomic.put_over(target.parent, target.name, data, mode=os.lstat(target).st_mode, verify=unchanged)
    if read(file, within) != data:
        raise Conflict(f"{file} does not hold what was just written.", hint="Look at the disk, and run it again.")
    return made


def remove(file: Path, folders: Sequence[Path], *, before: bytes, within: Sequence[Path]) -> None:
    """Takes away a file of ours that still holds ``before``, and of ``folders`` those that are empty then."""
    target = _target(file, within)
    with _explained(file):
        if read(file, within) != before:
            raise Conflict(f"{file} changed meanwhile, so it was left alone.", hint="Run the command again.")
        target.unlink()
        for folder in folders:
            if folder.is_dir() and not os.listdir(folder):
                folder.rmdir()


def _target(file: Path, within: Sequence[Path]) -> Path:
    target = Path(os.path.realpath(file))
    if not any(target.is_relative_to(os.path.realpath(folder)) for folder in within):
        raise Refused(
            f"{file} leads to {target}, which is not yours to change here.", hint="Replace the link by a file."
        )
    return target


@contextmanager
def _explained(file: Path) -> Iterator[None]:
    try:
        yield
    except PermissionError:
        raise Unavailable(f"No permission for {file}.", hint="Look at its owner and mode.") from None
    except FileExistsError:
        raise Conflict(f"{file} appeared meanwhile, so it was left alone.", hint="Run the command again.") from None
    except OSError as error:
        raise Unavailable(f"{file} cannot be used: {error.strerror}.", hint="Look at the disk.") from None
