"""``scrubjay retract``: a fact that was never true."""

from __future__ import annotations

import click

from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.naming import fact_id
from scrubjay.interfaces.cli.options import command, pass_invocation


@command("retract")
@click.argument("name", metavar="FACT")
@pass_invocation
def run(invocation: Invocation, name: str) -> None:
    """Say that a fact was never true.

    FACT, an id or the name of its file, leaves every answer and stays in its history. A fact that was true once is
    superseded instead, and something that should not be kept at all is forgotten.

    \b
    Examples:
      scrubjay retract 01KB9Y0Q3V7ZJ8S4T2M6N5P1RX
    """
    from scrubjay.interfaces.render import objects
    from scrubjay.interfaces.render.plain import one_line, strong

    with invocation.memory() as memory:
        before = memory.operations(1)
        fact = memory.retract(fact_id(memory, name))
        after = memory.operations(1)
    if after == before:
        text = f"{strong('Retracted already')}: {one_line(fact.text)}"
    else:
        back = invocation.line("undo", after[0].id)
        text = f"{strong('Retracted')}: {one_line(fact.text)}\n  take it back with {back}"
    invocation.answer(objects.fact(fact), text)
