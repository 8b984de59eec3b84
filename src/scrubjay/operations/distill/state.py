"""The health of a project's vault in ``specs/state.json``, a file of other programs, if it is there (SM-44, SM-50).

Only the value of ``memory_health`` is written; every other byte of the file stays, and so do fields in it that are not
ours. Whatever is in the way, the file is left alone: it is a mirror, nothing is read from it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scrubjay.errors import Conflict, ScrubjayError
from scrubjay.operations.store import Store
from scrubjay.temporal import format_time, now
from scrubjay.vaults import atomic
from scrubjay.vaults.paths import open_beneath

PATH = "specs/state.json"
FIELD = "memory_health"

_MOST_BYTES = 16 * 1024 * 1024
_MEMBER = re.compile(r'[\s,]*("(?:[^"\\]|\\.)*")\s*:\s*')


def mirror(store: Store, metrics: Mapping[str, int], *, counted: bool) -> bool:
    """Writes ``metrics`` and the moment into the project's state, and says whether it did; ``counted`` for a run that
    changed memories: it counts one more (SM-44)."""
    vault = Path(store.vault.name)
    if vault.name != ".memory":
        return False
    root = vault.parent
    try:
        data, mode = _read(root)
        text = _with_health(data.decode("utf-8"), metrics, counted=counted)
        if text is None:
            return False
        atomic.put_over(root, PATH, text.encode("utf-8"), mode=mode, verify=lambda: _require(root, data))
    except (OSError, ValueError, RecursionError, ScrubjayError):
        return False
    return True


def _read(root: Path) -> tuple[bytes, int]:
    descriptor = open_beneath(root, PATH, os.O_RDONLY)
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(file.fileno())
        if found.st_size > _MOST_BYTES:
            raise ValueError("too large")
        return file.read(), found.st_mode


def _require(root: Path, data: bytes) -> None:
    if _read(root)[0] != data:
        raise Conflict(f"{PATH} was changed meanwhile.")


def _with_health(text: str, metrics: Mapping[str, int], *, counted: bool) -> str | None:
    """``text`` with the health in it; ``None`` where that is not possible without touching anything else."""
    whole = json.loads(text)
    if not isinstance(whole, dict):
        return None
    start, end, value, indent = _place(text)
    if value is not None and not isinstance(value, dict):
        return None
    known: dict[str, Any] = dict(value or {})
    health = {**known, **metrics, "last_distilled": format_time(now())}
    if counted:
        number = known.get("distill_count")
        health["distill_count"] = (number if isinstance(number, int) else 0) + 1
    written = json.dumps(health, ensure_ascii=False, indent=2 if indent else None).replace("\n", f"\n{indent}")
    if value is None:
        comma = "" if text[:start].rstrip().endswith("{") else ","
        written = (
            f"{comma}\n{indent}{json.dumps(FIELD)}: {written}" if indent else f"{comma}{json.dumps(FIELD)}: {written}"
        )
    changed = f"{text[:start]}{written}{text[end:]}"
    return changed if json.loads(changed) == {**whole, FIELD: health} else None


def _place(text: str) -> tuple[int, int, Any, str]:
    """Where the value of the field stands in the object ``text``, the value, and how members are indented; where there
    is none, the place behind the last member."""
    decoder = json.JSONDecoder()
    place = text.index("{") + 1
    first = re.compile(r"\s*\n([ \t]+)").match(text, place)
    indent = first.group(1) if first else ""
    while member := _MEMBER.match(text, place):
        value, place = decoder.raw_decode(text, member.end())
        if json.loads(member.group(1)) == FIELD:
            return member.end(), place, {} if value is None else value, indent
    return place, place, None, indent
