"""``scrubjay hook <event>``: what an agent's host runs when something happens in a session (spec §7).

Nothing here may fail or delay a session (HK-7): every call ends with exit code 0 within its time (``guard``), prints
JSON or nothing at all, and says what went wrong in a log of its own (``record``). What takes time is left to a detached
process (``worker``). Modules that a hook loads import no engine, no model, no click, no dataclasses: loading those
costs more than all that a hook does. ``worker``, which nobody waits for, is the exception.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

WORKER = "worker"


def main(args: Sequence[str]) -> NoReturn:
    """Answers one event and ends the process, always with exit code 0. ``args`` are the event's name and, if it is not
    the usual one, ``--home`` and the folder of the memory."""
    try:
        named, home = _arguments(args)
        if home:
            os.environ["SCRUBJAY_HOME"] = os.path.abspath(os.path.expanduser(home))
        if named == WORKER:
            from scrubjay.interfaces.hook import worker

            worker.main()
        else:
            from scrubjay.interfaces.hook import guard

            guard.answer(named)
    except BaseException:  # noqa: BLE001 - whatever it is, the session goes on (HK-7)
        os._exit(0)
    os._exit(0)


def _arguments(args: Sequence[str]) -> tuple[str, str]:
    """The name of the event and the home folder, empty where not given; what else is given is passed over."""
    rest = list(args)
    home = ""
    if "--home" in rest:
        at = rest.index("--home")
        home = rest[at + 1] if at + 1 < len(rest) else ""
        del rest[at : at + 2]
    named = next((each for each in rest if not each.startswith("-")), "")
    return named, home


def worker_command() -> list[str]:
    """The command line of the process that does what takes time. ``-P``: the folder of a project, which may be
    anybody's, is no place to import from (F112)."""
    return [sys.executable, "-P", "-m", "scrubjay", "hook", WORKER] if sys.executable else []
