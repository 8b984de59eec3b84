"""A memory's text after a change: created, updated, extended (SM-5, SM-27 … SM-29). Pure, and fence-aware (R-COM-5).

What a change does not name keeps its bytes: byte order mark, line endings, unknown fields and their order, Connections,
older versions. Nothing is lost: an update moves the body it replaces into the history. Text that is put below a heading
has its own headings moved down, so that it stays below it for every reader of Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from scrubjay.text import frontmatter, markdown
from scrubjay.text.frontmatter import Frontmatter
from scrubjay.text.frontmatter.block import body_start
from scrubjay.text.lines import newline_of
from scrubjay.text.markdown import Heading
from scrubjay.text.plain import bare_heading
from scrubjay.text.tokens import on_disk_token_count
from scrubjay.types import Note
from scrubjay.vaults.documents import note as notes

HISTORY = "History"
CONNECTIONS = "Connections"
NO_CONNECTIONS = "## Connections\n<!-- [[MEM-other]] links go here -->"
MOST_KEYWORDS = 8

_OLDER = ("Previous Version", "Pre-Compression")
_EXTENSION = "Extension ("
_MERGED = "Merged From"
_BREAK = re.compile(r"\r\n|\r|\n")
_BLANK_EDGES = re.compile(r"\A(?:[^\S\r\n]*(?:\r\n|\r|\n))+|\s+\Z")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_DATED = re.compile(r"\((\d{4}-\d\d-\d\d)\)")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_LINK_LINE = re.compile(r"\s*(?:[-*+]\s.*|.*\[\[.*\]\].*)?")


class Parts(NamedTuple):
    """Where the parts of a memory stand, as offsets into its text.

    The body, with its extensions and what was merged in, is ``text[body:end]``; ``additions`` is where the next
    extension goes. ``history`` and ``connections`` are the offsets of those headings, ``None`` where there are none.
    """

    body: int
    end: int
    additions: int
    history: int | None
    connections: int | None


class Older(NamedTuple):
    """A version that was replaced: it stands in ``text[start:end]``, was ``written`` on one day and ``replaced`` on
    another (``YYYY-MM-DD``, empty where nothing says so)."""

    start: int
    end: int
    written: str
    replaced: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """What an update sets besides the text. ``None`` and empty values keep what the memory has; ``tags`` are added to
    its own; ``values`` are further fields of the frontmatter. ``older`` is the heading of the body that is replaced, by
    default ``Previous Version`` with the date of the last change."""

    today: str
    title: str | None = None
    topic: str | None = None
    category: str | None = None
    tags: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    summary: str = ""
    values: Mapping[str, object] | None = None
    older: str = ""


def create(note: Note) -> str:
    """A new memory: the fields of SM-4 in their order (``note.extra`` last), title, body, Connections (SM-29).

    A first heading of the body that repeats the title is left out, and so is a second Connections section.
    """
    values: dict[str, object] = {
        "title": note.title,
        "created": note.created,
        "tags": list(note.tags),
        "topic": note.topic,
        "source": note.source or "user input",
        "modified": note.modified or note.created,
        **note.extra,
    }
    body = _prepared(note.body, note.title, "\n")
    connections = "" if _ends_with_connections(body) else f"{NO_CONNECTIONS}\n"
    text = "\n\n".join(part for part in (f"\n# {note.title}", body, connections) if part)
    whole = text if text.endswith("\n") else text + "\n"
    draft = frontmatter.compose({**values, "token_count": 0}, whole)
    return frontmatter.compose({**values, "token_count": on_disk_token_count(draft)}, whole)


def update(text: str, body: str, revision: Revision) -> str:
    """``text`` with ``body`` in place of the memory's; the old one becomes the newest version of its history (SM-27).

    The version is dated by the ``modified`` before this change, and numbered where that date is taken. Raises
    ``BadInput`` when the frontmatter cannot be changed safely.
    """
    parts = parts_of(text)
    newline = newline_of(text)
    front = frontmatter.parse(text)
    head = _retitled(text[: parts.body], revision.title, newline)
    fresh = _prepared(body, revision.title or title_of(text, front), newline)
    before = _trimmed(text[parts.body : parts.end])
    rest = text[parts.end :]
    if before:
        heading = revision.older or f"{_OLDER[0]} ({_last_change(front) or 'undated'})"
        block = closed(nested(before, 3))
        entry = f"### {_version_heading(text, heading)}{newline}{newline}{block}"
        rest = _with_version(rest, entry, parts, newline)
    changed = _ended(_joined([head, fresh, rest], newline), text, newline)
    if not front.present and frontmatter.parse(changed).present:
        changed = newline + changed  # rules around the first lines of a body are no frontmatter
    return _refreshed(changed, front, revision)


def extend(text: str, body: str, revision: Revision, *, source: str) -> str:
    """``text`` with ``body`` as ``## Extension (today)`` behind its body, before merged text, history and Connections
    (SM-28). Only ``modified`` changes besides, ``token_count`` where it is counted, and what ``revision`` names."""
    parts = parts_of(text)
    newline = newline_of(text)
    content = closed(nested(_prepared(body, "", newline), 2))
    lines = [f"## Extension ({revision.today})", f"**Source**: {' '.join(source.split()) or 'user input'}", content]
    block = f"{newline}{newline}".join(line for line in lines if line)
    front = frontmatter.parse(text)
    head = _retitled(text[: parts.body], revision.title, newline) + text[parts.body : parts.additions]
    changed = _joined([_closed(head, newline), block, text[parts.additions :]], newline)
    return _refreshed(_ended(changed, text, newline), front, revision)


def parts_of(text: str) -> Parts:
    """The parts of a memory. A ``## History`` without an older version in it is part of the body, and so is a
    ``## Connections`` that is neither links alone nor the last section."""
    headings = markdown.headings(text)
    start = body_start(text)
    titled = bool(headings) and headings[0].level == 1 and not text[start : headings[0].start].strip()
    body = headings[0].end if titled else start
    history = _history(headings)
    connections = _connections(text, headings)
    end = min((place for place in (history, connections) if place is not None), default=len(text))
    merged = next((h.start for h in headings if h.level == 2 and h.title.startswith(_MERGED) and h.start < end), end)
    return Parts(body, end, merged, history, connections)


