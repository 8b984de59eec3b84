"""The overview of a notebook, ``MEMORY.md``, made from its files after a merge (F106).

Rows are never merged as text: each file that is there has its row once, a row of a file that is gone is gone, and a
row that one side worded anew keeps the new wording. What else stands in the overview stays; what both sides wrote
there is kept one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass

from scrubjay.text.lines import newline_of
from scrubjay.text.plain import first_sentence, plain_line
from scrubjay.vaults.dialects.claude_memory import host, topics
from scrubjay.vaults.dialects.claude_memory.index import entry_line, parse
from scrubjay.vaults.dialects.claude_memory.loading import marked

_MARKS = ("<<<<<<< ", ">>>>>>> ", "||||||| ")
_LEAD = 2000  # characters of a text in which its first sentence is looked for

Part = tuple[str, str]
"""The file that a part of an overview is a row of, none for what is no row; and the part as it is written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Versions:
    """An overview as it was when both sides agreed, and as it is on either side; empty where there is none."""

    base: str = ""
    ours: str = ""
    theirs: str = ""


@dataclass(frozen=True, slots=True)
class _Side:
    """One version in parts. ``hides`` tells that it leaves out rows on purpose, because there are too many."""

    parts: Sequence[Part]
    rows: Mapping[str, str]
    hides: bool

    @property
    def prose(self) -> list[str]:
        return [part for path, part in self.parts if not path]


def overview(
    versions: Versions, files: Mapping[str, str], *, gone: Container[str] = (), fresh: Container[str] = ()
) -> str:
    """The overview of ``files`` (path to text), empty when there is nothing to list.

    A file keeps its row, also where somebody took a side in a merge and dropped it. ``fresh`` files get one where none
    has, and all do where there was no overview; others are left without, since somebody chose so. A row of a file that
    is ``gone`` is gone; one of what was never here stays. No row is added beyond the lines that hosts read.
    """
    newline = newline_of(versions.theirs or versions.ours)
    texts = [without_marks(text).replace("\r\n", "\n") for text in (versions.base, versions.ours, versions.theirs)]
    base, ours, theirs = (_side(text, lambda path: path in files or path in gone) for text in texts)
    wanted = {path: row for path, text in sorted(files.items()) if (row := _row(path, base, ours, theirs))}
    for path, text in sorted(files.items()):
        if path not in wanted and (path in fresh or not any(texts)) and path not in base.rows:
            wanted[path] = _made(path, text)
    parts: list[str] = []
    last = -1
    for path, part in _frame(base, ours, theirs):
        if not path:
            parts.append(part)
        elif path in wanted:
            parts.append(wanted.pop(path) + "\n" * part.endswith("\n"))
            last = len(parts) - 1
    missing = [f"{wanted[path]}\n" for path in dict.fromkeys([*theirs.rows, *ours.rows, *wanted]) if path in wanted]
    return "".join(_with(parts, last, missing)).replace("\n", newline)


def targets(text: str) -> frozenset[str]:
    """Every file that ``text``, an overview, has a row of."""
    return frozenset(entry.path for entry in parse(text).entries)


def without_marks(text: str) -> str:
    """``text`` without the marks that an unresolved merge left: the rows of both sides are all wanted (F106)."""
    lines = text.splitlines(keepends=True)
    if not any(line.startswith(_MARKS) for line in lines):
        return text
    return "".join(line for line in lines if not line.startswith(_MARKS) and line.rstrip() != "=======")


def _side(text: str, is_ours: Callable[[str], bool]) -> _Side:
    index = parse(text)
    lines = [line.text for line in marked(text)]
    entries = {entry.line: entry for entry in index.entries if is_ours(entry.path)}
    parts: list[Part] = []
    number = 1
    while number <= len(lines):
        last = entries[number].last if number in entries else number
        path = entries[number].path if number in entries else ""
        parts.append((path, "".join(lines[number - 1 : last])))
        number = last + 1
    rows: dict[str, str] = {}
    for path, part in parts:
        if path:
            rows.setdefault(path, part.rstrip("\n"))
    return _Side(parts, rows, index.hidden > 0)


def _row(path: str, base: _Side, ours: _Side, theirs: _Side) -> str | None:
    before, mine, yours = base.rows.get(path), ours.rows.get(path), theirs.rows.get(path)
    if (mine is None and ours.hides and yours == before) or (yours is None and theirs.hides and mine == before):
        return None
    if mine in (before, None):
        return yours or mine or before
    return mine if yours in (before, None) else yours


def _frame(base: _Side, ours: _Side, theirs: _Side) -> Sequence[Part]:
    """The parts among which the rows stand: of the side that changed them, of both one after the other."""
    if not theirs.parts or (theirs.prose == base.prose != ours.prose and ours.parts):
        return ours.parts
    if ours.prose in (base.prose, theirs.prose):
        return theirs.parts
    more = [part for part in ours.prose if part.strip() and part not in base.prose and part not in theirs.prose]
    *before, (path, part) = theirs.parts
    return [*before, (path, _closed(part)), *(("", _closed(line)) for line in more)]


def _with(parts: Sequence[str], last: int, missing: Sequence[str]) -> list[str]:
    """``parts`` with the ``missing`` rows behind the ``last`` one, as far as hosts read them."""
    added = missing[: max(0, host.INDEX_LINES - sum(part.count("\n") for part in parts))]
    if not added:
        return list(parts)
    place = last + 1 if last >= 0 else len(parts)
    before = [_closed(part) for part in parts[:place]]
    gap = ["\n"] if last < 0 and before and before[-1].strip() else []
    return [*before, *gap, *added, *parts[place:]]


def _closed(part: str) -> str:
    return part if part.endswith("\n") else f"{part}\n"


def _made(path: str, text: str) -> str:
    """A row for a file that has none: its title, and what it is about."""
    topic = topics.parsed(text, name=path.rpartition("/")[2].removesuffix(".md"))
    hook = topic.description or first_sentence(plain_line(topic.body.strip()[:_LEAD]))
    return entry_line(_coded(path), topic.name, hook)


def _coded(path: str) -> str:
    """``path`` as a link names it: what would end the link or be read as something else is written as a code."""
    for letter in "%<>#":
        path = path.replace(letter, f"%{ord(letter):02X}")
    return path
