"""What a memory answers, as lines of text for people: safe to show, fitted to a width, dates in the reader's zone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo

from scrubjay.interfaces.render.plain import alert, block, count, faint, one_line, strong, wrap
from scrubjay.operations.recall.packing import telling
from scrubjay.temporal import now, standing, validity
from scrubjay.types import Document, Fact, Hit, Note, Operation, Recall, Record, Redacted, StoredFact

TEXT_LINES = 4
REDACTED = 5
"""Secrets that are named one by one."""

_NAMES = {"facts": "fact", "notes": "note", "episodes": "episode", "chunks": "message"}
_DONE = {"known": "Already known"}


def recall(found: Recall, *, zone: tzinfo, columns: int, explain: bool = False, everything: bool = False) -> str:
    """Numbered hits, or why there are none. Without ``everything`` those that say next to nothing beside the best are
    counted only, as in what an agent reads."""
    shown = found.hits if everything else telling(found.hits)
    if not shown:
        parts = [f"Nothing found: {one_line(found.reason or 'nothing in the memory bears on this question')}"]
    else:
        parts = [_hit(number, hit, zone, columns, explain) for number, hit in enumerate(shown, 1)]
    if hidden := len(found.hits) - len(shown):
        parts.append(faint(f"Not shown: {count(hidden, 'faint hit')}; --all shows everything."))
    if explain:
        parts.append(_explanation(found, columns))
    return "\n\n".join(part for part in parts if part)


def _hit(number: int, hit: Hit, zone: tzinfo, columns: int, explain: bool) -> str:
    record = hit.record
    about = [
        _NAMES[hit.layer],
        day(hit.at, zone),
        one_line(record.speaker or record.role, 30),
        one_line(record.category, 30) if hit.layer == "facts" else "",
        one_line(record.title, 50) if hit.layer != "facts" else "",
        one_line(hit.note, 120),
    ]
    lead = f"{number:>2}. {hit.score:>4.0%}  "
    lines = [strong(lead) + " · ".join(part for part in about if part)]
    lines += wrap(hit.text, columns, most=TEXT_LINES, indent="    ")
    lines.append(faint(f"    {one_line(hit.path)}:{record.line}  {hit.id}"))
    if explain and hit.ranks:
        ranks = ", ".join(f"{signal} {rank}" for signal, rank in hit.ranks.items())
        lines.append(faint(f"    ranks: {ranks}"))
    return "\n".join(lines)


def _explanation(found: Recall, columns: int) -> str:
    took = ", ".join(f"{one_line(step)} {milliseconds:.1f}" for step, milliseconds in found.took.items())
    lines = [f"Signals: {', '.join(map(one_line, found.signals)) or 'none'}", f"Milliseconds: {took or 'not measured'}"]
    lines.append(f"Left out: {len(found.suppressed) or 'nothing'}")
    room = max(columns - 45, 20)
    lines += [f"  {one.id}  {one_line(one.reason)}: {one_line(one.text, room)}" for one in found.suppressed]
    return "\n".join(lines)


def stored(fact: StoredFact, *, vault: str, replaced: str = "") -> str:
    """What became of a statement, as it was read back from ``vault``; ``replaced`` is the text of the fact that it
    superseded."""
    where = f"({fact.scope}, {one_line(fact.category)})"
    lines = [f"{strong(_DONE.get(fact.action, 'Remembered'))} {where}: {one_line(fact.text)}"]
    triple = (fact.subject, fact.predicate, fact.object)
    if any(triple):
        lines.append("  about " + " → ".join(one_line(part or "?") for part in triple))
    lines += [f"  id    {fact.id}", f"  file  {one_line(f'{vault}/{fact.path}')}"]
    if fact.action == "superseded" and fact.supersedes:
        lines.append(f"Superseded {fact.supersedes}: {one_line(replaced)}")
    return "\n".join([*lines, *redacted(fact.redacted)])


def redacted(found: Sequence[Redacted]) -> list[str]:
    """One line that says which secrets were taken out and where; none without any."""
    if not found:
        return []
    places = [f"{one.rule} in {one_line(one.place, 60)}, line {one.line}" for one in found[:REDACTED]]
    more = f"; and {len(found) - REDACTED} more" if len(found) > REDACTED else ""
    return [alert(f"Took out {count(len(found), 'secret')}: {'; '.join(places)}{more}.")]


def note(found: Note, *, vault: str) -> str:
    """What became of a note in ``vault``."""
    lead = f"{strong('Wrote note')} ({found.scope}): {one_line(found.title)}"
    rows = [lead, f"  id    {one_line(found.id)}", f"  file  {one_line(f'{vault}/{found.path}')}"]
    return "\n".join([*rows, *redacted(found.redacted)])


def facts(found: Sequence[Fact], *, zone: tzinfo, columns: int) -> str:
    """A list of facts, two or more lines each."""
    if not found:
        return "No facts."
    moment = now()
    return "\n".join(line for fact in found for line in _fact(fact, zone, columns, moment))


def _fact(fact: Fact, zone: tzinfo, columns: int, moment: datetime) -> list[str]:
    state = standing(fact, as_of=moment, known_at=moment)
    details = [fact.id, fact.scope, one_line(fact.category)]
    details += ["" if state == "current" else state, *map(one_line, fact.tags)]
    lines = wrap(fact.text, columns, most=TEXT_LINES, indent="  ")
    lines[0] = "- " + lines[0][2:] if lines else "-"
    held = validity(fact)
    if held.start or held.end:
        details.append(_stretch(held.start, held.end, zone))
    return [*lines, faint("  " + " · ".join(part for part in details if part))]


def history(versions: Sequence[Fact], evidence: Mapping[str, list[Record]], *, zone: tzinfo, columns: int) -> str:
    """The versions of a fact as a timeline, oldest first, each with the messages that bear it out."""
    moment = now()
    lines = []
    for fact in versions:
        state = standing(fact, as_of=moment, known_at=moment)
        lines.append(f"{strong(minute(fact.recorded.start, zone) or 'at an unknown time')}  {fact.id}  {state}")
        lines += wrap(fact.text, columns, most=TEXT_LINES, indent="  ")
        held = validity(fact)
        if held.start or held.end:
            lines.append(faint(f"  true {_stretch(held.start, held.end, zone)}"))
        if fact.recorded.end is not None:
            how = "retracted" if fact.retracted else "superseded"
            lines.append(faint(f"  {how} on {minute(fact.recorded.end, zone)}"))
        lines.append(faint(f"  {one_line(fact.path)}"))
        lines += [said(one, zone) for one in evidence.get(fact.id, ())]
    return "\n".join(lines)


def said(message: Record, zone: tzinfo) -> str:
    """Where a fact was said."""
    return faint(f"  said in {one_line(message.path)}:{message.line}, {day(message.at, zone)} ({message.id})")


def document(found: Document) -> str:
    """A document as it is, under its path."""
    return f"{strong(one_line(found.path))}\n{block(found.text).rstrip()}"


def record(found: Record, *, zone: tzinfo) -> str:
    """A piece of a document, under where it stands."""
    said = [_NAMES[found.layer], day(found.at, zone), one_line(found.speaker), one_line(found.category), found.scope]
    lines = [strong(f"{one_line(found.path)}:{found.line}"), "  ".join(part for part in said if part)]
    if found.headings:
        lines.append(" › ".join(map(one_line, found.headings)))
    if found.valid.start or found.valid.end:
        lines.append(f"true {_stretch(found.valid.start, found.valid.end, zone)}")
    if found.superseded_by:
        lines.append(f"superseded by {found.superseded_by}")
    return "\n".join([*lines, "", block(found.text).strip()])


def operations(found: Sequence[Operation], *, zone: tzinfo) -> str:
    """What was done, a line each."""
    if not found:
        return "Nothing was done yet."
    return "\n".join(_operation(one, zone) for one in found)


def _operation(one: Operation, zone: tzinfo) -> str:
    return f"{one.id}  {minute(one.at, zone)}  {one_line(one.summary, 80)}{'  (undone)' if one.undone else ''}"


def day(moment: datetime | None, zone: tzinfo) -> str:
    """The date of ``moment`` where the reader is."""
    return "" if moment is None else f"{_local(moment, zone):%Y-%m-%d}"


def minute(moment: datetime | None, zone: tzinfo) -> str:
    """Date and time of ``moment`` where the reader is."""
    return "" if moment is None else f"{_local(moment, zone):%Y-%m-%d %H:%M}"


def _stretch(start: datetime | None, end: datetime | None, zone: tzinfo) -> str:
    words = [f"from {day(start, zone)}" if start else "", f"until {day(end, zone)}" if end else ""]
    return " ".join(word for word in words if word)


def _local(moment: datetime, zone: tzinfo) -> datetime:
    try:
        return moment.astimezone(zone)
    except (OverflowError, ValueError):
        return moment
