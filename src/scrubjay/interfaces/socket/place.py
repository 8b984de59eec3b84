"""The socket's place on the disk: taken by one server at a time, for its owner only (SEC-4, F53)."""

from __future__ import annotations

import os
import socket
import stat
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from scrubjay.errors import Refused, Unavailable
from scrubjay.interfaces.socket import wire

_MOST_PATH = 100
"""Bytes of a socket's path; systems allow 104 or 108."""
_WAITING = 16


@contextmanager
def listening(home: str) -> Iterator[socket.socket]:
    """The socket of the memory in ``home``, open for clients for as long as the block runs, and gone after it.

    What a server that was killed left there is taken away. Raises ``Unavailable`` where another server runs, or the
    system has no such sockets, ``Refused`` for what lies there and is no socket of this user.
    """
    from scrubjay.index.sqlite.filelock import exclusive

    if not hasattr(socket, "AF_UNIX"):
        raise Unavailable("This system has no Unix sockets.", hint="Hooks work without a server, by words only.")
    path = Path(wire.path(home))
    if len(os.fsencode(path)) > _MOST_PATH:
        raise Unavailable(f"The path of the socket is too long: {path}.", hint="Set SCRUBJAY_HOME to a shorter one.")
    _own_folder(path.parent)
    try:
        with exclusive(path.with_name(wire.LOCK), wait_seconds=0):
            _clear(path)
            listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                listener.bind(str(path))
                os.chmod(path, 0o600)
                listener.listen(_WAITING)
                yield listener
            finally:
                listener.close()
                with suppress(OSError):
                    path.unlink()
    except Unavailable as error:
        if "rebuilding" not in error.message:
            raise
        raise Unavailable("A server runs for this memory already.", hint="Let it serve, or end it first.") from None


def is_same_user(client: socket.socket) -> bool:
    """Whether the process at the other end is this user's, as the system says; the file's mode keeps others out too."""
    if hasattr(socket, "SO_PEERCRED"):
        credentials = client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return int(struct.unpack("3i", credentials)[1]) == os.getuid()
    if sys.platform == "darwin":
        credentials = client.getsockopt(0, 1, 76)  # SOL_LOCAL, LOCAL_PEERCRED, struct xucred
        return int(struct.unpack_from("II", credentials)[1]) == os.getuid()
    return True


def _own_folder(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = os.lstat(folder)
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
        raise Refused(f"{folder} is not a folder of your own.", hint="Move it away.")
    if status.st_mode & 0o077:
        os.chmod(folder, 0o700)


def _clear(path: Path) -> None:
    """Takes away the socket of a dead server; who holds the lock knows that it is dead."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(status.st_mode) or status.st_uid != os.getuid():
        raise Refused(f"{path} is in the way and no socket of yours.", hint="Look what it is, and move it away.")
    path.unlink()
