"""``distill-log.json``: what every run of distilling did (SM-50).

An operation stands on a line of its own, so that a git merge which keeps the lines of both sides can be read: what
is torn is left out, what stands twice counts once, and the summary is always counted anew.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from scrubjay.errors import Conflict, NotFound, ScrubjayError
from scrubjay.ids import new_id
from scrubjay.operations.distill import state
from scrubjay.operations.distill.report import Report
from scrubjay.operations.store import Store
from scrubjay.proposals import Action, Applied, Done, Plan
from scrubjay.temporal import format_time, now
from scrubjay.types import Document
from scrubjay.vaults.layout import TRASH

PATH = "distill-log.json"
VERSION = "1.0.0"
MOST_BYTES = 64 * 1024 * 1024

_TYPES: Mapping[Action, str] = {
    "RETIRE": "purge",
    "MERGE": "merge",
    "COMPRESS": "compress",
    "REFINE": "refine",
    "DELETE": "gc",
}
_TOTALS = {
    "purge": "total_purged",
    "merge": "total_merged",
    "compress": "total_compressed",
    "refine": "total_refined",
    "gc": "total_gc_deleted",
}
_BEGIN = re.compile(r'\{\s*"id"\s*:\s*"')
_MOST_TORN = 1_000  # operations that cannot be read; behind so many there is nothing to save
_TRIES = 3


def logged(store: Store, plan: Plan, applied: Applied, before: Report, after: Report) -> str:
    """Adds what ``plan`` did to the log, and to ``specs/state.json`` of the project where that file exists.

    Returns a sentence when that failed, since the memories are changed all the same; else nothing.
    """
    made = list(_operations(plan, applied, before, after))
    if not made:
        return ""
    try:
        _put(store, made)
    except ScrubjayError as error:
        return f"{PATH} was not written: {error.message}"
    state.mirror(store, after.metrics, counted=True)
    return ""


def operations(text: str) -> list[dict[str, Any]]:
    """The operations of a log, oldest first, each once, however damaged the file is."""
    found = _whole(text)
    unique = {str(one["id"]): one for one in (_saved(text) if found is None else found) if one.get("id")}
    return sorted(unique.values(), key=lambda one: (str(one.get("timestamp")), str(one["id"])))


def dump(found: Iterable[Mapping[str, Any]]) -> str:
    """A log with these operations, one a line, and their summary."""
    listed = list(found)
    lines = ",\n".join(f"    {json.dumps(one, ensure_ascii=False)}" for one in listed)
    totals = {name: sum(_count(one) for one in listed if one.get("type") == kind) for kind, name in _TOTALS.items()}
    last = listed[-1].get("timestamp") if listed else None
    summary = {"total_operations": len(listed), **totals, "last_operation": last}
    body = f"[\n{lines}\n  ]" if listed else "[]"
    return (
        f'{{\n  "version": "{VERSION}",\n  "operations": {body},\n'
        f'  "summary": {json.dumps(summary, ensure_ascii=False)}\n}}\n'
    )


def _operations(plan: Plan, applied: Applied, before: Report, after: Report) -> Iterator[dict[str, Any]]:
    """An operation for each kind of change, and one for each merge, whose memories belong together."""
    moment = now()
    done = [one for one in applied.done if one.action in _TYPES]
    groups: dict[tuple[str, str], list[Done]] = {}
    for one in done:
        kind = _TYPES[one.action]
        groups.setdefault((kind, one.key if kind == "merge" else ""), []).append(one)
    auto = "; auto mode" if applied.by == "auto mode" else ""
    metrics = {"pre_metrics": before.metrics, "post_metrics": after.metrics}
    for number, ((kind, _), found) in enumerate(groups.items()):
        yield {
            "id": f"distill_{moment:%Y%m%dT%H%M%S%f}" + (f"_{number + 1}" if number else ""),
            "timestamp": format_time(moment),
            "type": kind,
            "session_id": plan.id,
            **metrics,
            "affected_memories": list(dict.fromkeys(id for one in found for id in _affected(plan, one))),
            "notes": f"decided by {applied.by}{auto}",
        }


def _affected(plan: Plan, done: Done) -> Sequence[str]:
    """The memory, and for a merge the one that went into it."""
    gone = [target.id for target in plan[done.key].targets[1:]] if done.action == "MERGE" else []
    return [done.memory_id, *gone]


def _count(operation: Mapping[str, Any]) -> int:
    """How many memories an operation purged, merged away, shortened, mended or deleted."""
    affected = operation.get("affected_memories")
    number = len(affected) if isinstance(affected, list) else 0
    return max(number - 1, 1) if operation.get("type") == "merge" and number else number


def _put(store: Store, made: Sequence[Mapping[str, Any]]) -> None:
    with store.index.writing():
        for _ in range(_TRIES):
            before = _read(store)
            found = operations(before.text) if before else []
            try:
                if before is not None and _whole(before.text) is None:
                    # What could be saved is written anew; the torn file itself is kept.
                    store.vault.retire(PATH, expected=before.hash, kept=f"{TRASH}/{new_id()}/{PATH}")
                    before = None
                store.vault.write(PATH, dump([*found, *made]), expected=before.hash if before else None)
            except Conflict:
                continue
            return
    raise Conflict("another program writes it all the time.", hint="Try again in a moment.")


def _read(store: Store) -> Document | None:
    try:
        return store.vault.read(PATH)
    except NotFound:
        return None


def _whole(text: str) -> list[dict[str, Any]] | None:
    """The operations of a log that is in order; ``None`` for a damaged one."""
    try:
        found = json.loads(text)["operations"] if len(text) <= MOST_BYTES else None
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    sound = isinstance(found, list) and all(isinstance(one, dict) for one in found)
    return found if sound else None


def _saved(text: str) -> Iterator[dict[str, Any]]:
    """The whole operations in a damaged log."""
    decoder = json.JSONDecoder()
    place = torn = 0
    while torn < _MOST_TORN and (begin := _BEGIN.search(text, place)):
        try:
            one, place = decoder.raw_decode(text, begin.start())
        except (ValueError, RecursionError):
            torn, place = torn + 1, begin.end()
            continue
        yield one
