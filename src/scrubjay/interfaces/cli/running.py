"""One run of the command line: the command, what went wrong, the exit code."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence

import click

from scrubjay.errors import ScrubjayError
from scrubjay.interfaces.cli import console, failures
from scrubjay.interfaces.cli.group import cli
from scrubjay.interfaces.cli.invocation import Invocation

PROGRAM = "scrubjay"
COMPLETE = "_SCRUBJAY_COMPLETE"


def run(args: Sequence[str]) -> int:
    """Runs one command, says what went wrong, and returns the exit code."""
    invocation = Invocation()
    try:
        code = _run(args, invocation)
        console.flush()
    except SystemExit:
        raise
    except BaseException as error:  # noqa: BLE001  (the last place where anything can be said)
        code = _failed(error, args, invocation)
        _let_go_of_output()
    return code


def _run(args: Sequence[str], invocation: Invocation) -> int:
    """``click.Group.main`` without its own answers to failures, which differ from ours."""
    if instruction := os.environ.get(COMPLETE):
        from click.shell_completion import shell_complete

        return shell_complete(cli, {}, PROGRAM, COMPLETE, instruction)
    try:
        with cli.make_context(PROGRAM, list(args), obj=invocation) as context:
            cli.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
    return 0


def _failed(error: BaseException, args: Sequence[str], invocation: Invocation) -> int:
    if isinstance(error, BrokenPipeError):
        return failures.BROKEN_PIPE
    # A line that click could not parse may still have asked for JSON.
    options = list(args)
    invocation.as_json |= "--json" in (options[: options.index("--")] if "--" in options else options)
    try:
        return failures.report(error, invocation)
    except OSError:
        return ScrubjayError.exit_code


def _let_go_of_output() -> None:
    """Keeps the end of the process from complaining again about a reader that left or a disk that is full."""
    try:
        console.flush()
    except OSError:
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
