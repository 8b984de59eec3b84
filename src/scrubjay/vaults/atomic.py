"""Changing a file in one step: whoever looks sees the old bytes or the new ones, after a crash too (R-COM-2, F31).

New bytes go to a hidden temporary file in the same folder, reach the disk, and take their place by one system call.
``verify`` runs just before that call: what it finds is as fresh as POSIX allows. Whatever fails leaves no trace.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from scrubjay.vaults.paths import open_beneath, resolve
from scrubjay.vaults.visibility import TEMP_PREFIX, TEMP_SUFFIX

FILE_MODE = 0o600
FOLDER_MODE = 0o700

_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV}
_NO_FOLDER_SYNC = {errno.EINVAL, errno.EBADF, errno.ENOTSUP, errno.EACCES, errno.EPERM, errno.EISDIR}

Verify = Callable[[], object]


def put_new(root: Path, path: str, data: bytes, *, verify: Verify) -> None:
    """Stores ``data`` at ``path``, which must not exist; raises ``FileExistsError`` when it does."""
    with _written(root, path, data, FILE_MODE) as temp:
        place = resolve(root, path)
        verify()
        _link_new(temp, place)
    sync_folder(place.parent)


def put_over(root: Path, path: str, data: bytes, *, mode: int, verify: Verify) -> None:
    """Replaces the bytes at ``path``; the new file gets the permission bits ``mode``."""
    with _written(root, path, data, mode) as temp:
        place = resolve(root, path)
        verify()
        os.replace(temp, place)
    sync_folder(place.parent)


def move_new(source_root: Path, source: str, target_root: Path, target: str, *, verify: Verify) -> None:
    """Moves a file from one root to ``target`` in another or the same, which must not exist; raises
    ``FileExistsError`` when it does.

    The file has both names for a moment, so that no crash can lose it; ``verify`` runs while it has.
    """
    old, new = resolve(source_root, source), resolve(target_root, target)
    try:
        os.link(old, new)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if _same_disk(old, new.parent):
            _move_without_links(old, new, verify)
        else:
            _move_across(source_root, source, target_root, target, verify)
    else:
        try:
            verify()
            if not os.path.samestat(os.lstat(old), os.lstat(new)):
                raise FileExistsError(errno.EEXIST, "replaced while it was being moved", str(old))
        except BaseException:
            os.unlink(new)
            raise
        os.unlink(old)
    sync_folder(new.parent)
    sync_folder(old.parent)


@contextmanager
def folders_for(folder: Path) -> Iterator[None]:
    """Makes ``folder`` and its missing parents, for their owner only; takes them away again when the block fails."""
    made: list[Path] = []
    try:
        _make(folder, made)
        yield
    except BaseException:
        for each in reversed(made):
            with suppress(OSError):
                os.rmdir(each)
        raise


def sync_folder(folder: Path) -> None:
    """Makes the names in ``folder`` durable, where the file system knows how."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError as error:
        if error.errno in _NO_FOLDER_SYNC:
            return
        raise
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_FOLDER_SYNC:
            raise
    finally:
        os.close(descriptor)


@contextmanager
def _written(root: Path, path: str, data: bytes, mode: int) -> Iterator[Path]:
    """A temporary file beside ``path`` that holds ``data`` on the disk; gone after the block."""
    folder, _, _ = path.rpartition("/")
    name = f"{TEMP_PREFIX}{secrets.token_hex(8)}{TEMP_SUFFIX}"
    temp = resolve(root, f"{folder}/{name}" if folder else name)
    try:
        _fill(root, f"{folder}/{name}" if folder else name, data, mode)
        yield temp
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temp)


def _fill(root: Path, temp: str, data: bytes, mode: int) -> None:
    descriptor = open_beneath(root, temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        if hasattr(os, "fchmod"):
            os.fchmod(descriptor, stat.S_IMODE(mode) & 0o777)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _link_new(temp: Path, place: Path) -> None:
    try:
        os.link(temp, place)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # Without hard links an empty file claims the name first.
        os.close(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE))
        os.replace(temp, place)


def _move_without_links(old: Path, new: Path, verify: Verify) -> None:
    verify()
    if os.path.lexists(new):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(new))
    os.rename(old, new)


def _same_disk(file: Path, folder: Path) -> bool:
    return os.lstat(file).st_dev == os.lstat(folder).st_dev


def _move_across(source_root: Path, source: str, target_root: Path, target: str, verify: Verify) -> None:
    """Between two disks: the copy is whole and durable before the original goes."""
    with os.fdopen(open_beneath(source_root, source, os.O_RDONLY), "rb") as file:
        status, data = os.fstat(file.fileno()), file.read()
    put_new(target_root, target, data, verify=verify)
    os.utime(resolve(target_root, target), ns=(status.st_atime_ns, status.st_mtime_ns))
    os.unlink(resolve(source_root, source))


def _make(folder: Path, made: list[Path]) -> None:
    if folder.is_dir():
        return
    _make(folder.parent, made)
    try:
        os.mkdir(folder, FOLDER_MODE)
    except FileExistsError:
        if not folder.is_dir():
            raise
        return
    made.append(folder)
    os.chmod(folder, FOLDER_MODE)
    sync_folder(folder.parent)
