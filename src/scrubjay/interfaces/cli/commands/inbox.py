"""``scrubjay inbox``: proposals that wait for a decision."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from scrubjay.errors import BadInput, ScrubjayError
from scrubjay.interfaces.cli import console
from scrubjay.interfaces.cli.invocation import Invocation
from scrubjay.interfaces.cli.options import WORDS, command, pass_invocation

if TYPE_CHECKING:
    from scrubjay.memory import Memory
    from scrubjay.proposals import Proposal

ACTIONS = ("list", "show", "accept", "edit", "reject")


@command("inbox")
@click.argument("action", type=click.Choice(ACTIONS), required=False)
@click.argument("names", type=WORDS, nargs=-1)
@click.option("--as", "word", type=WORDS, metavar="ACTION", help="Accept: do this instead of what is recommended.")
@click.option("--target", type=WORDS, metavar="NAME", help="Accept: the memory to UPDATE or EXTEND, by id or path.")
@click.option("--topic", type=WORDS, metavar="PATH", help="Accept, edit: another topic.")
@click.option("--title", type=WORDS, metavar="WORDS", help="Accept, edit: another title.")
@click.option("--category", type=WORDS, metavar="WORD", help="Accept, edit: another category.")
@click.option("--all", "every", is_flag=True, help="Accept, reject: every proposal that waits.")
@click.option("--scope", metavar="SCOPE", help="Only what waits in this scope.")
@pass_invocation
def run(
    invocation: Invocation,
    action: str | None,
    names: tuple[str, ...],
    word: str | None,
    target: str | None,
    topic: str | None,
    title: str | None,
    category: str | None,
    every: bool,
    scope: str | None,
) -> None:
    """Decide what waits.

    Without an action it lists the proposals; on a terminal it then asks about each of them. A NAME is the number that
    the list shows, or the name of the file in `00-Inbox`, which you may also edit with any editor.

    \b
    Examples:
      scrubjay inbox
      scrubjay inbox show 1
      scrubjay inbox accept 1 2 --as CREATE
      scrubjay inbox edit 1 --topic build/caching
      scrubjay inbox reject 1
    """
    words = {"title": title, "topic": topic, "category": category}
    given = {name: value for name, value in words.items() if value is not None}
    with invocation.memory() as memory:
        if action in (None, "list"):
            _list(invocation, memory, scope, walk=action is None)
            return
        chosen = _chosen(memory, names, scope, every=every and action in ("accept", "reject"))
        match action:
            case "show":
                _show(invocation, memory, chosen)
            case "accept":
                _accept(invocation, memory, chosen, word, target, given)
            case "edit":
                _edit(invocation, memory, chosen, given)
            case _:
                _reject(invocation, memory, chosen)


def _list(invocation: Invocation, memory: Memory, scope: str | None, *, walk: bool) -> None:
    from scrubjay.interfaces.cli.gate import session
    from scrubjay.interfaces.render import proposals

    found = memory.inbox(scope=scope)
    listed = proposals.waiting(found, columns=console.columns())
    invocation.answer({"proposals": [proposals.entry(one) for one in found]}, listed)
    if walk and found and console.asks() and not invocation.as_json:
        for of in dict.fromkeys(one.scope for one in found):
            session.walk(invocation, memory, memory.waiting_plan(of))


def _chosen(memory: Memory, names: tuple[str, ...], scope: str | None, *, every: bool) -> list[Proposal]:
    """The proposals that ``names`` mean, all looked up before any is decided, because numbers change then."""
    if every:
        return memory.inbox(scope=scope)
    if not names:
        raise BadInput("Which proposal?", hint="Name one by its number in `scrubjay inbox list`.")
    return [memory.proposal(name) for name in names]


def _show(invocation: Invocation, memory: Memory, chosen: list[Proposal]) -> None:
    from scrubjay.interfaces.cli.gate import session
    from scrubjay.interfaces.render import diff, proposals

    columns = console.columns()
    parts = []
    for number, one in enumerate(chosen, 1):
        lines = [proposals.proposal(one, number=number, total=len(chosen), columns=columns), ""]
        if one.action == "UPDATE" and one.targets:
            lines += diff.compared(
                session.own_words(memory, one.targets[0].path), session.as_stored(one), columns=columns, most=400
            )
        else:
            lines += proposals.body(one, columns=columns, most=400)
        parts.append("\n".join(lines))
    invocation.answer({"proposals": [proposals.entry(one) for one in chosen]}, "\n\n".join(parts))


def _accept(
    invocation: Invocation,
    memory: Memory,
    chosen: list[Proposal],
    word: str | None,
    target: str | None,
    words: dict[str, str],
) -> None:
    from scrubjay.interfaces.cli.gate import session

    for scope in dict.fromkeys(one.scope for one in chosen):
        here = [one for one in chosen if one.scope == scope]
        plan = memory.waiting_plan(scope, [one.id for one in here])
        decided = plan.decide({one.key: session.decision(plan[one.id], word, target, words) for one in plan.proposals})
        session.apply(invocation, memory, decided)


def _edit(invocation: Invocation, memory: Memory, chosen: list[Proposal], words: dict[str, str]) -> None:
    from scrubjay.interfaces.cli.gate import session
    from scrubjay.interfaces.render import proposals

    changed = []
    for one in chosen:
        changes: dict[str, object] = dict(words)
        if not words:
            text = session.edit(one.body)
            if text is None:
                raise BadInput("The text was not saved in the editor, so nothing was changed.")
            changes["body"] = text.strip("\n")
        changed.append(memory.amend(one.id, **changes))
    lines = [f"Changed {one.path}" for one in changed]
    invocation.answer({"proposals": [proposals.entry(one) for one in changed]}, "\n".join(lines))


def _reject(invocation: Invocation, memory: Memory, chosen: list[Proposal]) -> None:
    from scrubjay.interfaces.render.plain import one_line

    done, lines = [], []
    for one in chosen:
        try:
            operation = memory.reject(one.id)
        except ScrubjayError as error:
            lines.append(f"{one_line(one.title or one.key)}: {error}")
            continue
        done.append({"id": one.id, "path": one.path, "undo": operation.id})
        lines.append(
            f"Rejected: {one_line(one.title or one.key)} (take it back with {invocation.line('undo', operation.id)})"
        )
    invocation.answer({"rejected": done}, "\n".join(lines))
