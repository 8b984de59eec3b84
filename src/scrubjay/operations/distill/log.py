"""``distill-log.json``: what every run of distilling did (SM-50).

An operation stands on a line of its own, so that a git merge which keeps the lines of both sides can be read: what
is torn is left out, what stands twice counts once, and the summary is always counted anew.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from scrubjay.errors import Conflict, NotFound
from scrubjay.operations.distill.report import Report
from scrubjay.operations.store import Store
from scrubjay.proposals import Applied, Plan
from scrubjay.temporal import format_time, now
from scrubjay.types import Document

PATH = "distill-log.json"
VERSION = "1.0.0"
_TOTALS = {
    "purge": "total_purged",
    "merge": "total_merged",
    "compress": "total_compressed",
    "refine": "total_refined",
    "gc": "total_gc_deleted",
}
_OPERATION = re.compile(r"^\s*(\{\s*\"id\"\s*:.*\})\s*,?\s*$", re.MULTILINE)
_TRIES = 3
_MOST_STATE = 8 * 1024 * 1024


def logged(store: Store, plan: Plan, applied: Applied, before: Report, after: Report) -> None:
    """Adds what ``plan`` did to the log, and to ``specs/state.json`` of the project where that file exists."""
    kind = plan.content.path
    moment = now()
    operation = {
        "id": f"distill_{moment:%Y%m%dT%H%M%S%f}",
        "timestamp": format_time(moment),
        "type": "refine" if kind == "auto" else kind,
        "session_id": plan.id,
        "pre_metrics": before.metrics,
        "post_metrics": after.metrics,
        "affected_memories": sorted({one.memory_id for one in applied.done if one.action != "SKIP"}),
        "notes": "; ".join(["auto mode"] * (kind == "auto") + [f"decided by {applied.by}"]),
    }
    _put(store, operation)
    _mirror(store, after)


def operations(text: str) -> list[dict[str, Any]]:
    """The operations of a log, oldest first, each once, however damaged the file is."""
    try:
        found = json.loads(text)["operations"]
    except (ValueError, TypeError, KeyError, RecursionError):
        found = [_object(line) for line in _OPERATION.findall(text)]
    whole = {str(one["id"]): one for one in found if isinstance(one, Mapping) and one.get("id")}
    return sorted((dict(one) for one in whole.values()), key=lambda one: (str(one.get("timestamp")), str(one["id"])))


def dump(found: Iterable[Mapping[str, Any]]) -> str:
    """A log with these operations, one a line, and their summary."""
    listed = list(found)
    lines = ",\n".join(f"    {json.dumps(one, ensure_ascii=False)}" for one in listed)
    summary = {
        name: sum(len(one.get("affected_memories") or ()) for one in listed if one.get("type") == kind)
        for kind, name in _TOTALS.items()
    }
    summary = {"total_operations": len(listed), **summary}
    last = listed[-1].get("timestamp") if listed else None
    body = f"[\n{lines}\n  ]" if listed else "[]"
    return (
        f'{{\n  "version": "{VERSION}",\n  "operations": {body},\n'
        f'  "summary": {json.dumps({**summary, "last_operation": last})}\n}}\n'
    )


def _put(store: Store, operation: Mapping[str, Any]) -> None:
    with store.index.writing():
        for _ in range(_TRIES):
            before = _read(store)
            found = operations(before.text) if before else []
            try:
                store.vault.write(PATH, dump([*found, operation]), expected=before.hash if before else None)
            except Conflict:
                continue
            return
    raise Conflict(f"{PATH} is written by another program all the time.", hint="Try again in a moment.")


def _read(store: Store) -> Document | None:
    try:
        return store.vault.read(PATH)
    except NotFound:
        return None


def _object(line: str) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _mirror(store: Store, after: Report) -> None:
    """The health of the vault in ``specs/state.json`` of its project, only where that file is there already."""
    root = Path(store.vault.name)
    if root.name != ".memory":
        return
    state = root.parent / "specs" / "state.json"
    try:
        if state.is_symlink() or state.parent.is_symlink() or state.stat().st_size > _MOST_STATE:
            return
        values = json.loads(state.read_text("utf-8"))
        if not isinstance(values, dict):
            return
        health = {**after.metrics, "last_distilled": format_time(now())}
        text = json.dumps({**values, "memory_health": health}, ensure_ascii=False, indent=2) + "\n"
        beside = state.with_name(f".{state.name}.{os.getpid()}.tmp")
        beside.write_text(text, "utf-8")
        beside.replace(state)
    except (OSError, ValueError, RecursionError):
        return
