"""Every way a command can fail, as one sentence, a hint and an exit code (errors.py)."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from scrubjay.errors import BadInput, ScrubjayError
from scrubjay.interfaces.cli import console

if TYPE_CHECKING:
    from scrubjay.interfaces.cli.invocation import Invocation

INTERRUPTED = 130
BROKEN_PIPE = 141


def report(error: BaseException, invocation: Invocation) -> int:
    """Says what went wrong and returns the exit code."""
    if isinstance(error, KeyboardInterrupt | click.Abort | EOFError):
        console.write_error("Stopped. What was done so far is kept.")
        return INTERRUPTED
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message(), err=True)
        return error.exit_code
    if isinstance(error, ScrubjayError):
        return _say(invocation, error.code, error.message, invocation.localised(error.hint), error.exit_code)
    if isinstance(error, click.ClickException):
        return _say(invocation, BadInput.code, error.format_message(), _usage_hint(error), error.exit_code)
    if invocation.debug:
        sys.excepthook(type(error), error, error.__traceback__)
    first = str(error).strip().split("\n", 1)[0]
    message = f"Unexpected {type(error).__name__}{f': {first}' if first else ''}"
    hint = "" if invocation.debug else "Run it again with --debug to see where, and please report it."
    return _say(invocation, ScrubjayError.code, message, hint, ScrubjayError.exit_code)


def _say(invocation: Invocation, code: str, message: str, hint: str, exit_code: int) -> int:
    if invocation.as_json:
        console.write_json({"error": {"code": code, "message": message, "hint": hint}})
    else:
        console.write_error("\n".join(part for part in (f"Error: {message}", hint) if part))
    return exit_code


def _usage_hint(error: click.ClickException) -> str:
    if isinstance(error, click.UsageError) and error.ctx is not None:
        return f"Try `{error.ctx.command_path} --help`."
    return ""
