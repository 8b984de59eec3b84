"""The nearest vectors, exactly ranked among candidates that one-bit codes choose. Imports numpy: load it lazily.

A code is the sign of each component after subtracting the mean, 48 bytes for 384 dimensions, so that 100,000 memories
stay in 6 MB. They are compared with a query of three bits a component: of the 50 nearest in 12,000 real memories 75 are
among the 250 best such codes, against 65 where the query, too, has only its signs. Those few are ranked by their int8
vectors from the table.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scrubjay.index.sqlite.database import Database
from scrubjay.index.sqlite.filters import Conditions, conditions
from scrubjay.index.sqlite.search import keys_array, passing_few
from scrubjay.index.sqlite.statements import sql
from scrubjay.ports import Filter

if TYPE_CHECKING:
    from scrubjay.ports import Floats

# Candidates by code for each result.
_OVERSAMPLE = 5
# Look further until this many for each result have passed the filter.
_ENOUGH = 2
# Fewer than this are cheap enough to rank them all.
_AT_LEAST = 250
# Bits of a component of the query, and how many standard deviations around zero its steps span.
_BITS = 3
_SPAN = 2.0
_PAGE = 4_096
_EVERYTHING = Conditions("true", {}, False)

Codes = NDArray[np.uint64]
Keys = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Codes of one model: ``words`` uint64 [w, n] (a column a vector), ``keys`` int64 [n], the ``mean`` float32 [d]
    that was subtracted, taken from ``sample`` vectors; ``seen`` is the last stamp that was read."""

    generation: int
    words: Codes
    keys: Keys
    mean: Floats
    sample: int
    seen: int

    def distances(self, vector: Floats) -> NDArray[np.uint16]:
        """How far each code is from ``vector``: the less, the larger the product of ``vector`` with the code's signs.

        Components of ``vector`` become levels of ``_BITS`` bits, and a Hamming distance to each bit counts what it is
        worth. The mean of the codes need not be subtracted: it moves all products alike.
        """
        middle = (2**_BITS - 1) / 2
        step = max(_SPAN * float(vector.std()) / middle, 1e-9)
        levels = np.clip(np.rint(vector / step + middle), 0, 2 * middle).astype(np.uint8)
        total = np.zeros(len(self.keys), np.uint16)
        for bit in reversed(range(_BITS)):
            total *= 2
            for words, word in zip(self.words, _packed((levels >> bit & 1)[None, :])[:, 0], strict=True):
                total += np.bitwise_count(words ^ word)
        return total


