"""``scrubjay remember``: one statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from scrubjay.interfaces.cli import console
from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import WORDS, command, fact_options, pass_invocation, scope_option, tags_option

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrubjay.memory import Memory
    from scrubjay.types import StoredFact


@command("remember")
@click.argument("text", nargs=-1, required=True, type=WORDS)
@fact_options
@tags_option("A word to find it by.")
@scope_option
@pass_invocation
def run(
    invocation: Invocation,
    text: tuple[str, ...],
    category: str | None,
    confidence: float | None,
    subject: str | None,
    predicate: str | None,
    object_: str | None,
    valid_from: str | None,
    valid_to: str | None,
    tags: tuple[str, ...],
    scope: str | None,
) -> None:
    """Remember one statement.

    TEXT should make sense on its own; `-` reads it from stdin. The reply is read back from the file that was written:
    it says whether the statement is new, was known already, or superseded its opposite, and names facts that are
    similar or that contradict it. Category and confidence are Fact and 0.9 unless you say otherwise.

    \b
    Examples:
      scrubjay remember "Max prefers uv over pip." --category Preference
      scrubjay remember "Alice works at Acme." --subject Alice --predicate "works at" --object Acme --valid-from 2024-03
      echo "The build takes four minutes." | scrubjay remember -
    """
    statement = console.read_stdin() if text == ("-",) else " ".join(text)
    with invocation.memory() as memory:
        fact = memory.remember(
            statement,
            category=category or "Fact",
            confidence=0.9 if confidence is None else confidence,
            subject=subject,
            predicate=predicate,
            object=object_,
            valid_from=valid_from,
            valid_to=valid_to,
            tags=tags,
            scope=scope,
        )
        answer(invocation, memory, fact)


def answer(invocation: Invocation, memory: Memory, fact: StoredFact) -> None:
    """Says what became of a statement and which other facts that touches."""
    from scrubjay.interfaces.render import lines, objects

    if invocation.as_json:
        invocation.answer(objects.fact(fact), "")
        return
    replaced = _text(memory, fact.supersedes) if fact.supersedes else ""
    text = [
        lines.stored(fact, vault=memory.scopes[fact.scope], replaced=replaced or ""),
        *_neighbours(invocation, memory, fact),
    ]
    invocation.answer({}, "\n".join(text))


def _neighbours(invocation: Invocation, memory: Memory, fact: StoredFact) -> list[str]:
    """The facts that contradict ``fact`` or resemble it, and what to type if it should replace one of them."""
    found = [*_named("It contradicts", memory, fact.conflicts)]
    found += _named("It resembles", memory, [id for id in fact.similar if id not in fact.conflicts])
    if found and fact.action == "created":
        old = (*fact.conflicts, *fact.similar)[0]
        triple = ["--object", fact.object] if fact.object else []
        found += [
            "If it should take the place of one of them:",
            f"  {invocation.line('forget', fact.id, '--yes')}",
            f"  {invocation.line('supersede', old, fact.text, *triple)}",
        ]
    return found


def _named(title: str, memory: Memory, ids: Iterable[str]) -> list[str]:
    from scrubjay.interfaces.render.plain import one_line

    texts = ((id, _text(memory, id)) for id in ids)
    rows = [f"  {id}  {one_line(text, 100)}" for id, text in texts if text is not None]
    return [f"{title}:", *rows] if rows else []


def _text(memory: Memory, id: str) -> str | None:
    from scrubjay.errors import ScrubjayError

    try:
        record = memory.show(id)[1]
    except ScrubjayError:
        return None
    return record.text if record else None
