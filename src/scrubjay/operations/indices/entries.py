"""One memory as the overviews know it, and ``memory-index.json``, which holds them all (SM-34)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from scrubjay.errors import BadInput
from scrubjay.text import frontmatter, markdown
from scrubjay.text.tokens import on_disk_token_count
from scrubjay.types import Document
from scrubjay.vaults.documents import note as notes

VERSION = "1.0.0"
ACTIVE = "active"
TOMBSTONED = "tombstoned"
_MOST_BYTES = 64 * 1024 * 1024
_TEXTS = ("id", "path", "title", "summary", "topic", "category", "created", "modified", "status", "hash")


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexEntry:
    """A memory in the overviews. ``path`` is the vault's; ``hash`` that of the bytes it was read from.

    Dates are ``YYYY-MM-DD`` or empty. ``tokens`` is R-COM-7's count of the whole file.
    """

    id: str
    path: str
    title: str = ""
    summary: str = ""
    topic: str = ""
    category: str = ""
    tags: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    token_count: int = 0
    created: str = ""
    modified: str = ""
    last_retrieved: str | None = None
    retrieval_count: int = 0
    status: str = ACTIVE
    tombstoned_at: str | None = None
    tombstone_reason: str | None = None
    hash: str = ""

    @property
    def active(self) -> bool:
        """Whether it is no tombstone."""
        return self.status != TOMBSTONED


def read_entry(document: Document) -> IndexEntry:
    """What the file itself says; never fails."""
    parsed = frontmatter.parse(document.text)
    note = notes.read(document)
    return IndexEntry(
        id=note.id,
        path=document.path,
        title=_line(note.title),
        summary=_line(parsed.string("summary")) or _summary(document.text, parsed.body_start),
        topic=_line(note.topic).lower(),
        category=_line(note.tags[0]) if note.tags else "",
        tags=tuple(_line(tag) for tag in note.tags),
        keywords=tuple(_line(word) for word in parsed.strings("keywords")),
        token_count=_number(parsed.values.get("token_count")) or on_disk_token_count(document.text),
        created=note.created[:10],
        modified=(note.modified or note.created)[:10],
        last_retrieved=_date(parsed.values.get("last_retrieved")),
        retrieval_count=_number(parsed.values.get("retrieval_count")),
        status=_line(parsed.string("status")) or ACTIVE,
        tombstoned_at=_date(parsed.values.get("tombstoned_at")),
        tombstone_reason=_line(parsed.string("tombstone_reason")) or None,
        hash=document.hash[:16],
    )


def with_counters(entry: IndexEntry, known: IndexEntry | None) -> IndexEntry:
    """``entry`` with the higher counter and the later retrieval of both, so that neither side resets the other
    (SM-31, XC-14)."""
    if known is None:
        return entry
    return replace(
        entry,
        retrieval_count=max(entry.retrieval_count, known.retrieval_count),
        last_retrieved=max(filter(None, (entry.last_retrieved, known.last_retrieved)), default=None),
    )


def load(text: str) -> dict[str, IndexEntry]:
    """The entries of a ``memory-index.json`` by id; either generation of the format (SM-34).

    Raises ``BadInput`` when it is no such file: torn, or with the marks of a merge in it.
    """
    try:
        if len(text) > _MOST_BYTES:
            raise ValueError("larger than 64 MB")
        value = json.loads(text)
        found = value["entries"]
        if isinstance(found, Mapping):
            found = list(found.values())
        read = [_entry(item) for item in found if isinstance(item, Mapping)]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise BadInput(f"memory-index.json cannot be read: {error}.", hint="It is made anew.") from None
    merged: dict[str, IndexEntry] = {}
    for entry in read:
        if entry.id:
            merged[entry.id] = with_counters(entry, merged.get(entry.id))
    return merged


def dump(entries: Iterable[IndexEntry], *, prefix: str = "") -> str:
    """``memory-index.json``, an entry a line so that merges and diffs stay small; ``prefix`` leads from the project's
    root to the vault."""
    rows = [_row(entry, prefix) for entry in entries]
    head = {
        "version": VERSION,
        "generated_at": max((row["modified"] or row["created"] or "" for row in rows), default=""),
        "entry_count": len(rows),
        "total_tokens": sum(row["token_count"] for row in rows if row["status"] != TOMBSTONED),
    }
    lines = ",\n".join(f"    {json.dumps(row, ensure_ascii=False)}" for row in rows)
    fields = "".join(
        f"  {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)},\n" for name, value in head.items()
    )
    return f'{{\n{fields}  "entries": [\n{lines}\n  ]\n}}\n' if rows else f'{{\n{fields}  "entries": []\n}}\n'


def _row(entry: IndexEntry, prefix: str) -> dict[str, Any]:
    row: dict[str, Any] = {
        "id": entry.id,
        "path": prefix + entry.path,
        "title": entry.title,
        "summary": entry.summary,
        "topic": entry.topic,
        "category": entry.category,
        "tags": list(entry.tags),
        "keywords": list(entry.keywords),
        "token_count": entry.token_count,
        "created": entry.created,
        "modified": entry.modified,
        "last_retrieved": entry.last_retrieved,
        "retrieval_count": entry.retrieval_count,
        "status": entry.status,
    }
    if not entry.active:
        row |= {"tombstoned_at": entry.tombstoned_at, "tombstone_reason": entry.tombstone_reason}
    return row | {"hash": entry.hash}


def _entry(item: Mapping[str, Any]) -> IndexEntry:
    texts = {name: str(item.get(name) or "") for name in _TEXTS}
    return IndexEntry(
        **{
            **texts,
            "created": texts["created"][:10],
            "modified": texts["modified"][:10],
            "status": texts["status"] or ACTIVE,
        },
        tags=_words(item.get("tags")),
        keywords=_words(item.get("keywords")),
        token_count=_number(item.get("token_count")),
        last_retrieved=_date(item.get("last_retrieved")),
        retrieval_count=_number(item.get("retrieval_count")),
        tombstoned_at=_date(item.get("tombstoned_at")),
        tombstone_reason=str(item["tombstone_reason"]) if item.get("tombstone_reason") else None,
    )


def _summary(text: str, start: int) -> str:
    """The first line of the body that says something."""
    headings = {heading.start: heading.end for heading in markdown.headings(text)}
    for start_of_line, line in _lines(text, start):
        if line.strip() and start_of_line not in headings and not line.lstrip().startswith(("<!--", "```", "~~~", "|")):
            return _line(line)[:100]
    return ""


def _lines(text: str, start: int) -> Iterable[tuple[int, str]]:
    place = start
    for line in text[start : start + 20_000].splitlines(keepends=True):
        yield place, line
        place += len(line)


def _line(text: str) -> str:
    return " ".join(text.split())


def _words(value: object) -> tuple[str, ...]:
    return tuple(_line(str(word)) for word in value) if isinstance(value, list) else ()


def _number(value: object) -> int:
    try:
        return max(0, int(str(value)))
    except ValueError:
        return 0


def _date(value: object) -> str | None:
    text = str(value or "").strip()[:10]
    return text if text and text != "null" else None
