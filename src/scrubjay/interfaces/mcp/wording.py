"""Proposals and decisions in words: the question that a person is asked, and what the agent is told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scrubjay.interfaces.mcp.answers import Answer, one_line
from scrubjay.interfaces.mcp.excerpt import cost
from scrubjay.proposals import Applied, Plan, Proposal

LIST_BUDGET = 1_300
QUESTION_CHARACTERS = 3_500
BODY = 280
TITLE = 100

_READERS = {
    "project": "everybody who has the project",
    "local": "only the user, in this project",
    "user": "only the user",
}


def question(verb: str, proposals: Sequence[Proposal], scopes: Sequence[str]) -> str:
    """What a person needs to decide: each change with its target, reason, cautions and first words."""
    readers = " and ".join(f"{scope}: {_READERS.get(scope, 'this vault')}" for scope in scopes)
    head = f"{verb} {_count(proposals)} in memory? (Read by {readers}.)"
    lines = [head]
    for number, one in enumerate(proposals, 1):
        entry = "\n".join(_entry(number, one))
        if sum(map(len, lines)) + len(entry) > QUESTION_CHARACTERS:
            lines.append(f"… and {len(proposals) - number + 1} more, to be seen with `scrubjay inbox`.")
            break
        lines.append(entry)
    return "\n".join(lines)


def _entry(number: int, one: Proposal) -> list[str]:
    topic = f", topic {one_line(one.topic, TITLE)}" if one.topic else ""
    lines = [f"{number}. {_headline(one)}{topic}"]
    if one.rule:
        lines.append(f"   {one_line(one.rule, BODY)}")
    lines += [f"   ! {one_line(text, BODY)}" for text in one.cautions]
    if one.body:
        lines.append(f"   {one_line(one.body, BODY)}")
    return lines


def shared_change(verb: str, old: str, new: str) -> str:
    """The question before a fact is changed that everybody in a project reads."""
    lines = [f"{verb} that everybody who has the project reads?"]
    if old:
        lines.append(f"Now: {one_line(old, QUESTION_CHARACTERS // 3)}")
    lines.append(f"New: {one_line(new, QUESTION_CHARACTERS // 3)}")
    return "\n".join(lines)


def nothing_new(plan: Plan) -> Answer:
    """Everything that was read is known, or there was nothing to read."""
    known = [one for one in plan.proposals if one.action == "SKIP"]
    lines = [f"Nothing to store: {_parts(len(known))} known already." if known else "Nothing to store was found."]
    lines += [f"- {_headline(one)}: {one_line(one.rule, BODY)}" for one in known[:10]]
    lines += [
        f"Left out {one_line(one.path, TITLE)}: {one_line(one.reason, TITLE)}" for one in plan.content.skipped[:10]
    ]
    return Answer(text="\n".join(lines), data={"status": "nothing_new", "proposals": []})


def waits(proposals: Sequence[Proposal], command: str, *, lead: str) -> Answer:
    """Proposals stay in the inbox; how a person decides them."""
    advice = f"{lead}: {_count(proposals)} wait in the inbox. To decide, run in a terminal: {command}"
    lines, shown = _listed(proposals)
    data = {"status": "waiting", "proposals": [entry(one) for one in shown], "advice": advice}
    return Answer(text="\n".join([advice, *lines]), data=data)


def inbox(proposals: Sequence[Proposal], command: str) -> Answer:
    """What waits for a decision."""
    if not proposals:
        return Answer(text="Nothing waits for a decision.", data={"status": "empty", "proposals": []})
    lines, shown = _listed(proposals)
    advice = f"The user decides: with review (accept or reject, by ids), or in a terminal: {command}"
    data: dict[str, Any] = {"status": "waiting", "proposals": [entry(one) for one in shown], "advice": advice}
    data["omitted"] = len(proposals) - len(shown)
    more = [f"… and {data['omitted']} more"] if data["omitted"] else []
    return Answer(text="\n".join([f"{_count(proposals)} wait.", *lines, *more, advice]), data=data)


def applied(found: Sequence[Applied], proposals: Sequence[Proposal], command: str) -> Answer:
    """What was carried out, as read back from the disk."""
    names = {one.id: one for one in proposals} | {one.key: one for one in proposals}
    done = [one for each in found for one in each.done]
    left = [(one, one.rule) for each in found for one in each.stale]
    left += [refused for each in found for refused in each.refused]
    operations = [operation for each in found for operation in each.operations]
    lines = [f"- {one.action} {one_line(one.path or _title(names.get(one.key)), TITLE)}" for one in done]
    lines += [f"- not done: {_title(one)}: {one_line(reason, BODY)}" for one, reason in left]
    head = f"The user agreed; {len(done)} of {len(proposals)} done." + (
        f" What is left waits: {command}" if left else ""
    )
    undo = f"Taken back with: scrubjay undo {' '.join(operations)}" if operations else ""
    data = {
        "status": "partial" if left else "stored",
        "proposals": [entry(one) for one, _ in left],
        "done": [{"action": one.action, "path": one.path} for one in done],
        "undo": " ".join(operations),
    }
    return Answer(text="\n".join([head, *lines, *([undo] if undo else [])]), data=data)


def discarded(proposals: Sequence[Proposal], operations: Sequence[str]) -> Answer:
    """Proposals were moved to the trash."""
    undo = " ".join(operations)
    text = f"The user rejected {_count(proposals)}; undo brings them back: scrubjay undo {undo}"
    return Answer(text=text, data={"status": "rejected", "proposals": [], "undo": undo})


def entry(one: Proposal) -> dict[str, Any]:
    """A proposal as data."""
    target = one.targets[0].title or one.targets[0].id if one.targets else ""
    return {
        "id": one.id,
        "action": one.action,
        "title": _title(one),
        **({"target": one_line(target, TITLE)} if target else {}),
        "rule": one_line(one.rule, BODY),
    }


def _listed(proposals: Sequence[Proposal]) -> tuple[list[str], list[Proposal]]:
    """As many proposals as fit, a line each, and which those are."""
    lines: list[str] = []
    left = LIST_BUDGET
    for one in proposals:
        cautions = f" ! {one_line(' '.join(one.cautions), BODY)}" if one.cautions else ""
        line = f"- [id {one.id}, {one.scope}] {_headline(one)}{cautions}"
        left -= cost(line) + 1
        if left < 0:
            break
        lines.append(line)
    return lines, list(proposals[: len(lines)])


def _headline(one: Proposal) -> str:
    target = f" → {one_line(one.targets[0].title or one.targets[0].id, TITLE)}" if one.targets else ""
    return f"{one.action} {_title(one)}{target}"


def _title(one: Proposal | None) -> str:
    return one_line(one.title or one.summary or one.key, TITLE) if one is not None else ""


def _count(proposals: Sequence[Proposal]) -> str:
    return "1 proposal" if len(proposals) == 1 else f"{len(proposals)} proposals"


def _parts(number: int) -> str:
    return "1 part is" if number == 1 else f"{number} parts are"
