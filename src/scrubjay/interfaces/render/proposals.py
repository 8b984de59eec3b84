"""Plans, proposals and what became of them, for people and as JSON (SM-9, SM-11, SM-13)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from scrubjay.interfaces.render.plain import block, count, faint, one_line, strong, wrap
from scrubjay.proposals import Action, Applied, ContentMap, Plan, Proposal, Related

_DID: Mapping[Action, str] = {
    "CREATE": "created",
    "UPDATE": "updated",
    "EXTEND": "extended",
    "SKIP": "skipped",
    "MERGE": "merged",
    "RETIRE": "retired",
    "COMPRESS": "compressed",
    "REFINE": "refined",
    "DELETE": "moved to the trash",
}


def plan(found: Plan, *, columns: int) -> str:
    """What would be done with each part of the source, a line each."""
    parts = [strong(heading(found))]
    parts += [_row(proposal, columns) for proposal in found.proposals]
    parts += skipped(found.content)
    return "\n".join(parts)


def heading(found: Plan) -> str:
    """What was read and what is proposed, in a line."""
    counted = Counter(proposal.action for proposal in found.proposals)
    actions = ", ".join(f"{number} {action}" for action, number in sorted(counted.items()))
    where = f" from {one_line(found.content.path)}" if found.content.path else ""
    return f"{count(len(found.proposals), 'part')}{where}: {actions or 'nothing to store'}"


def skipped(content: ContentMap) -> list[str]:
    """Files that were left out with the reasons, and what else the reader should know."""
    lines = [faint(one_line(notice)) for notice in content.notices]
    return lines + [faint(f"  left out {one_line(one.path)}: {one_line(one.reason)}") for one in content.skipped]


def _row(proposal: Proposal, columns: int) -> str:
    target = f" → {proposal.targets[0].id}" if proposal.targets else ""
    lead = f"  {one_line(proposal.key, 14):<9} {proposal.action:<8} "
    room = max(columns - len(lead), 20)
    line = lead + one_line(f"{proposal.title or proposal.summary}{target}", room)
    return "\n".join([line, *(f"{'':{len(lead)}}! {one_line(text, room - 2)}" for text in proposal.cautions)])


def proposal(one: Proposal, *, number: int, total: int, columns: int) -> str:
    """All that somebody needs to decide, except the text itself."""
    where = f"{one.source_file}:{one.source_lines[0]}-{one.source_lines[1]}" if one.source_file else one.source
    lines = [
        strong(one_line(f"{number}/{total}  {one.title or one.summary or one.key}", columns)),
        _field("topic", one.topic or "(none)", columns),
        _field("category", one.category or "(none)", columns),
        _field("terms", ", ".join(one.key_terms) or "(none)", columns),
        _field("from", where, columns),
    ]
    lines += [_related(place, memory, columns) for place, memory in enumerate(one.related, 1)]
    target = f" {one.targets[0].id}" if one.targets else ""
    lines.append(f"  {strong(one.action + target)}  {one_line(one.rule)}")
    lines += [strong("  ! " + line.strip()) for text in one.cautions for line in wrap(text, columns - 4, most=3)]
    return "\n".join(lines)


def body(one: Proposal, *, columns: int, most: int = 14) -> list[str]:
    """The text that would be written, as far as there is room."""
    shown = [line for part in block(one.body).expandtabs(4).split("\n") for line in _indented(part, columns)]
    more = len(shown) - most
    return shown if more <= 1 else [*shown[:most], faint(f"  … {more} more lines")]


def _indented(line: str, columns: int) -> list[str]:
    """A line of text or code, its own indentation kept as far as there is room."""
    own = line[: len(line) - len(line.lstrip(" "))][: columns // 3]
    return wrap(line, columns, most=4, indent=f"  {own}") or [""]


def _field(name: str, value: str, columns: int) -> str:
    return f"  {name + ':':<10}{one_line(value, max(columns - 12, 20))}"


def _related(place: int, memory: Related, columns: int) -> str:
    score = "" if memory.score is None else f", recall {memory.score:.0%}"
    shared = f" ({', '.join(memory.shared)})" if memory.shared else ""
    text = f"related {place}: {memory.id} has {memory.overlap:.0%} of the terms{shared}{score}"
    return "  " + one_line(text, columns - 2)


def applied(done: Applied, *, undo: str, again: str) -> str:
    """What was done, in numbers that were read back, and how to take it back; ``again`` decides what waits."""
    counted = Counter(one.action for one in done.done)
    summary = ", ".join(f"{counted[action]} {word}" for action, word in _DID.items() if counted[action])
    lines = [strong(summary or "Nothing was stored")]
    lines += [f"  {_DID[one.action]:<9} {one_line(one.path)}" for one in done.done if one.path]
    lines += [f"  refused   {one_line(one.title or one.key)}: {one_line(reason)}" for one, reason in done.refused]
    lines += [f"  changed   {one_line(one.title or one.key)}: {one_line(one.rule)}" for one in done.stale]
    lines += skipped(done.content)
    if done.message:
        lines.append(f"  {done.message}")
    left = len(done.waiting) + len(done.stale) + len(done.refused)
    if left:
        lines.append(f"  {count(left, 'proposal')} to decide: {again}")
    if done.commit:
        lines.append(f"  committed {done.commit[:12]}")
    if done.operations:
        lines.append(faint(f"  take it back with {undo}"))
    return "\n".join(lines)


def waiting(found: Sequence[Proposal], *, columns: int) -> str:
    """The inbox, numbered."""
    if not found:
        return "Nothing waits for a decision."
    lines = [strong(f"{count(len(found), 'proposal')} to decide")]
    for number, one in enumerate(found, 1):
        day = f"{one.created:%Y-%m-%d}" if one.created else "undated"
        target = f" → {one.targets[0].id}" if one.targets else ""
        lead = f"{number:>3}. {one.action:<8} {day}  "
        lines.append(lead + one_line(f"{one.title or one.summary or one.key}{target}", max(columns - len(lead), 20)))
        lines += [f"     ! {one_line(text, columns - 7)}" for text in one.cautions]
    return "\n".join(lines)


def entry(one: Proposal) -> dict[str, Any]:
    """A waiting proposal as JSON."""
    return {
        "id": one.id,
        "key": one.key,
        "action": one.action,
        "choices": list(one.choices),
        "rule": one.rule,
        "title": one.title,
        "topic": one.topic,
        "category": one.category,
        "tags": list(one.tags),
        "cautions": list(one.cautions),
        "targets": [{"id": target.id, "path": target.path} for target in one.targets],
        "related": [
            {"id": memory.id, "path": memory.path, "overlap": memory.overlap, "score": memory.score}
            for memory in one.related
        ],
        "source": one.source,
        "created": one.created.isoformat() if one.created else None,
        "scope": one.scope,
        "path": one.path,
        "body": one.body,
    }
