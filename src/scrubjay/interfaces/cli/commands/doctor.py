"""``scrubjay doctor``: look for damage and mend it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from scrubjay.errors import Corrupt
from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import command, pass_invocation

if TYPE_CHECKING:
    from scrubjay.interfaces.install.delivery import Delivery
    from scrubjay.operations.health import Finding


@command("doctor")
@click.option("--repair", is_flag=True, help="Mend what can be mended without losing anything.")
@pass_invocation
def run(invocation: Invocation, repair: bool) -> None:
    """Look for damage and mend it.

    Checks the index against itself and against the documents, background work, and the model. `--repair` takes in
    what changed and rebuilds a damaged index; documents are never changed. Ends with exit code 7 while something is
    broken, and with 0 otherwise. What `scrubjay install` put into an agent's host is started as the host would start
    it, and has to answer with a word of chance: wired is not delivered.

    \b
    Examples:
      scrubjay doctor
      scrubjay doctor --repair
    """
    from scrubjay.interfaces.cli.commands.install import own_home
    from scrubjay.interfaces.hook import report as hooks
    from scrubjay.interfaces.render import health, objects

    with invocation.memory(sync=False) as memory:
        found = memory.doctor(repair=repair)
    found += hooks.findings(str(own_home(invocation)), repair=repair)
    hosts = _hosts(invocation)
    found += [_finding(one) for one in hosts if one.state != "delivered"]
    broken = any(one.severity == "error" and not one.repaired for one in found)
    answer = {
        "healthy": not broken,
        "findings": [objects.finding(one) for one in found],
        "hosts": [{"host": one.host, "what": one.what, "state": one.state, "reason": one.reason} for one in hosts],
    }
    delivered = [f"delivered  {one.host}: {one.what}" for one in hosts if one.state == "delivered"]
    invocation.answer(answer, invocation.localised("\n".join([health.findings(found), *delivered])))
    if broken:
        click.get_current_context().exit(Corrupt.exit_code)


def _hosts(invocation: Invocation) -> list[Delivery]:
    """What became of every installation into a host."""
    import os
    from typing import cast

    from scrubjay.interfaces.cli.commands.install import own_home
    from scrubjay.interfaces.install import delivery, plans, record
    from scrubjay.interfaces.install.hosts import Asked, Scope

    found: list[Delivery] = []
    for each in record.all_of(own_home(invocation)):
        asked = Asked(
            scope=cast("Scope", each.scope), project=each.project, command=plans.own_command(), environ=os.environ
        )
        found += delivery.check(each, asked)
    return found


def _finding(one: Delivery) -> Finding:
    from scrubjay.operations.health import Finding

    return Finding(scope=one.host, severity="warning", message=f"{one.what}: {one.reason}", hint=one.hint)
