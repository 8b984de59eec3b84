"""Is the index whole, how much of the vault does it hold, and making it whole again (F12, F13, F35, F39, F42)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scrubjay.errors import Corrupt
from scrubjay.index.sqlite.database import Database
from scrubjay.index.sqlite.statements import sql
from scrubjay.ports import Coverage


@dataclass(frozen=True, slots=True, kw_only=True)
class Repaired:
    """Records before and after, and what is still wrong."""

    before: int
    after: int
    left: tuple[str, ...]


def coverage(db: Database, model: str | None) -> Coverage:
    """How much is indexed; without a ``model`` vectors of any count."""
    row = db.all(sql("health", "coverage"), {"model": model})[0]
    documents, records, lexical, embeddable, vectors, stale, failures = row
    return Coverage(
        documents=documents,
        records=records,
        lexical=lexical,
        embeddable=embeddable,
        vectors=vectors,
        stale_vectors=stale,
        bytes=db.size,
        failures=failures,
    )


def check(db: Database) -> Sequence[str]:
    """Everything inconsistent, one sentence each."""
    with db.transaction():
        try:
            found = [text for (text,) in db.all(sql("health", "integrity")) if text != "ok"]
            found += [text for (text,) in db.all(sql("health", "inconsistencies"))]
            models = db.all(sql("health", "models"))
        except Corrupt as error:
            return [error.message]
        found += _word_problems(db)
    if len(models) > 1:
        found.append("Vectors of several models are mixed: " + ", ".join(f"{name} ({n})" for name, n in models) + ".")
    return found


def repair(db: Database) -> Repaired:
    """Makes rows, lexemes and vectors fit each other again. What the index cannot know is read again by a sync."""
    with db.transaction(durable=True):
        before = db.value(sql("health", "record count"))
        db.script(sql("health", "repair"))
        after = db.value(sql("health", "record count"))
    return Repaired(before=before, after=after, left=tuple(check(db)))


def _word_problems(db: Database) -> list[str]:
    """FTS5 reports a difference between lexemes and records as damage; it is not damage of the file."""
    try:
        db.all(sql("health", "word integrity"))
    except Corrupt:
        return ["The text index does not say what the records say."]
    return []
