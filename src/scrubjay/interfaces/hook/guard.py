"""The time limit of a hook: the answer in time, or none (HK-2, HK-16, F62).

The work is done in a child process, and the process that the host waits for waits for the child no longer than it may.
So nothing that happens to the work can hold up or break a session: a database that is locked, a disk that hangs, a
library that crashes, a machine without memory. Each line that the child writes is a whole answer; the last one that
came in time counts (F80).
"""

from __future__ import annotations

import os
import sys
import time

CONTEXT_SECONDS = 0.4
"""How long a host waits at most for what is said to the agent."""
CAPTURE_SECONDS = 0.25
"""How long it waits at most for a note of what happened; SessionEnd has to be over in 300 ms (HK-2)."""
_SAYING = frozenset({"SessionStart", "UserPromptSubmit"})
# Seconds after which a child that nobody waits for any more is ended by the system.
_AFTERLIFE = 5
_MOST_BYTES = 256_000


def answer(named: str) -> None:
    """Answers the event on stdin, which the host calls ``named``, within its time."""
    limit = CONTEXT_SECONDS if named in _SAYING or not named else CAPTURE_SECONDS
    _keep_standard_streams()
    if not hasattr(os, "fork"):
        _put(_in_this_process(named, limit))
        return
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _work(named, writing)
    os.close(writing)
    _put(_last_line(_received(reading, child, time.monotonic() + limit)))


def _work(named: str, writing: int) -> None:
    """The child: away from the host's streams and signals, it answers into the pipe and ends."""
    try:
        os.setsid()
        _expire()
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        from scrubjay.interfaces.hook import handling

        for line in handling.answers(named):
            _write(writing, line)
    except BaseException:  # noqa: BLE001 - there is nobody to tell, and the session goes on (HK-7)
        os._exit(1)
    os._exit(0)


def _expire() -> None:
    import signal

    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(_AFTERLIFE)


def _received(reading: int, child: int, until: float) -> bytes:
    """What the child wrote until it ended or the time was over."""
    from select import select

    found = b""
    while (left := until - time.monotonic()) > 0 and len(found) < _MOST_BYTES:
        if not select([reading], [], [], left)[0]:
            break
        part = os.read(reading, 65_536)
        if not part:
            os.waitpid(child, 0)
            break
        found += part
    return found


def _last_line(data: bytes) -> bytes:
    """The last whole line of ``data``."""
    return data[: data.rfind(b"\n") + 1].removesuffix(b"\n").rpartition(b"\n")[2]


def _in_this_process(named: str, limit: float) -> bytes:
    """Where a process cannot fork, a thread ends it when the time is over."""
    import _thread

    def end() -> None:
        time.sleep(limit)
        os._exit(0)

    _thread.start_new_thread(end, ())
    from scrubjay.interfaces.hook import handling

    last = b""
    for line in handling.answers(named):
        last = line
    return last


def _put(line: bytes) -> None:
    if line:
        _write(1, line + b"\n")


def _write(to: int, data: bytes) -> None:
    rest = memoryview(data if to == 1 else data + b"\n")
    while rest:
        rest = rest[os.write(to, rest) :]


def _keep_standard_streams() -> None:
    """Fills what a host closed of 0, 1 and 2, so that a pipe of ours never becomes one of them."""
    while (opened := os.open(os.devnull, os.O_RDWR)) <= 2:
        if sys.platform == "win32":
            break
    if opened > 2:
        os.close(opened)
