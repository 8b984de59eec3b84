"""Deciding a plan on a terminal from beginning to end: ask, then carry out or keep (SM-11)."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from scrubjay.errors import BadInput, Conflict, Refused, ScrubjayError
from scrubjay.interfaces.cli import console
from scrubjay.interfaces.cli.failures import INTERRUPTED
from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.proposals import Decision, Plan, Proposal

if TYPE_CHECKING:
    from scrubjay.memory import Memory

CANCELLED = "Memory operation cancelled. No files created."
_WORDS = ("body", "title", "topic", "category")


def walk(invocation: Invocation, memory: Memory, plan: Plan) -> bool:
    """Asks about each proposal of ``plan`` and carries the answers out; whether all were asked.

    Whoever leaves early finds what is left in the inbox, as answered so far. After Ctrl-C that is all of it: nothing
    is carried out that was interrupted, and the exit code says so.
    """
    from scrubjay.interfaces.cli.gate.walk import End, Walk

    asking = Walk(plan, ask, memory.preview, edit)
    try:
        end = asking.run()
    except (click.Abort, EOFError, KeyboardInterrupt):
        with console.undisturbed():
            console.write("")
            keep(invocation, memory, asking.kept())
        raise click.exceptions.Exit(INTERRUPTED) from None
    if end is End.QUIT:
        keep(invocation, memory, asking.kept())
    elif end is End.PART:
        open_ = {one.key for one in asking.plan.undecided}
        left = _waiting(_stored(memory, _only(asking.kept(), open_)))
        decided = {one.key for one in plan.proposals} - open_
        apply(invocation, memory, _only(asking.plan, decided), kept=len(left))
    else:
        apply(invocation, memory, asking.plan)
    return end is End.DECIDED


def keep(invocation: Invocation, memory: Memory, plan: Plan) -> None:
    """Puts what is not carried out into the inbox and says how to go on."""
    from scrubjay.interfaces.render import objects
    from scrubjay.interfaces.render.lines import redacted
    from scrubjay.interfaces.render.plain import count, strong

    kept = _stored(memory, plan)
    waiting = _waiting(kept)
    if not waiting:
        invocation.answer({"status": "cancelled", "message": CANCELLED}, CANCELLED)
        return
    lines = [strong(f"{count(len(waiting), 'proposal')} kept in the inbox; nothing else was written")]
    lines += redacted(kept.content.redacted)
    lines.append(f"  decide with {invocation.line('inbox')}")
    answer = {
        "status": "kept",
        "plan": plan.id,
        "proposals": [proposal.path for proposal in waiting],
        "redacted": [objects.redacted(one) for one in kept.content.redacted],
    }
    invocation.answer(answer, "\n".join(lines))


def apply(invocation: Invocation, memory: Memory, plan: Plan, *, kept: int = 0, file: str = "") -> None:
    """Carries out what was decided and says what became of it. What could not be done goes into the inbox, where
    ``kept`` proposals wait already, and the exit code tells of it. ``file`` is where the decisions were read."""
    from scrubjay.interfaces.render import proposals
    from scrubjay.operations.learn import exchange

    done = memory.apply(plan, keep=True)
    failed = [*done.stale, *(refused for refused, _ in done.refused)]
    left = kept + _still_waiting(invocation, memory, plan, failed)
    undo, again = invocation.line("undo", *done.operations), invocation.line("inbox")
    text = proposals.applied(done, of=plan, undo=undo, again=again, left=left, file=file)
    invocation.answer(exchange.applied_values(done), text)
    if failed:
        raise click.exceptions.Exit(Refused.exit_code if done.refused else Conflict.exit_code)


def _still_waiting(invocation: Invocation, memory: Memory, plan: Plan, failed: Sequence[Proposal]) -> int:
    """How many of ``failed`` are in the inbox. What was done is said whether or not the rest could be kept (F14)."""
    paths = {one.path for one in failed if one.path}
    fresh = tuple(one for one in failed if not one.path)
    if fresh:
        try:
            paths |= {one.path for one in memory.keep(replace(plan, proposals=fresh, decisions={})).proposals}
        except ScrubjayError as error:
            invocation.warn(f"{len(fresh)} of what was not done could not be kept in the inbox: {error}")
    return sum(one.path in paths for one in memory.inbox(scope=plan.scope)) if paths else 0


def _stored(memory: Memory, plan: Plan) -> Plan:
    """``plan`` as it waits, after new proposals were put into the inbox and changed ones there were changed."""
    for proposal in plan.proposals:
        if proposal.path and proposal.key in plan.decisions:
            _amend(memory, proposal, plan.decisions[proposal.key])
    return memory.keep(plan)


def _waiting(plan: Plan) -> list[Proposal]:
    return [proposal for proposal in plan.proposals if proposal.path]


def _amend(memory: Memory, proposal: Proposal, answer: Decision) -> None:
    """Writes an answer that was not carried out into the waiting proposal: the words, and the action if it was one."""
    changes: dict[str, object] = {
        name: value for name in _WORDS if (value := getattr(answer, name)) not in (None, getattr(proposal, name))
    }
    if answer.action not in ("SKIP", proposal.action) and answer.target is None and answer.into is None:
        changes["action"] = answer.action
    from scrubjay.interfaces.render.lines import redacted

    if changes:
        try:
            changed = memory.amend(proposal.path, **changes)
        except ScrubjayError as error:
            console.write_error(f"{proposal.path}: {error}")
        else:
            for line in redacted(changed.redacted):
                console.write_error(line)


def _only(plan: Plan, keys: Set[str]) -> Plan:
    """``plan`` with the proposals and answers of ``keys``."""
    return replace(
        plan,
        proposals=tuple(one for one in plan.proposals if one.key in keys),
        decisions={key: answer for key, answer in plan.decisions.items() if key in keys},
    )


def decision(one: Proposal, word: str | None, target: str | None, words: Mapping[str, str]) -> Decision:
    """A decision from options: the recommended action unless another ``word`` is given."""
    action = next((known for known in (*one.choices, "UPDATE", "EXTEND") if word and known == word.upper()), None)
    if word and action is None:
        raise click.UsageError(f"--as must be one of {', '.join(one.choices)}, not {word!r}.")
    return Decision(action=action or one.action, target=target, **words)  # type: ignore[arg-type]


def ask(question: str) -> str:
    """The answer to a question; nothing said is an empty answer."""
    answer: str = click.prompt(
        console.shown_on(sys.stdout, question), default="", show_default=False, prompt_suffix=" > "
    )
    return console.typed(answer, "The answer")


def edit(text: str) -> str | None:
    """``text`` as somebody left it in their editor; ``None`` when it was not saved. Raises ``BadInput``."""
    try:
        with console.undisturbed():
            return click.edit(text + "\n", extension=".md")
    except click.ClickException as error:
        raise BadInput(
            f"{error.format_message().rstrip('.')}.", hint="Set EDITOR to an editor that runs here."
        ) from None
    except UnicodeDecodeError:
        raise BadInput("What the editor saved is not UTF-8.", hint="Save it as UTF-8.") from None
