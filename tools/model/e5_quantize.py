"""Quantisation in plain numpy: 8 bits per output channel, and 4 bits per block of 32."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

BLOCK = 32

FloatArray = npt.NDArray[np.float32]
Int8Array = npt.NDArray[np.int8]


def int8_per_column(weight: FloatArray) -> tuple[Int8Array, FloatArray]:
    """Quantise ``[inputs, outputs]`` to -127..127 with one scale for each output."""
    largest = np.abs(weight).max(axis=0).astype(np.float64)
    scales = (2 * largest / 254).astype(np.float32)
    values = np.clip((weight / scales).round(), -127, 127).astype(np.int8)
    return values, scales


def int4_blocks(weight: FloatArray) -> tuple[Int8Array, FloatArray]:
    """Quantise ``[rows, columns]`` to -8..7 with one scale for each 32 values of a row.

    The value of largest magnitude in a block becomes -8, so a scale may be negative.
    """
    blocks = weight.reshape(weight.shape[0], -1, BLOCK)
    high, low = blocks.max(axis=2), blocks.min(axis=2)
    scales = np.where(np.abs(high) > np.abs(low), high, low) / np.float32(-8)
    divisors = np.where(scales == 0, np.float32(1), scales)[..., None]
    values = np.clip((blocks / divisors).round(), -8, 7).astype(np.int8)
    return values.reshape(weight.shape), scales


def restore_int4(values: Int8Array, scales: FloatArray) -> FloatArray:
    """Return the numbers that an int4 table stands for."""
    blocks = values.reshape(values.shape[0], -1, BLOCK).astype(np.float32)
    return np.asarray(blocks * scales[..., None], dtype=np.float32).reshape(values.shape)


def pack_int4(values: Int8Array) -> bytes:
    """Pack two values in a byte, the first in the low half."""
    flat = values.reshape(-1).view(np.uint8) & 15
    return np.asarray(flat[::2] | (flat[1::2] << 4), dtype=np.uint8).tobytes()
