"""``scrubjay import``: what an export wrote."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from scrubjay.errors import Conflict, Corrupt, Refused
from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import command, pass_invocation, scope_option

if TYPE_CHECKING:
    from scrubjay.operations.bundle import BundleReport


@command("import")
@click.argument("source")
@scope_option
@pass_invocation
def run(invocation: Invocation, source: str, scope: str | None) -> None:
    """Take in a bundle.

    SOURCE is a file that `scrubjay export` wrote, or a Portable AI Memory file. What is there already stays as it is:
    the same document is known, another one at the same path is a conflict, which is named and left alone. The exit
    code is 7 when bytes are damaged, 5 when something was refused, and 4 when there are conflicts.

    \b
    Examples:
      scrubjay import memory.zip
    """
    from scrubjay.interfaces.render import objects
    from scrubjay.interfaces.render.lines import redacted
    from scrubjay.interfaces.render.plain import count, one_line, strong
    from scrubjay.memory.stores import usual_scope

    with invocation.memory() as memory:
        done = memory.import_(source, scope=scope)
        known = memory.scopes
    usual = usual_scope("", known, memory.settings.write.default_scope) if len(known) > 1 else next(iter(known))
    shares = [f"{name} ({number:,})" for name, number in done.scopes.items()]
    place = " and ".join(shares if len(shares) > 1 else done.scopes) or scope or usual
    lines = [f"{strong('Imported')} {count(done.written, 'document')} into {place}, {done.known:,} known already"]
    lines += [f"  conflict: {one_line(path)}" for path in done.conflicts]
    lines += [f"  refused: {one_line(path)}" for path in done.refused]
    values = {**asdict(done), "redacted": [objects.redacted(one) for one in done.redacted]}
    invocation.answer(values, "\n".join([*lines, *redacted(done.redacted)]))
    if code := _exit_code(done):
        click.get_current_context().exit(code)


def _exit_code(done: BundleReport) -> int:
    """What is worst about an import."""
    if done.damaged:
        return Corrupt.exit_code
    if done.refused:
        return Refused.exit_code
    return Conflict.exit_code if done.conflicts else 0
