"""What a memory answers as plain objects for JSON: names as in the Python API, times in UTC, nothing shortened.

These shapes are a contract: fields are added, never renamed or dropped.
"""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

from scrubjay.errors import ScrubjayError
from scrubjay.temporal import format_time
from scrubjay.types import (
    Document,
    Fact,
    Hit,
    Note,
    Operation,
    Problem,
    Recall,
    Record,
    Redacted,
    StoredFact,
    Suppressed,
)

if TYPE_CHECKING:
    from scrubjay.models.llm.usage import Usage
    from scrubjay.operations.embedding import EmbedReport
    from scrubjay.operations.health import Finding, Status
    from scrubjay.operations.ingest import IngestReport
    from scrubjay.operations.sync import SyncReport

Object = dict[str, Any]


def recall(found: Recall, *, explain: bool = False, text: bool = False) -> Object:
    """The answer to a question. ``explain`` adds each hit's rank by signal, ``text`` the block for an agent."""
    answer: Object = {
        "query": found.query.text,
        "hits": [hit(one, explain=explain) for one in found.hits],
        "abstained": found.abstained,
        "reason": found.reason,
        "tokens": found.tokens,
        "took": {signal: round(milliseconds, 3) for signal, milliseconds in found.took.items()},
        "signals": list(found.signals),
        "warnings": list(found.warnings),
        "suppressed": [suppressed(one) for one in found.suppressed],
    }
    if text:
        answer["text"] = found.text
    return answer


def hit(found: Hit, *, explain: bool = False) -> Object:
    """One piece of evidence."""
    record_ = found.record
    answer: Object = {
        "id": found.id,
        "layer": found.layer,
        "score": round(found.score, 4),
        "text": found.text,
        "at": time(found.at),
        "message_ids": list(found.message_ids),
        "path": found.path,
        "citation": found.citation,
        "title": record_.title,
        "speaker": record_.speaker,
        "scope": record_.scope,
        "category": record_.category,
        "line": record_.line,
        "note": found.note,
    }
    if explain:
        answer["ranks"] = dict(found.ranks)
    return answer


def suppressed(found: Suppressed) -> Object:
    """Something that matched and was left out."""
    return {"id": found.id, "text": found.text, "reason": found.reason}


def fact(found: Fact) -> Object:
    """A fact with both clocks; a fact that was just stored tells also what was done."""
    answer: Object = {
        "id": found.id,
        "text": found.text,
        "category": found.category,
        "confidence": found.confidence,
        "subject": found.subject,
        "predicate": found.predicate,
        "object": found.object,
        "valid_from": time(found.valid.start),
        "valid_to": time(found.valid.end),
        "recorded_from": time(found.recorded.start),
        "recorded_to": time(found.recorded.end),
        "current": found.current,
        "retracted": found.retracted,
        "supersedes": found.supersedes,
        "superseded_by": found.superseded_by,
        "superseded_from": time(found.superseded_from),
        "tags": list(found.tags),
        "source": {
            "kind": found.source.kind,
            "ref": found.source.ref,
            "message_ids": list(found.source.message_ids),
        },
        "scope": found.scope,
        "path": found.path,
    }
    if isinstance(found, StoredFact):
        answer |= {"action": found.action, "similar": list(found.similar), "conflicts": list(found.conflicts)}
        answer["redacted"] = [redacted(one) for one in found.redacted]
    return answer


def note(found: Note) -> Object:
    """A note as its document says."""
    return {
        "id": found.id,
        "title": found.title,
        "body": found.body,
        "topic": found.topic,
        "tags": list(found.tags),
        "created": found.created,
        "source": found.source,
        "scope": found.scope,
        "path": found.path,
        "redacted": [redacted(one) for one in found.redacted],
    }


def redacted(found: Redacted) -> Object:
    """A secret that was taken out: its rule and its place, never itself."""
    return {"rule": found.rule, "label": found.label, "place": found.place, "line": found.line}


def document(found: Document) -> Object:
    """A document as it is stored."""
    return {
        "path": found.path,
        "text": found.text,
        "hash": found.hash,
        "size": found.size,
        "encoding": found.encoding,
        "exact": found.exact,
    }


