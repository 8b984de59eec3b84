"""What a language model took and may take, as lines of text for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from scrubjay.interfaces.render.plain import count, faint, one_line, strong

if TYPE_CHECKING:
    from scrubjay.models.llm.usage import Caps, Day, Usage


def usage(found: Usage) -> str:
    """The state of the language model and today's numbers; empty where none was ever wanted."""
    if found.state == "none" and not found.today.calls:
        return ""
    rows = {"state": _state(found), "today": _day(found.today, found.caps)}
    if found.today.calls:
        rows["for"] = _counts(found.today.purposes)
        rows["ended"] = _counts(found.today.outcomes) or "none yet"
    if found.today.capped:
        rows["capped"] = f"{count(found.today.capped, 'call')} not made"
    if found.today.unreadable:
        rows["ledger"] = f"{count(found.today.unreadable, 'line')} that cannot be read"
    lines = [f"{strong('language model')}  {one_line(found.model) or 'none'}"]
    lines += [f"  {name:<10} {value}" for name, value in rows.items()]
    if found.hint:
        lines.append(faint(f"  {'':<10} {one_line(found.hint)}"))
    return "\n".join(lines)


def warning(found: Usage) -> str:
    """That rules did the work of a language model, and why; empty where it was in use, or none is wanted."""
    return f"Warning: {one_line(found.reason)} {one_line(found.hint)}".rstrip() if found.reason else ""


def _state(found: Usage) -> str:
    match found.state:
        case "ready":
            return "ready"
        case "none":
            return "none is configured"
        case "off":
            return "switched off (llm.enabled = false)"
        case other:
            return f"{other}, rules do its work: {one_line(found.reason)}"


def _day(day: Day, caps: Caps) -> str:
    unknown = f", {count(day.unpriced, 'call')} of unknown price" if day.unpriced else ""
    running = f", {day.running:,} running" if day.running else ""
    return (
        f"{count(day.calls, 'call')}{_of(caps.calls)}, {count(day.tokens, 'token')}{_of(caps.tokens)}, "
        f"${day.money:,.2f}{f' of ${caps.money:,.2f}' if caps.money else ''}{unknown}{running}"
    )


def _of(cap: int) -> str:
    return f" of {cap:,}" if cap else ""


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{one_line(name)} {number:,}" for name, number in sorted(counts.items()))
