"""What ``status`` and ``doctor`` say of hooks: what waits, what was put aside, what was too late or not heard (F63)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scrubjay.interfaces.hook import record, spool
from scrubjay.interfaces.render.plain import count, one_line, strong
from scrubjay.operations.health import Finding

SCOPE = "hooks"
_SHOWN = 10


def status(home: str) -> dict[str, Any]:
    """The last event of each kind, how many conversations wait, and which were put aside after three attempts."""
    parked = [
        {"event": one.event, "session": one.session, "transcript": one.transcript, "error": one.error}
        for one in spool.parked(home)
    ]
    return {"last": record.last(home), "waiting": spool.waiting(home), "parked": parked}


def told(kept: dict[str, Any]) -> str:
    """``status`` for people; empty where nothing waits."""
    lines = [f"  waiting    {kept['waiting']:,} for the next background run"] if kept["waiting"] else []
    lines += [
        f"  put aside  {one_line(one['transcript'] or one['session'] or 'no entry')}: {one_line(one['error'])}"
        for one in kept["parked"][:_SHOWN]
    ]
    return "\n".join([strong("hooks"), *lines]) if lines else ""


def findings(home: str, *, repair: bool) -> Iterator[Finding]:
    """What is wrong with hooks; ``repair`` lets what was put aside be tried again."""
    parked = [one for one in spool.parked(home) if one.event]
    if parked:
        again = bool(spool.retry(home)) if repair else False
        yield Finding(
            scope=SCOPE,
            severity="warning",
            message=f"{count(len(parked), 'conversation')} could not be taken in, the last because: {parked[-1].error}",
            hint="`scrubjay doctor --repair` lets them be tried again.",
            repaired=again,
        )
    for name, entry in record.last(home).items():
        outcome = str(entry.get("outcome", ""))
        if outcome.startswith(("failed", "not kept")) or entry.get("late") is True:
            why = "was too late to be heard" if entry.get("late") is True else outcome
            yield Finding(scope=SCOPE, severity="warning", message=f"the last {name} {why}", hint=_LOG)
    told = record.delivery(home)
    if told is not None and told.get("seen") is False:
        yield Finding(
            scope=SCOPE,
            severity="warning",
            message="what the last session was told at its start is not in its transcript: wired, but not delivered",
            hint="Update the host, and run `scrubjay install` again.",
        )


_LOG = "See state/hooks/log.jsonl in your home folder for memories."
