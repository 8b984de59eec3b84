"""Whether it is time to dream, the cheapest question first (CC-D1)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from scrubjay.vaults.dialects.claude_memory import host

_MARK = "dream:looked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Night:
    """What the gates are asked about. ``memory_on`` and ``allowed`` are settings (``allowed``: the host's
    ``autoDreamEnabled`` and ours), ``last`` the end of the last dream, ``looked`` when sessions were last counted,
    ``transcripts`` where they lie, ``current`` the session that is going on."""

    allowed: bool
    memory_on: bool
    environ: Mapping[str, str]
    last: datetime | None
    looked: datetime | None
    transcripts: Path
    current: str = ""


def closed(night: Night, now: datetime) -> str:
    """Why it is not time; empty when it is. The sessions are counted only when all else says yes."""
    if not night.allowed:
        return "Dreaming is switched off."
    if not night.memory_on:
        return "The agent's memory is switched off."
    if night.environ.get(host.REMOTE, "").strip().casefold() not in ("", "0", "false"):
        return "This is a remote session."
    if night.last is not None and now - night.last < timedelta(hours=host.DREAM_HOURS):
        return f"The last dream was less than {host.DREAM_HOURS} hours ago."
    if night.looked is not None and timedelta() <= now - night.looked < timedelta(minutes=host.DREAM_THROTTLE_MINUTES):
        return f"The sessions were counted less than {host.DREAM_THROTTLE_MINUTES} minutes ago."
    count = sessions(night.transcripts, since=night.last, current=night.current)
    if count < host.DREAM_SESSIONS:
        return f"Only {count} of {host.DREAM_SESSIONS} sessions since the last dream."
    return ""


def sessions(folder: Path, *, since: datetime | None, current: str = "") -> int:
    """How many sessions in ``folder`` were touched after ``since``, without the ``current`` one."""
    limit = since.timestamp() if since is not None else 0.0
    try:
        with os.scandir(folder) as entries:
            return sum(_touched(entry, limit) for entry in entries if entry.name != f"{current}.jsonl")
    except OSError:
        return 0


def _touched(entry: os.DirEntry[str], limit: float) -> bool:
    try:
        return (
            entry.name.endswith(".jsonl")
            and entry.is_file(follow_symlinks=False)
            and entry.stat(follow_symlinks=False).st_mtime > limit
        )
    except OSError:
        return False
