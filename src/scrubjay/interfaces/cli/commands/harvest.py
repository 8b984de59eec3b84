"""``scrubjay harvest``: what agents left for memory in the files of a task."""

from __future__ import annotations

import click

from scrubjay.interfaces.cli import console
from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import command, pass_invocation


@command("harvest")
@click.option("--task", type=click.IntRange(0), metavar="N", help="Only task N.  [default: every task below specs/]")
@click.option("--archive", is_flag=True, help="The task is finished: compare with what the vault knows.")
@click.option("--all", "everything", is_flag=True, help="With --archive: also what is less certain.")
@click.option("--yes", is_flag=True, help="Do what is recommended without asking; the result says so.")
@click.option("--keep", is_flag=True, help="Decide nothing now: the proposals wait in the inbox.")
@click.option("--scope", metavar="SCOPE", help="Whose vault.  [default: the project's where there is one]")
@pass_invocation
def run(
    invocation: Invocation,
    task: int | None,
    archive: bool,
    everything: bool,
    yes: bool,
    keep: bool,
    scope: str | None,
) -> None:
    """Propose what agents left in a task's files.

    Agents leave candidates in `.return-meta.json` and `specs/state.json`. They become proposals, which you decide like
    those of `scrubjay learn`. Off unless `enabled = true` stands under [harvest] in your config.toml.

    \b
    Examples:
      scrubjay harvest --task 12
      scrubjay harvest --archive --keep
    """
    from scrubjay.interfaces.cli.gate import session
    from scrubjay.interfaces.render import proposals
    from scrubjay.operations.learn import exchange

    if yes and keep:
        raise click.UsageError("Give --yes or --keep, not both.")
    with invocation.memory() as memory:
        plan = memory.harvest(task, archive=archive, everything=everything, scope=scope)
        if not plan.proposals or not (yes or keep or console.converses()) or (invocation.as_json and not (yes or keep)):
            text = proposals.plan(plan, columns=console.columns())
            if plan.proposals:
                text += "\nNothing was written. Add --yes to do this, or --keep to decide later."
            invocation.answer(exchange.plan_values(plan), text)
        elif yes:
            session.apply(invocation, memory, plan.decide(rest="recommended", by="--yes"))
        elif keep:
            session.keep(invocation, memory, plan)
        else:
            session.walk(invocation, memory, plan)
