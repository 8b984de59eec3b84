"""What the operating system refuses, in our words: which path, what is wrong, what to do."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from scrubjay.errors import Conflict, NotFound, Refused, ScrubjayError, Unavailable

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_FORBIDDEN = {errno.EACCES, errno.EPERM}
_TAKEN = {errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR, errno.EISDIR}


@contextmanager
def explained(path: str) -> Iterator[None]:
    """Turns an ``OSError`` inside the block into an error of ours that names ``path``."""
    try:
        yield
    except OSError as error:
        raise explain(error, path) from error


def explain(error: OSError, path: str) -> ScrubjayError:
    """The error of ours that ``error`` means for ``path``."""
    number = error.errno
    if number in _FULL:
        return Unavailable(f"The disk is full: {path} was not written.", hint="Free some space and try again.")
    if number == errno.EROFS:
        return Unavailable(
            f"The disk is read-only: {path} was not written.", hint="Make it writable, or use another folder."
        )
    if number in _FORBIDDEN:
        return Unavailable(f"No permission for {path}.", hint="Look at the owner and mode of the file and its folder.")
    if number == errno.ENOENT:
        return NotFound(f"There is no document at {path}.", hint="List the vault to see what there is.")
    if number in _TAKEN:
        return Conflict(f"Something else lies at {path} or where its folder should be.", hint="Choose another name.")
    if number in (errno.ELOOP, errno.ENAMETOOLONG):
        return Refused(f"The path {path!r} cannot be used: {error.strerror}.", hint="Choose a shorter, plain name.")
    return Unavailable(f"{path} cannot be used: {error.strerror or error}.", hint="Look at the disk and try again.")
