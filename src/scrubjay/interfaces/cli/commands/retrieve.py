"""``scrubjay retrieve``: memories for a task, as a block for an agent's context."""

from __future__ import annotations

import click

from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import WORDS, command, pass_invocation

NOTHING = 1
"""The exit code when no memory fits the task (SM-36)."""


@command("retrieve")
@click.argument("description", type=WORDS)
@click.option("--type", "task_type", type=WORDS, default="", metavar="WORD", help="The topic or category of the task.")
@click.option("--focus", type=WORDS, default="", metavar="WORDS", help="What to look at first.")
@click.option(
    "--mode",
    type=click.Choice(["compat", "recall"]),
    default="compat",
    help="Exact keywords of Latin letters (compat), or the search of `scrubjay search` in any language (recall).",
)
@click.option("--clean", is_flag=True, help="Print nothing at all; for a host that wants no memories this time.")
@click.option("--scope", metavar="SCOPE", help="Whose vault.  [default: the project's where there is one]")
@pass_invocation
def run(
    invocation: Invocation, description: str, task_type: str, focus: str, mode: str, clean: bool, scope: str | None
) -> None:
    """Print memories for a task, for an agent's context.

    At most five memories within 2,000 tokens, fenced as `<memory-context>`, or nothing and exit code 1. Each memory
    that is printed counts as retrieved, which `scrubjay distill` looks at.

    \b
    Examples:
      scrubjay retrieve "add retries to the client" --type http
      scrubjay retrieve "how do we retry?" --mode recall
    """
    from scrubjay.interfaces.render.plain import packed

    if clean:
        return
    with invocation.memory() as memory:
        found = memory.retrieve(description, task_type=task_type, focus=focus, mode=mode, scope=scope)
    value = {
        "text": found.text,
        "memories": [{"id": id, "relevance": score} for id, score in zip(found.ids, found.scores, strict=True)],
        "keywords": list(found.keywords),
        "mode": found.mode,
        "tokens": found.tokens,
    }
    invocation.answer(value, packed(found.text.rstrip("\n")))
    if not found.ids:
        raise click.exceptions.Exit(NOTHING)
