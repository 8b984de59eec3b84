"""Vectors in the background: newest first, in batches, resumable, never inside a write (MX-11, F41, F45, F46)."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrubjay.errors import ScrubjayError, Unavailable
from scrubjay.operations.store import Store
from scrubjay.ports import Embedder, Encoded, Pending, VectorRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrubjay.operations.extract import Extracted

BATCH = 64

Progress = Callable[[int, int], None]

# A batch grows while it is quick and shrinks when it is not: whoever ends the work waits for the batch at hand.
FIRST_BATCH = 8
QUICK_SECONDS = 0.5


@dataclass(slots=True)
class EmbedReport:
    """How many vectors were stored and how many records still wait; ``error`` says why, when some do.

    ``learned`` is what was done with the conversations that waited before, where somebody asked for that too.
    """

    stored: int = 0
    waiting: int = 0
    error: str = ""
    learned: Extracted | None = None


def embed_pending(
    store: Store,
    embedder: Embedder,
    *,
    limit: int | None = None,
    seconds: float | None = None,
    stop: Callable[[], bool] = lambda: False,
    progress: Progress | None = None,
) -> EmbedReport:
    """Computes missing vectors until none waits, ``limit`` are done, ``seconds`` have passed or ``stop()`` is true.

    A model that cannot answer leaves the records waiting and says so; nothing is stored that is not a vector.
    """
    report = EmbedReport(waiting=store.index.pending_count(embedder.name))
    total = report.waiting if limit is None else min(limit, report.waiting)
    started = time.monotonic()
    size = FIRST_BATCH
    while report.stored < total and not stop():
        batch = store.index.pending(embedder.name, min(size, total - report.stored))
        if not batch:
            break
        begun = time.monotonic()
        try:
            rows = _encode(embedder, batch)
            store.index.put_vectors(embedder.name, rows)
        except ScrubjayError as error:
            report.error = str(error)
            break
        size = _next_size(size, time.monotonic() - begun)
        report.stored += len(rows)
        if len(rows) < len(batch):
            report.error = f"The model {embedder.name} gave no usable vector for {len(batch) - len(rows)} records."
        if not rows:
            break
        if progress:
            progress(report.stored, total)
        if seconds is not None and time.monotonic() - started > seconds:
            break
    report.waiting = store.index.pending_count(embedder.name)
    return report


def _next_size(size: int, seconds: float) -> int:
    """How many records the next batch has, after one of ``size`` took ``seconds``."""
    if seconds < QUICK_SECONDS / 2:
        return min(2 * size, BATCH)
    return max(size // 2, 1) if seconds > QUICK_SECONDS else size


def _encode(embedder: Embedder, batch: Sequence[Pending]) -> list[VectorRow]:
    encoded = embedder.passages([item.passage for item in batch])
    if encoded.vectors.shape[0] != len(batch):
        raise Unavailable(
            f"The model {embedder.name} answered {encoded.vectors.shape[0]} vectors for {len(batch)} texts."
        )
    usable = _usable(encoded)
    return [_row(item, encoded, number) for number, item in enumerate(batch) if usable[number]]


def _usable(encoded: Encoded) -> Sequence[bool]:
    """For each vector, whether it points anywhere: what a broken model gives is not a number, or all zeros (F45)."""
    # A number less itself is zero, unless it is infinite or no number.
    return [bool((vector - vector == 0).all() and vector.any()) for vector in encoded.vectors]


def _row(item: Pending, encoded: Encoded, number: int) -> VectorRow:
    tokens = encoded.tokens[number] if encoded.tokens is not None else None
    return VectorRow(key=item.key, vector=quantise(encoded, number), tokens=tokens)


def quantise(encoded: Encoded, number: int) -> bytes:
    """The unit vector of one passage as int8: components times 127, rounded."""
    components = (encoded.vectors[number] * 127.0).round().clip(-127, 127)
    return bytes(components.astype("int8").tobytes())
