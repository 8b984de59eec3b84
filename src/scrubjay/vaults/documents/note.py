"""A note as a document: every dialect of frontmatter is read (SM-3, SM-4, R-COM-3, CC-F2).

Dialects differ in names (``date`` or ``created``), in where a field stands (at the top or in a block ``metadata``) and
in how a list is written. ``revision`` writes the one of SM-4.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import takewhile
from pathlib import PurePosixPath

from scrubjay.text import frontmatter, markdown
from scrubjay.text.plain import first_sentence, plain_line, shortened
from scrubjay.types import Document, Note
from scrubjay.vaults.documents.fact import strings

FOLDER = "10-Memories"
LOW = "low"

# What Note has a field for; every other field of the frontmatter stays in ``extra`` as it is.
_KNOWN = {"title", "name", "topic", "tags", "created", "date", "modified", "last_updated", "source", "type", "metadata"}
_HASHTAGS = re.compile(r"#[^\s#,]+(?:[\s,]+#[^\s#,]+)*")
_SECTION = re.compile(r"Extension \(|Merged From |(?:History|Connections)$")
_TITLE = 100
_HEAD = 20_000  # characters in which a first heading is looked for


def read(document: Document, *, scope: str = "user") -> Note:
    """The note in ``document``; never fails: what the frontmatter does not say is taken from headings and path.

    ``keywords``, ``summary``, ``status`` and ``trust`` are read here in every dialect; as they are written they stay in
    ``extra``.
    """
    parsed = frontmatter.parse(document.text)
    values = parsed.values
    metadata = values.get("metadata")
    nested: Mapping[str, object] = metadata if isinstance(metadata, Mapping) else {}
    tags = tags_of(values)
    return Note(
        id=PurePosixPath(document.path).name.removesuffix(".md"),
        title=_title(document, values, parsed.body_start),
        body=document.text[parsed.body_start :],
        topic=(_first(values, "topic") or _first(nested, "topic")).strip("/"),
        tags=tags,
        created=_first(values, "created", "date") or _first(nested, "created"),
        modified=_first(values, "modified", "last_updated") or _first(nested, "modified"),
        source=_first(values, "source") or _first(nested, "source"),
        native_type=_first(values, "type") or _first(nested, "type") or (tags[0] if tags else "note"),
        keywords=strings(values.get("keywords")) or strings(nested.get("keywords")),
        summary=_first(values, "summary", "description") or _first(nested, "summary"),
        status=_first(values, "status") or "active",
        trust="low" if LOW in (_first(values, "trust").casefold(), _first(nested, "trust").casefold()) else "normal",
        extra={key: value for key, value in values.items() if key not in _KNOWN},
        path=document.path,
        scope=scope,
    )


def _title(document: Document, values: Mapping[str, object], body_start: int) -> str:
    """The title, or the name unless it only repeats the file's: then the description says what the note is about."""
    stem = PurePosixPath(document.path).stem
    title, name, said = _first(values, "title"), _first(values, "name"), _first(values, "description")
    if title or (name and not _same_name(name, stem)):
        return title or name
    if name and said:
        return shortened(first_sentence(plain_line(said)), _TITLE)
    heading = heading_title(document.text[body_start : body_start + _HEAD])
    return heading or next(iter(strings(values.get("aliases"))), stem)


def heading_title(text: str) -> str:
    """The first heading above the sections that memories have below their text (SM-5); empty without one."""
    own = takewhile(lambda heading: not _is_section(heading), markdown.headings(text))
    return next((heading.title for heading in own if heading.title), "")


def _is_section(heading: markdown.Heading) -> bool:
    return heading.level == 2 and bool(_SECTION.match(heading.title))


def _same_name(one: str, other: str) -> bool:
    return one.casefold().replace("_", "-") == other.casefold().replace("_", "-")


def tags_of(values: Mapping[str, object]) -> tuple[str, ...]:
    """The tags in the fields of a frontmatter, in every dialect: without the mark that Obsidian lets people put before
    them; its older field ``tag`` counts too, and so does a block ``metadata``."""
    metadata = values.get("metadata")
    return _tags(values) or (_tags(metadata) if isinstance(metadata, Mapping) else ())


def _tags(values: Mapping[str, object]) -> tuple[str, ...]:
    value = values.get("tags") or values.get("tag")
    if isinstance(value, str) and _HASHTAGS.fullmatch(value.strip()):
        value = value.replace(",", " ").split()
    return tuple(dict.fromkeys(_unmarked(strings(value))))


def _unmarked(tags: tuple[str, ...]) -> Iterator[str]:
    for tag in tags:
        bare = tag[1:] if tag.startswith("#") and len(tag) > 1 else tag
        yield bare.removeprefix("[").removesuffix("]") if bare.startswith("[") else bare


def _first(values: Mapping[str, object], *keys: str) -> str:
    for key in keys:
        value = values.get(key)
        if value not in (None, "") and not isinstance(value, Mapping | list):
            return str(value).strip()
    return ""
