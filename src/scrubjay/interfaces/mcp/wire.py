"""The standard streams as the wire of the protocol: nothing else reaches them, nothing waits for them at the end."""

from __future__ import annotations

import json
import os
import select
import sys
import threading
from collections.abc import Callable

CHUNK = 65_536


class Wire:
    """stdin and stdout of this process, taken over: what anything prints from now on goes to stderr.

    Lines are read without a buffer object of Python's, which a thread that still waits for input would keep locked
    while the process ends.
    """

    def __init__(self, source: int, target: int) -> None:
        self._source = source
        self._target = target
        self._rest = bytearray()
        self._skipped: int | str | None = None

    @classmethod
    def of_process(cls) -> Wire:
        """Takes over the streams of this process."""
        source, target = os.dup(0), os.dup(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        return cls(source, target)

    def ready(self) -> bool:
        """Whether something to read is there already, as far as this system can tell."""
        if sys.platform == "win32":
            return False
        return bool(select.select([self._source], [], [], 0)[0])

    def line(self) -> bytes:
        """The next line with its end; empty at the end of the input. What is left without a line end is a line."""
        searched = 0
        while (end := self._rest.find(b"\n", searched)) < 0:
            searched = len(self._rest)
            try:
                chunk = os.read(self._source, CHUNK)
            except OSError:  # the other side is gone
                chunk = b""
            if not chunk:
                end = len(self._rest) - 1
                break
            self._rest += chunk
        found = bytes(self._rest[: end + 1])
        del self._rest[: end + 1]
        return found

    def put(self, line: bytes) -> None:
        """Writes a whole line. Raises ``OSError`` when nobody reads any more."""
        left = memoryview(line)
        while left:
            left = left[os.write(self._target, left) :]

    def skip(self, id: int | str) -> None:
        """Leaves out the first answer to request ``id``: it was given already."""
        self._skipped = id

    def put_message(self, text: str) -> None:
        """Writes a message that ends its line, unless it is the one to be left out."""
        if self._skipped is not None and _answers(text, self._skipped):
            self._skipped = None
            return
        self.put(text.encode("utf-8"))

    def follow(self, take: Callable[[bytes], None]) -> None:
        """Hands every line to ``take`` in a thread of its own, and an empty one at the end."""
        threading.Thread(target=self._read_on, args=[take], name="scrubjay-stdin", daemon=True).start()

    def _read_on(self, take: Callable[[bytes], None]) -> None:
        while line := self.line():
            take(line)
        take(b"")


def _answers(text: str, id: int | str) -> bool:
    message = json.loads(text)
    return isinstance(message, dict) and message.get("id") == id and "method" not in message
