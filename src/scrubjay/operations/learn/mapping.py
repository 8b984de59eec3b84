"""The content map: a source cut into segments, each with title, summary, topic and key terms (SM-19 … SM-24).

The same input gives the same map, byte for byte. Paths in it are relative to the folder, in POSIX form; line numbers
are those of the file. Secrets are taken out as a text is read, before anything is made from it (SEC-2).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from scrubjay.errors import BadInput
from scrubjay.operations.learn import files, naming, tasks, topics
from scrubjay.operations.learn.kinds import MARKDOWN, FileKind, kind_of
from scrubjay.operations.learn.request import Request
from scrubjay.operations.redaction import Redaction, closed_up
from scrubjay.proposals import ContentMap, Segment, Skipped
from scrubjay.text import frontmatter
from scrubjay.text.plain import plain_line, shortened
from scrubjay.text.segment import LEARN
from scrubjay.text.segment.aligned import Passage, passages
from scrubjay.text.tokens import token_count
from scrubjay.types import Redacted
from scrubjay.vaults.documents import revision

NO_FILES_SELECTED = "No files selected. Exiting."

BYPASS = 500
"""Tokens up to which a source is one segment (SM-20)."""

DESCRIPTION = 200
"""Characters of a summary that the note's own frontmatter gives."""

EMPTY = "Empty."

_LIKE_A_PATH = re.compile(r"\S*/\S*\.\w{1,8}|\S+\.(?:md|txt|py|rst|org|json|ya?ml|html?)|(?:~|\.{0,2})/\S+")

Progress = Callable[[int, int], None]
"""Hears of files done, and of all."""


@dataclass(frozen=True, slots=True)
class _Source:
    """A text to cut, without its secrets. ``path`` is its place in the map; ``topic`` what its folder gives."""

    path: str
    text: str
    kind: FileKind
    topic: str = ""
    start: int = 0
    title: str = ""
    summary: str = ""
    tags: tuple[str, ...] = ()
    tokens: int = 0
    redacted: tuple[Redacted, ...] = ()

    @property
    def says_something(self) -> bool:
        """Whether there is more than frontmatter."""
        return bool(self.text[self.start :].strip())


def content_map(
    request: Request, *, selected: Iterable[str] | None = None, progress: Progress | None = None
) -> ContentMap:
    """What ``request`` holds. ``selected`` are the paths of a folder that were chosen, by default all of them.

    Files that cannot be learned from are named in ``skipped``. Raises ``NotFound`` and ``BadInput`` with the messages
    of SM-10.
    """
    match request.mode:
        case "text":
            return _of_text(request)
        case "file":
            return _of_file(request)
        case "directory":
            return _of_directory(request, selected, progress)
        case "task":
            return _of_task(request, progress)


def _of_text(request: Request) -> ContentMap:
    text = request.text.replace("\r\n", "\n").replace("\r", "\n")
    text = text.encode("utf-8", "replace").decode("utf-8").removeprefix("\ufeff").replace("\0", "\ufffd")
    source = _source("", text, MARKDOWN)
    segments = _segments(source, bypass=source.tokens <= BYPASS)
    return ContentMap(
        mode="text",
        total_tokens=source.tokens,
        segments=_numbered(segments),
        notices=() if source.redacted else _missing(request),
        redacted=source.redacted,
    )


def _of_file(request: Request) -> ContentMap:
    assert request.path is not None
    place, shown = request.path, files.printable(request.shown)
    text = _one_file(place, shown)
    if isinstance(text, Skipped):
        return ContentMap(mode="file", path=shown, skipped=(text,), files_scanned=1)
    inside = place.is_relative_to(request.cwd)
    source = _source(shown, text, kind_of(place.name), topics.from_path(shown if inside else f"{place.parent.name}/x"))
    if not source.says_something:
        return ContentMap(mode="file", path=shown, skipped=(Skipped(path=shown, reason=EMPTY),), files_scanned=1)
    segments = _segments(source, bypass=source.tokens <= BYPASS)
    return ContentMap(
        mode="file",
        path=shown,
        total_tokens=source.tokens,
        segments=_numbered(segments),
        files_scanned=1,
        files_selected=1,
        redacted=source.redacted,
    )


