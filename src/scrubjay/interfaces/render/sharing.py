"""What sharing did, for people and as JSON: paths, rules and reasons, never a secret."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from scrubjay.interfaces.render.plain import alert, count, faint, one_line, strong

if TYPE_CHECKING:
    from scrubjay.operations.share.reports import ExportReport, ImportReport, ShareStatus, SyncReport, Withheld
    from scrubjay.types import Problem

MOST = 20
"""Paths that are named one by one."""

INBOX = "Decide with `scrubjay inbox`."


def withheld(found: Sequence[Withheld]) -> list[dict[str, str]]:
    """Files with secrets as every tool names them (CC-T2)."""
    return [{"path": one.path, "ruleId": one.rule, "label": one.label} for one in found]


def problems(found: Sequence[Problem]) -> list[dict[str, object]]:
    """What could not be shared, and why."""
    return [{"path": one.path, "line": one.line, "message": one.message} for one in found]


def export_values(done: ExportReport) -> dict[str, Any]:
    """An export as JSON."""
    return {
        "target": done.target,
        "written": done.written,
        "skipped": withheld(done.skipped),
        "doubtful": withheld(done.doubtful),
        "refused": problems(done.refused),
    }


def export_text(done: ExportReport) -> str:
    """An export in lines."""
    lines = [f"{strong('Exported')} {count(len(done.written), 'document')} to {one_line(done.target)}"]
    return "\n".join([*lines, *_left_out(done.skipped, done.doubtful, done.refused)])


def import_values(done: ImportReport) -> dict[str, Any]:
    """An import as JSON."""
    return {
        "source": done.source,
        "scope": done.scope,
        "written": done.written,
        "known": done.known,
        "stale": done.stale,
        "conflicts": done.conflicts,
        "proposals": done.proposals,
        "skipped": withheld(done.skipped),
        "refused": problems(done.refused),
        "operation": done.operation,
    }


def import_text(done: ImportReport) -> str:
    """An import in lines."""
    lead = f"{strong('Imported')} {count(len(done.written), 'document')} into {one_line(done.scope)}"
    lines = [f"{lead}, {len(done.known):,} known already"]
    lines += _named("older than what is here, or deleted here", done.stale)
    lines += _named("says something else here", done.conflicts)
    if done.conflicts:
        lines.append(f"  Nothing here was overwritten; the other versions wait. {INBOX}")
    return "\n".join([*lines, *_left_out(done.skipped, [], done.refused)])


def sync_values(done: SyncReport) -> dict[str, Any]:
    """A sync as JSON."""
    return {
        "remote": done.remote,
        "commit": done.commit,
        "taken": done.taken,
        "removed": done.removed,
        "merged": done.merged,
        "sent": done.sent,
        "withdrawn": done.withdrawn,
        "kept": done.kept,
        "conflicts": done.conflicts,
        "proposals": done.proposals,
        "skipped": withheld(done.skipped),
        "doubtful": withheld(done.doubtful),
        "refused": problems(done.refused),
        "operations": done.operations,
    }


def sync_text(done: SyncReport) -> str:
    """A sync in lines."""
    lead = "Shared" if done.anything else "Nothing new"
    lines = [f"{strong(lead)} with {one_line(done.remote)}"]
    for word, paths in (
        ("taken in", done.taken),
        ("deleted by the team", done.removed),
        ("changed on both sides, merged", done.merged),
        ("sent", done.sent),
        ("deleted for the team", done.withdrawn),
        ("deleted on one side, changed on the other since, kept", done.kept),
        ("worded differently on both sides", done.conflicts),
    ):
        lines += _named(word, paths)
    if done.conflicts:
        lines.append(f"  The team's text is in place; yours waits. {INBOX}")
    return "\n".join([*lines, *_left_out(done.skipped, done.doubtful, done.refused)])


def status_values(found: ShareStatus) -> dict[str, Any]:
    """How sharing stands, as JSON."""
    return {
        "folder": str(found.folder),
        "remote": found.remote,
        "synced": found.synced.isoformat() if found.synced else None,
        "new": list(found.new),
        "changed": list(found.changed),
        "deleted": list(found.deleted),
        "skipped": withheld(found.skipped),
        "refused": problems(found.refused),
        "waiting": list(found.waiting),
    }


def status_text(found: ShareStatus) -> str:
    """How sharing stands, in lines."""
    where = f"shared with {one_line(found.remote)}" if found.remote else "shared nowhere yet"
    lines = [f"{strong(one_line(str(found.folder)))}, {where}"]
    if found.remote:
        moment = f"{found.synced:%Y-%m-%d %H:%M} UTC" if found.synced else "never"
        lines.append(faint(f"  last sync: {moment}"))
    going = [("new", found.new), ("changed", found.changed), ("deleted", found.deleted)]
    if any(paths for _, paths in going):
        lines.append("The next sync sends:")
        lines += [line for word, paths in going for line in _named(word, paths)]
    else:
        lines.append("There is nothing to send.")
    if found.waiting:
        lines.append(f"{count(len(found.waiting), 'version')} of others or of yours to decide about. {INBOX}")
    return "\n".join([*lines, *_left_out(found.skipped, [], found.refused)])


def _named(word: str, paths: Sequence[str]) -> list[str]:
    if not paths:
        return []
    lines = [f"  {word}: {one_line(path)}" for path in paths[:MOST]]
    return [*lines, *([faint(f"  … and {len(paths) - MOST:,} more")] if len(paths) > MOST else [])]


def _left_out(skipped: Sequence[Withheld], doubtful: Sequence[Withheld], refused: Sequence[Problem]) -> list[str]:
    lines = [alert(f"  holds a secret, left out: {one_line(one.path)} ({one.label})") for one in skipped]
    lines += [f"  went along, but look at it: {one_line(one.path)} ({one.label})" for one in doubtful]
    return lines + [f"  left out: {one_line(one.path)}:{one.line}: {one_line(one.message)}" for one in refused]
