"""What is somebody's own in a generated file: it is kept, or at least not lost, when the file is made anew."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from scrubjay.text import markdown

# Lines that git leaves in a conflict; without them the file is as after a merge that keeps the lines of both sides.
_CONFLICT = re.compile(r"^(?:<{7}|>{7})(?: |$)", re.MULTILINE)
_MARKER = re.compile(r"^(?:<{7}|\|{7}|={7}|>{7})(?: .*)?(?:\n|\Z)", re.MULTILINE)
_GENERATED = re.compile(
    r"\s*"
    r"|#{1,3} .*"
    r"|- \[(?:[^\]\\]|\\.)*+\]\((?:\.\./)?"
    r"(?:(?:00-Inbox|10-Memories|20-Indices|30-Templates)/|memory-index\.json)[^)]*\).*"
    r"|- (?:Total memories|Topics|Total tokens|Last updated): .*"
    r"|\*\*(?:Title|Topic|Tags|Created)\*\*:.*"
    r"|This folder holds .*"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Owned:
    """What a generated file holds beside what is generated.

    ``lead`` stands between the title and the first section, ``sections`` are those of a first or second level heading
    that we do not generate, ``bodies`` what stands below those that we do, by heading. ``ours`` is whether the file has
    the structure of one of ours at all: the title, and a section that is generated, or nothing.
    """

    ours: bool = True
    lead: str = ""
    sections: tuple[str, ...] = ()
    bodies: Mapping[str, str] = field(default_factory=dict)


NOTHING = Owned()


@dataclass(frozen=True, slots=True)
class _Piece:
    level: int
    title: str
    whole: str
    body: str


def read(text: str, title: str, generated: Collection[str]) -> Owned:
    """What ``text`` holds beside the sections ``generated``; of what stands there twice, after a merge, one."""
    lead = ""
    own: list[str] = []
    bodies: dict[str, str] = {}
    pieces = list(_pieces(text))
    for piece in pieces:
        if piece.level == 2 and piece.title in generated:
            bodies.setdefault(piece.title, piece.body)
        elif piece.level <= 1 and piece.title in (title, ""):
            lead = lead or piece.body
        elif piece.whole not in own:
            own.append(piece.whole)
    first = next((piece for piece in pieces if piece.level), None)
    ours = not pieces or (first is not None and (first.level, first.title) == (1, title) and bool(bodies))
    return Owned(ours=ours, lead=lead, sections=tuple(own), bodies=bodies)


def has_more(text: str, made: str) -> bool:
    """Whether ``text`` has a line of somebody's own that ``made``, which takes its place, does not have."""
    kept = set(made.split("\n"))
    return any(line not in kept and not _GENERATED.fullmatch(line) for line in _plain(text).split("\n"))


def _pieces(text: str) -> Iterator[_Piece]:
    """``text`` cut at its headings of the first and second level."""
    text = _plain(text)
    found = [heading for heading in markdown.headings(text) if heading.level <= 2]
    ends = [*(heading.start for heading in found), len(text)]
    if lead := text[: ends[0]].strip("\n"):
        yield _Piece(0, "", lead, lead)
    for heading, end in zip(found, ends[1:], strict=True):
        whole = text[heading.start : end].rstrip()
        yield _Piece(heading.level, heading.title, whole, text[heading.end : end].strip("\n").rstrip())


def _plain(text: str) -> str:
    """``text`` with line ends of one kind and no marks of a conflict."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return _MARKER.sub("", text) if _CONFLICT.search(text) else text
