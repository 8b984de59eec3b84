"""A note as a document: every dialect of frontmatter is read, one is written (SM-3, SM-4, R-COM-3, CC-F2)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from scrubjay.text import frontmatter, markdown
from scrubjay.types import Document, Note
from scrubjay.vaults.documents.fact import strings

FOLDER = "10-Memories"

_KNOWN = {"title", "name", "topic", "tags", "created", "date", "modified", "last_updated", "source", "type", "metadata"}


def read(document: Document, *, scope: str = "user") -> Note:
    """The note in ``document``; never fails: what the frontmatter does not say is taken from headings and path."""
    parsed = frontmatter.parse(document.text)
    values = parsed.values
    metadata = values.get("metadata")
    nested: Mapping[str, object] = metadata if isinstance(metadata, Mapping) else {}
    tags = strings(values.get("tags"))
    return Note(
        id=PurePosixPath(document.path).name.removesuffix(".md"),
        title=_title(document, values, parsed.body_start),
        body=document.text[parsed.body_start :],
        topic=_first(values, "topic").strip("/"),
        tags=tags,
        created=_first(values, "created", "date"),
        modified=_first(values, "modified", "last_updated") or _first(nested, "modified"),
        source=_first(values, "source"),
        native_type=_first(values, "type") or _first(nested, "type") or (tags[0] if tags else "note"),
        extra={key: value for key, value in values.items() if key not in _KNOWN},
        path=document.path,
        scope=scope,
    )


def write(note: Note) -> str:
    """A new note in the field order of SM-4, with its title as H1 and an empty Connections section."""
    from scrubjay.text.tokens import on_disk_token_count

    values: dict[str, object] = {
        "title": note.title,
        "created": note.created,
        "tags": list(note.tags),
        "topic": note.topic,
        "source": note.source or "user input",
        "modified": note.modified or note.created,
        **note.extra,
    }
    body = f"\n# {note.title}\n\n{note.body.strip()}\n\n## Connections\n<!-- [[MEM-other]] links go here -->\n"
    # The count covers the whole file with itself in it; one more line never changes it by more than its own words.
    draft = frontmatter.compose({**values, "token_count": 0}, body)
    return frontmatter.compose({**values, "token_count": on_disk_token_count(draft)}, body)


def _title(document: Document, values: Mapping[str, object], body_start: int) -> str:
    title = _first(values, "title", "name")
    if title:
        return title
    for heading in markdown.headings(document.text[body_start : body_start + 20_000]):
        if heading.title:
            return heading.title
    return PurePosixPath(document.path).stem


def _first(values: Mapping[str, object], *keys: str) -> str:
    for key in keys:
        value = values.get(key)
        if value not in (None, "") and not isinstance(value, Mapping | list):
            return str(value).strip()
    return ""
