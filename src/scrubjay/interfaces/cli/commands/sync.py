"""``scrubjay sync``: what changed on disk."""

from __future__ import annotations

from scrubjay.interfaces.cli.embedding import embed, report
from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import command, embed_option, pass_invocation
from scrubjay.interfaces.cli.progress import bar


@command("sync")
@embed_option
@pass_invocation
def run(invocation: Invocation, no_embed: bool) -> None:
    """Take in what changed on disk.

    Every other command does so by itself before it starts. This one also computes the vectors that are missing,
    with a progress bar, so that everything is found by its meaning. Unchanged files are not read.

    \b
    Examples:
      scrubjay sync
      scrubjay sync --no-embed --json
    """
    with invocation.memory(sync=False) as memory:
        with bar("Reading") as progress:
            reports = memory.sync(progress=progress)
        report(invocation, reports, None if no_embed else embed(invocation, memory))
