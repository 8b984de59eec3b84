"""Background work: leases, fencing tokens, back-off, and a dead letter that stays visible (F41, F57, F58)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from scrubjay.ids import new_id
from scrubjay.index.sqlite.columns import micros
from scrubjay.index.sqlite.database import Database
from scrubjay.index.sqlite.statements import sql
from scrubjay.index.sqlite.weighing import clean
from scrubjay.ports import Job

MOST_ATTEMPTS = 5
_FIRST_WAIT_SECONDS = 2.0
_LONGEST_WAIT_SECONDS = 3600.0
_LONGEST_ERROR = 500


def enqueue(db: Database, kind: str, key: str, payload: str, *, now: datetime) -> None:
    """Asks for work; asking again while it waits changes nothing, while it runs it will run once more."""
    bindings = {"kind": kind, "key": clean(key), "payload": clean(payload), "now": micros(now)}
    with db.transaction():
        db.all(sql("jobs", "enqueue"), bindings)


def claim(db: Database, kind: str, lease_seconds: float, *, now: datetime) -> Job | None:
    """Takes a job for ``lease_seconds``; ``None`` when nothing is due."""
    bindings = {
        "kind": kind,
        "now": micros(now),
        "most": MOST_ATTEMPTS,
        "token": new_id(),
        "lease_ends": micros(now + timedelta(seconds=lease_seconds)),
    }
    if not db.value(sql("jobs", "due"), bindings):
        return None
    with db.transaction():
        db.all(sql("jobs", "bury"), bindings)
        row = db.one(sql("jobs", "claim"), bindings)
    return None if row is None else _job(row)


def renew(db: Database, job: Job, lease_seconds: float, *, now: datetime) -> bool:
    """Prolongs a lease; ``False`` when the job is somebody else's by now."""
    bindings = {"id": job.id, "token": job.token, "lease_ends": micros(now + timedelta(seconds=lease_seconds))}
    with db.transaction():
        return db.one(sql("jobs", "renew"), bindings) is not None


def release(db: Database, job: Job, *, now: datetime) -> None:
    """Gives a job back untried."""
    with db.transaction():
        db.all(sql("jobs", "release"), {"id": job.id, "token": job.token, "now": micros(now)})


def finish(db: Database, job: Job, *, now: datetime) -> bool:
    """Marks a job done; ``False`` when it is somebody else's by now."""
    bindings = {"id": job.id, "token": job.token, "now": micros(now)}
    with db.transaction():
        return any(db.one(sql("jobs", name), bindings) is not None for name in ("again", "finish"))


def fail(db: Database, job: Job, error: str, *, retry: bool, now: datetime) -> None:
    """Notes a failure; the job waits longer each time and is dead after the last attempt, or at once."""
    jitter = random.uniform(0.5, 1.0)  # noqa: S311 - jitter, no secret
    wait = min(_FIRST_WAIT_SECONDS * 2**job.attempts, _LONGEST_WAIT_SECONDS) * jitter
    bindings = {
        "id": job.id,
        "token": job.token,
        "now": micros(now),
        "error": clean(error)[:_LONGEST_ERROR],
        "dead": not retry or job.attempts >= MOST_ATTEMPTS,
        "due": micros(now + timedelta(seconds=wait)),
    }
    with db.transaction():
        if bindings["dead"] and db.one(sql("jobs", "again"), bindings) is not None:
            return
        db.all(sql("jobs", "fail"), bindings)


def jobs(db: Database) -> Sequence[Job]:
    """All work there is, dead letters included, in the order of asking."""
    return [_job(row) for row in db.all(sql("jobs", "all"))]


def _job(row: Sequence[Any]) -> Job:
    id_, kind, key, attempts, token, payload, state, error = row
    return Job(id=id_, kind=kind, key=key, attempts=attempts, token=token, payload=payload, state=state, error=error)
