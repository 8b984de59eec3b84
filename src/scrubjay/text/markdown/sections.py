"""The tree of headings, flattened."""

from __future__ import annotations

from dataclasses import dataclass

from scrubjay.text.frontmatter.block import body_start
from scrubjay.text.markdown.blocks import Heading, structure


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with all below it: ``text[start:end]``.

    ``path`` are the titles from the outermost heading to its own. The body begins at ``body``; its own text, before
    the first subheading, ends at ``own_end``. Text before the first heading is a section with an empty path and
    ``level`` 0.
    """

    path: tuple[str, ...]
    level: int
    line: int
    start: int
    body: int
    own_end: int
    end: int

    @property
    def title(self) -> str:
        """Its own title; empty for text before the first heading."""
        return self.path[-1] if self.path else ""


def headings(text: str) -> list[Heading]:
    """The headings of ``text`` outside lists, quotes, code and HTML, in order."""
    return structure(text).headings


def sections(text: str) -> list[Section]:
    """The sections of ``text`` in order, each with its subsections inside."""
    found = headings(text)
    first = found[0].start if found else len(text)
    start = body_start(text)
    line = text.count("\n", 0, start) + 1
    before = [Section((), 0, line, start, start, first, first)] if text[start:first].strip() else []
    return before + _nested(found, len(text))


def _nested(found: list[Heading], length: int) -> list[Section]:
    ends = _ends(found, length)
    path: list[Heading] = []
    result = []
    for index, heading in enumerate(found):
        while path and path[-1].level >= heading.level:
            path.pop()
        path.append(heading)
        own_end = found[index + 1].start if index + 1 < len(found) else length
        titles = tuple(above.title for above in path)
        result.append(Section(titles, heading.level, heading.line, heading.start, heading.end, own_end, ends[index]))
    return result


def _ends(found: list[Heading], length: int) -> list[int]:
    """Where each section ends: at the next heading of its level or a higher one."""
    ends = [length] * len(found)
    open_: list[int] = []
    for index, heading in enumerate(found):
        while open_ and found[open_[-1]].level >= heading.level:
            ends[open_.pop()] = heading.start
        open_.append(index)
    return ends
