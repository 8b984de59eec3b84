"""``scrubjay undo``: take back what was done."""

from __future__ import annotations

import click

from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import command, pass_invocation


@command("undo")
@click.argument("id", required=False)
@click.option("--list", "listing", is_flag=True, help="Undo nothing; list what was done, newest first.")
@click.option("--limit", type=click.IntRange(1), default=20, help="Most operations to list.")
@pass_invocation
def run(invocation: Invocation, id: str | None, listing: bool, limit: int) -> None:
    """Take back what was done.

    Undoes the newest operation that was not undone yet, or the one whose ID you name. Undoing an undo does it again.
    A file that changed since is left alone, and the error says so.

    \b
    Examples:
      scrubjay undo
      scrubjay undo --list
    """
    from scrubjay.interfaces.render import lines, objects
    from scrubjay.interfaces.render.plain import one_line, strong

    if listing and id:
        raise click.UsageError("Give an ID or --list, not both.")
    with invocation.memory() as memory:
        if listing:
            found = memory.operations(limit)
            answer = {"operations": [objects.operation(one) for one in found]}
            invocation.answer(answer, lines.operations(found, zone=memory.zone))
            return
        done = memory.undo(id)
    text = f"{strong(one_line(done.summary))}\n  take that back with {invocation.line('undo', done.id)}"
    invocation.answer(objects.operation(done), text)
