"""One memory as the overviews know it, read from its file (SM-31, SM-34)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from scrubjay.text import frontmatter
from scrubjay.text.markdown.blocks import structure
from scrubjay.text.plain import plain_line, shortened
from scrubjay.text.tokens import on_disk_token_count
from scrubjay.types import Document
from scrubjay.vaults.documents import note as notes

ACTIVE = "active"
TOMBSTONED = "tombstoned"

_DATE = re.compile(r"\d{4}-\d\d-\d\d(?!\d)")
_DIGITS = re.compile(r"\d{1,9}")
_JOINERS = "\u200c\u200d"  # invisible, but Persian and emoji need them
_LONGEST = 300
_MOST_WORDS = 50
_SUMMARY = 100
_HEAD = 20_000  # characters in which a summary is looked for


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexEntry:
    """A memory in the overviews. ``path`` is the vault's; ``hash`` that of the bytes it was read from, abridged.

    Texts are one line each without control characters. Dates are ``YYYY-MM-DD`` or empty. ``token_count`` is
    R-COM-7's for the whole file.
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
    """What the file itself says, as well as it can be read; never fails.

    Tokens are what ``token_count`` says, or what the text has where that is more: the field of a file that was edited
    by hand is of the text before.
    """
    parsed = frontmatter.parse(document.text)
    note = notes.read(document)
    tags = words(note.tags)
    status = line(note.status) or ACTIVE
    retired = parsed.values if status == TOMBSTONED else {}
    return IndexEntry(
        id=line(note.id),
        path=document.path,
        title=line(note.title),
        summary=line(note.summary) or _summary(document.text),
        topic=line(note.topic).lower(),
        category=tags[0] if tags else "",
        tags=tags,
        keywords=words(note.keywords),
        token_count=max(number(parsed.values.get("token_count")), on_disk_token_count(document.text)),
        created=day(note.created),
        modified=day(note.modified) or day(note.created),
        last_retrieved=day(parsed.values.get("last_retrieved")) or None,
        retrieval_count=number(parsed.values.get("retrieval_count")),
        status=status,
        tombstoned_at=day(retired.get("tombstoned_at")) or None,
        tombstone_reason=line(str(retired.get("tombstone_reason") or "")) or None,
        hash=abridged(document.hash),
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


def abridged(hash: str) -> str:
    """As much of a document's hash as an entry keeps."""
    return hash[:16]


def line(text: str) -> str:
    """``text`` on one line of at most 300 characters, with nothing in it that cannot be seen."""
    printable = text.isprintable()
    if printable and len(text) <= _LONGEST and "  " not in text:
        return text.strip()  # what most texts are
    text = text[: _LONGEST * 4]
    if not printable:
        text = "".join(letter if letter.isprintable() or letter in _JOINERS else " " for letter in text)
    return shortened(" ".join(text.split()), _LONGEST)


def words(found: Iterable[str]) -> tuple[str, ...]:
    """Tags or keywords, each on one line; of very many the first fifty."""
    return tuple(word for each in list(found)[:_MOST_WORDS] if (word := line(each)))


def number(value: object) -> int:
    """A count; 0 for what is none."""
    text = str(value).strip()
    return int(text) if _DIGITS.fullmatch(text) else 0


def day(value: object) -> str:
    """The date that a date or a time begins with; empty for anything else."""
    found = _DATE.match(str(value or "").strip())
    return found.group() if found else ""


def _summary(text: str) -> str:
    """The first line of the body that is neither a heading nor code."""
    head = text[:_HEAD]
    found = structure(head)
    for place, kind in enumerate(found.kinds):
        if kind == "paragraph":
            shown = line(plain_line(head[found.starts[place] : found.starts[place + 1]]))
            if shown:
                return shortened(shown, _SUMMARY)
    return ""
