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
EVERY = "--all"
"""Who decided when all that waits was accepted at once (``Plan.by``)."""

_LINES = 400


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
                _accept(invocation, memory, chosen, word, target, given, EVERY if every else "person")
            case "edit":
                _edit(invocation, memory, chosen, given)
            case _:
                _reject(invocation, memory, chosen)


def _list(invocation: Invocation, memory: Memory, scope: str | None, *, walk: bool) -> None:
    from scrubjay.interfaces.cli.gate import session
    from scrubjay.interfaces.render import proposals

    found = memory.inbox(scope=scope)
    for problem in memory.inbox_problems(scope=scope):
        invocation.warn(f"{problem.message} It was left alone.")
    listed = proposals.waiting(found, columns=console.columns())
    invocation.answer({"proposals": [proposals.entry(one) for one in found]}, listed)
    if walk and console.converses() and not invocation.as_json:
        for of in dict.fromkeys(one.scope for one in found):
            if not session.walk(invocation, memory, memory.waiting_plan(of)):
                break


def _chosen(memory: Memory, names: tuple[str, ...], scope: str | None, *, every: bool) -> list[Proposal]:
    """The proposals that ``names`` mean, all looked up before any is decided, because numbers change then."""
    if every:
        return memory.inbox(scope=scope)
    if not names:
        raise BadInput("Which proposal?", hint="Name one by its number in `scrubjay inbox list`.")
    listed = memory.inbox(scope=scope)
    found = [_listed(listed, name) or memory.proposal(name) for name in names]
    return list({(one.scope, one.path): one for one in found}.values())


def _listed(listed: list[Proposal], name: str) -> Proposal | None:
    """The proposal with that number in the list that ``--scope`` shows."""
    number = int(name) if name.isascii() and name.isdigit() and len(name) < 10 else 0
    return listed[number - 1] if 1 <= number <= len(listed) else None


def _one_scope(chosen: list[Proposal]) -> str:
    """The scope of all that is chosen: what is carried out together is in one vault, and one undo takes it back."""
    scopes = list(dict.fromkeys(one.scope for one in chosen))
    if len(scopes) > 1:
        raise BadInput(f"These wait in the scopes {' and '.join(scopes)}.", hint="Say which with --scope.")
    return scopes[0]


def _show(invocation: Invocation, memory: Memory, chosen: list[Proposal]) -> None:
    from scrubjay.interfaces.render import proposals

    columns = console.columns()
    parts = []
    for number, one in enumerate(chosen, 1):
        about = proposals.proposal(one, number=number, total=len(chosen), columns=columns)
        parts.append("\n".join([about, "", *_change(memory, one, columns)]))
    invocation.answer({"proposals": [proposals.entry(one) for one in chosen]}, "\n\n".join(parts))


def _change(memory: Memory, one: Proposal, columns: int) -> list[str]:
    from scrubjay.interfaces.render import proposals

    try:
        (waiting,) = (plan := memory.waiting_plan(one.scope, [one.path])).proposals
        found = memory.preview(plan, waiting.key)
    except ScrubjayError as error:
        return [f"  ! {error}", *proposals.body(one.body, columns=columns, most=_LINES)]
    if found.before or found.after:
        return proposals.preview(found, columns=columns, most=_LINES)
    return proposals.body(one.body, columns=columns, most=_LINES)


def _accept(
    invocation: Invocation,
    memory: Memory,
    chosen: list[Proposal],
    word: str | None,
    target: str | None,
    words: dict[str, str],
    by: str,
) -> None:
    from scrubjay.interfaces.cli.gate import session

    if not chosen:
        invocation.answer({"status": "completed", "operations": []}, "Nothing waits for a decision.")
        return
    plan = memory.waiting_plan(_one_scope(chosen), [one.path for one in chosen])
    answers = {one.key: session.decision(one, word, target, words) for one in plan.proposals}
    session.apply(invocation, memory, plan.decide(answers, by=by))


def _edit(invocation: Invocation, memory: Memory, chosen: list[Proposal], words: dict[str, str]) -> None:
    from scrubjay.interfaces.cli.gate import session
    from scrubjay.interfaces.render import proposals
    from scrubjay.interfaces.render.lines import redacted

    changed = []
    for one in chosen:
        changes: dict[str, object] = dict(words)
        if not words:
            text = session.edit(one.body)
            if text is None:
                raise BadInput("The text was not saved in the editor, so nothing was changed.")
            changes["body"] = text.strip("\n")
        changed.append(memory.amend(one.path, **changes))
    lines = [line for one in changed for line in (f"Changed {one.path}", *redacted(one.redacted))]
    invocation.answer({"proposals": [proposals.entry(one) for one in changed]}, "\n".join(lines))


def _reject(invocation: Invocation, memory: Memory, chosen: list[Proposal]) -> None:
    from scrubjay.interfaces.render.plain import one_line

    done, lines = [], []
    failed: ScrubjayError | None = None
    for one in chosen:
        name = one_line(one.title or one.key)
        try:
            operation = memory.reject(one.path)
        except ScrubjayError as error:
            console.write_error(f"{name}: {error}")
            failed = error
            continue
        done.append({"id": one.id, "path": one.path, "undo": operation.id})
        lines.append(f"Rejected: {name} (take it back with {invocation.line('undo', operation.id)})")
    invocation.answer({"rejected": done}, "\n".join(lines))
    if failed is not None:
        raise click.exceptions.Exit(failed.exit_code)
