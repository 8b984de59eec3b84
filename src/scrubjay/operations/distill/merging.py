"""Two memories in one text: the first with ``## Merged From <id>`` and the fields of both (SM-46). Pure."""

from __future__ import annotations

import re

from scrubjay.operations.distill import links
from scrubjay.operations.distill.scoring import overlap
from scrubjay.text import frontmatter, markdown
from scrubjay.text.frontmatter import Frontmatter
from scrubjay.text.lines import newline_of
from scrubjay.types import Document
from scrubjay.vaults.documents import revision
from scrubjay.vaults.documents.note import tags_of
from scrubjay.vaults.documents.revision import Parts

_WORDS = re.compile(r"\w+")
_NUMBER = re.compile(r"[0-9]{1,9}")


def merged(
    primary: Document, secondary: Document, *, today: str, retrieved: tuple[int, str | None] | None = None
) -> str:
    """The text of ``primary`` with that of ``secondary`` in it.

    ``retrieved`` are the retrievals of both together and the date of the last one, by default as the files say. Links
    of both Connections are united; a line that would link the memory to itself is left out. What is in ``primary``
    already is not put there twice.
    """
    one, other = frontmatter.parse(primary.text), frontmatter.parse(secondary.text)
    first, second = links.stem(primary.path), links.stem(secondary.path)
    text = primary.text
    if not holds(primary, secondary):
        share = overlap(keywords(primary), keywords(secondary))
        text = _with_block(text, _block(secondary, second, share, today))
    text = _without_links_to(_with_links(text, secondary.text, first), second)
    if not one.present:
        return text
    count, last = retrieved or _retrieved(one, other)
    values: dict[str, object] = {
        "tags": revision.merged_tags(tags_of(one.values), tags_of(other.values)),
        "modified": today,
        "keywords": sorted(revision.merged_tags(one.strings("keywords"), other.strings("keywords")), key=str.casefold),
        "retrieval_count": count,
        "last_retrieved": last,
    }
    if created := min(filter(None, (one.string("created"), other.string("created"))), default=""):
        values["created"] = created
    return revision.counted(frontmatter.set_values(text, values))


def holds(primary: Document, secondary: Document) -> bool:
    """Whether ``primary`` took ``secondary`` in already: a run that was killed may have got no further."""
    section = f"Merged From {links.stem(secondary.path)}"
    there = any((heading.level, heading.title) == (2, section) for heading in markdown.headings(primary.text))
    return there and not lost(secondary, revision.body_of(primary.text))


def keywords(document: Document) -> tuple[str, ...]:
    """The keywords of a memory as they stand in its file."""
    return frontmatter.parse(document.text).strings("keywords")


def lost(before: Document, after: str) -> str:
    """The first line of a memory's own text that is not in ``after``; empty when all of it is there (F2).

    Lines have to stand there in their order, each as often as before. Words are compared: headings are moved down by a
    merge, and marks are nothing that can get lost.
    """
    there = f" {' '.join(_WORDS.findall(after))} "
    place = 0
    for line in revision.body_of(before.text).splitlines():
        said = " ".join(_WORDS.findall(line))
        if not said:
            continue
        place = there.find(f" {said} ", place)
        if place < 0:
            return line.strip()
        place += len(said) + 1
    return ""


def _retrieved(one: Frontmatter, other: Frontmatter) -> tuple[int, str | None]:
    counts = [front.string("retrieval_count") for front in (one, other)]
    days = [front.string("last_retrieved") for front in (one, other)]
    return sum(int(text) for text in counts if _NUMBER.fullmatch(text)), max(filter(None, days), default=None)


def _block(secondary: Document, id: str, share: float, today: str) -> str:
    newline = "\n"
    about = [
        f"## Merged From {id}",
        "",
        f"**Original title**: {revision.title_of(secondary.text)}",
        f"**Merged**: {today} (keyword overlap {share:.0%})",
    ]
    body = revision.nested(revision.body_of(secondary.text).replace("\r\n", newline), 2)
    return newline.join([*about, "", _closed(body, newline, start=0)]).rstrip(newline)


def _with_block(text: str, block: str) -> str:
    """``text`` with ``block`` behind its body, before history and Connections."""
    newline = newline_of(text)
    end = revision.parts_of(text).end
    before, after = _closed(text[:end], newline).rstrip("\r\n"), text[end:]
    whole = f"{before}{newline}{newline}{block.replace(chr(10), newline)}{newline}"
    return f"{whole}{newline}{after}" if after.strip() else whole


def _closed(text: str, newline: str, start: int | None = None) -> str:
    """``text`` with the fence or comment closed that it leaves open: what follows must not fall into it."""
    unclosed = markdown.structure(text, start).unclosed
    return f"{text.rstrip()}{newline}{unclosed}{newline}" if unclosed else text


def _with_links(text: str, source: str, own: str) -> str:
    """``text`` with the lines of the Connections of ``source`` whose links it has not in its own."""
    known = {links.name_of(link.target) for link in markdown.wiki_links(_connections(text))} | {own}
    fresh = []
    for line in _connections(source).splitlines():
        targets = {links.name_of(link.target) for link in markdown.wiki_links(line.strip())}
        if targets and not targets <= known:
            fresh.append(line.strip())
            known |= targets
    if not fresh:
        return text
    newline = newline_of(text)
    start, end = _span(text, revision.parts_of(text))
    lines = newline.join(line if line.startswith(("-", "*", "+")) else f"- {line}" for line in fresh)
    if start == end:
        return f"{text.rstrip()}{newline}{newline}## {revision.CONNECTIONS}{newline}{lines}{newline}"
    rest = text[end:]
    return f"{text[:end].rstrip()}{newline}{lines}{newline}{newline if rest else ''}{rest}"


def _without_links_to(text: str, id: str) -> str:
    """``text`` without lines of its Connections that link to ``id`` alone, which is in it from now on."""
    start, end = _span(text, revision.parts_of(text))
    kept = [
        line
        for line in text[start:end].splitlines(keepends=True)
        if {links.name_of(link.target) for link in markdown.wiki_links(line.strip())} != {id}
    ]
    return text[:start] + "".join(kept) + text[end:]


def _connections(text: str) -> str:
    start, end = _span(text, revision.parts_of(text))
    return text[start:end]


def _span(text: str, parts: Parts) -> tuple[int, int]:
    """Where the Connections stand, heading and all; an empty span at the end where there are none."""
    if parts.connections is None:
        return len(text), len(text)
    after = (heading.start for heading in markdown.headings(text) if heading.level <= 2)
    return parts.connections, next((start for start in after if start > parts.connections), len(text))
