"""Progress bars for long work, on a terminal only; rich is imported when the first one is drawn."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from scrubjay.interfaces.cli import console

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

LONG = 100


class _Bar:
    """A bar that appears once there turns out to be much to do."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._drawn: tuple[Progress, TaskID] | None = None

    def __call__(self, done: int, total: int) -> None:
        if self._drawn is None:
            if total < LONG:
                return
            self._drawn = self._draw(total)
        progress, task = self._drawn
        progress.update(task, completed=done, total=total)

    def close(self) -> None:
        if self._drawn is not None:
            self._drawn[0].stop()

    def _draw(self, total: int) -> tuple[Progress, TaskID]:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        label = TextColumn("{task.description}", markup=False)
        columns = (label, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        progress = Progress(*columns, console=Console(file=sys.stderr), transient=True)
        task = progress.add_task(self._label, total=total)
        progress.start()
        return progress, task


@contextmanager
def bar(label: str) -> Iterator[Callable[[int, int], None] | None]:
    """A callback ``(done, to do)`` that draws a bar on stderr, or ``None`` where that is no terminal."""
    if not console.is_terminal(sys.stderr):
        yield None
        return
    drawing = _Bar(label)
    try:
        yield drawing
    finally:
        drawing.close()
