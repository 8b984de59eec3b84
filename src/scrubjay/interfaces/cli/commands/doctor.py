"""``scrubjay doctor``: look for damage and mend it."""

from __future__ import annotations

import click

from scrubjay.errors import Corrupt
from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import command, pass_invocation


@command("doctor")
@click.option("--repair", is_flag=True, help="Mend what can be mended without losing anything.")
@pass_invocation
def run(invocation: Invocation, repair: bool) -> None:
    """Look for damage and mend it.

    Checks the index against itself and against the documents, background work, and the model. `--repair` takes in
    what changed and rebuilds a damaged index; documents are never changed. Ends with exit code 7 while something is
    broken, and with 0 otherwise.

    \b
    Examples:
      scrubjay doctor
      scrubjay doctor --repair
    """
    from scrubjay.interfaces.render import health, objects

    with invocation.memory(sync=False) as memory:
        found = memory.doctor(repair=repair)
    broken = any(one.severity == "error" and not one.repaired for one in found)
    answer = {"healthy": not broken, "findings": [objects.finding(one) for one in found]}
    invocation.answer(answer, invocation.localised(health.findings(found)))
    if broken:
        click.get_current_context().exit(Corrupt.exit_code)
