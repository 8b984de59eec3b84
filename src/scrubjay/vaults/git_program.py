"""The git program: run with a list of words, never through a shell, in an environment that leads it nowhere else.

Hooks are not run and no monitor of file systems is started: both are programs that somebody else may have put there.
``GIT_*`` variables that name another repository, as inside a hook, are dropped; who commits, and which configuration of
the user's is read, is the caller's.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from typing import IO, TYPE_CHECKING

from scrubjay.errors import NotFound, Unavailable

if TYPE_CHECKING:
    from subprocess import Popen

QUIET: Mapping[str, str] = {"core.hooksPath": os.devnull, "core.fsmonitor": "false", "core.quotePath": "false"}
"""Settings under which git runs nothing that a repository brings."""

_KEPT = ("GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
_END_SECONDS = 5.0


def run(
    words: Sequence[str],
    data: bytes = b"",
    *,
    settings: Mapping[str, str] = QUIET,
    variables: Mapping[str, str] | None = None,
    timeout: float,
    alone: bool = False,
    most_bytes: int = 0,
    spooled: bool = False,
) -> bytes:
    """What git answers to ``words``, with ``data`` on its standard input.

    ``variables`` are added to its environment. ``alone`` takes the terminal from it and from what it starts, so that
    neither ssh nor a credential helper can ask anything, and ends them together. ``most_bytes`` is the largest file
    that it may write, where the system can see to that; its answer is one of them when ``spooled``. Raises
    ``NotFound`` outside a repository, ``Unavailable`` when git fails, is missing, or takes longer than ``timeout``
    seconds.
    """
    import subprocess  # here, because most commands never need it
    import tempfile

    options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    with tempfile.TemporaryFile() if spooled else nullcontext(subprocess.PIPE) as output:
        process = _started([*options, *words], variables or {}, output, alone=alone)
        if most_bytes:
            _limit(process.pid, most_bytes)
        answer, complaint = _ended(process, data, timeout, alone=alone)
        if process.returncode != 0:
            raise _failure(words, complaint.decode("utf-8", "replace"))
        if isinstance(output, int):
            return answer
        output.seek(0)
        return output.read()


def _started(
    words: Sequence[str], variables: Mapping[str, str], output: int | IO[bytes], *, alone: bool
) -> Popen[bytes]:
    import subprocess

    try:
        return subprocess.Popen(
            ["git", "--no-pager", *words],
            env={**_environment(), **variables},
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.PIPE,
            start_new_session=alone,
        )
    except FileNotFoundError:
        raise Unavailable("git is not installed.", hint="Install git, or do without versions.") from None
    except OSError as error:
        raise Unavailable(f"git could not be started: {error.strerror}.", hint="Try again.") from None


def _ended(process: Popen[bytes], data: bytes, timeout: float, *, alone: bool) -> tuple[bytes, bytes]:
    """What git wrote to both of its outputs when it was through."""
    import subprocess

    with process:
        try:
            return process.communicate(data, timeout=timeout)
        except BaseException as error:
            # Asked to end, git removes its lock files; killed, it would leave them in the user's way.
            _end(process, alone=alone)
            if isinstance(error, subprocess.TimeoutExpired):
                raise Unavailable("git did not answer in time.", hint="Look at `git status`.") from None
            raise


def _failure(words: Sequence[str], complaint: str) -> Unavailable | NotFound:
    said = _complaint(complaint)
    if "not a git repository" in said:
        where = words[words.index("-C") + 1] if "-C" in words else "This"
        return NotFound(f"{where} is in no git repository.", hint="Run `git init` in the project first.")
    after = words[words.index("-C") + 2 :] if "-C" in words else words
    command = next(word for word in after if not word.startswith("-"))
    return Unavailable(f"git {command} failed: {said.rstrip('.:')}.", hint="Look at `git status`.")


def _end(process: Popen[bytes], *, alone: bool) -> None:
    import signal
    import subprocess

    for how in (signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
        with suppress(OSError):
            if alone and hasattr(os, "killpg"):
                os.killpg(process.pid, how)
            else:
                process.send_signal(how)
        try:
            process.communicate(timeout=_END_SECONDS)
        except subprocess.TimeoutExpired:
            continue
        return


def _limit(pid: int, most_bytes: int) -> None:
    """Keeps git and what it starts from writing a file of more than ``most_bytes``, where the system knows how."""
    try:
        import resource
    except ImportError:
        return
    if hasattr(resource, "prlimit"):
        with suppress(OSError, ValueError):
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (most_bytes, most_bytes))


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name.startswith(_KEPT)}
    return kept | {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C.UTF-8", "LANGUAGE": ""}


def _complaint(text: str) -> str:
    """The line of git's complaint that says what is wrong."""
    lines = [" ".join(line.split()) for line in text.split("\n") if line.strip() and not line.startswith("hint:")]
    worst = next((line for line in lines if line.startswith(("fatal: ", "error: "))), "")
    said = worst or (lines[0] if lines else "it did not say why")
    return said.removeprefix("fatal: ").removeprefix("error: ").rstrip(".")