def body_of(text: str) -> str:
    """The memory's own words: without frontmatter, title, history and Connections."""
    parts = parts_of(text)
    return _trimmed(text[parts.body : parts.end])


def history_of(text: str) -> str:
    """What the memory said before; empty where nothing was replaced yet."""
    parts = parts_of(text)
    return "" if parts.history is None else text[parts.history : _history_end(text, parts)]


def older_versions(text: str) -> list[Older]:
    """The versions in the history of a memory, in the order of the text; together they are its history.

    A version was replaced when the one above it was written, the first one at the last change of the memory.
    """
    parts = parts_of(text) if HISTORY in text else None
    if parts is None or parts.history is None:
        return []
    stop = _history_end(text, parts)
    inside = (heading for heading in markdown.headings(text) if parts.history < heading.start < stop)
    versions = [heading for heading in inside if heading.level == 3 and heading.title.startswith(_OLDER)]
    starts = [parts.history, *(heading.start for heading in versions[1:]), stop]
    replaced = _last_change(frontmatter.parse(text))
    found = []
    for place, heading in enumerate(versions):
        dated = _DATED.search(heading.title)
        date = dated.group(1) if dated else ""
        compressed = heading.title.startswith(_OLDER[1])  # dated by when it was replaced
        written = "" if compressed else date
        replaced = max(written, date if compressed and date else replaced)
        found.append(Older(starts[place], starts[place + 1], written, replaced))
        replaced = written or replaced
    return found


def current_of(text: str) -> str:
    """The whole memory without its history."""
    for older in reversed(older_versions(text)):
        text = text[: older.start] + text[older.end :]
    return text


def title_of(text: str, front: Frontmatter | None = None) -> str:
    """The title by frontmatter or first heading; empty where there is none."""
    named = (front or frontmatter.parse(text)).string("title").strip()
    return named or notes.heading_title(text)


