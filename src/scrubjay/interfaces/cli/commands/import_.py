"""``scrubjay import``: what an export wrote."""

from __future__ import annotations

from dataclasses import asdict

import click

from scrubjay.errors import Conflict
from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import command, pass_invocation, scope_option


@command("import")
@click.argument("source")
@scope_option
@pass_invocation
def run(invocation: Invocation, source: str, scope: str | None) -> None:
    """Take in a bundle.

    SOURCE is a file that `scrubjay export` wrote, or a Portable AI Memory file. What is there already stays as it is:
    the same document is known, another one at the same path is a conflict, which is named and left alone, and ends
    the command with exit code 4.

    \b
    Examples:
      scrubjay import memory.zip
    """
    from scrubjay.interfaces.render.plain import count, one_line, strong

    with invocation.memory() as memory:
        done = memory.import_(source, scope=scope)
    lines = [f"{strong('Imported')} {count(done.written, 'document')}, {done.known:,} known already"]
    lines += [f"  conflict: {one_line(path)}" for path in done.conflicts]
    lines += [f"  refused: {one_line(path)}" for path in done.refused]
    invocation.answer(asdict(done), "\n".join(lines))
    if done.conflicts:
        click.get_current_context().exit(Conflict.exit_code)
