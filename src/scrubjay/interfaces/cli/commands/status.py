"""``scrubjay status``: what is stored, waiting and wrong."""

from __future__ import annotations

from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import command, pass_invocation


@command("status")
@pass_invocation
def run(invocation: Invocation) -> None:
    """Show what is stored, waiting and wrong.

    For each scope: where its vault is, how many documents, searchable records and vectors there are, which model made
    them, what changed on disk since, and which files have problems, by line. Nothing is changed.

    \b
    Examples:
      scrubjay status
      scrubjay status --json
    """
    from scrubjay.interfaces.render import health, objects

    invocation.thorough = True
    with invocation.memory(sync=False) as memory:
        found = memory.status()
    invocation.answer({"scopes": [objects.status(one) for one in found]}, invocation.localised(health.status(found)))
