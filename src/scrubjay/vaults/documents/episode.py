"""A summary of a session, or of a part of it, as a document (MX §3.1, TR-10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from scrubjay.temporal import format_time, parse_time
from scrubjay.text import frontmatter
from scrubjay.text.slug import file_slug
from scrubjay.types import Document, Message, Session
from scrubjay.vaults.documents import transcript

KIND = "episode"


def write(session: Session, summary: Message, *, id: str) -> str:
    """The document of ``summary``, which names the session it is about; ``id`` is the document's own."""
    values: dict[str, object] = {
        "id": id,
        "kind": KIND,
        "title": f"Summary of {session.title or session.id}",
        "session": session.id,
        "source": session.source,
        "created": format_time(summary.at or session.started),
    }
    body = f"\n{transcript.clean(summary.text).strip()}\n"
    return frontmatter.compose({name: value for name, value in values.items() if value}, body)


def write_own(
    session: Session, text: str, *, id: str, by: str, messages: Sequence[Message], old: str | None = None
) -> str:
    """The document of a summary that was made here of ``messages``, by the summarizer ``by``.

    It says up to which message it goes, and has the checksum of its text, so that an edit is seen. Fields that somebody
    added to the ``old`` document stay.
    """
    times = [message.at for message in messages if message.at]
    body = transcript.clean(text).strip()
    values: dict[str, object] = {
        "id": id,
        "kind": KIND,
        "title": f"Summary of {session.title or session.id}",
        "session": session.id,
        "source": session.source,
        "created": format_time(times[0] if times else session.started),
        "modified": format_time(times[-1] if times else session.ended),
        "messages": len(messages),
        "until": messages[-1].id,
        "by": by,
        "sum": transcript.checksum(body),
    }
    kept = {name: value for name, value in values.items() if value}
    if old is None:
        return frontmatter.compose(kept, f"\n{body}\n")
    return frontmatter.set_values(old[: frontmatter.parse(old).body_start], kept) + f"\n{body}\n"


@dataclass(frozen=True, slots=True)
class Summary:
    """What an episode says of itself; ``at`` is until when its conversation goes."""

    session: str
    source: str
    at: datetime | None


def read(document: Document) -> Summary:
    """What the episode in ``document`` is about. Raises ``BadInput`` for a time that is none."""
    values = frontmatter.parse(document.text).values
    moment = str(values.get("modified") or values.get("created") or "")
    return Summary(
        str(values.get("session") or ""), str(values.get("source") or ""), parse_time(moment) if moment else None
    )


def written(text: str) -> tuple[str, bool]:
    """Of an episode that was made here: up to which message it goes, and whether somebody has edited its text."""
    parsed = frontmatter.parse(text)
    return parsed.string("until"), transcript.checksum(text[parsed.body_start :].strip()) != parsed.string("sum")


def stem(session: Session) -> str:
    """What the file names of a session's episodes have in common."""
    return f"{file_slug(session.title or session.id, 'session')}-summary"


def path_for(session: Session, summary: Message) -> str:
    """Where a new episode goes: ``50-Episodes/YYYY/MM/<date>-<slug>-summary.md``."""
    at = summary.at or session.started
    slug = stem(session)
    if at is None:
        return f"{transcript.FOLDER}/undated/{slug}.md"
    return f"{transcript.FOLDER}/{at:%Y/%m/%Y-%m-%d}-{slug}.md"
