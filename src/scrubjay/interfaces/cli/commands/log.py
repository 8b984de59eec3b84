"""``scrubjay log``: the versions of a document."""

from __future__ import annotations

import click

from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import WORDS, command, pass_invocation


@command("log")
@click.argument("name", type=WORDS)
@click.option("--limit", type=click.IntRange(1), default=20, help="Most versions to list.")
@pass_invocation
def run(invocation: Invocation, name: str, limit: int) -> None:
    """List the versions of a document, newest first.

    NAME is an id, a file name or a path. Where the vault lies in a git repository these are its commits; elsewhere
    they are what `scrubjay` changed, as the trash keeps it, and `^` behind an id means the state before that change.
    `scrubjay diff` compares them.

    \b
    Examples:
      scrubjay log MEM-http-retry-policy
    """
    from scrubjay.interfaces.render.plain import one_line, strong

    with invocation.memory() as memory:
        found = memory.versions(name, limit=limit)
        zone = memory.zone
    lines = [
        " ".join(
            part
            for part in (strong(_short(one.id)), f"{one.at.astimezone(zone):%Y-%m-%d %H:%M}", one_line(one.who, 30))
        )
        + f"  {one_line(one.what, 80)}"
        for one in found
    ]
    values = [{"id": one.id, "at": one.at.isoformat(), "who": one.who, "what": one.what} for one in found]
    invocation.answer({"versions": values}, "\n".join(lines) or "No version is known: the file was written by hand.")


def _short(id: str) -> str:
    """As much of an id as tells it from the others, with the mark of a state before a change."""
    return id[:12] + ("^" if id.endswith("^") else "")
