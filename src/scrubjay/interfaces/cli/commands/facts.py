"""``scrubjay facts``: the facts that hold."""

from __future__ import annotations

import click

from scrubjay.interfaces.cli import console
from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import command, given, pass_invocation, scopes_option, tags_option, two_clocks


@command("facts")
@click.option("--category", help="Only facts of this category.")
@tags_option("Only what has this tag.")
@scopes_option
@two_clocks
@click.option("--superseded", is_flag=True, help="Also facts that no longer hold.")
@pass_invocation
def run(
    invocation: Invocation,
    category: str | None,
    tags: tuple[str, ...],
    scopes: tuple[str, ...],
    as_of: str | None,
    known_at: str | None,
    superseded: bool,
) -> None:
    """List facts that hold.

    Oldest first. `--as-of` lists what was true at another time, `--known-at` what was believed then. Times are ISO
    dates such as 2026, 2026-05 or 2026-05-31T14:00.

    \b
    Examples:
      scrubjay facts
      scrubjay facts --category Preference --json
      scrubjay facts --as-of 2025-01 --superseded
    """
    from scrubjay.interfaces.render import lines, objects

    with invocation.memory() as memory:
        found = memory.facts(
            category=category,
            tags=tags,
            scopes=given(scopes),
            as_of=as_of,
            known_at=known_at,
            include_superseded=superseded,
        )
    text = lines.facts(found, zone=memory.zone, columns=console.columns())
    invocation.answer({"facts": [objects.fact(fact) for fact in found]}, text)
