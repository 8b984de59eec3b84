"""Markup that is not Markdown: its headings, and paragraphs between them.

reStructuredText, AsciiDoc, Org, LaTeX and HTML are read for their headings only; everything else of them is text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from scrubjay.text.markdown.blocks import Heading
from scrubjay.text.plain import plain_line
from scrubjay.text.segment.pack import Piece, Size
from scrubjay.text.segment.prose import prose_pieces

_RST = re.compile(
    r"^(?:(?P<over>([=\-`:.'\"~^_*+#])\2{2,})[ \t]*\n)?(?P<title>[^\s].*)\n"
    r"(?P<line>([=\-`:.'\"~^_*+#])\5{2,})[ \t]*$",
    re.MULTILINE,
)
_SIGNS = re.compile(r"^(={1,6}|#{1,6})[ \t]+(\S.*)$", re.MULTILINE)
_STARS = re.compile(r"^(\*{1,6})[ \t]+(\S.*)$", re.MULTILINE)
_TEX = re.compile(
    r"^[ \t]*\\(part|chapter|section|subsection|subsubsection|paragraph)\*?(?:\[[^\]\n]*\])?\{([^\n]*)\}", re.MULTILINE
)
_TEX_LEVELS = {"part": 1, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4, "paragraph": 5}
_HTML = re.compile(r"<h([1-6])\b[^<>]*>((?:[^<]|<(?!/?h[1-6]))*+)</h[1-6]>", re.IGNORECASE)
_CONTROL = re.compile(r"\\[A-Za-z]+\*?|[{}~$]")


def markup_pieces(text: str, start: int, markup: str, size: Size, deepest: int) -> list[Piece]:
    """The paragraphs of ``text`` from ``start``, below the headings of ``markup`` down to level ``deepest``."""
    find = _FINDERS.get(markup)
    headings = [] if find is None else [found for found in find(text) if found.start >= start]
    pieces: list[Piece] = []
    path: list[Heading] = []
    for section, (heading, end) in enumerate(_sections(headings, deepest, len(text)), 1):
        if heading is None:
            pieces += prose_pieces(text, start, end, size)
            continue
        while path and path[-1].level >= heading.level:
            path.pop()
        path.append(heading)
        titles = tuple(above.title for above in path)
        lead = Piece(heading.start, heading.end, 0, section, titles, leads=True)
        pieces += [lead, *prose_pieces(text, heading.end, end, size, section, titles)]
    return pieces


def _sections(headings: list[Heading], deepest: int, length: int) -> Iterator[tuple[Heading | None, int]]:
    """What stands before the first heading, then each heading with the offset at which its own text ends."""
    shown = [heading for heading in headings if heading.level <= deepest]
    ends = [*(heading.start for heading in shown), length]
    yield None, ends[0]
    yield from zip(shown, ends[1:], strict=True)


def _rst(text: str) -> Iterator[Heading]:
    levels: dict[tuple[str, bool], int] = {}
    for found in _RST.finditer(text):
        title, line, over = found.group("title", "line", "over")
        if len(line) < len(title.rstrip()) and len(line) < 4:
            continue
        if over is not None and over[0] != line[0]:
            continue
        level = levels.setdefault((line[0], over is not None), len(levels) + 1)
        yield _heading(text, found, level, title)


def _html(text: str) -> Iterator[Heading]:
    for found in _HTML.finditer(text):
        yield _heading(text, found, int(found.group(1)), found.group(2))


def _tex(text: str) -> Iterator[Heading]:
    for found in _TEX.finditer(text):
        yield _heading(text, found, _TEX_LEVELS[found.group(1)], _CONTROL.sub("", found.group(2)))


def _marked(pattern: re.Pattern[str]) -> Callable[[str], Iterator[Heading]]:
    def find(text: str) -> Iterator[Heading]:
        for found in pattern.finditer(text):
            yield _heading(text, found, len(found.group(1)), found.group(2))

    return find


def _heading(text: str, found: re.Match[str], level: int, title: str) -> Heading:
    start = text.rfind("\n", 0, found.start()) + 1
    end = text.find("\n", found.end()) + 1 or len(text)
    return Heading(level, plain_line(" ".join(title.split())), 0, start, end)


_FINDERS: dict[str, Callable[[str], Iterator[Heading]]] = {
    "rst": _rst,
    "adoc": _marked(_SIGNS),
    "org": _marked(_STARS),
    "tex": _tex,
    "html": _html,
}
