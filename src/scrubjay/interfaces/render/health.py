"""Reports on a memory's upkeep as lines of text for people: synced, ingested, status, findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Sized
from typing import TYPE_CHECKING

from scrubjay.interfaces.render.plain import count, faint, one_line, strong
from scrubjay.ports import Job
from scrubjay.types import Problem

if TYPE_CHECKING:
    from scrubjay.operations.embedding import EmbedReport
    from scrubjay.operations.health import Finding, Status
    from scrubjay.operations.ingest import IngestReport
    from scrubjay.operations.sync import SyncReport
    from scrubjay.transcripts.discover import Found

SHOWN = 20


def synced(reports: Mapping[str, SyncReport], *, anew: bool = False) -> str:
    """What a sync found, a line a scope; ``anew`` when it filled new indexes."""
    found = {
        scope: f"indexed {count(one.read, 'document')} anew" if anew else _synced(one) for scope, one in reports.items()
    }
    return "\n".join(f"{strong(scope)}: {what}" for scope, what in found.items())


def _synced(report: SyncReport) -> str:
    happened: dict[str, Sized] = {
        "added": report.added,
        "changed": report.changed,
        "moved": report.moved,
        "removed": report.removed,
        "repaired": report.repaired,
    }
    counts = [f"{len(paths):,} {what}" for what, paths in happened.items() if paths]
    return f"looked at {count(report.looked_at, 'document')}, {', '.join(counts) or 'nothing changed'}"


def ingested(name: str, report: IngestReport) -> str:
    """What became of one file of conversations; every count was read back."""
    told = sum(bool(session.path) for session in report.sessions)
    parts = [count(told, "conversation"), f"{count(report.added, 'message')} added"]
    empty = sum(session.empty for session in report.sessions)
    parts += [f"{report.known:,} known already"] if report.known else []
    parts += [f"{empty:,} empty"] if empty else []
    parts += [f"{count(report.unusable, 'line')} unusable"] if report.unusable else []
    summaries = sum(session.summaries for session in report.sessions)
    parts += [f"{count(summaries, 'summary').replace('summarys', 'summaries')} kept"] if summaries else []
    parts += [f"{report.forgotten:,} forgotten before and left out"] if report.forgotten else []
    parts += [f"{report.withdrawn:,} marked as taken back"] if report.withdrawn else []
    parts += [f"{count(report.redacted, 'secret')} taken out{_rules(report)}"] if report.redacted else []
    parts += [f"{report.unchanged:,} of {count(report.files, 'file')} unchanged"] if report.unchanged else []
    return f"{strong(one_line(name))}: {', '.join(parts)}"


def followed(counts: Mapping[str, int]) -> str:
    """What was taken in while transcripts were followed."""
    parts = [f"{count(counts['added'], 'message')} added"]
    parts += [f"{count(counts['changes'], 'change')} seen"] if counts["changes"] else []
    parts += [f"{count(counts['redacted'], 'secret')} taken out"] if counts["redacted"] else []
    parts += [f"{counts['withdrawn']:,} marked as taken back"] if counts["withdrawn"] else []
    return f"{strong('Stopped watching')}: {', '.join(parts)}"


def _rules(report: IngestReport) -> str:
    rules = dict.fromkeys(one.rule for one in report.secrets)
    return f" ({', '.join(rules)})" if rules else ""


def ingest_problems(name: str, report: IngestReport) -> list[str]:
    """What did not go as it should with one file, by line, and at the end what that means; empty when all went well."""
    what = [f"{count(report.unusable, 'line')} not taken in"] if report.unusable else []
    what += [f"{count(report.renamed, 'message')} added under a new id"] if report.renamed else []
    unknown = sum(report.unknown.values())
    what += (
        [f"{count(unknown, 'record')} of an unknown kind ({', '.join(map(one_line, report.unknown))})"]
        if unknown
        else []
    )
    what += [f"{count(len(report.skipped), 'file')} not read"] if report.skipped else []
    return (
        [*problems([*report.skipped, *report.problems]), f"Warning: {one_line(name)}: {', '.join(what)}."]
        if what
        else []
    )


def discovered(found: Sequence[Found]) -> str:
    """Transcripts on this machine, a line a place."""
    if not found:
        return "No transcripts of a known program were found on this machine."
    lines = [strong("Transcripts on this machine")]
    for one in found:
        days = f", {one.first:%Y-%m-%d} to {one.last:%Y-%m-%d}" if one.first and one.last else ""
        more = " or more" if one.capped else ""
        lines.append(f"  {one.format:<12} {count(one.files, 'file')}{more}, {one.size / 1e6:,.1f} MB{days}")
        lines.append(faint(f"               {one_line(str(one.folder))}"))
        if one.unsupported:
            lines.append(faint(f"               {count(one.unsupported, 'compressed file')} cannot be read"))
    return "\n".join(lines)


def embedded(report: EmbedReport) -> str:
    """How the vectors went; empty when there was nothing to say."""
    lines = [f"Computed {count(report.stored, 'vector')}."] if report.stored else []
    if report.waiting:
        reason = f": {one_line(report.error)}" if report.error else ""
        lines.append(f"{count(report.waiting, 'record')} still without a vector, found by words only{reason}")
    return "\n".join(lines)


def problems(found: Sequence[Problem], *, most: int = SHOWN) -> list[str]:
    """Problems by file and line, and how many more there are."""
    lines = [f"{place(one)}: {one_line(one.message)}" for one in found[:most]]
    return lines + ([f"and {len(found) - most:,} more"] if len(found) > most else [])


def place(found: Problem) -> str:
    """Where a problem is, as editors understand it."""
    return f"{one_line(found.path)}:{found.line}" if found.line else one_line(found.path)


def status(found: Sequence[Status]) -> str:
    """Each store at a glance."""
    return "\n\n".join(_status(one) for one in found)


def _status(found: Status) -> str:
    have = found.coverage
    rows = {
        "documents": f"{have.documents:,}",
        "records": f"{have.records:,}",
        "vectors": _vectors(found),
        "model": one_line(found.model) or "none: search goes by words only",
        "journal": count(found.operations, "operation"),
        "index": size(have.bytes),
    }
    if found.behind:
        rows["behind"] = f"{count(found.behind, 'document')} changed on disk (`scrubjay sync` takes them in)"
    if found.waiting:
        rows["waiting"] = f"{count(found.waiting, 'record')} for a vector (`scrubjay sync` computes them)"
    if found.proposals:
        rows["inbox"] = f"{count(found.proposals, 'proposal')} to decide (`scrubjay inbox` asks about them)"
    rows |= _jobs(found.jobs)
    lines = [f"{strong(found.scope)}  {one_line(found.vault)}"]
    lines += [f"  {name:<10} {value}" for name, value in rows.items()]
    if found.problems:
        lines.append(f"  {'problems':<10} {len(found.problems):,}")
        lines += [f"    {line}" for line in problems(found.problems)]
    return "\n".join(lines)


def _jobs(jobs: Sequence[Job]) -> dict[str, str]:
    """Background work by kind: how much of it there is, and what went wrong with the first that failed."""
    rows = {}
    for kind in dict.fromkeys(job.kind for job in jobs):
        states = Counter(job.state for job in jobs if job.kind == kind)
        failed = [job for job in jobs if job.kind == kind and job.error]
        error = ""
        if failed:
            worst = max(failed, key=lambda job: (job.state == "dead", job.attempts))
            error = f"; {one_line(worst.key, 60)} after {count(worst.attempts, 'attempt')}: {one_line(worst.error)}"
        rows[f"job {one_line(kind)}"] = ", ".join(f"{number:,} {state}" for state, number in states.items()) + error
    return rows


def _vectors(found: Status) -> str:
    have = found.coverage
    if not have.embeddable:
        return f"{have.vectors:,}"
    old = f", {have.stale_vectors:,} of another model" if have.stale_vectors else ""
    return f"{have.vectors:,} of {have.embeddable:,} ({_share(have.vectors, have.embeddable)}{old})"


def _share(part: int, whole: int) -> str:
    # Rounded down: 100% means all of them.
    return f"{100 * part // whole}%"


def findings(found: Sequence[Finding]) -> str:
    """What doctor saw, a line each, with what to do."""
    if not found:
        return "Healthy: nothing wrong was found."
    lines = []
    for one in found:
        lines.append(f"{strong('repaired' if one.repaired else one.severity)}  {one.scope}: {one_line(one.message)}")
        if one.hint and not one.repaired:
            lines.append(faint(f"  {one_line(one.hint)}"))
    return "\n".join(lines)


def size(number: int) -> str:
    """Bytes in a unit that people read."""
    amount = float(number)
    for unit in ("bytes", "KB", "MB", "GB"):
        if amount < 1000 or unit == "GB":
            break
        amount /= 1000
    return f"{number:,} bytes" if number < 1000 else f"{amount:.1f} {unit}"
