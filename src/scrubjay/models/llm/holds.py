"""When a language model is left alone, across processes: after a refusal until it is configured anew, after other
failures for a while (F58, F72). A small file for each configuration that failed."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

_LARGEST = 10_000  # bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """Why a model is left alone, and ``until`` when; ``None`` is until it is configured anew."""

    reason: str
    hint: str = ""
    until: datetime | None = None


def _now() -> datetime:
    return datetime.now(UTC)


class Holds:
    """The hold on one configuration, named by its ``fingerprint``, kept in ``folder``."""

    def __init__(self, folder: Path, fingerprint: str, *, now: Callable[[], datetime] = _now) -> None:
        self._path = folder / f"hold-{fingerprint}.json"
        self._now = now

    def current(self) -> Hold | None:
        """The hold in force now. A file that cannot be read or means nothing holds nothing."""
        try:
            descriptor = os.open(self._path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
            with os.fdopen(descriptor, "rb") as file:
                held = json.loads(file.read(_LARGEST))
            until = datetime.fromisoformat(held["until"]).astimezone(UTC) if held["until"] else None
            hold = Hold(reason=str(held["reason"]), hint=str(held["hint"]), until=until)
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
            return None
        return hold if hold.until is None or self._now() < hold.until else None

    def put(self, reason: str, *, hint: str = "", seconds: float | None = None) -> None:
        """Leaves the model alone for ``seconds``, or until it is configured anew."""
        until = None if seconds is None else (self._now() + timedelta(seconds=seconds)).isoformat()
        held = {"reason": reason, "hint": hint, "until": until}
        temporary = self._path.with_name(f".{self._path.name}.{secrets.token_hex(4)}")
        # What cannot be noted is found out again by the next process; nothing is lost by it.
        with suppress(OSError):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
            with os.fdopen(os.open(temporary, flags, 0o600), "wb") as file:
                file.write(json.dumps(held).encode("ascii"))
            os.replace(temporary, self._path)

    def clear(self) -> None:
        """Lets the model be tried again."""
        with suppress(OSError):
            self._path.unlink()
