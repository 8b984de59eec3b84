"""What hooks did: a bounded log, and the last event of each kind for ``doctor`` (HK-7, F63, F80).

Everything lies in ``state/hooks`` below the home folder: ``log.jsonl``, and ``last/<event>.json`` with the host, the
time, the outcome, the milliseconds it took, the session, its transcript, and how many characters the agent was given.
``delivered.json`` says whether what the last session was told when it started was found in its transcript later on.
No line holds anything of what was said (SEC-7).
"""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scrubjay.interfaces.hook.events import Event

HOST = "claude-code"
LOG = "log.jsonl"
LAST = "last"
DELIVERED = "delivered.json"
MOST_BYTES = 256_000
"""The log is put aside when it is larger, and the one put aside before is dropped."""
LATE_SECONDS = 0.4
_MOST_OUTCOME = 300


def folder(home: str) -> str:
    """The folder of what hooks keep."""
    return os.path.join(home, "state", "hooks")


def write(home: str, event: Event, outcome: str, *, said: int = 0, seconds: float = 0.0) -> None:
    """Notes one event. Never raises: where nothing can be noted, nothing is."""
    try:
        entry: dict[str, Any] = {
            "event": event.name,
            "host": HOST,
            "at": _now(),
            "outcome": outcome[:_MOST_OUTCOME],
            "milliseconds": round(seconds * 1_000),
            "late": seconds > LATE_SECONDS,
            "session": event.session,
            "transcript": event.transcript,
            "source": event.source,
            "characters": said,
        }
        append(home, entry)
        replace(os.path.join(folder(home), LAST, f"{event.name}.json"), json.dumps(entry).encode("ascii"))
    except (OSError, ValueError):
        return


def append(home: str, entry: dict[str, Any]) -> None:
    """Adds a line to the log. Raises ``OSError``."""
    path = os.path.join(folder(home), LOG)
    descriptor = _opened(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        size = os.fstat(descriptor).st_size
        os.write(descriptor, json.dumps(entry).encode("ascii") + b"\n")
    finally:
        os.close(descriptor)
    if size > MOST_BYTES:
        os.replace(path, f"{path}.1")


def replace(path: str, data: bytes) -> None:
    """Puts ``data`` at ``path`` in one step, for its owner only. Raises ``OSError``, and leaves nothing behind."""
    beside = f"{path}.{os.getpid()}-{time.monotonic_ns()}.tmp"
    descriptor = _opened(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
        finally:
            os.close(descriptor)
        os.replace(beside, path)
    except OSError:
        os.unlink(beside)
        raise


def delivered(home: str, session: str, *, seen: bool) -> None:
    """Notes whether what a session was told stands in its transcript. Raises ``OSError``."""
    entry = {"session": session, "seen": seen, "at": _now()}
    replace(os.path.join(folder(home), DELIVERED), json.dumps(entry).encode("ascii"))


def delivery(home: str) -> dict[str, Any] | None:
    """What ``delivered`` noted last."""
    return _object(os.path.join(folder(home), DELIVERED))


def last(home: str) -> dict[str, dict[str, Any]]:
    """The last event of each kind, by its name; what cannot be read is left out."""
    found: dict[str, dict[str, Any]] = {}
    place = os.path.join(folder(home), LAST)
    try:
        names = sorted(os.listdir(place))
    except OSError:
        return found
    for name in names:
        entry = _object(os.path.join(place, name)) if name.endswith(".json") else None
        if entry is not None:
            found[name.removesuffix(".json")] = entry
    return found


def _object(path: str) -> dict[str, Any] | None:
    try:
        with open(path, "rb") as stream:
            entry = json.loads(stream.read(64_000))
    except (OSError, ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _opened(path: str, flags: int) -> int:
    """A file that only its owner may read, in folders that only their owner may enter (SEC-4)."""
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        return os.open(path, flags, 0o600)
    except FileNotFoundError:
        _make(os.path.dirname(path))
        return os.open(path, flags, 0o600)


def _make(path: str) -> None:
    if not os.path.isdir(path):
        _make(os.path.dirname(path))
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:
            return
