"""Deciding a plan on a terminal from beginning to end: ask, then carry out or keep (SM-11)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from scrubjay.interfaces.cli import console
from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.proposals import Decision, Plan, Proposal

if TYPE_CHECKING:
    from scrubjay.memory import Memory

CANCELLED = "Memory operation cancelled. No files created."


def walk(invocation: Invocation, memory: Memory, plan: Plan) -> None:
    """Asks about each proposal of ``plan``; whoever leaves early finds what is left in the inbox, as decided so far."""
    from scrubjay.interfaces.cli.gate.walk import End, Walk

    asking = Walk(plan, ask, lambda path: own_words(memory, path), as_stored, edit)
    try:
        end = asking.run()
    except (click.Abort, EOFError, KeyboardInterrupt):
        console.write("")
        end = End.QUIT
    if end is End.QUIT:
        keep(invocation, memory, asking.plan)
    else:
        apply(invocation, memory, asking.plan)


def keep(invocation: Invocation, memory: Memory, plan: Plan) -> None:
    """Puts what is not decided into the inbox and says how to go on."""
    from scrubjay.interfaces.render.plain import count, strong

    kept = memory.keep(plan)
    waiting = [proposal for proposal in kept.proposals if proposal.path]
    if not waiting:
        invocation.answer({"status": "cancelled", "message": CANCELLED}, CANCELLED)
        return
    lines = [strong(f"{count(len(waiting), 'proposal')} kept in the inbox; nothing else was written")]
    lines.append(f"  decide with {invocation.line('inbox')}")
    answer = {"status": "kept", "plan": kept.id, "proposals": [proposal.path for proposal in waiting]}
    invocation.answer(answer, "\n".join(lines))


def apply(invocation: Invocation, memory: Memory, plan: Plan) -> None:
    """Carries out what was decided and says what became of it."""
    from scrubjay.interfaces.render import proposals
    from scrubjay.operations.learn import exchange

    done = memory.apply(plan)
    left = [one for one in (*done.stale, *(refused for refused, _ in done.refused)) if not one.path]
    if left:
        memory.keep(replace(plan, proposals=tuple(left), decisions={}))
    undo, again = invocation.line("undo", *done.operations), invocation.line("inbox")
    invocation.answer(exchange.applied_values(done), proposals.applied(done, undo=undo, again=again))


def decision(one: Proposal, word: str | None, target: str | None, words: dict[str, str]) -> Decision:
    """A decision from options: the recommended action unless another ``word`` is given."""
    action = next((known for known in (*one.choices, "UPDATE", "EXTEND") if word and known == word.upper()), None)
    if word and action is None:
        raise click.UsageError(f"--as must be one of {', '.join(one.choices)}, not {word!r}.")
    return Decision(action=action or one.action, target=target, **words)  # type: ignore[arg-type]


def ask(question: str) -> str:
    """The answer to a question; nothing said is an empty answer."""
    answer: str = click.prompt(question, default="", show_default=False, prompt_suffix=" > ")
    return answer


def edit(text: str) -> str | None:
    """``text`` as somebody left it in their editor; ``None`` when it was not saved."""
    return click.edit(text + "\n", extension=".md")


def as_stored(one: Proposal) -> str:
    """The text of a proposal as a memory would hold it, without a heading that repeats the title; to compare."""
    from scrubjay.types import Note
    from scrubjay.vaults.documents import revision

    return revision.body_of(revision.create(Note(id="", title=one.title or "-", body=one.body)))


def own_words(memory: Memory, path: str) -> str:
    """What a memory itself says, without frontmatter, history and connections; empty when it is gone."""
    from scrubjay.errors import ScrubjayError
    from scrubjay.vaults.documents import revision

    try:
        document, _ = memory.show(path)
    except ScrubjayError:
        return ""
    return revision.body_of(document.text)
