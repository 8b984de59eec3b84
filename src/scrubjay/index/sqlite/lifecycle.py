"""How a generation begins: made empty with its schema, with what can be carried over from the one before (F46)."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Literal

import apsw

from scrubjay.errors import Corrupt, ScrubjayError
from scrubjay.index.sqlite.connection import connect, prepare
from scrubjay.index.sqlite.failures import translated
from scrubjay.index.sqlite.generation import Generation, Place
from scrubjay.index.sqlite.statements import blocks, source, sql

Verdict = Literal["usable", "other", "damaged"]

# Keys of generation n start at (n - 1) << 24: small, and far enough from those of the generation before.
_KEY_BITS = 24
_SPARE_KEPT_SECONDS = 24 * 3600


def schema_version() -> str:
    """Changes whenever the schema does."""
    return hashlib.sha256(source("schema").encode()).hexdigest()[:16]


def judge(connection: apsw.Connection, fingerprint: str) -> Verdict:
    """Whether a database is one of ours, made by this schema and with this fingerprint."""
    try:
        with translated():
            schema = connection.execute(sql("schema", "meta"), {"name": "schema"}).get
            print_ = connection.execute(sql("schema", "meta"), {"name": "fingerprint"}).get
    except Corrupt:
        return "damaged"
    except ScrubjayError as error:
        if isinstance(error.__cause__, apsw.SQLError):
            return "damaged"
        raise
    return "usable" if (schema, print_) == (schema_version(), fingerprint) else "other"


def begin(place: Place, fingerprint: str, old: Generation | None, *, busy_seconds: float) -> Generation:
    """A new generation, not yet live: empty but for the vectors of ``old``, which its records will claim."""
    generation = place.new()
    connection = connect(generation, busy_seconds=busy_seconds)
    try:
        prepare(connection)
        with translated(), attached(connection, old), connection:
            _execute_schema(connection, generation, fingerprint)
            if old is not None and _same_schema(connection):
                connection.execute(sql("carry", "spare"))
    except BaseException:
        connection.close()
        place.discard(generation)
        raise
    connection.close()
    return generation


def carry_over(old: apsw.Connection, new: apsw.Connection) -> None:
    """Copies what no vault can give back: jobs, counters and the journal. ``old`` must hold still meanwhile."""
    with translated():
        if old.execute(sql("schema", "meta"), {"name": "schema"}).get != schema_version():
            return
        with new:
            for table in ("jobs", "counters", "operations"):
                new.executemany(sql("carry", f"write {table}"), old.execute(sql("carry", f"read {table}")).fetchall())


def spare_is_old(connection: apsw.Connection) -> bool:
    """Whether there are carried vectors that nothing has claimed for a day."""
    with translated():
        created = connection.execute(sql("schema", "meta"), {"name": "created"}).get
        old = created is not None and time.time() - int(created) > _SPARE_KEPT_SECONDS
        return old and bool(connection.execute(sql("documents", "spare left")).get)


def drop_spare(connection: apsw.Connection) -> None:
    """Forgets carried vectors that nothing has claimed."""
    with translated():
        connection.execute(sql("carry", "drop spare"))


def verdict(generation: Generation, fingerprint: str, *, busy_seconds: float) -> Verdict:
    """``judge`` for a generation that is not open."""
    try:
        connection = connect(generation, busy_seconds=busy_seconds)
    except Corrupt:
        return "damaged"
    with closing(connection):
        return judge(connection, fingerprint)


def supersede(place: Place, old: Generation | None, fingerprint: str, *, busy_seconds: float) -> None:
    """Under the lock: puts an empty generation live, with what can be carried over from ``old``, whose writers wait."""
    new = begin(place, fingerprint, old, busy_seconds=busy_seconds)
    if old is None:
        place.switch(new)
        return
    with closing(connect(old, busy_seconds=busy_seconds)) as source:
        with translated():
            source.execute("BEGIN IMMEDIATE")
        with closing(connect(new, busy_seconds=busy_seconds)) as target:
            carry_over(source, target)
        place.switch(new)
    place.discard(old)


def supersede_damaged(place: Place, old: Generation, fingerprint: str, *, busy_seconds: float) -> None:
    """Under the lock: puts an empty generation live and sets the damaged one aside."""
    place.switch(begin(place, fingerprint, None, busy_seconds=busy_seconds))
    place.set_aside(old)


def optimise(connection: apsw.Connection) -> None:
    """Merges the text index into one piece: each look-up of a word costs less."""
    with translated():
        connection.execute(sql("carry", "optimise"))


@contextmanager
def attached(connection: apsw.Connection, old: Generation | None) -> Iterator[None]:
    """``old`` as schema ``old``, for as long as the block runs."""
    if old is None:
        yield
        return
    connection.execute("ATTACH :filename AS old", {"filename": old.filename})
    try:
        yield
    finally:
        connection.execute("DETACH old")


def _same_schema(connection: apsw.Connection) -> bool:
    try:
        found = connection.execute("SELECT value FROM old.meta WHERE name = 'schema'").get
    except apsw.SQLError:
        return False
    return bool(found == schema_version())


def _execute_schema(connection: apsw.Connection, generation: Generation, fingerprint: str) -> None:
    connection.execute(blocks("schema")["schema"])
    connection.execute(sql("schema", "first key"), {"base": (generation.number - 1) << _KEY_BITS})
    facts = {"schema": schema_version(), "fingerprint": fingerprint, "created": str(int(time.time()))}
    for name, value in facts.items():
        connection.execute(sql("schema", "remember"), {"name": name, "value": value})
