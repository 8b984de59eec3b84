"""``scrubjay reindex``: the index anew."""

from __future__ import annotations

from scrubjay.interfaces.cli.embedding import embed, report
from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import command, embed_option, pass_invocation
from scrubjay.interfaces.cli.progress import bar


@command("reindex")
@embed_option
@pass_invocation
def run(invocation: Invocation, no_embed: bool) -> None:
    """Build the index anew.

    The new index is made from the documents, beside the old one, and takes its place when it is complete; searches
    go on meanwhile. Vectors of unchanged text are kept. No document is touched. You need this only when `doctor`
    says so.

    \b
    Examples:
      scrubjay reindex
    """
    with invocation.memory(sync=False) as memory:
        with bar("Reading") as progress:
            reports = memory.reindex(progress=progress)
        report(invocation, reports, None if no_embed else embed(invocation, memory), anew=True)
