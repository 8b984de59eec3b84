"""What became of conversations, for people and as JSON: each statement with its quote and where it stands."""

from __future__ import annotations

from datetime import tzinfo
from typing import TYPE_CHECKING, Any

from scrubjay.interfaces.render.lines import day
from scrubjay.interfaces.render.objects import time
from scrubjay.interfaces.render.plain import count, faint, one_line, strong, wrap

if TYPE_CHECKING:
    from scrubjay.operations.extract import Extracted, Found

_TOLD = {
    "new": "new",
    "superseded": "replaces a fact",
    "history": "held before",
    "conflict": "new, contradicts a fact",
    "proposed": "proposed",
    "known": "known",
    "gone": "left out",
    "capped": "left out",
    "refused": "refused",
}
_QUIET = ("known", "gone", "capped", "refused")


def extracted(done: Extracted, *, zone: tzinfo, columns: int, every: bool, dry_run: bool) -> str:
    """Each statement with its quote, then how many there are."""
    shown = [one for one in done.found if every or one.outcome not in _QUIET]
    parts = ["\n".join(_found(one, zone, columns, every)) for one in shown]
    return "\n".join([*parts, learned(done, dry_run=dry_run) or "Nothing new was said outright."])


def learned(done: Extracted, *, dry_run: bool = False) -> str:
    """What a run came to, in a line; empty when it came to nothing."""
    parts = [f"{count(done.stored, 'fact')}"] if done.stored else []
    parts += [f"{count(done.proposed, 'proposal')}"] if done.proposed else []
    parts += [count(done.episodes, "summary").replace("summarys", "summaries")] if done.episodes else []
    quiet = done.outcomes
    notes = [f"{quiet['known']:,} known already"] if quiet["known"] else []
    notes += [f"{quiet['capped']:,} beyond the limit"] if quiet["capped"] else []
    notes += [f"{count(done.waiting, 'conversation')} left for the next run"] if done.waiting else []
    if not parts and not notes:
        return ""
    lead = "Would learn" if dry_run else "Learned"
    return f"{lead} {', '.join(parts) or 'nothing new'} from {count(done.sessions, 'conversation')}" + "".join(
        f"; {note}" for note in notes
    )


def _found(one: Found, zone: tzinfo, columns: int, every: bool) -> list[str]:
    candidate = one.candidate
    lines = wrap(candidate.text, columns, most=4, indent="  ")
    lines[0] = "- " + lines[0][2:] if lines else "-"
    about = [strong(_TOLD[one.outcome]), one_line(candidate.category, 30), f"{candidate.confidence:.0%}", one.scope]
    about += [one_line(one.reason, 80)] if every and one.reason else []
    lines.append("  " + " · ".join(part for part in about if part))
    where = ", ".join(part for part in (f"{one_line(one.path)}:{one.line}", day(one.at, zone)) if part)
    lines.append(faint(f"  “{one_line(candidate.quote, 200)}” ({where})"))
    return lines


def values(done: Extracted) -> dict[str, Any]:
    """The report as an object for JSON."""
    return {
        "found": [_value(one) for one in done.found],
        "outcomes": dict(done.outcomes),
        "sessions": done.sessions,
        "messages": done.messages,
        "facts": done.stored,
        "proposals": done.proposed,
        "episodes": done.episodes,
        "waiting": done.waiting,
        "failures": [{"path": path, "message": reason} for path, reason in done.failures],
    }


def _value(one: Found) -> dict[str, Any]:
    candidate = one.candidate
    return {
        "outcome": one.outcome,
        "reason": one.reason,
        "id": one.id,
        "other": one.other,
        "text": candidate.text,
        "category": candidate.category,
        "confidence": candidate.confidence,
        "subject": candidate.subject,
        "predicate": candidate.predicate,
        "object": candidate.object,
        "replaces": candidate.replaces,
        "valid_from": time(candidate.valid.start),
        "valid_to": time(candidate.valid.end),
        "quote": candidate.quote,
        "rule": candidate.rule,
        "message_id": candidate.message_id,
        "at": time(one.at),
        "session": one.session,
        "scope": one.scope,
        "path": one.path,
        "line": one.line,
    }
