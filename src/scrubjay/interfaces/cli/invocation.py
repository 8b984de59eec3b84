"""One run of the command line: which memory it opens and how it speaks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from scrubjay.interfaces.cli import console

if TYPE_CHECKING:
    from scrubjay.memory import Memory


class Invocation:
    """The global options of this run. (Not a dataclass: making one costs a tenth of the start-up.)"""

    def __init__(self) -> None:
        self.home: str | None = None
        self.vault: str | None = None
        self.as_json = False
        self.debug = False
        self.thorough = False

    @contextmanager
    def memory(self, *, sync: bool = True) -> Iterator[Memory]:
        """Opens the memory without loading a model; ``sync`` takes in first what changed on disk."""
        from scrubjay.interfaces.cli.progress import bar
        from scrubjay.memory import Memory

        with Memory.open(self.vault, home=self.home, sync=False, background=False) as memory:
            self._warn_of_settings(memory.settings.warnings)
            if sync:
                with bar("Reading") as progress:
                    memory.sync(progress=progress)
            yield memory

    def answer(self, value: dict[str, Any], text: str) -> None:
        """Prints a command's result: ``value`` with ``--json``, else ``text``."""
        if self.as_json:
            console.write_json(value)
        elif text:
            console.write(text)

    def warn(self, message: str) -> None:
        """Says on stderr what the reader should know beside the result."""
        console.write_error(self.localised(message))

    def _warn_of_settings(self, warnings: tuple[str, ...]) -> None:
        """What was ignored: in full where somebody looks for it, else in a line, so that a clone floods nobody."""
        found = list(dict.fromkeys(warnings))
        shown = found if self.debug or self.thorough or len(found) <= 1 else found[:1]
        more = len(found) - len(shown)
        for warning in shown:
            self.warn(warning + (f" (And {more} more warnings; `scrubjay status` shows all.)" if more else ""))

    def line(self, *words: str) -> str:
        """A command line that a person can paste: it means the same memory as this run."""
        import shlex

        return shlex.join(["scrubjay", *self._same_memory(), *words])

    def localised(self, text: str) -> str:
        """``text`` with the commands named in it made to mean the same memory as this run (F7)."""
        import re
        import shlex

        options = shlex.join(self._same_memory())
        return re.sub(r"`scrubjay (?=[a-z])", lambda _: f"`scrubjay {options} ", text) if options else text

    def _same_memory(self) -> list[str]:
        places = (("--home", self.home), ("--vault", self.vault))
        return [word for option, value in places if value is not None for word in (option, value)]
