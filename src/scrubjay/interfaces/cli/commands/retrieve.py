"""``scrubjay retrieve``: memories for a task, as a block for an agent's context."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import WORDS, command, pass_invocation

if TYPE_CHECKING:
    from scrubjay.operations.retrieve import Retrieved

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
    that is printed counts as retrieved, which `scrubjay distill` looks at. A description that is mostly in another
    script than Latin is answered by `--mode recall`, since the keywords are Latin.

    \b
    Examples:
      scrubjay retrieve "add retries to the client" --type http
      scrubjay retrieve "how do we retry?" --mode recall
    """
    from scrubjay.interfaces.cli.embedding import embed_few
    from scrubjay.operations.retrieve import Retrieved

    if clean:
        _answer(invocation, Retrieved())
        return
    with invocation.memory() as memory:
        if mode == "recall":
            embed_few(memory)
        found = memory.retrieve(description, task_type=task_type, focus=focus, mode=mode, scope=scope)
    _answer(invocation, found)
    if found.note and not invocation.as_json:
        invocation.warn(f"Note: {found.note}")
    if not found.ids:
        raise click.exceptions.Exit(NOTHING)


def _answer(invocation: Invocation, found: Retrieved) -> None:
    from scrubjay.interfaces.render.plain import packed

    value = {
        "text": found.text,
        "memories": [{"id": id, "relevance": score} for id, score in zip(found.ids, found.scores, strict=True)],
        "keywords": list(found.keywords),
        "mode": found.mode,
        "tokens": found.tokens,
        "note": found.note,
    }
    invocation.answer(value, packed(found.text.rstrip("\n")))
