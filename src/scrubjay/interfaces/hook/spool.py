"""What happened and waits to be taken in: one small file an entry in ``state/spool`` (HK-2, HK-15).

An entry of the same session and kind takes the place of the one before: the transcript holds both. Who works on an
entry moves it to ``taken`` first and counts the attempt before it begins; what a killed worker leaves there is taken up
again, and what failed three times, or killed three workers, is parked in ``parked``, where ``status`` shows it.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from scrubjay.interfaces.hook import record

if TYPE_CHECKING:
    from scrubjay.interfaces.hook.events import Event

FOLDER = "spool"
TAKEN, PARKED = "taken", "parked"
MOST = 2_000
"""Entries that may wait; what comes then is in the transcripts all the same."""
TRIES = 3
_SUFFIX = ".json"
_MOST_BYTES = 1_000_000


class Entry(NamedTuple):
    """One entry: its file's name, and what it says, nothing of which is to be believed. ``tries`` counts attempts."""

    name: str
    event: str
    session: str
    transcript: str
    cwd: str
    summary: str
    at: float
    tries: int
    error: str


def folder(home: str) -> str:
    """The folder of the entries that wait."""
    return os.path.join(home, "state", FOLDER)


def add(home: str, event: Event) -> bool:
    """Puts an entry for ``event`` in one step; tells whether there was room. Raises ``OSError``."""
    if waiting(home) >= MOST:
        return False
    kind = hashlib.sha256(event.summary.encode("utf-8", "replace")).hexdigest() if event.summary else ""
    parts = "\x00".join((event.session, event.transcript, event.cwd, kind))
    name = hashlib.sha256(parts.encode("utf-8", "replace")).hexdigest()[:24] + _SUFFIX
    _put(os.path.join(folder(home), name), _entry(name, event))
    return True


def waiting(home: str) -> int:
    """How many entries wait, those of a killed worker among them."""
    return len(_names(folder(home))) + len(_names(os.path.join(folder(home), TAKEN)))


def take(home: str) -> list[Entry]:
    """Moves everything that waits to ``taken`` and returns what lies there, oldest first. Only under the worker's
    lock. What is no entry is parked."""
    source, target = folder(home), os.path.join(folder(home), TAKEN)
    os.makedirs(target, mode=0o700, exist_ok=True)
    for name in _names(source):
        try:
            os.replace(os.path.join(source, name), os.path.join(target, name))
        except OSError:
            continue
    entries = sorted(_entries(home, target), key=lambda entry: entry.at)
    return [entry for entry in entries if entry.tries < TRIES or not _park(home, entry)]


def done(home: str, entry: Entry) -> None:
    """Drops an entry that was taken in."""
    _unlink(os.path.join(folder(home), TAKEN, entry.name))


def begin(home: str, entry: Entry) -> Entry:
    """Counts an attempt before it is made. Raises ``OSError``."""
    begun = entry._replace(tries=entry.tries + 1, error="the worker ended while it was at it")
    _put(os.path.join(folder(home), TAKEN, entry.name), begun)
    return begun


def release(home: str, entry: Entry) -> None:
    """Puts ``entry`` back as it was before ``begin``: it was not to blame. Raises ``OSError``."""
    _put(os.path.join(folder(home), TAKEN, entry.name), entry)


def failed(home: str, begun: Entry, error: str) -> bool:
    """Notes why an attempt failed; after the third the entry is parked, and the answer is true. Raises ``OSError``."""
    tried = begun._replace(error=error[:300])
    if tried.tries >= TRIES:
        return _park(home, tried)
    _put(os.path.join(folder(home), TAKEN, tried.name), tried)
    return False


def retry(home: str) -> int:
    """Lets everything that was parked be tried again; how many entries that is. What is no entry stays."""
    entries = [entry for entry in parked(home) if entry.event]
    for entry in entries:
        _put(os.path.join(folder(home), entry.name), entry._replace(tries=0, error=""))
        _unlink(os.path.join(folder(home), PARKED, entry.name))
    return len(entries)


def fresh(home: str) -> bool:
    """Whether something came since ``take``."""
    return bool(_names(folder(home)))


def parked(home: str) -> list[Entry]:
    """What failed three times."""
    return list(_read_all(os.path.join(folder(home), PARKED)))


def _park(home: str, entry: Entry) -> bool:
    _put(os.path.join(folder(home), PARKED, entry.name), entry)
    _unlink(os.path.join(folder(home), TAKEN, entry.name))
    return True


def _entry(name: str, event: Event) -> Entry:
    return Entry(
        name=name,
        event=event.name,
        session=event.session,
        transcript=event.transcript,
        cwd=event.cwd,
        summary=event.summary,
        at=time.time(),
        tries=0,
        error="",
    )


def _put(path: str, entry: Entry) -> None:
    record.replace(path, json.dumps(entry._asdict(), ensure_ascii=True).encode("ascii"))


def _entries(home: str, place: str) -> Iterator[Entry]:
    for name in _names(place):
        entry = _read(place, name)
        if entry is not None:
            yield entry
            continue
        aside = os.path.join(folder(home), PARKED)
        os.makedirs(aside, mode=0o700, exist_ok=True)
        os.replace(os.path.join(place, name), os.path.join(aside, name))


def _read_all(place: str) -> Iterator[Entry]:
    for name in _names(place):
        yield _read(place, name) or Entry(name, "", "", "", "", "", 0.0, TRIES, "It is no entry.")


def _read(place: str, name: str) -> Entry | None:
    try:
        descriptor = os.open(os.path.join(place, name), os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        with os.fdopen(descriptor, "rb") as stream:
            given: Any = json.loads(stream.read(_MOST_BYTES))
        texts = {key: given[key] for key in ("event", "session", "transcript", "cwd", "summary", "error")}
        at, tries = float(given["at"]), int(given["tries"])
    except (OSError, ValueError, TypeError, KeyError, RecursionError, OverflowError):
        return None
    if not all(isinstance(text, str) for text in texts.values()):
        return None
    return Entry(name=name, at=at, tries=tries, **texts)


def _names(place: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(place) if name.endswith(_SUFFIX))
    except OSError:
        return []


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return