def _of_directory(request: Request, selected: Iterable[str] | None, progress: Progress | None) -> ContentMap:
    assert request.path is not None
    listing = files.scan(request.path, shown=files.printable(request.shown))
    chosen = _chosen(listing, selected)
    skipped = list(listing.skipped)
    root_topic = topics.from_name(request.path.name)
    segments: list[Segment] = []
    redacted: list[Redacted] = []
    total = 0
    for source in _sources(listing.root, chosen, files.LARGEST, skipped, progress):
        total += source.tokens
        redacted += source.redacted
        placed = replace(source, topic=source.topic or topics.from_path(source.path) or root_topic)
        segments += _segments(placed, whole=source.tokens <= LEARN.max, by_topic=False)
    return ContentMap(
        mode="directory",
        path=listing.shown,
        total_tokens=total,
        segments=_numbered(segments),
        skipped=tuple(sorted(skipped, key=lambda one: one.path)),
        notices=listing.notices,
        files_scanned=listing.total,
        files_selected=len(chosen),
        redacted=tuple(redacted),
    )


def _of_task(request: Request, progress: Progress | None) -> ContentMap:
    number = request.task or 0
    folder = tasks.find(request.cwd, number)
    artifacts = tasks.artifacts(folder, number)
    skipped: list[Skipped] = []
    sources = list(_sources(folder, artifacts, files.LARGEST_NAMED, skipped, progress))
    total = sum(source.tokens for source in sources)
    if len(sources) > 1 and total <= BYPASS:
        segments = [_together(sources)]
    else:
        segments = [segment for source in sources for segment in _segments(source, bypass=source.tokens <= BYPASS)]
    shown = folder.relative_to(request.cwd) if folder.is_relative_to(request.cwd) else folder
    return ContentMap(
        mode="task",
        path=files.printable(shown.as_posix()),
        total_tokens=total,
        segments=_numbered(segments),
        skipped=tuple(skipped),
        artifacts_reviewed=len(sources),
        redacted=tuple(one for source in sources for one in source.redacted),
    )


# --- reading ------------------------------------------------------------------------------------------------------


def _one_file(place: Path, shown: str) -> str | Skipped:
    """The text of a file that was named itself; a link is not followed."""
    if place.is_symlink():
        target = files.printable(os.path.realpath(place))
        return Skipped(path=shown, reason=f"A symbolic link; links are not followed. Name the file itself: {target}")
    text = files.read(place.parent, place.name, files.LARGEST_NAMED)
    if isinstance(text, Skipped):
        return replace(text, path=shown)
    return text


def _sources(
    root: Path, paths: list[str], largest: int, skipped: list[Skipped], progress: Progress | None
) -> Iterator[_Source]:
    for done, path in enumerate(paths):
        if progress is not None:
            progress(done, len(paths))
        text = files.read(root, path, largest)
        if isinstance(text, Skipped):
            skipped.append(text)
            continue
        source = _source(path, text, kind_of(path))
        if source.says_something:
            yield source
        else:
            skipped.append(Skipped(path=path, reason=EMPTY))
    if progress is not None:
        progress(len(paths), len(paths))


def _source(path: str, text: str, kind: FileKind, topic: str = "") -> _Source:
    """The source without secrets, with what its frontmatter says of it (title, topic, tags, description). Of a memory
    from another vault its older versions are left out: what it says now is learned."""
    redaction = Redaction()
    text = redaction.text(text, path or "text", keep_lines=True)
    start, title, summary = 0, "", ""
    if kind is MARKDOWN and "## History" in text and (history := revision.parts_of(text).history) is not None:
        text = text[:history]
    tags: tuple[str, ...] = ()
    if kind.kind in ("markdown", "markup") and text.startswith(("---", "\ufeff---")):
        block = frontmatter.parse(text)
        start = block.body_start
        title, summary = (
            plain_line(block.string("title")),
            plain_line(block.string("description") or block.string("summary")),
        )
        topic = topics.normal(block.string("topic")) or topic
        tags = block.strings("tags")
    tokens = token_count(text[start:] if start else text)
    return _Source(path, text, kind, topic, start, title, summary, tags, tokens, tuple(redaction.found))


