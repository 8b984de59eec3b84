"""Small matrix products on one processor: handing a few thousand numbers to other threads costs more than it saves.

Without this, the linear algebra library behind numpy wakes a thread for each processor at every product, and those
spin: a search took twice the processor time and, on a busy machine, several times the time.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any


def single_threaded() -> AbstractContextManager[Any]:
    """Inside the block numpy's linear algebra stays on the calling thread; afterwards it is as before."""
    limited: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limited


@lru_cache(maxsize=1)
def _controller() -> Any:
    import numpy as np  # noqa: F401 - its libraries must be loaded before they can be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
