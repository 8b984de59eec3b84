"""Plans, proposals and what became of them, for people and as JSON (SM-9, SM-11, SM-13)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from scrubjay.interfaces.render import diff
from scrubjay.interfaces.render.lines import redacted
from scrubjay.interfaces.render.plain import alert, block, count, faint, one_line, strong, width, wrap
from scrubjay.proposals import Action, Applied, ContentMap, Decision, Done, Plan, Proposal, Related

if TYPE_CHECKING:
    from scrubjay.operations.gate.preview import Preview

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
    "REPLACE": "replaced",
}

_COUNTED = re.compile(r"^\d+ memor(?:y|ies): [^.]*\. ?")
"""The numbers in a message, which the first line has already."""


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
    """Files that were left out with the reasons, secrets that were taken out, and what else the reader should know."""
    lines = redacted(content.redacted)
    lines += [faint(one_line(notice)) for notice in content.notices]
    return lines + [faint(f"  left out {one_line(one.path)}: {one_line(one.reason)}") for one in content.skipped]


def _row(proposal: Proposal, columns: int) -> str:
    target = f" → {proposal.targets[0].id}" if proposal.targets else ""
    lead = f"  {one_line(proposal.key, 14):<9} {proposal.action:<8} "
    room = max(columns - len(lead), 20)
    line = lead + one_line(f"{proposal.title or proposal.summary}{target}", room)
    return "\n".join([line, *(f"{'':{len(lead)}}! {one_line(text, room - 2)}" for text in proposal.cautions)])


def proposal(one: Proposal, *, number: int, total: int, columns: int, decided: Decision | None = None) -> str:
    """All that somebody needs to decide, except the text itself; ``decided`` is what was answered before."""
    where = f"{one.source_file}:{one.source_lines[0]}-{one.source_lines[1]}" if one.source_file else one.source
    place = f"{number}/{total}"
    lines = [
        faint("─" * (columns - len(place) - 1)) + f" {place}",
        strong(one_line(one.title or one.summary or one.key, columns)),
        _field("topic", one.topic or "(none)", columns),
        _field("category", one.category or "(none)", columns),
        _field("terms", ", ".join(one.key_terms) or "(none)", columns),
        _field("from", where, columns),
    ]
    lines += [_related(place, memory, columns) for place, memory in enumerate(one.related, 1)]
    lines += [_field(f"{one_line(name, 8)} =", _value(value), columns) for name, value in one.values.items()]
    lines += _recommended(one, columns)
    for text in one.cautions:
        first, *more = wrap(text, columns - 4, most=3) or [""]
        lines += [alert(f"  ! {first}"), *(alert(f"    {line}") for line in more)]
    if decided is not None:
        lines.append(f"  decided: {answered(decided)}")
    return "\n".join(lines)


def answered(decision: Decision) -> str:
    """A decision in words."""
    if decision.into is not None:
        return f"into the memory of {one_line(decision.into)}"
    return decision.action + (f" {one_line(decision.target)}" if decision.target else "")


def _recommended(one: Proposal, columns: int) -> list[str]:
    """The action, the memory it is about and the rule, the rule on as many lines as it needs."""
    names = [target.id for target in one.targets]
    lead = one_line(f"{one.action} {' and '.join(names)}".strip(), columns - 2)
    room = columns - width(lead) - 4
    rule = wrap(one.rule, room, most=3) if room >= 40 else []
    if rule:
        return [f"  {strong(lead)}  {rule[0]}", *(f"{'':{width(lead) + 4}}{line}" for line in rule[1:])]
    return [f"  {strong(lead)}", *wrap(one.rule, columns, most=4, indent="    ")]


def _value(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def body(text: str, *, columns: int, most: int = 14) -> list[str]:
    """A text that would be written, as far as there is room."""
    shown = [line for part in block(text).strip("\n").expandtabs(4).split("\n") for line in _indented(part, columns)]
    more = len(shown) - most
    return shown if more <= 1 else [*shown[:most], faint(f"  … {more:,} more lines")]


def preview(found: Preview, *, columns: int, most: int = 40) -> list[str]:
    """What a decision would make of a memory: the difference, or the text where there is nothing to compare."""
    if found.before and found.after:
        return diff.compared(found.before, found.after, columns=columns, most=most)
    return body(found.after or found.before, columns=columns, most=most)


def _indented(line: str, columns: int) -> list[str]:
    """A line of text or code, its own indentation kept as far as there is room."""
    own = line[: len(line) - len(line.lstrip(" "))][: columns // 3]
    return wrap(line, columns, most=4, indent=f"  {own}") or [""]


def _field(name: str, value: str, columns: int) -> str:
    return f"  {name + ':':<10}{one_line(value, max(columns - 12, 20))}"


def _related(place: int, memory: Related, columns: int) -> str:
    score = "" if memory.score is None else f", recall {memory.score:.0%}"
    shared = f" ({', '.join(memory.shared)})" if memory.shared else ""
    title = "" if memory.title == memory.id else f" {memory.title}"
    name = "related:" if place == 1 else ""
    text = f"{place}. {memory.overlap:.0%} of the terms{score}: {memory.id}{title}{shared}"
    return f"  {name:<10}" + one_line(text, max(columns - 12, 20))


def applied(done: Applied, *, of: Plan, undo: str, again: str, left: int = 0, file: str = "") -> str:
    """What was done with the plan ``of``, in numbers that were read back, and how to take it back with ``undo``.
    ``again`` says how to decide the ``left`` proposals that wait in the inbox; what has no answer in the ``file`` of
    answers stays there."""
    counted = Counter(one.action for one in done.done)
    summary = ", ".join(f"{counted[action]} {word}" for action, word in _DID.items() if counted[action])
    lines = [strong(summary)] if summary else []
    lines += [_became(one, of[one.key]) for one in done.done]
    lines += [f"  refused   {_name(one)}: {one_line(reason)}" for one, reason in done.refused]
    lines += [f"  changed   {_name(one)}: {one_line(one.rule)}" for one in done.stale]
    lines += skipped(done.content)
    if message := _COUNTED.sub("", done.message):
        lines.append(f"  {message}" if lines else message)
    if done.waiting and file:
        lines.append(f"  {count(len(done.waiting), 'proposal')} without a decision in {one_line(file)}")
    if left:
        lines.append(f"  {count(left, 'proposal')} to decide: {again}")
    if done.commit:
        lines.append(f"  committed {done.commit[:12]}")
    if done.operations:
        lines.append(faint(f"  take it back with {undo}"))
    return "\n".join(lines)


def _became(one: Done, proposal: Proposal) -> str:
    if one.action == "MERGE" and len(proposal.targets) > 1 and one.path == proposal.targets[0].path:
        return f"  {_DID[one.action]:<9} {one_line(f'{proposal.targets[1].id} into {one.path}')}"
    if one.action != "SKIP":
        return f"  {_DID[one.action]:<9} {one_line(one.path or one.memory_id)}"
    known = f"{one_line(one.path)} says it already"
    why = known if one.path else one_line(proposal.rule) if proposal.action == "SKIP" else "as decided"
    return f"  skipped   {_name(proposal)}: {why}"


def _name(one: Proposal) -> str:
    return one_line(one.title or one.summary or one.key, 60)


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
