"""What takes time, in a process that nobody waits for: conversations are taken in, read, and made searchable (HK-2).

One worker runs at a time, by a lock that the system lets go of when its holder dies (F53). A worker that was killed
leaves its entries in the spool, and the next one goes on with them. A transcript that vanished meanwhile is no
deletion: what was taken in of it stays (HK-15).
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from scrubjay.errors import ScrubjayError, Unavailable
from scrubjay.interfaces.hook import places, record, spool

if TYPE_CHECKING:
    from scrubjay.interfaces.hook.spool import Entry
    from scrubjay.memory import Memory

LOCK = "worker.lock"
MOST_SECONDS = 1_800
"""A worker that takes longer is ended by the system: it hangs."""
_NICE = 10
_MOST_TRANSCRIPT = 2_000_000_000
_KEPT_SECONDS = 14 * 86_400


def main() -> None:
    """Takes in everything that waits, unless another worker is doing that; then what came meanwhile."""
    home = places.home(os.environ)
    _be_modest()
    while _run(home) and spool.fresh(home):
        continue


def _be_modest() -> None:
    if hasattr(os, "nice"):
        os.nice(_NICE)
    try:
        import signal

        signal.alarm(MOST_SECONDS)
    except AttributeError:  # not where there are no such signals
        return


def _run(home: str) -> bool:
    """Works under the lock; false where another worker has it."""
    from pathlib import Path

    from scrubjay.index.sqlite.filelock import exclusive

    os.makedirs(record.folder(home), mode=0o700, exist_ok=True)
    try:
        with exclusive(Path(record.folder(home), LOCK), wait_seconds=0):
            _work(home, spool.take(home))
            _tidy(home)
    except Unavailable:
        return False
    return True


def _work(home: str, entries: Iterable[Entry]) -> None:
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        groups.setdefault(entry.cwd if os.path.isdir(entry.cwd) else home, []).append(entry)
    for cwd, group in groups.items():
        try:
            _take_in(home, cwd, group)
        except Exception as error:  # noqa: BLE001 - another project's memory may be well; these entries stay
            _tell(home, "failed", error=error, cwd=cwd)


def _take_in(home: str, cwd: str, group: list[Entry]) -> None:
    """Opens the memory of ``cwd`` and hands it what was kept there. Raises what opening the memory raises."""
    from scrubjay.memory import Memory

    started = time.monotonic()
    with Memory.open(home=home, cwd=cwd, background=False) as memory:
        read = sum(_one(home, memory, entry) for entry in group)
        report = memory.drain(limit=memory.settings.hooks.vectors)
        _afterwards(home, memory, group)
    _tell(
        home,
        "taken in",
        entries=read,
        of=len(group),
        vectors=report.stored,
        waiting=report.waiting,
        seconds=round(time.monotonic() - started, 1),
    )


def _one(home: str, memory: Memory, entry: Entry) -> bool:
    """Takes in one entry; whether that went well. Raises ``OSError`` where the spool cannot be written."""
    begun = spool.begin(home, entry)
    try:
        waits = _ingested(home, memory, begun)
    except Unavailable as error:  # a full disk, a lock: the entry is not to blame
        spool.release(home, entry)
        _tell(home, "put off", error=error)
        return False
    except Exception as error:  # noqa: BLE001 - one bad conversation must not keep the others
        parked = spool.failed(home, begun, f"{type(error).__name__}: {error}")
        _tell(home, "parked" if parked else "failed", error=error)
        return False
    if waits and begun.tries < spool.TRIES:
        return True
    spool.done(home, begun)
    return True


def _ingested(home: str, memory: Memory, entry: Entry) -> bool:
    """Stores what ``entry`` leads to; true where something is still to come."""
    there = transcript(entry.transcript)
    if there:
        memory.ingest(there)
        _look_for_delivery(home, entry, there)
    if entry.summary and entry.session:
        # The transcript brings the same summary a moment later, with its own id.
        if there and entry.tries < spool.TRIES and not _mentions(there, entry.summary):
            return True
        memory.keep_summary(entry.session, entry.summary, at=datetime.fromtimestamp(entry.at, UTC))
    return False


def transcript(path: str) -> str:
    """``path`` if a transcript may lie there: a regular file that no link leads to; else nothing.

    Below the host's own folder no folder on the way may be a link either (SEC-1, F112).
    """
    if not path.endswith(".jsonl"):
        return ""
    try:
        status = os.lstat(path)
        base = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.expanduser("~/.claude")
        inside = os.path.relpath(path, base)
        leads_away = not inside.startswith("..") and os.path.realpath(path) != os.path.join(
            os.path.realpath(base), inside
        )
    except (OSError, ValueError):
        return ""
    return path if stat.S_ISREG(status.st_mode) and status.st_size <= _MOST_TRANSCRIPT and not leads_away else ""


def _mentions(path: str, summary: str) -> bool:
    """Whether the transcript at ``path`` holds ``summary``, as JSON writes it."""
    import json

    telling = json.dumps(summary.strip()[:200], ensure_ascii=False)[1:-1].encode("utf-8", "replace")
    with open(path, "rb") as stream:
        return any(telling in line for line in stream)


def _look_for_delivery(home: str, entry: Entry, path: str) -> None:
    """Whether what the session was told when it started stands in its transcript: if not, hooks run and nobody hears
    them (F63)."""
    from scrubjay.interfaces.hook import heads

    told = record.last(home).get("SessionStart", {})
    if not told.get("characters") or told.get("session") != entry.session:
        return
    marker = heads.INTRODUCTION[:40].encode()
    with open(path, "rb") as stream:
        seen = any(marker in line for line in stream)
    record.delivered(home, entry.session, seen=seen)


def _afterwards(home: str, memory: Memory, group: list[Entry]) -> None:
    """What else is done with new conversations; what fails keeps nothing else from being done."""
    for entry in group:
        if entry.transcript and entry.event != "SubagentStop" and transcript(entry.transcript):
            _try(home, "note_session", partial(memory.note_session, entry.transcript))
    if "notebook" in memory.scopes:
        current = next((entry.session for entry in reversed(group) if entry.event != "SessionEnd"), "")
        _try(home, "dream", partial(memory.dream, session=current))


def _try(home: str, what: str, act: Callable[[], object]) -> None:
    try:
        act()
    except Exception as error:  # noqa: BLE001 - what was taken in is taken in
        _tell(home, f"{what} failed", error=error)


def _tidy(home: str) -> None:
    """Drops what sessions were told that are long over."""
    from scrubjay.interfaces.hook import shown

    place = os.path.join(record.folder(home), shown.FOLDER)
    try:
        with os.scandir(place) as found:
            old = [each.path for each in found if time.time() - each.stat().st_mtime > _KEPT_SECONDS]
        for path in old:
            os.unlink(path)
    except OSError:
        return


def _tell(home: str, outcome: str, *, error: BaseException | None = None, **more: object) -> None:
    """A line in the log; of errors only ours name files, and none holds what was said."""
    entry: dict[str, Any] = {"event": "worker", "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
    entry |= {"outcome": outcome, **more}
    if error is not None:
        entry["error"] = str(error)[:300] if isinstance(error, ScrubjayError) else type(error).__name__
    try:
        record.append(home, entry)
    except OSError:
        return
