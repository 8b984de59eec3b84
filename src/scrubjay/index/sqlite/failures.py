"""What SQLite says, in the words of ``scrubjay.errors``: the one place that maps apsw's exceptions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from scrubjay.errors import BadInput, Corrupt, ScrubjayError, Unavailable

DAMAGED = (apsw.CorruptError, apsw.NotADBError, apsw.FormatError)

_UNAVAILABLE: dict[type[apsw.Error], tuple[str, str]] = {
    apsw.BusyError: ("The index is being written by another process.", "Try again in a moment."),
    apsw.LockedError: ("The index is being written by another process.", "Try again in a moment."),
    apsw.ProtocolError: ("The index is being written by another process.", "Try again in a moment."),
    apsw.FullError: ("The disk that holds the index is full.", "Free some space and run the command again."),
    apsw.ReadOnlyError: ("The index is on a disk or in a folder that cannot be written.", "Check its permissions."),
    apsw.PermissionsError: ("The index cannot be read or written.", "Check the permissions of its folder."),
    apsw.CantOpenError: ("The index cannot be opened.", "Check the permissions of its folder."),
    apsw.IOError: ("The disk that holds the index reports an error.", "Check the disk; the vault is not affected."),
    apsw.NoMemError: ("There is not enough memory to search the index.", "Close other programs and try again."),
    apsw.ConnectionClosedError: ("The index is closed.", "Open it again."),
    apsw.ThreadingViolationError: ("The index was closed while it was in use.", "Open it again."),
}


@contextmanager
def translated() -> Iterator[None]:
    """Turns any apsw exception into one of ours, keeping SQLite's own words at the end of the sentence."""
    try:
        yield
    except apsw.Error as error:
        raise translate(error) from error


def translate(error: apsw.Error) -> ScrubjayError:
    """The error of ours that says what ``error`` means for a user."""
    if isinstance(error, DAMAGED):
        return Corrupt(f"The index is damaged ({error}).", hint="It is disposable: the next sync refills it.")
    if isinstance(error, apsw.TooBigError):
        return BadInput("A document is too large for the index (more than 1 GB).")
    for kind, (message, hint) in _UNAVAILABLE.items():
        if isinstance(error, kind):
            return Unavailable(f"{message.removesuffix('.')} ({error}).", hint=hint)
    return ScrubjayError(f"The index failed ({type(error).__name__}: {error}).", hint="Run `scrubjay doctor`.")