class Nearest:
    """Dense search over one database; keeps one snapshot a model and refreshes it by what is new."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._lock = threading.Lock()
        self._snapshots: dict[str, Snapshot] = {}

    def search(self, vector: Floats, model: str, where: Filter, limit: int) -> Sequence[int]:
        """Keys of the records of ``model`` nearest to ``vector`` that pass ``where``, nearest first."""
        known = self._db.one(sql("vectors", "model"), {"name": model})
        if known is None or not known[2] or limit < 1:
            return []
        asked = conditions(where)
        few = passing_few(self._db, asked)
        if few is not None:
            return self._ranked(vector, known[0], few, asked)[0][:limit]
        return self._nearest(vector, self._snapshot(model, *known), known[0], asked, limit)

    def _nearest(self, vector: Floats, snapshot: Snapshot, model: int, asked: Conditions, limit: int) -> Sequence[int]:
        distances = snapshot.distances(vector)
        closer = np.cumsum(np.bincount(distances))
        found: list[tuple[float, int]] = []
        start, wanted = -1, max(_OVERSAMPLE * limit, _AT_LEAST)
        while True:
            end = int(np.searchsorted(closer, min(wanted, len(distances))))
            window = snapshot.keys[(distances > start) & (distances <= end)]
            keys, scores = self._ranked(vector, model, window.tolist(), asked)
            found += zip(scores, keys, strict=True)
            if len(found) >= _ENOUGH * limit or closer[min(end, len(closer) - 1)] >= len(distances):
                return [key for _, key in sorted(found, key=lambda pair: (-pair[0], -pair[1]))[:limit]]
            start, wanted = end, wanted * 4

    def _ranked(
        self, vector: Floats, model: int, keys: Sequence[int], asked: Conditions
    ) -> tuple[list[int], list[float]]:
        """Those of ``keys`` that pass, with their exact similarity, the most similar first."""
        if not keys:
            return [], []
        query = sql("vectors", "of keys").format(conditions=asked.sql)
        rows = self._db.all(query, {**asked.bindings, "keys": keys_array(keys), "model": model})
        if not rows:
            return [], []
        scores = _matrix([blob for _, blob in rows], len(vector)).astype(np.float32) @ vector
        order = np.argsort(-scores, kind="stable")
        return [rows[place][0] for place in order], scores[order].tolist()

    # --- snapshots ---

    def _snapshot(self, model: str, number: int, dimensions: int, vectors: int, stamp: int) -> Snapshot:
        with self._lock:
            old = self._snapshots.get(model)
            generation = self._db.generation.number
            if old is not None and old.generation == generation and old.seen == stamp:
                return old
            if old is None or old.generation != generation or _outgrown(old, vectors):
                new = self._load(number, dimensions, generation)
            else:
                new = replace(self._refresh(old, number), seen=stamp)
            self._snapshots[model] = new
            return new

    def _load(self, number: int, dimensions: int, generation: int) -> Snapshot:
        mean = np.zeros(dimensions, np.float32)
        keys: list[Keys] = []
        words: list[Codes] = []
        seen, sample = 0, 0
        for rows in self._pages(number, seen):
            matrix = _matrix([row[2] for row in rows], dimensions).astype(np.float32)
            if not keys:
                mean, sample = matrix.mean(axis=0), len(rows)
            keys.append(np.array([row[1] for row in rows], np.int64))
            words.append(_codes(matrix, mean))
            seen = rows[-1][0]
        empty = _codes(np.empty((0, dimensions), np.float32), mean)
        return Snapshot(
            generation, np.concatenate(words or [empty], axis=1), np.concatenate(keys or [np.empty(0, np.int64)]),
            mean, sample, seen,
        )  # fmt: skip

    def _refresh(self, old: Snapshot, number: int) -> Snapshot:
        keys, words, seen = old.keys, old.words, old.seen
        for rows in self._pages(number, seen):
            added = np.array([row[1] for row in rows], np.int64)
            stay = ~np.isin(keys, added)
            codes = _codes(_matrix([row[2] for row in rows], len(old.mean)).astype(np.float32), old.mean)
            keys = np.concatenate([keys[stay], added])
            words = np.concatenate([words[:, stay], codes], axis=1)
            seen = rows[-1][0]
        return Snapshot(old.generation, words, keys, old.mean, old.sample, seen)

    def _pages(self, number: int, seen: int) -> Iterator[list[tuple[Any, ...]]]:
        while True:
            bindings = {"model": number, "stamp": seen, "limit": _PAGE}
            rows = self._db.all(sql("vectors", "past stamp"), bindings)
            if rows:
                seen = rows[-1][0]
                yield rows
            if len(rows) < _PAGE:
                return


def _outgrown(snapshot: Snapshot, vectors: int) -> bool:
    """Whether half of it is gone, or its mean was taken from too few."""
    return vectors * 2 < len(snapshot.keys) or (snapshot.sample < _PAGE and vectors > 2 * snapshot.sample)


def _matrix(blobs: Sequence[bytes], dimensions: int) -> NDArray[np.int8]:
    return np.frombuffer(b"".join(blobs), np.int8).reshape(-1, dimensions)


def _codes(rows: Floats, mean: Floats) -> Codes:
    """uint64 [w, n]: the signs of ``rows`` float32 [n, d] minus ``mean``."""
    return _packed(rows > mean)


def _packed(rows: NDArray[np.bool_] | NDArray[np.uint8]) -> Codes:
    """uint64 [w, n]: bits [n, d], 64 to a word, the last word padded."""
    bits = np.packbits(rows, axis=1)
    padded = np.zeros((len(bits), -(-bits.shape[1] // 8) * 8), np.uint8)
    padded[:, : bits.shape[1]] = bits
    return np.ascontiguousarray(padded.view(np.uint64).T)