def record(found: Record) -> Object:
    """A searchable piece of a document, and where it stands there."""
    return {
        "id": found.id,
        "layer": found.layer,
        "path": found.path,
        "line": found.line,
        "last_line": found.last_line,
        "text": found.text,
        "title": found.title,
        "headings": list(found.headings),
        "category": found.category,
        "tags": list(found.tags),
        "speaker": found.speaker,
        "at": time(found.at),
        "message_ids": list(found.message_ids),
        "valid_from": time(found.valid.start),
        "valid_to": time(found.valid.end),
        "superseded_by": found.superseded_by,
        "retracted": found.retracted,
        "scope": found.scope,
    }


def operation(found: Operation) -> Object:
    """What was done; ``kept`` is where the bytes from before lie, in the trash."""
    return {
        "id": found.id,
        "verb": found.verb,
        "at": time(found.at),
        "summary": found.summary,
        "undone": found.undone,
        "changes": [asdict(change) for change in found.changes],
    }


def problem(found: Problem) -> Object:
    """Something wrong with one document or line."""
    return {"path": found.path, "line": found.line, "message": found.message}


def ingested(found: IngestReport) -> Object:
    """What became of conversations."""
    return {
        "added": found.added,
        "known": found.known,
        "empty": sum(session.empty for session in found.sessions),
        "sessions": [
            {"id": one.session_id, "path": one.path, "added": one.added, "known": one.known, "empty": one.empty}
            for one in found.sessions
        ],
        "format": found.format or None,
        "files": found.files,
        "unchanged": found.unchanged,
        "redacted": found.redacted,
        "secrets": [redacted(one) for one in found.secrets],
        "forgotten": found.forgotten,
        "withdrawn": found.withdrawn,
        "unknown": dict(found.unknown),
        "skipped": [problem(one) for one in found.skipped],
        "problems": [problem(one) for one in found.problems],
    }


def synced(found: SyncReport) -> Object:
    """What a sync found."""
    return {
        "looked_at": found.looked_at,
        "read": found.read,
        "added": found.added,
        "changed": found.changed,
        "moved": [{"from": source, "to": target} for source, target in found.moved],
        "removed": found.removed,
        "repaired": found.repaired,
        "problems": [problem(one) for one in found.problems],
    }


def embedded(found: EmbedReport) -> Object:
    """How many vectors were computed and how many are still missing, and what was learned from conversations."""
    learned = found.learned
    return {
        "stored": found.stored,
        "waiting": found.waiting,
        "error": found.error,
        "facts": learned.stored if learned else 0,
        "episodes": learned.episodes if learned else 0,
    }


def status(found: Status) -> Object:
    """How one store is."""
    return {
        "scope": found.scope,
        "vault": found.vault,
        "model": found.model,
        "coverage": asdict(found.coverage),
        "behind": found.behind,
        "waiting": found.waiting,
        "problems": [problem(one) for one in found.problems],
        "jobs": [
            {"kind": job.kind, "key": job.key, "state": job.state, "attempts": job.attempts, "error": job.error}
            for job in found.jobs
        ],
        "counters": dict(found.counters),
        "operations": found.operations,
        "proposals": found.proposals,
    }


def usage(found: Usage) -> Object:
    """What a language model took today and may take."""
    day = found.today
    return {
        "model": found.model,
        "state": found.state,
        "reason": found.reason,
        "hint": found.hint,
        "today": {
            "day": day.day.isoformat(),
            "calls": day.calls,
            "input_tokens": day.input_tokens,
            "output_tokens": day.output_tokens,
            "money": day.money,
            "unpriced": day.unpriced,
            "running": day.running,
            "outcomes": dict(day.outcomes),
            "purposes": dict(day.purposes),
            "capped": day.capped,
            "unreadable": day.unreadable,
        },
        "caps": asdict(found.caps),
    }


def finding(found: Finding) -> Object:
    """Something that doctor saw."""
    return asdict(found)


def error(found: ScrubjayError) -> Object:
    """What went wrong and what to do."""
    return {"code": found.code, "message": found.message, "hint": found.hint}


def time(moment: datetime | None) -> str | None:
    """A moment as text, or nothing."""
    return format_time(moment) or None
