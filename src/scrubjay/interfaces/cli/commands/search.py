"""``scrubjay search``: ranked, dated, cited evidence for a question."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import click

from scrubjay.interfaces.cli import console
from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import (
    WORDS,
    command,
    given,
    pass_invocation,
    scopes_option,
    tags_option,
    two_clocks,
)

if TYPE_CHECKING:
    from scrubjay.types import Layer


@command("search")
@click.argument("question", nargs=-1, required=True, type=WORDS)
@click.option("--limit", type=click.IntRange(1), help="Most hits to show.  [default: recall.limit, 8]")
@click.option(
    "--layer",
    "layers",
    multiple=True,
    type=click.Choice(["facts", "notes", "episodes", "chunks"]),
    help="Only this kind of thing; chunks are messages. May be repeated.  [default: all]",
)
@scopes_option
@tags_option("Only what has this tag.")
@click.option("--category", help="Only facts of this category.")
@click.option("--since", metavar="TIME", help="Only what was said or written at this time or later.")
@click.option("--until", metavar="TIME", help="Only what was said or written before this time.")
@two_clocks
@click.option("--all", "everything", is_flag=True, help="Show what was found even if it hardly bears on the question.")
@click.option("--superseded", is_flag=True, help="Also facts that no longer hold, and older versions of notes.")
@click.option("--budget", type=click.IntRange(1), help="Most tokens of --text.  [default: recall.budget, 1300]")
@click.option("--explain", is_flag=True, help="Add ranks by signal, times, and what was left out and why.")
@click.option("--text", "as_text", is_flag=True, help="Print the block that an agent reads: fenced, cited, in budget.")
@pass_invocation
def run(
    invocation: Invocation,
    question: tuple[str, ...],
    limit: int | None,
    layers: tuple[str, ...],
    scopes: tuple[str, ...],
    tags: tuple[str, ...],
    category: str | None,
    since: str | None,
    until: str | None,
    as_of: str | None,
    known_at: str | None,
    everything: bool,
    superseded: bool,
    budget: int | None,
    explain: bool,
    as_text: bool,
) -> None:
    """Ask the memory a question.

    Answers with pieces of facts, notes and conversations that bear on QUESTION (`-` reads it from stdin): most
    probable first, each with its score, date, speaker, file and line. When nothing is likely to bear on it, the
    answer is that nothing was found, and hits that say next to nothing beside the best are only counted; `--all`
    shows them nevertheless. Times are ISO dates such as 2026, 2026-05 or 2026-05-31T14:00.

    \b
    Examples:
      scrubjay search "which package manager does Max like?"
      scrubjay search "where does Alice work" --layer facts --as-of 2025-01
      scrubjay search "retry policy" --json --limit 3
      scrubjay search "retry policy" --text --budget 400
    """
    from scrubjay.interfaces.cli.embedding import embed_few
    from scrubjay.interfaces.render import lines, objects
    from scrubjay.interfaces.render.plain import packed

    asked = console.read_stdin() if question == ("-",) else " ".join(question)
    with invocation.memory() as memory:
        embed_few(memory)
        found = memory.search(
            asked,
            limit=limit,
            layers=cast("tuple[Layer, ...] | None", given(layers)),
            scopes=given(scopes),
            tags=tags,
            category=category,
            since=since,
            until=until,
            as_of=as_of,
            known_at=known_at,
            include_superseded=superseded,
            abstain=False if everything else None,
            budget=budget,
            explain=explain,
        )
    if as_text and not invocation.as_json:
        text = packed(found.text)
    else:
        text = lines.recall(found, zone=memory.zone, columns=console.columns(), explain=explain, everything=everything)
    invocation.answer(objects.recall(found, explain=explain, text=as_text), text)
    if as_text and found.hits and not text and not invocation.as_json:
        invocation.warn("Note: Nothing that was found fits into the budget. Give a larger one with --budget.")
    if not invocation.as_json:
        for warning in found.warnings:
            invocation.warn(f"Note: {warning}")
