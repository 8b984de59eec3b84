"""``scrubjay supersede``: a newer statement takes the place of a fact."""

from __future__ import annotations

import click

from scrubjay.interfaces.cli import console
from scrubjay.interfaces.cli.commands.remember import answer
from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.naming import fact_id
from scrubjay.interfaces.cli.options import WORDS, command, fact_options, given, pass_invocation, tags_option


@command("supersede")
@click.argument("name", metavar="FACT")
@click.argument("text", nargs=-1, required=True, type=WORDS)
@fact_options
@tags_option("A word to find it by, instead of the old fact's.")
@pass_invocation
def run(
    invocation: Invocation,
    name: str,
    text: tuple[str, ...],
    category: str | None,
    confidence: float | None,
    subject: str | None,
    predicate: str | None,
    object_: str | None,
    valid_from: str | None,
    valid_to: str | None,
    tags: tuple[str, ...],
) -> None:
    """Replace a fact by a newer one and keep both.

    FACT, an id or the name of its file, no longer holds from `--valid-from` on (now, unless given); TEXT holds instead
    (`-` reads it from stdin). What you do not say is inherited. The old fact stays in the history and is still found
    with `--as-of`.

    \b
    Examples:
      scrubjay supersede 01KB9Y0Q3V7ZJ8S4T2M6N5P1RX "Max prefers pixi over uv."
      scrubjay supersede 01KB9Y0Q3V7ZJ8S4T2M6N5P1RX "Alice works at Initech." --object Initech --valid-from 2026-02
    """
    statement = console.read_stdin() if text == ("-",) else " ".join(text)
    with invocation.memory() as memory:
        fact = memory.supersede(
            fact_id(memory, name),
            statement,
            category=category,
            confidence=confidence,
            subject=subject,
            predicate=predicate,
            object=object_,
            valid_from=valid_from,
            valid_to=valid_to,
            tags=given(tags),
        )
        answer(invocation, memory, fact)
