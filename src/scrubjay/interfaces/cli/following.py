"""``ingest --watch``: one line a change, and the counts when it is ended."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrubjay.interfaces.cli import console
from scrubjay.interfaces.cli.invocation import Invocation

if TYPE_CHECKING:
    from scrubjay.memory import Memory
    from scrubjay.operations.ingest.following import Followed


def run(invocation: Invocation, memory: Memory, paths: Sequence[str], scope: str | None, *, embeds: bool) -> None:
    """Follows ``paths`` until Ctrl-C or a request to end, and prints what was taken in. With ``--json`` each line is an
    object, and the last one has the counts."""
    from scrubjay.interfaces.render import health

    counts = dict.fromkeys(("changes", "added", "redacted", "forgotten", "withdrawn"), 0)
    said: dict[Path, str] = {}
    with until_ended() as stop:
        for followed in memory.follow(paths, stop=stop, scope=scope):
            _tell(invocation, followed, said)
            report = followed.report
            if report is not None:
                counts["changes"] += bool(followed.changed and report.added)
                for name in ("added", "redacted", "forgotten", "withdrawn"):
                    counts[name] += getattr(report, name)
                if embeds and report.added and not stop.is_set():
                    memory.drain()
    invocation.answer({"ended": True, **counts}, health.followed(counts))


def _tell(invocation: Invocation, followed: Followed, said: dict[Path, str]) -> None:
    from scrubjay.interfaces.render import health, objects

    name = _name(followed)
    if followed.error is not None:
        # The same complaint at every change would hide what is new.
        if said.get(followed.path) != followed.error.message:
            said[followed.path] = followed.error.message
            invocation.warn(f"{name}: {followed.error}")
        return
    report = followed.report
    if report is None or (followed.changed and not (report.added or report.withdrawn or report.problems)):
        return
    values: dict[str, Any] = {"path": str(followed.path), "changed": [str(path) for path in followed.changed]}
    invocation.answer({**values, **objects.ingested(report)}, health.ingested(name, report))
    console.flush()
    if not invocation.as_json:
        for line in health.ingest_problems(name, report):
            invocation.warn(line)


def _name(followed: Followed) -> str:
    if len(followed.changed) != 1:
        return str(followed.path)
    [file] = followed.changed
    top = followed.path.resolve()
    return str(followed.path / file.relative_to(top)) if file != top and file.is_relative_to(top) else str(file)


@contextmanager
def until_ended() -> Iterator[threading.Event]:
    """An event that is set by the first Ctrl-C or request to end, so that what is at hand is finished; the second one
    interrupts."""
    stop = threading.Event()

    def end(number: int, frame: object) -> None:  # noqa: ARG001 - what a signal's handler gets
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
