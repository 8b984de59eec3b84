"""How old a memory is, in whole days of the reader, and what to say about it (CC-S4).

The age is that of the last writing. Reading a memory, finding it or being shown it leaves the clock alone (F92).
"""

from __future__ import annotations

from datetime import datetime, tzinfo

STALE_DAYS = 1
"""Older than that a memory is shown with a note."""


def age(written: datetime, now: datetime, zone: tzinfo) -> int:
    """Whole days between the day of ``written`` and that of ``now``, both in ``zone``; never below 0."""
    return max(0, (now.astimezone(zone).date() - written.astimezone(zone).date()).days)


def said(days: int) -> str:
    """``today``, ``yesterday``, or ``12 days ago``."""
    return {0: "today", 1: "yesterday"}.get(days, f"{days} days ago")


def note(days: int) -> str:
    """What a reader should know of a memory that old; empty for a fresh one."""
    if days <= STALE_DAYS:
        return ""
    return f"Written {said(days)}: a snapshot of that day. Check what it names before relying on it."
