"""Vectors: what waits for one, storing them, and the nearest to a query (F43, F45, F52, F79; MX-11)."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from typing import TYPE_CHECKING

from scrubjay.errors import BadInput
from scrubjay.index.sqlite.columns import unfold
from scrubjay.index.sqlite.connection import PAGE_SIZE
from scrubjay.index.sqlite.database import Database
from scrubjay.index.sqlite.statements import sql
from scrubjay.ports import Pending, VectorRow

if TYPE_CHECKING:
    from scrubjay.ports import Floats

# Bytes of a page, and of each row in it, that SQLite needs for itself.
_PAGE_HEADER = 8
_CELL = 12


def pending(db: Database, model: str, limit: int) -> Sequence[Pending]:
    """Records without a vector of ``model``, newest first: those without any before those of another model."""
    found = db.all(sql("vectors", "waiting"), {"limit": limit})
    for number, name in db.all(sql("vectors", "models")):
        if name != model and len(found) < limit:
            found += db.all(sql("vectors", "stale"), {"model": number, "limit": limit - len(found)})
    return [Pending(key=key, passage=unfold(passage, text)) for key, passage, text in found]


def pending_count(db: Database, model: str) -> int:
    """How many records have no vector of ``model``."""
    stale = db.value(sql("vectors", "stale count"), {"name": model})
    return int(db.value(sql("vectors", "waiting count"))) + int(stale)


def put(db: Database, model: str, rows: Sequence[VectorRow]) -> None:
    """Stores vectors of ``model``, all or none. Raises ``BadInput`` for a vector of zeros or of the wrong size."""
    if not rows:
        return
    dimensions = len(rows[0].vector)
    for row in rows:
        if len(row.vector) != dimensions or not any(row.vector):
            raise BadInput(
                f"The vector for record {row.key} is empty, all zeros or of another size than its neighbours.",
                hint="Compute it again; the record stays searchable by its words.",
            )
    rows = [rows[place] for place in packed([len(row.tokens or b"") for row in rows], PAGE_SIZE - _PAGE_HEADER)]
    with db.transaction():
        db.all(sql("vectors", "add model"), {"name": model, "dimensions": dimensions})
        check_dimensions(db, model, dimensions)
        number = db.all(sql("vectors", "model"), {"name": model})[0][0]
        db.many(sql("vectors", "forget"), [{"key": row.key} for row in rows])
        db.many(sql("vectors", "put"), [{"key": row.key, "model": number, "vector": row.vector} for row in rows])
        tokens = [{"key": row.key, "tokens": row.tokens} for row in rows if row.tokens is not None]
        db.many(sql("vectors", "put tokens"), tokens)


def packed(sizes: Sequence[int], room: int) -> list[int]:
    """The order in which blobs of these ``sizes`` fill pages of ``room`` bytes: page by page, the largest that fit.

    Token vectors are stored in the order they come and pages fill up one after another. As they come, a ninth of the
    space stays empty; packed in batches of 64, half of that.
    """
    waiting = sorted(range(len(sizes)), key=lambda place: sizes[place])
    ordered: list[int] = []
    free = 0
    while waiting:
        fitting = bisect(waiting, free, key=lambda place: sizes[place] + _CELL)
        if not fitting:
            free, fitting = room, len(waiting)
        ordered.append(waiting.pop(fitting - 1))
        free -= sizes[ordered[-1]] + _CELL
    return ordered


def check_dimensions(db: Database, model: str, dimensions: int) -> None:
    """Raises ``BadInput`` if ``model`` has vectors of another size (F43)."""
    known = db.one(sql("vectors", "model"), {"name": model})
    if known is not None and known[1] != dimensions:
        raise BadInput(
            f"The index holds vectors of {known[1]} dimensions for {model}, not of {dimensions}.",
            hint="Give the changed model another name: its vectors are then computed anew.",
        )


def check_query(db: Database, model: str, vector: Floats) -> None:
    """Raises ``BadInput`` for a query vector that cannot be compared with those of ``model``."""
    import numpy as np

    if vector.ndim != 1 or not np.isfinite(vector).all() or not vector.any():
        raise BadInput("A query vector must be one row of finite numbers, not all of them zero.")
    check_dimensions(db, model, len(vector))