def _chosen(listing: files.Listing, selected: Iterable[str] | None) -> list[str]:
    there = [found.path for found in listing.files]
    if selected is None:
        return there
    wanted = set(selected)
    if not wanted:
        raise BadInput(NO_FILES_SELECTED)
    unknown = sorted(wanted.difference(there))
    if unknown:
        raise BadInput(
            f"{files.printable(unknown[0])} is not among the files of {listing.shown}.",
            hint="Select paths relative to the folder, as the listing gives them.",
        )
    return [path for path in there if path in wanted]


def _missing(request: Request) -> tuple[str, ...]:
    """A word that looks like a file that does not exist is pointed out, since it was taken as text."""
    asked = request.text.strip()
    if len(asked) > 200 or "://" in asked or not _LIKE_A_PATH.fullmatch(asked):
        return ()
    return (f"There is no file {files.printable(asked)}, so it was taken as text.",)


# --- segments -----------------------------------------------------------------------------------------------------


def _segments(source: _Source, *, bypass: bool = False, whole: bool = False, by_topic: bool = True) -> list[Segment]:
    code = source.kind.kind in ("code", "whole")
    found = _cut(source, whole=bypass or whole, by_topic=by_topic)
    document = source.title or _first_heading(found)
    return [_segment(source, passage, code, document, bypass, alone=len(found) == 1) for passage in found]


def _cut(source: _Source, *, whole: bool, by_topic: bool) -> list[Passage]:
    kind, language = source.kind
    found = passages(source.text, kind=kind, language=language, start=source.start, by_topic=by_topic and not whole)
    if not whole or len(found) < 2:
        return found
    first, last = found[0], found[-1]
    names = tuple(dict.fromkeys(name for passage in found for name in passage.names))
    text = source.text[first.start : last.end]
    return [Passage(text, first.start, last.end, first.line, last.last_line, (), names)]


def _segment(source: _Source, passage: Passage, code: bool, document: str, bypass: bool, alone: bool) -> Segment:
    title = naming.title_of(passage, code=code, file=source.path, document=document, alone=alone)
    summary = shortened(source.summary, DESCRIPTION) if alone and not bypass else ""
    summary = summary or naming.summary_of(passage, code=code, title=title, bypass=bypass)
    terms = naming.terms_of(passage.text, title, code=code)
    tags = [tag.strip("#[]").casefold() for tag in source.tags]
    return Segment(
        id="",
        topic=source.topic or topics.from_words([*tags, *terms, *title.casefold().split()], title),
        source_file=source.path,
        source_lines=(passage.line, passage.last_line),
        summary=summary,
        title=title,
        tokens=token_count(passage.text),
        key_terms=terms,
        text=closed_up(passage.text),
    )


def _first_heading(found: list[Passage]) -> str:
    """The title of a document: its first heading, where everything else stands below it."""
    first = found[0].names[0] if found and found[0].names else ""
    below = all(passage.headings[:1] == (first,) for passage in found[1:])
    return plain_line(first) if below else ""


def _together(sources: list[_Source]) -> Segment:
    """The artifacts of a task that are small enough to be one memory (SM-15)."""
    text = "\n\n".join(source.text[source.start :].strip() for source in sources)
    first = sources[0]
    joined = _Source("", text, MARKDOWN, first.topic, 0, first.title, first.summary, first.tags, token_count(text))
    segment = _segments(joined, bypass=True)[0]
    return replace(segment, source_file=", ".join(source.path for source in sources))


def _numbered(segments: Iterable[Segment]) -> tuple[Segment, ...]:
    """The segments with their ids, and titles that tell each from the others: by the file, else by a number."""
    taken: dict[str, str] = {}
    numbered = []
    for number, segment in enumerate(segments, 1):
        title, again = segment.title, 1
        if taken.get(title, segment.source_file) != segment.source_file:
            title = naming.within(title, naming.base(segment.source_file))
        first = title
        while title in taken:
            again += 1
            title = f"{first} ({again})"
        taken[title] = segment.source_file
        numbered.append(replace(segment, id=f"seg-{number:03d}", title=title))
    return tuple(numbered)