def nested(text: str, below: int) -> str:
    """``text`` with its headings moved down, as far as all need to stand below level ``below`` (6 is the deepest)."""
    headings = markdown.structure(text, 0).headings
    shift = below + 1 - min((heading.level for heading in headings), default=7)
    if shift <= 0:
        return text
    pieces: list[str] = []
    place = 0
    for heading in headings:
        pieces += [text[place : heading.start], _moved_down(text[heading.start : heading.end], heading, shift)]
        place = heading.end
    return "".join([*pieces, text[place:]])


def merged_tags(current: Iterable[str], added: Iterable[str], category: str | None = None) -> list[str]:
    """``current`` with what it lacks of ``added``; ``category`` takes the first place, where the category stands."""
    tags = list(current)
    if category and (not tags or tags[0] != category):
        tags = [category, *(tag for tag in tags[1:] if tag != category)]
    known = {tag.casefold() for tag in tags}
    for tag in added:
        if tag.casefold() not in known:
            known.add(tag.casefold())
            tags.append(tag)
    return tags


# --- where things stand ----------------------------------------------------------------------------------------


def _history(headings: Sequence[Heading]) -> int | None:
    for place, heading in enumerate(headings[:-1]):
        below = headings[place + 1]
        if heading.level == 2 and heading.title == HISTORY and below.level == 3 and below.title.startswith(_OLDER):
            return heading.start
    return None


def _history_end(text: str, parts: Parts) -> int:
    """Where the history ends: at Connections, or at an extension that was added below it on the day of the last change,
    as other programs do. Before that day it may as well belong to the version that was replaced."""
    assert parts.history is not None
    after = parts.connections is not None and parts.connections > parts.history
    stop = parts.connections if after and parts.connections is not None else len(text)
    last = _last_change(frontmatter.parse(text))
    for heading in markdown.headings(text):
        if heading.level == 2 and heading.title.startswith(_EXTENSION) and parts.history < heading.start < stop:
            dated = _DATED.search(heading.title)
            if last and dated and dated.group(1) >= last:
                return heading.start
    return stop


def _connections(text: str, headings: Sequence[Heading]) -> int | None:
    sections = [heading for heading in headings if heading.level <= 2]
    for place in range(len(sections) - 1, -1, -1):
        heading = sections[place]
        if heading.level == 2 and heading.title == CONNECTIONS:
            last = place == len(sections) - 1
            if last or _only_links(text[heading.end : sections[place + 1].start]):
                return heading.start
    return None


def _ends_with_connections(body: str) -> bool:
    headings = markdown.structure(body, 0).headings
    sections = [heading for heading in headings if heading.level <= 2]
    last = sections[-1] if sections else None
    return last is not None and (last.level, last.title) == (2, CONNECTIONS) and _only_links(body[last.end :])


def _only_links(section: str) -> bool:
    return all(_LINK_LINE.fullmatch(line) for line in _COMMENT.sub("", section).splitlines())


# --- putting text together -------------------------------------------------------------------------------------


def _prepared(body: str, title: str, newline: str) -> str:
    """A body as it is put into a memory: without a heading that repeats the title, nothing left open at its end."""
    text = _trimmed(body)
    first = next(iter(markdown.structure(text, 0).headings), None)
    if title and first is not None and first.start == 0 and bare_heading(first.title) == bare_heading(title):
        text = _trimmed(text[first.end :])
    return closed(_BREAK.sub(newline, text))


def _trimmed(text: str) -> str:
    """``text`` without blank lines around it; the first line keeps its indentation."""
    return _BLANK_EDGES.sub("", text)


def closed(text: str) -> str:
    """``text`` (no frontmatter) with the fence or comment closed that it leaves open, as a memory holds it."""
    if "```" not in text and "~~~" not in text and "<" not in text:
        return text
    unclosed = markdown.structure(text, 0).unclosed
    gap = "" if text.endswith(("\n", "\r")) else newline_of(text)
    return f"{text}{gap}{unclosed}" if unclosed else text


def _closed(text: str, newline: str) -> str:
    """The same for a memory from its beginning on, with its own line endings."""
    unclosed = markdown.structure(text).unclosed
    gap = "" if text.endswith(("\n", "\r")) else newline
    return f"{text}{gap}{unclosed}" if unclosed else text


