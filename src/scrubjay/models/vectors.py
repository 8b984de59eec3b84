"""Vectors as they may leave a model: float32, finite, of unit length; and texts as they may enter one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

_SURROGATE = re.compile("[\ud800-\udfff]")


def unit(matrix: Floats) -> Floats:
    """The rows of ``matrix`` [..., d] at length 1. A row without a direction becomes the first axis: never NaN."""
    import numpy as np

    rows = np.nan_to_num(np.asarray(matrix, np.float32), nan=0.0, posinf=0.0, neginf=0.0)
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    without = (lengths < 1e-12)[..., 0]
    units: Floats = np.asarray(rows / np.where(lengths < 1e-12, 1.0, lengths), np.float32)
    units[without] = np.eye(1, rows.shape[-1], dtype=np.float32)[0]
    return units


def encodable(text: str) -> str:
    """``text`` with lone surrogates as U+FFFD and NUL as a space: the same length, and any tokenizer takes it."""
    return _SURROGATE.sub("\ufffd", text).replace("\x00", " ")
