"""Counters, marks, and the journal of operations, which ``undo`` reads."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from scrubjay.errors import NotFound
from scrubjay.index.sqlite.columns import EPOCH, micros, moment
from scrubjay.index.sqlite.database import Database
from scrubjay.index.sqlite.statements import sql
from scrubjay.index.sqlite.weighing import clean
from scrubjay.types import Change, Operation


def count(db: Database, name: str, add: int) -> None:
    """Adds to a counter."""
    with db.transaction():
        db.all(sql("journal", "count"), {"name": name, "add": add})


def counters(db: Database) -> Mapping[str, int]:
    """All counters by name."""
    return dict(db.all(sql("journal", "counters")))


def mark(db: Database, name: str) -> str:
    """What was noted under ``name``."""
    return str(db.value(sql("journal", "mark"), {"name": name}) or "")


def set_mark(db: Database, name: str, value: str) -> None:
    """Notes ``value`` under ``name``."""
    with db.transaction():
        db.all(sql("journal", "set mark"), {"name": name, "value": clean(value)})


def log(db: Database, operation: Operation) -> None:
    """Remembers an operation."""
    changes = [[change.path, change.before, change.after, change.kept, change.prefix] for change in operation.changes]
    bindings = {
        "id": operation.id,
        "verb": operation.verb,
        "at": micros(operation.at),
        "summary": clean(operation.summary),
        "changes": clean(json.dumps(changes, ensure_ascii=False)),
        "undone": operation.undone,
    }
    db.all(sql("journal", "log"), bindings)


def operations(db: Database, limit: int) -> Sequence[Operation]:
    """The newest operations, newest first."""
    return [_operation(row) for row in db.all(sql("journal", "operations"), {"limit": limit})]


def mark_undone(db: Database, id: str) -> None:
    """Raises ``NotFound`` for an unknown operation."""
    with db.transaction():
        if db.one(sql("journal", "undone"), {"id": id}) is None:
            raise NotFound(f"No operation has the id {id}.", hint="List them with `scrubjay history`.")


def _operation(row: Sequence[Any]) -> Operation:
    id_, verb, at, summary, changes, undone = row
    return Operation(
        id=id_,
        verb=verb,
        at=moment(at) or EPOCH,
        summary=summary,
        changes=tuple(_change(*change) for change in json.loads(changes)),
        undone=bool(undone),
    )


def _change(path: str, before: str | None, after: str | None, kept: str, prefix: int | None = None) -> Change:
    return Change(path=path, before=before, after=after, kept=kept, prefix=prefix)