def _joined(blocks: Sequence[str], newline: str) -> str:
    """``blocks`` with an empty line between each two. The ends of the whole keep their bytes."""
    filled = [block for block in blocks if block.strip("\ufeff \t\r\n")]
    text = filled[0] if filled else ""
    for block in filled[1:]:
        text = text.rstrip("\r\n") + newline * 2 + block.lstrip("\r\n")
    return text


def _ended(changed: str, text: str, newline: str) -> str:
    """``changed`` with a line ending at its end if ``text`` has one."""
    return changed + newline if text.endswith(("\n", "\r")) and not changed.endswith(("\n", "\r")) else changed


def _with_version(rest: str, entry: str, parts: Parts, newline: str) -> str:
    """``rest`` (what follows the body) with ``entry`` first in its history."""
    if parts.history is None:
        return _joined([f"## {HISTORY}{newline}{newline}{entry}", rest], newline)
    place = parts.history - parts.end
    heading = markdown.structure(rest[place:], 0).headings[0]
    place += heading.end
    return _joined([rest[:place], entry, rest[place:]], newline)


def _version_heading(text: str, heading: str) -> str:
    """``heading``, numbered where ``text`` has it already."""
    taken = {found.title for found in markdown.headings(text)}
    number = 2
    numbered = heading
    while numbered in taken:
        numbered = f"{heading}, {number}"
        number += 1
    return numbered


def _last_change(front: Frontmatter) -> str:
    metadata = front.values.get("metadata")
    nested_date = metadata.get("modified") if isinstance(metadata, Mapping) else None
    for value in (
        front.string("modified"),
        front.string("last_updated"),
        nested_date,
        front.string("created"),
        front.string("date"),
    ):
        found = _DATE.match(str(value or ""))
        if found:
            return found.group()
    return ""


def _moved_down(source: str, heading: Heading, shift: int) -> str:
    marks = "#" * min(6, heading.level + shift)
    bare = source.lstrip(" ")
    if bare.startswith("#") and "\n" not in bare.rstrip("\r\n"):  # one with a line under it may begin with a tag
        return source[: len(source) - len(bare)] + marks + bare[heading.level :]
    ending = source[len(source.rstrip("\r\n")) :]  # underlined: such a heading cannot be deeper than level 2
    return f"{marks} {heading.title}{ending}"


def _retitled(head: str, title: str | None, newline: str) -> str:
    """``head`` (frontmatter and first heading) with another title in the heading, if it has one."""
    found = markdown.headings(head)
    if title is None or not found or found[0].title == title:
        return head
    return f"{head[: found[0].start]}# {title}{newline}"


# --- frontmatter -----------------------------------------------------------------------------------------------


def _refreshed(text: str, front: Frontmatter, revision: Revision) -> str:
    """``text`` with the fields that follow from the change; a file without frontmatter stays without (R-COM-3)."""
    if not front.present:
        return text
    changes: dict[str, object] = {_modified_field(front): revision.today}
    named = {"title": revision.title, "topic": revision.topic}
    changes.update({name: value for name, value in named.items() if value is not None})
    own = list(notes.tags_of(front.values))
    tags = merged_tags(own, revision.tags, revision.category)
    if tags != own:
        changes["tags"] = tags
    if revision.keywords and "keywords" in front.values:
        kept = front.strings("keywords")
        changes["keywords"] = merged_tags(kept, revision.keywords)[: max(MOST_KEYWORDS, len(kept))]
    if revision.summary and "summary" in front.values:
        changes["summary"] = revision.summary
    changed = frontmatter.set_values(text, {**changes, **(revision.values or {})})
    return counted(changed)


def counted(text: str) -> str:
    """``text`` with its ``token_count`` counted anew, where it has one (SM-4)."""
    if "token_count" not in frontmatter.parse(text).values:
        return text
    return frontmatter.set_values(text, {"token_count": on_disk_token_count(text)})


def _modified_field(front: Frontmatter) -> str:
    """The field that holds the date of the last change, by dialect (SM-3)."""
    metadata = front.values.get("metadata")
    if "modified" in front.values:
        return "modified"
    if "last_updated" in front.values:
        return "last_updated"
    return "metadata.modified" if isinstance(metadata, Mapping) and "modified" in metadata else "modified"
