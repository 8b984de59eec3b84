"""``scrubjay history``: how a fact changed."""

from __future__ import annotations

import click

from scrubjay.interfaces.cli import console
from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.naming import fact_id
from scrubjay.interfaces.cli.options import command, pass_invocation


@command("history")
@click.argument("name", metavar="FACT")
@pass_invocation
def run(invocation: Invocation, name: str) -> None:
    """Show how a fact changed.

    Every version of it, oldest first, whichever of them FACT names by its id or file: what was believed, from when to
    when, and when it was true.

    \b
    Examples:
      scrubjay history 01KB9Y0Q3V7ZJ8S4T2M6N5P1RX
    """
    from scrubjay.interfaces.render import lines, objects

    with invocation.memory() as memory:
        versions = memory.history(fact_id(memory, name))
        evidence = {fact.id: memory.evidence(fact.id) for fact in versions}
    text = lines.history(versions, evidence, zone=memory.zone, columns=console.columns())
    values = [
        {**objects.fact(fact), "evidence": [objects.record(one) for one in evidence[fact.id]]} for fact in versions
    ]
    invocation.answer({"versions": values}, text)
