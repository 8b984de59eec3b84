"""A dream for people and as JSON: what was looked at, done, and left to decide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scrubjay.interfaces.render.plain import count, faint, one_line, strong, wrap
from scrubjay.operations.dream import Dream
from scrubjay.proposals import Proposal
from scrubjay.types import Operation

_WORDS = {"REPLACE": "rewrite", "MERGE": "merge", "RETIRE": "retire"}


def text(found: Dream, *, columns: int) -> str:
    """The report."""
    if found.status in ("closed", "locked"):
        when = f" The last one ended {found.last:%Y-%m-%d %H:%M} UTC." if found.last else ""
        hint = " `scrubjay dream --force` does not wait." if found.status == "closed" else ""
        return f"No dream: {found.reason}{when}{hint}"
    lines = [strong(f"{_heading(found)}: {_memories(found.looked_at)} looked at")]
    done = {one.key for one in found.applied.done} if found.applied else set()
    for proposal in found.plan.proposals if found.plan else ():
        mark = "done" if proposal.key in done else "proposed" if found.status == "dry run" else "waits"
        lines += _row(proposal, mark, columns)
    if not (found.plan and found.plan.proposals):
        lines.append("  Nothing would be better otherwise.")
    if found.reason:
        lines.append(f"  {one_line(found.reason)}")
    lines += [faint(f"  {one_line(remark)}") for remark in found.remarks]
    if found.left:
        lines.append(faint(f"  {count(found.left, 'more proposal')} left for the next dream"))
    return "\n".join([*lines, *_next(found)])


def values(found: Dream) -> dict[str, Any]:
    """The same as JSON."""
    done = {one.key for one in found.applied.done} if found.applied else set()
    proposals = found.plan.proposals if found.plan else ()
    return {
        "scope": found.scope,
        "status": found.status,
        "reason": found.reason,
        "last": found.last.isoformat() if found.last else None,
        "looked_at": found.looked_at,
        "proposals": [
            {
                "key": one.key,
                "id": one.id,
                "action": one.action,
                "rule": one.rule,
                "paths": [target.path for target in one.targets],
                "done": one.key in done,
            }
            for one in proposals
        ],
        "waiting": found.waiting,
        "left": found.left,
        "remarks": list(found.remarks),
        "operations": list(found.operations),
    }


def past(dreams: Sequence[Operation], waiting: Sequence[Proposal], *, full: bool) -> str:
    """Past dreams, and how many proposals of dreams wait."""
    lines = []
    for each in dreams:
        undone = " (undone)" if each.undone else ""
        lines.append(f"{each.at:%Y-%m-%d %H:%M}  {each.id}  {one_line(each.summary)}{undone}")
        if full:
            lines += [f"  {_what(change.before, change.after)} {one_line(change.path)}" for change in each.changes]
    lines = lines or ["No dream has changed anything yet."]
    if waiting:
        lines.append(f"{count(len(waiting), 'proposal')} of dreams to decide: `scrubjay inbox`")
    return "\n".join(lines)


def past_values(dreams: Sequence[Operation], waiting: Sequence[Proposal]) -> dict[str, Any]:
    """The same as JSON."""
    return {
        "dreams": [
            {
                "id": each.id,
                "at": each.at.isoformat(),
                "summary": each.summary,
                "undone": each.undone,
                "changes": [
                    {"path": change.path, "what": _what(change.before, change.after)} for change in each.changes
                ],
            }
            for each in dreams
        ],
        "waiting": [one.id for one in waiting],
    }


def _heading(found: Dream) -> str:
    return "A dream would do this" if found.status == "dry run" else "Dreamt"


def _row(proposal: Proposal, mark: str, columns: int) -> list[str]:
    paths = " ← ".join(one_line(target.path, 60) for target in proposal.targets)
    word = _WORDS.get(proposal.action, proposal.action.lower())
    return [f"  {mark:<8}  {word:<7}  {paths}", *wrap(proposal.rule, columns - 21, most=3, indent=" " * 21)]


def _next(found: Dream) -> list[str]:
    lines = []
    if found.waiting:
        lines.append(f"{count(found.waiting, 'proposal')} to decide: `scrubjay inbox`")
    lines += [f"`scrubjay undo {operation}` takes this back" for operation in found.operations]
    return lines


def _memories(number: int) -> str:
    return "1 memory" if number == 1 else f"{number} memories"


def _what(before: str | None, after: str | None) -> str:
    return "created" if before is None else "retired" if after is None else "changed"
