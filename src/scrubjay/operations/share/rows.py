"""The overview of a notebook, ``MEMORY.md``, made from its files after a merge (F106).

A row is a list item that links to a file. Rows are never merged as text: each file that is there has its row once, a
row of a file that is gone is gone, and a row that one side worded anew keeps the new wording. What else stands in the
overview stays; what both sides wrote there is kept one after the other.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from scrubjay.text import frontmatter
from scrubjay.text.plain import first_sentence, plain_line, shortened

MOST_LINES = 200
"""Lines of the overview that hosts read: no row is added beyond them (CC-L1)."""

_LINE = 150
_ROW = re.compile(r"\s*[-*+]\s+\[[^\]\n]*\]\(\s*(?:<(?P<angled>[^<>\n]+)>|(?P<plain>[^()<>\n]+?))\s*\)")
_MARKS = ("<<<<<<< ", ">>>>>>> ", "||||||| ")
_CODED = str.maketrans({"%": "%25", "<": "%3C", ">": "%3E"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Versions:
    """An overview as it was when both sides agreed, and as it is on either side; empty where there is none."""

    base: str = ""
    ours: str = ""
    theirs: str = ""


def overview(
    versions: Versions, files: Mapping[str, str], *, gone: Container[str] = (), fresh: Container[str] = ()
) -> str:
    """The overview of ``files`` (path to text), empty when there is nothing to list.

    A file keeps its row, also where somebody took a side in a merge and dropped it. ``fresh`` files get one where none
    has, and all do where there was no overview; others are left without, since somebody chose so. A row of a file that
    is ``gone`` is gone; one of what was never here stays. No row is added beyond the lines that hosts read.
    """
    old, mine, yours = _rows(versions.base), _rows(versions.ours), _rows(versions.theirs)
    begun = bool(versions.base or versions.ours or versions.theirs)
    wanted: dict[str, str] = {}
    for path, text in sorted(files.items()):
        row = _row(path, old, mine, yours) or ("" if begun and path not in fresh else _made(path, text))
        if row:
            wanted[path] = row
    lines: list[str] = []
    last = -1

    def target_of(line: str) -> str | None:
        target = _target(line)
        return target if target is not None and (target in files or target in gone) else None

    for line in _frame(versions, target_of):
        target = target_of(line)
        if target is None:
            lines.append(line)
        elif target in wanted:
            lines.append(wanted.pop(target))
            last = len(lines) - 1
    place = last + 1 if last >= 0 else len(lines)
    if last < 0 and lines and lines[-1].strip() and wanted:
        lines.append("")
        place += 1
    missing = [wanted[path] for path in dict.fromkeys([*yours, *mine, *wanted]) if path in wanted]
    lines[place:place] = missing[: max(0, MOST_LINES - len(lines))]
    text = "\n".join(lines).strip("\n")
    return f"{text}\n" if text else ""


def targets(text: str) -> frozenset[str]:
    """Every file that ``text``, an overview, has a row of."""
    return frozenset(_rows(text))


def _rows(text: str) -> dict[str, str]:
    """The first row of each file."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        if (target := _target(line)) is not None:
            found.setdefault(target, line)
    return found


def _target(line: str) -> str | None:
    """The file that a row is about."""
    match = _ROW.match(line)
    named = (match["angled"] or match["plain"]) if match else ""
    path = unicodedata.normalize("NFC", unquote(named)).removeprefix("./")
    return path if path.endswith(".md") and "://" not in path and not path.startswith("/") else None


def _row(path: str, old: Mapping[str, str], mine: Mapping[str, str], yours: Mapping[str, str]) -> str | None:
    before, ours, theirs = old.get(path), mine.get(path), yours.get(path)
    if ours in (before, None):
        return theirs or ours or before
    return ours if theirs in (before, None) else theirs


def _frame(versions: Versions, target_of: Callable[[str], str | None]) -> list[str]:
    """The lines among which the rows stand: of the side that changed them, of both one after the other."""
    texts = [without_marks(text) for text in (versions.base, versions.ours, versions.theirs)]
    old, mine, yours = ([line for line in text.splitlines() if target_of(line) is None] for text in texts)
    if not texts[2] or (yours == old != mine and texts[1]):
        return texts[1].splitlines()
    lines = texts[2].splitlines()
    if mine not in (old, yours):
        lines += [line for line in mine if line.strip() and line not in old and line not in yours]
    return lines


def without_marks(text: str) -> str:
    """``text`` without the marks that an unresolved merge left: the rows of both sides are all wanted (F106)."""
    lines = text.splitlines()
    if not any(line.startswith(_MARKS) for line in lines):
        return text
    return "".join(f"{line}\n" for line in lines if not line.startswith(_MARKS) and line != "=======")


def _made(path: str, text: str) -> str:
    """A row for a file that has none: its title, and what it is about."""
    parsed = frontmatter.parse(text)
    stem = path.rpartition("/")[2].removesuffix(".md")
    name = plain_line(parsed.string("name") or parsed.string("title")) or stem.replace("_", " ").replace("-", " ")
    said = parsed.string("description") or first_sentence(plain_line(text[parsed.body_start :][:2000]))
    title = name.replace("[", "(").replace("]", ")")
    coded = path.translate(_CODED)
    place = f"<{coded}>" if re.search(r"[\s()]", coded) else coded
    row = f"- [{title}]({place})"
    about = plain_line(said)
    return shortened(f"{row} — {about}", _LINE) if about and len(row) < _LINE - 10 else row
