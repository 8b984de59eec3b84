"""The ledger: every call of a language model, before and after, in a file a day that is only appended to (design §8).

A call is written down before it is made, with what it is expected to take, so that one whose process died counts too.
Its place in the file then decides whether it is within the caps: of two processes that ask for the last call, the
second finds itself behind the first and withdraws. No lock is needed, and no line is ever changed.

The ledger holds numbers and names: never a prompt, an answer or a key.
"""

from __future__ import annotations

import json
import math
import os
import stat
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from scrubjay.errors import Unavailable
from scrubjay.ids import new_id
from scrubjay.models.llm.usage import Caps, Day, cap_reached

LARGEST = 64 * 1024 * 1024  # bytes of one day; more is no ledger of ours
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call as written down. ``cap`` says which cap forbids it; it may be made when that is empty."""

    id: str
    day: date
    cap: str = ""


def _now() -> datetime:
    return datetime.now(UTC)


class Ledger:
    """The calls of all processes that share ``folder``, under ``caps``. Safe between threads and processes."""

    def __init__(self, folder: Path, caps: Caps, *, now: Callable[[], datetime] = _now) -> None:
        self._folder = folder
        self._caps = caps
        self._now = now

    def start(self, *, purpose: str, prompt: str, model: str, expected: int) -> Call:
        """Writes down that a call of ``expected`` input tokens begins, unless a cap forbids it. Raises ``Unavailable``
        when it cannot be written: a call that is not counted is not made."""
        now = self._now()
        call = Call(id=new_id(), day=now.date())
        entry = {"purpose": purpose, "prompt": prompt, "model": model, "input": expected}
        self._append(call, "started", entry)
        before = _count(self._entries(call.day), until=call.id)
        cap = cap_reached(before, self._caps, calls=1, tokens=expected)
        if cap:
            self._append(call, "withdrawn", {})
        return Call(id=call.id, day=call.day, cap=cap)

    def finish(self, call: Call, *, outcome: str, input: int, output: int, money: float | None, seconds: float) -> None:
        """Writes down how ``call`` ended: ``outcome`` in a word, tokens, dollars if known. Raises ``Unavailable``."""
        entry = {"outcome": outcome, "input": input, "output": output, "money": money, "seconds": round(seconds, 3)}
        self._append(call, "finished", entry)

    def correct(self, call: Call, *, outcome: str) -> None:
        """Writes down what became of ``call`` after all: an answer that could not be used. Raises ``Unavailable``."""
        self._append(call, "finished", {"outcome": outcome})

    def today(self) -> Day:
        """What today took so far. Raises ``Unavailable`` when the ledger cannot be read."""
        day = self._now().date()
        return _count(self._entries(day), day=day)

    def _path(self, day: date) -> Path:
        return self._folder / f"{day.isoformat()}.jsonl"

    def _append(self, call: Call, event: str, entry: Mapping[str, object]) -> None:
        at = self._now().isoformat(timespec="milliseconds")
        line = json.dumps({"at": at, "call": call.id, "event": event, **entry}).encode("ascii") + b"\n"
        path = self._path(call.day)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | _NO_FOLLOW, 0o600)
            try:
                _check(descriptor)
                # A writer that was killed may have left half a line, which must not swallow this one.
                torn = _last_byte(descriptor) not in (b"", b"\n")
                # One call of the system, so that lines of several processes do not mix.
                written = os.write(descriptor, b"\n" + line if torn else line)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise _unusable(path, error) from None
        if written < len(line):
            raise Unavailable(f"{path} could not be written to its end.", hint="Make room on the disk.")

    def _entries(self, day: date) -> Iterator[dict[str, Any] | None]:
        path = self._path(day)
        try:
            data = _read(path)
        except OSError as error:
            raise _unusable(path, error) from None
        for line in data.split(b"\n"):
            if line.strip():
                yield _parsed(line)


def _read(path: Path) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | _NO_FOLLOW)
    except FileNotFoundError:
        return b""
    try:
        _check(descriptor)
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(LARGEST)
    finally:
        os.close(descriptor)


def _unusable(path: Path, error: OSError) -> Unavailable:
    return Unavailable(
        f"The ledger of language models {path} cannot be used: {error.strerror}.",
        hint="Mend its permissions or make room on the disk; until then rules do the work.",
    )


def _check(descriptor: int) -> None:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise OSError(0, "it is not a regular file")


def _last_byte(descriptor: int) -> bytes:
    size = os.fstat(descriptor).st_size
    if not size:
        return b""
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return os.read(descriptor, 1)


def _parsed(line: bytes) -> dict[str, Any] | None:
    """An entry, or ``None`` for a line that is none."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(entry, dict) or not isinstance(entry.get("call"), str):
        return None
    return entry if entry.get("event") in ("started", "finished", "withdrawn") else None


def _count(entries: Iterator[dict[str, Any] | None], *, until: str = "", day: date = date.min) -> Day:
    """The numbers of all calls, or of those written down before the call ``until``."""
    calls: dict[str, dict[str, Any]] = {}
    unreadable = capped = 0
    ahead = True
    for entry in entries:
        if entry is None:
            unreadable += 1
            continue
        id = entry["call"]
        ahead = ahead and id != until
        if entry["event"] == "withdrawn":
            capped += calls.pop(id, None) is not None
        elif entry["event"] == "started" and ahead:
            calls[id] = entry
        elif id in calls:
            calls[id] = {**calls[id], **entry}
    return replace(_sum(list(calls.values()), day), capped=capped, unreadable=unreadable)


def _sum(calls: list[dict[str, Any]], day: date) -> Day:
    finished = [call for call in calls if call["event"] == "finished"]
    prices = [_number(call.get("money")) for call in finished]
    return Day(
        day=day,
        calls=len(calls),
        input_tokens=sum(int(_number(call.get("input")) or 0) for call in calls),
        output_tokens=sum(int(_number(call.get("output")) or 0) for call in calls),
        money=math.fsum(price for price in prices if price is not None),
        unpriced=sum(price is None for price in prices),
        running=len(calls) - len(finished),
        outcomes=MappingProxyType(Counter(str(call.get("outcome", "")) for call in finished)),
        purposes=MappingProxyType(Counter(str(call.get("purpose", "")) for call in calls)),
    )


def _number(value: object) -> float | None:
    """``value`` if it is a number that can be added up."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if 0 <= value < 1e15 else None
