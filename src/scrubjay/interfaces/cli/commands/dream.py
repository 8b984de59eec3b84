"""``scrubjay dream``: an agent's notebook in order."""

from __future__ import annotations

import click

from scrubjay.errors import NotFound
from scrubjay.interfaces.cli import console
from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import command, pass_invocation


@command("dream")
@click.argument("what", required=False, type=click.Choice(["show"]))
@click.argument("id", required=False)
@click.option("--dry-run", is_flag=True, help="Show what would be proposed, and write nothing at all.")
@click.option("--force", is_flag=True, help="Dream now, whenever the last dream was.")
@click.option("--cap", type=click.IntRange(1), metavar="N", help="Most proposals.  [default: dream.cap]")
@click.option("--scope", default="notebook", help="Whose notebook: notebook, team, or agent:NAME.")
@pass_invocation
def run(
    invocation: Invocation, what: str | None, id: str | None, dry_run: bool, force: bool, cap: int | None, scope: str
) -> None:
    """Put an agent's notebook in order.

    Looks for doubles, days without a date, dead or missing lines of the index and what newer facts contradict. What is
    safe is done at once, the rest waits in `scrubjay inbox`; `scrubjay undo` takes a dream back, byte for byte. It
    dreams once a day and after five sessions at most; `--force` does not wait. `dream show` lists past dreams,
    `dream show ID` what one of them changed.

    \b
    Examples:
      scrubjay dream --dry-run
      scrubjay dream --force
      scrubjay dream show
    """
    from scrubjay.interfaces.render import dreaming

    with invocation.memory() as memory:
        if what == "show":
            past = memory.dreams()
            if id is not None:
                past = [each for each in past if each.id == id.upper()]
                if not past:
                    raise NotFound(f"No dream has the id {id!r}.", hint="List them with `scrubjay dream show`.")
            waiting = [one for one in memory.inbox() if one.origin == "dream"]
            value = dreaming.past_values(past, waiting)
            invocation.answer(value, invocation.localised(dreaming.past(past, waiting, full=id is not None)))
            return
        found = memory.dream(scope=scope, dry_run=dry_run, force=force, cap=cap)
    text = dreaming.text(found, columns=console.columns())
    invocation.answer(dreaming.values(found), invocation.localised(text))
