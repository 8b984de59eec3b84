"""Token vectors for late interaction: projection of an encoder's states, and their packed form.

An encoder's hidden states are centred, turned to fewer dimensions and normalised. Stored rows take four bits
a dimension: two dimensions share a byte, dimension `i` in the low half and `i + dimensions / 2` in the high
half, so that unpacking is two masks and no shuffle. Each dimension has its own step, which is the same for
all rows; hence a packed row carries no scale of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from io import BytesIO
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray

from scrubjay.models.arrays import single_threaded

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

WEIGHTS = "weights/token_projection.npz"
BACKGROUND = "weights/background.npz"
_MIDDLE = 7.5  # sixteen steps lie symmetrically around zero
_BLOCK = 1024  # rows that are unpacked while they are in the processor's cache


@dataclass(frozen=True, slots=True)
class TokenProjection:
    """What turns token states into comparable rows, and rows into bytes."""

    mean: Floats
    """[s] mean of normalised states."""
    matrix: Floats
    """[s, d] from states to rows."""
    step: Floats
    """[d] width of one of the sixteen steps of a dimension."""
    worded: Bools
    """[vocabulary] whether a piece holds a letter or a digit; others are dropped everywhere."""
    stop: Bools
    """[vocabulary] whether a piece is a stop word; dropped from stored rows only."""

    @classmethod
    def load(cls, data: bytes | None = None) -> Self:
        """Read a projection from the bytes of an `.npz`, by default the one that is shipped."""
        if data is None:
            data = files("scrubjay.models").joinpath(WEIGHTS).read_bytes()
        with np.load(BytesIO(data), allow_pickle=False) as held:
            size = int(held["vocabulary"])
            return cls(
                mean=held["mean"].astype(np.float32),
                matrix=held["matrix"].astype(np.float32),
                step=held["step"].astype(np.float32),
                worded=np.unpackbits(held["worded"], count=size).astype(np.bool_),
                stop=np.unpackbits(held["stop"], count=size).astype(np.bool_),
            )

    @property
    def dimensions(self) -> int:
        """d, the length of a row."""
        return int(self.matrix.shape[1])

    @property
    def row_bytes(self) -> int:
        """Bytes of one packed row."""
        return self.dimensions // 2

    def project(self, states: Floats) -> Floats:
        """Rows [n, d] of states [n, s]: normalised, centred, turned, normalised again."""
        centred = _normalised(_normalised(states) - self.mean)
        with single_threaded():
            return _normalised(centred @ self.matrix)

    def query(self, states: Floats, ids: Ints) -> tuple[Floats, Bools]:
        """Rows of a query's tokens [m, d] and which of its n tokens were kept [n]."""
        kept = self.worded[ids]
        return self.project(states[kept]), kept

    def memory(self, states: Floats, ids: Ints) -> tuple[Floats, Bools]:
        """Rows of a memory's tokens [m, d] and which of its n tokens were kept [n].

        Stop words are dropped unless nothing else is there.
        """
        kept = self.worded[ids] & ~self.stop[ids]
        if not kept.any():
            kept = self.worded[ids]
        return self.project(states[kept]), kept

    def pack(self, rows: Floats) -> bytes:
        """Bytes of rows [m, d], half a byte a dimension."""
        level = np.clip(np.rint(rows / self.step + _MIDDLE), 0, 15).astype(np.uint8)
        half = self.row_bytes
        return bytes((level[:, :half] | (level[:, half:] << 4)).tobytes())

    def unpack(self, blob: bytes) -> Floats:
        """Rows [m, d] of packed bytes; not normalised again."""
        return self._decode(np.frombuffer(blob, np.uint8))

    def unpack_many(self, blobs: Sequence[bytes]) -> tuple[Floats, Ints]:
        """All rows [m, d] of several memories, and where each memory's rows start [len(blobs) + 1]."""
        return self._decode(np.frombuffer(b"".join(blobs), np.uint8)), self._starts(blobs)

    def similarities(self, query: Floats, blobs: Sequence[bytes]) -> tuple[Floats, Ints]:
        """``query @ rows.T`` [k, m] for the rows of ``unpack_many``, never held all at once, and their starts.

        Steps and middle move to the query's side: ``query · (level - middle) * step`` is
        ``(query * step) · level - middle * sum(query * step)``.
        """
        packed = np.frombuffer(b"".join(blobs), np.uint8).reshape(-1, self.row_bytes)
        scaled = np.asarray(query * self.step, np.float32)
        products = [np.empty((len(scaled), 0), np.float32)]
        levels = np.empty((min(_BLOCK, len(packed)), self.dimensions), np.float32)
        with single_threaded():
            for start in range(0, len(packed), _BLOCK):
                block = packed[start : start + _BLOCK]
                self._levels(block, levels[: len(block)])
                products.append(scaled @ levels[: len(block)].T)
        found = np.concatenate(products, axis=1)
        found -= _MIDDLE * scaled.sum(axis=1, keepdims=True)
        return found, self._starts(blobs)

    def usual(self, query: Floats) -> tuple[Floats, Floats]:
        """Mean and deviation [k] each of the best that each row of ``query`` finds in sentences about anything.

        Words differ in how well they match whatever there is: a short name looks like many a name.
        """
        found, starts = self.similarities(query, _background())
        best = np.maximum.reduceat(found, starts[:-1], axis=1)
        return best.mean(axis=1), best.std(axis=1)

    def _starts(self, blobs: Sequence[bytes]) -> Ints:
        starts = np.zeros(len(blobs) + 1, np.int64)
        np.cumsum([len(blob) // self.row_bytes for blob in blobs], out=starts[1:])
        return starts

    def _levels(self, packed: NDArray[np.uint8], levels: Floats) -> None:
        """Writes at which of its sixteen steps each dimension of ``packed`` [m, d / 2] is into ``levels`` [m, d]."""
        np.bitwise_and(packed, 15, out=levels[:, : self.row_bytes], casting="unsafe")
        np.right_shift(packed, 4, out=levels[:, self.row_bytes :], casting="unsafe")

    def _decode(self, packed: NDArray[np.uint8]) -> Floats:
        packed = packed.reshape(-1, self.row_bytes)
        rows = np.empty((len(packed), self.dimensions), np.float32)
        for start in range(0, len(packed), _BLOCK):
            block = rows[start : start + _BLOCK]
            self._levels(packed[start : start + _BLOCK], block)
            block -= _MIDDLE
            block *= self.step
        return rows


@lru_cache(maxsize=1)
def _background() -> tuple[bytes, ...]:
    """Packed rows of everyday sentences in all languages of the model (``tools/ranking/background.txt``)."""
    data = files("scrubjay.models").joinpath(BACKGROUND).read_bytes()
    with np.load(BytesIO(data), allow_pickle=False) as held:
        rows, starts = held["rows"], held["starts"].tolist()
    return tuple(rows[first:last].tobytes() for first, last in pairwise(starts))


def _normalised(rows: Floats) -> Floats:
    length = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(rows / np.maximum(length, 1e-9), np.float32)
