"""``scrubjay forget``: into the trash and out of every answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from scrubjay.errors import Refused
from scrubjay.interfaces.cli import console
from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import command, pass_invocation

if TYPE_CHECKING:
    from scrubjay.memory import Memory


@command("forget")
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask. Nobody is asked either where there is no terminal.")
@pass_invocation
def run(invocation: Invocation, name: str, yes: bool) -> None:
    """Move something to the trash.

    NAME is an id from a search, a file name or a path: a fact, a note, a conversation, or one message of one. It
    leaves the vault and every answer at once. Nothing is deleted: the reply says where the bytes are and how to get
    them back.

    \b
    Examples:
      scrubjay forget 01KB9Y0Q3V7ZJ8S4T2M6N5P1RX --yes
      scrubjay forget MEM-http-retry-policy
    """
    from scrubjay.interfaces.render import objects
    from scrubjay.interfaces.render.plain import one_line, strong

    with invocation.memory() as memory:
        if not yes and console.asks():
            _ask(memory, name)
        operation = memory.forget(name)
    kept = [change.kept for change in operation.changes if change.kept]
    lines = [f"{strong(one_line(operation.summary))}.", *(f"  kept as {one_line(path)}" for path in kept)]
    lines.append(f"  get it back with {invocation.line('undo', operation.id)}")
    invocation.answer(objects.operation(operation), "\n".join(lines))


def _ask(memory: Memory, name: str) -> None:
    from scrubjay.interfaces.render.plain import one_line

    document, record = memory.show(name)
    about = f"{document.path}: {record.text}" if record else document.path
    if not click.confirm(f"Forget {one_line(about, 120)}?", err=True):
        raise Refused("Nothing was forgotten.")
