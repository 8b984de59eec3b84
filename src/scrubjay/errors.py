"""Everything that can go wrong, as one tree.

    ScrubjayError            exit 1  something failed that has no better name
    ├── BadInput             exit 2  what was given cannot be used as it is
    │   └── BadSetting       exit 2  a setting is unknown, of the wrong type, or not trusted
    ├── NotFound             exit 3  nothing has that id, path or name
    ├── Conflict             exit 4  the memory changed meanwhile, or two things claim one place
    ├── Refused              exit 5  it could be done, but it would be unsafe
    ├── Unavailable          exit 6  a disk, model, service or lock cannot be used right now
    └── Corrupt              exit 7  stored bytes do not mean what they must mean

The first sentence says what happened and names the file, line or field; ``hint`` says what to do, and following it
works. Expected outcomes (already known, nothing found, abstained) are values, never errors.
"""

from __future__ import annotations

from typing import ClassVar


class ScrubjayError(Exception):
    """Something went wrong in Scrubjay."""

    exit_code: ClassVar[int] = 1
    code: ClassVar[str] = "error"

    def __init__(self, message: str = "", *, hint: str = "") -> None:
        self.message = message or (type(self).__doc__ or "").strip().splitlines()[0]
        self.hint = hint
        super().__init__(self.message)

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class BadInput(ScrubjayError):
    """What was given cannot be used as it is."""

    exit_code = 2
    code = "bad_input"


class BadSetting(BadInput):
    """A setting is unknown, has the wrong type, or comes from a place that is not trusted."""

    code = "bad_setting"


class NotFound(ScrubjayError):
    """Nothing has that id, path or name."""

    exit_code = 3
    code = "not_found"


class Conflict(ScrubjayError):
    """The memory changed since it was read."""

    exit_code = 4
    code = "conflict"


class Refused(ScrubjayError):
    """That would be unsafe."""

    exit_code = 5
    code = "refused"


class Unavailable(ScrubjayError):
    """Something needed for this cannot be used right now."""

    exit_code = 6
    code = "unavailable"


class Corrupt(ScrubjayError):
    """Stored bytes do not mean what they must mean."""

    exit_code = 7
    code = "corrupt"
