"""Where the frontmatter of a text stands and what it says (R-COM-3).

A block begins with a first line ``---`` and ends with the next line ``---`` (or YAML's ``...``). Two rules around
prose are no frontmatter, an opened block that never closes is a flaw, and so is a second block right after (F30).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from scrubjay.text.frontmatter.entries import is_conflict_marker, key_of, read_entries
from scrubjay.text.frontmatter.nested import load
from scrubjay.text.frontmatter.scalars import MAX_LEVELS, UnreadableError
from scrubjay.text.lines import split_lines

MAX_BYTES = 1_000_000
MAX_FLAWS = 20
"""More than these say nothing new about one block."""

_OPENING = re.compile("\ufeff?---[ \t]*+(?:\r\n|\r|\n|\\Z)")
_DELIMITER = re.compile(r"(?:(?<=\n)|(?<=\r))(?:---|\.\.\.)[ \t]*+(?:\r\n|\r|\n|\Z)")


class Flaw(NamedTuple):
    """Something wrong in line ``line`` (1-based) of a text."""

    line: int
    message: str


class Span(NamedTuple):
    """Offsets of a block: its opening line, its inner lines ``start``:``end``, and where the body begins."""

    start: int
    end: int
    body: int


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """What the frontmatter of a text says.

    ``values`` are in the order of the file: text, whole numbers, floats, booleans, ``None``, lists and mappings.
    ``body_start`` is the character offset at which the body begins, ``block`` the exact text before it. Empty
    without frontmatter. With ``flaws`` the values are as good as could be read, and the block must not be rewritten.
    """

    values: Mapping[str, object] = field(default_factory=dict)
    body_start: int = 0
    block: str = ""
    problems: Sequence[Flaw] = ()

    @property
    def present(self) -> bool:
        """Whether the text has a frontmatter block."""
        return bool(self.block)

    def string(self, name: str) -> str:
        """The value of ``name`` as text; empty when it is absent, null, a list or a mapping."""
        value = self.values.get(name)
        if isinstance(value, bool):
            return "true" if value else "false"
        return str(value) if isinstance(value, (str, int, float)) else ""

    def strings(self, name: str) -> tuple[str, ...]:
        """The value of ``name`` as a list of texts: a list in any style, or one line with commas (R-COM-3)."""
        value = self.values.get(name)
        if isinstance(value, str):
            value = value.split(",")
        elif not isinstance(value, list):
            value = [value]
        items = (str(item).strip() for item in value if item is not None and not isinstance(item, (list, dict)))
        return tuple(item for item in items if item)


def parse(text: str) -> Frontmatter:
    """The frontmatter of ``text``; never raises."""
    flaws: list[Flaw] = []
    if is_conflict_marker(text[: text.find("\n") + 1 or 80][:80]):
        return Frontmatter(problems=(Flaw(1, "is a merge conflict marker; resolve the conflict first"),))
    span = locate(text)
    if span is None:
        return _unclosed(text)
    values = _read(text[span.start : span.end], flaws)
    del flaws[MAX_FLAWS:]
    second = _second_block(text, span.body)
    if second:
        flaws.append(Flaw(second, "begins a second frontmatter block"))
    return Frontmatter(values=values, body_start=span.body, block=text[: span.body], problems=tuple(flaws))


def body_start(text: str) -> int:
    """The offset at which the body of ``text`` begins, without reading the values."""
    span = locate(text)
    return span.body if span else 0


def locate(text: str, offset: int = 0) -> Span | None:
    """The block that begins at ``offset``, or ``None``."""
    opening = _OPENING.match(text, offset)
    closing = _DELIMITER.search(text, opening.end()) if opening else None
    if opening is None or closing is None:
        return None
    inner = text[opening.end() : min(closing.start(), opening.end() + MAX_BYTES)]
    if not _looks_like_keys(split_lines(inner)):
        return None
    return Span(opening.end(), closing.start(), closing.end())


def _looks_like_keys(lines: Sequence[str]) -> bool:
    """Whether ``lines`` begin with a key and hold no paragraph of prose; otherwise two rules stand around text."""
    content = [line for line in lines if line.strip() and line[0] != "#"]
    if not content or content[0].lstrip().startswith("{"):
        return True
    if not _is_entry(content[0]):
        return False
    return all(_is_entry(line) for blank, line in pairwise(lines) if not blank.strip() and line.strip())


def _is_entry(line: str) -> bool:
    """Whether ``line`` can stand in a block: a key, something below one, a comment, what a merge left behind."""
    return line[0] in " \t#-]}" or key_of(line.rstrip("\r\n")) is not None or is_conflict_marker(line)


def _read(inner: str, flaws: list[Flaw]) -> dict[str, object]:
    if len(inner) > MAX_BYTES or len(inner.encode("utf-8", "replace")) > MAX_BYTES:
        flaws.append(Flaw(1, "opens a frontmatter block of more than 1 MB"))
        return {}
    if inner.lstrip().startswith("{"):
        return _read_json(inner, flaws)
    return read_entries(split_lines(inner), lambda index, message: flaws.append(Flaw(index + 2, message)))


def _read_json(inner: str, flaws: list[Flaw]) -> dict[str, object]:
    """A block that is one mapping in braces; read, but never edited."""
    try:
        value = load(inner, MAX_LEVELS + 1)
    except UnreadableError as error:
        flaws.append(Flaw(error.line + 2, f"frontmatter {error}"))
        return {}
    return value if isinstance(value, dict) else {}


def _unclosed(text: str) -> Frontmatter:
    """No block, or one that was opened and never closed: then its leading lines are read, and all is body."""
    opening = _OPENING.match(text)
    if opening is None:
        return Frontmatter()
    leading: list[str] = []
    for line in split_lines(text[opening.end() : opening.end() + MAX_BYTES]):
        if not line.strip() or (line[0] not in " \t-" and key_of(line.rstrip("\r\n")) is None):
            break
        leading.append(line)
    if not leading or key_of(leading[0].rstrip("\r\n")) is None:
        return Frontmatter()
    flaws = [Flaw(1, "opens a frontmatter block that is never closed")]
    values = _read("".join(leading), flaws)
    return Frontmatter(values=values, problems=tuple(flaws))


def _second_block(text: str, offset: int) -> int:
    """The line of a second block right after the first, or 0."""
    start = offset
    while start < len(text) and text[start] in "\r\n":
        start += 1
    if locate(text, start) is None:
        return 0
    return len(split_lines(text[:start])) + 1
