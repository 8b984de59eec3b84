"""The synchronous memory called from the asynchronous server: in threads, with progress and cancelling."""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import anyio.from_thread
import anyio.to_thread

Result = TypeVar("Result")
Progress = Callable[[int, int], None]
Report = Callable[[float, float], Coroutine[Any, Any, None]]

EVERY = 0.1
"""Seconds between two reports of progress."""


async def read(call: Callable[[], Result]) -> Result:
    """What ``call`` returns. When the client cancels, nobody waits for it any more."""
    return await anyio.to_thread.run_sync(call, abandon_on_cancel=True)


async def write(call: Callable[[], Result]) -> Result:
    """What ``call`` returns. It writes, so that it is brought to its end whatever the client does meanwhile."""
    return await anyio.to_thread.run_sync(call)


async def work(call: Callable[[Progress], Result], report: Report) -> Result:
    """What ``call`` returns, which is given a callback for its progress (done, to do).

    The callback hands it on to ``report`` and ends the work when the client cancelled it.
    """
    last = 0.0

    def progress(done: int, total: int) -> None:
        nonlocal last
        anyio.from_thread.check_cancelled()
        if time.monotonic() - last >= EVERY or done == total:
            last = time.monotonic()
            anyio.from_thread.run(report, float(done), float(total))

    return await anyio.to_thread.run_sync(call, progress)
