"""A summary of a session, or of a part of it, as a document (MX §3.1, TR-10)."""

from __future__ import annotations

from scrubjay.temporal import format_time
from scrubjay.text import frontmatter
from scrubjay.text.slug import file_slug
from scrubjay.types import Message, Session
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


def path_for(session: Session, summary: Message) -> str:
    """Where a new episode goes: ``50-Episodes/YYYY/MM/<date>-<slug>-summary.md``."""
    at = summary.at or session.started
    slug = f"{file_slug(session.title or session.id, 'session')}-summary"
    if at is None:
        return f"{transcript.FOLDER}/undated/{slug}.md"
    return f"{transcript.FOLDER}/{at:%Y/%m/%Y-%m-%d}-{slug}.md"
