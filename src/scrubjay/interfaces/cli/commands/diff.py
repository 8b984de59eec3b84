"""``scrubjay diff``: what changed in a document."""

from __future__ import annotations

import shlex

import click

from scrubjay.errors import NotFound
from scrubjay.interfaces.cli import console
from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import WORDS, command, pass_invocation


@command("diff")
@click.argument("name", type=WORDS)
@click.option("--from", "old", type=WORDS, metavar="VERSION", help="Compare this version.  [default: the one before]")
@click.option("--to", "new", type=WORDS, metavar="VERSION", help="With this one.  [default: what the file says now]")
@pass_invocation
def run(invocation: Invocation, name: str, old: str | None, new: str | None) -> None:
    """Show what changed in a document.

    NAME is an id, a file name or a path, a VERSION the beginning of an id that `scrubjay log` lists.

    \b
    Examples:
      scrubjay diff 01KQ3C2ZC3VYJ9E8M4Q7XKD5RT
    """
    from scrubjay.interfaces.render import diff

    with invocation.memory() as memory:
        document, _ = memory.show(name)
        before = (
            memory.version(name, old)
            if old
            else next((one for one in memory.versions(name) if one.text != document.text), None)
        )
        after = memory.version(name, new).text if new else document.text
    if before is None:
        raise NotFound(
            f"{document.path} has no earlier version.", hint=f"List the versions: `scrubjay log {shlex.quote(name)}`."
        )
    lines = [] if before.text == after else diff.compared(before.text, after, columns=console.columns(), most=2_000)
    answer = {"path": document.path, "from": before.id, "to": new, "before": before.text, "after": after}
    invocation.answer(answer, "\n".join(lines) or "Nothing changed.")
