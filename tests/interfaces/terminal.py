"""A real terminal for a command: a pseudo-terminal with a process in it, typed into when it asks."""

from __future__ import annotations

import os
import pty
import select
import signal
import struct
import sys
import termios
from collections.abc import Mapping, Sequence
from fcntl import ioctl
from pathlib import Path
from types import MappingProxyType

PROMPT = " > "
_SECONDS = 60.0


class Terminal:
    """One run of ``scrubjay`` on a terminal of ``columns`` columns, in ``folder``."""

    def __init__(
        self,
        arguments: Sequence[str],
        folder: Path,
        *,
        columns: int = 100,
        variables: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.seen = ""
        self._pid, self._file = pty.fork()
        if self._pid == 0:
            # A test run in the background ignores Ctrl-C, and what it starts would, too.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.chdir(folder)
            os.environ |= {"TERM": "dumb", "COLUMNS": str(columns), "PAGER": "cat", "PYTHONIOENCODING": "utf-8"}
            os.environ |= dict(variables)
            os.execv(sys.executable, [sys.executable, "-m", "scrubjay", *arguments])
        ioctl(self._file, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))

    def answer(self, text: str) -> str:
        """Waits for a question, types ``text`` and Enter, and returns what was shown before."""
        shown = self._until(PROMPT)
        os.write(self._file, text.encode() + b"\n")
        return shown

    def interrupt(self) -> None:
        """Waits for a question and presses Ctrl-C, as often as people do: a press between two questions is lost."""
        self._until(PROMPT)
        for _ in range(int(_SECONDS)):
            if select.select([self._file], [], [], 0)[0]:
                return
            os.kill(self._pid, signal.SIGINT)
            select.select([self._file], [], [], 1)
        raise AssertionError("Ctrl-C was pressed for a minute without an answer")

    def end(self) -> tuple[int, str]:
        """Waits for the end: the exit code and what was shown since the last answer."""
        shown = self._until(None)
        _, status = os.waitpid(self._pid, 0)
        os.close(self._file)
        return os.waitstatus_to_exitcode(status), shown

    def _until(self, wanted: str | None) -> str:
        shown = ""
        while wanted is None or not shown.endswith(wanted):
            ready, _, _ = select.select([self._file], [], [], _SECONDS)
            if not ready:
                raise AssertionError(f"nothing came for a minute after:\n{self.seen[-2000:]}")
            try:
                data = os.read(self._file, 65536)
            except OSError:  # the process has ended
                data = b""
            if not data:
                if wanted is None:
                    break
                raise AssertionError(f"the command ended instead of asking:\n{self.seen[-2000:]}")
            text = data.decode("utf-8", "replace").replace("\r\n", "\n")
            shown, self.seen = shown + text, self.seen + text
        return shown
