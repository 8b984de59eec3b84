"""The command line. ``main`` is what ``scrubjay``, ``jay`` and ``python -m scrubjay`` run.

A hook of an agent's host is answered before anything of the command line is loaded: the host waits for it.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

__all__ = ["main", "run"]

HOOK = "hook"


def main(args: Sequence[str] | None = None) -> NoReturn:
    """Runs one command and ends the process with its exit code."""
    given = sys.argv[1:] if args is None else list(args)
    if given[:1] == [HOOK] and not {"--help", "-h"} & set(given):
        from scrubjay.interfaces import hook

        hook.main(given[1:])
    from scrubjay.interfaces.cli import console

    console.prepare()
    sys.exit(run(given))


def run(args: Sequence[str]) -> int:
    """Runs one command, says what went wrong, and returns the exit code."""
    from scrubjay.interfaces.cli import running

    return running.run(args)
