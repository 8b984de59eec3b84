"""Keeping what happened: a note in the spool, and a process of its own for what takes time (HK-2, HK-15)."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from scrubjay.interfaces.hook import record, spool, worker_command

if TYPE_CHECKING:
    from scrubjay.interfaces.hook.choices import Choices
    from scrubjay.interfaces.hook.events import Event

NOTED = frozenset({"Stop", "SubagentStop", "PreCompact", "PostCompact", "SessionEnd"})
AT_ONCE = frozenset({"PreCompact", "SessionEnd"})
"""After these a worker begins at once; otherwise one that began lately will do."""
STARTED = "started"
_QUIET = frozenset({"UserPromptSubmit", "SubagentStop"})


def note(event: Event, home: str, chosen: Choices) -> str:
    """Keeps ``event`` and starts a worker where one is due; what was done, in words. Raises ``OSError``."""
    if not chosen.capture or event.name in _QUIET - NOTED:
        return "nothing to keep"
    outcome = "nothing to keep"
    if event.name in NOTED and (event.transcript or event.summary):
        outcome = "kept" if spool.add(home, event) else "not kept: too much waits already"
    if event.name not in _QUIET and _due(event, home, chosen.every):
        if event.name == "SessionStart":  # so that the worker knows whose vaults to look through
            spool.add(home, event._replace(transcript=""))
        if start(home):
            outcome += ", worker started"
    return outcome


def start(home: str) -> bool:
    """Starts the worker, away from everything that the host may wait for or end. Raises ``OSError``."""
    command = worker_command()
    if not command:
        return False
    record.replace(os.path.join(record.folder(home), STARTED), b"")
    environment = {**os.environ, "SCRUBJAY_HOME": home}
    if hasattr(os, "fork"):
        _fork(command, environment)
    else:
        _spawn(command, environment)
    return True


def _due(event: Event, home: str, minutes: int) -> bool:
    if event.name in AT_ONCE:
        return True
    try:
        age = time.time() - os.stat(os.path.join(record.folder(home), STARTED)).st_mtime
    except OSError:
        return True
    return not 0 <= age < minutes * 60


def _fork(command: list[str], environment: dict[str, str]) -> None:
    """A session of its own, no streams of the host's, no alarm of ours, the folder of nobody."""
    if os.fork():
        return
    try:
        import signal

        signal.alarm(0)
        os.setsid()
        os.chdir("/")
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nothing, stream)
        os.execve(command[0], command, environment)  # noqa: S606 - no shell is what is wanted
    finally:
        os._exit(1)


def _spawn(command: list[str], environment: dict[str, str]) -> None:
    import subprocess

    flags = getattr(subprocess, "DETACHED_PROCESS", 0) | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
    subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        creationflags=flags,
        close_fds=True,
    )
