"""``scrubjay journal``: what happened, by day."""

from __future__ import annotations

import click

from scrubjay.errors import BadInput
from scrubjay.interfaces.cli import console
from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import WORDS, command, pass_invocation


@command("journal")
@click.argument("action", type=click.Choice(["add", "show"]), default="show")
@click.argument("what", type=WORDS, required=False)
@click.option("--scope", metavar="SCOPE", help="Whose log: user, local, or notebook for the agent's.  [default: yours]")
@pass_invocation
def run(invocation: Invocation, action: str, what: str | None, scope: str | None) -> None:
    """Write down what happened, by day.

    `add TEXT` (or `-` for stdin) adds a line with its time to today's log, a Markdown file a day that nothing rewrites.
    `show` prints today's log, `show 2026-05-08` that of another day. What is written there is found by `search`.

    \b
    Examples:
      scrubjay journal add "The staging server was moved to Frankfurt."
      scrubjay journal show
    """
    from scrubjay.interfaces.render.plain import one_line

    with invocation.memory() as memory:
        if action == "add":
            text = console.read_stdin() if what == "-" else what
            if not text:
                raise BadInput("`journal add` needs a text.")
            document = memory.journal_add(text, scope=scope)
            invocation.answer({"path": document.path}, f"Written into {one_line(document.path)}")
            return
        found = memory.journal(what, scope=scope)
    times = [f"{one.at:%H:%M}" if one.at else "" for one in found]
    lines = [
        " ".join(filter(None, (at, one.speaker, one_line(one.text)))) for at, one in zip(times, found, strict=True)
    ]
    values = [
        {"at": at or None, "speaker": one.speaker or None, "text": one.text}
        for at, one in zip(times, found, strict=True)
    ]
    invocation.answer({"lines": values}, "\n".join(lines) or "Nothing was written down on that day.")
