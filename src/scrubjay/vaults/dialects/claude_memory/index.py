"""MEMORY.md: a line a memory (CC-F1), read and changed line by line, and made to fit (F104).

Every change touches the lines it means and no other byte. Lines inside code and comments are nobody's entries.
``loading`` says what the host loads of it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from scrubjay.text.lines import newline_of
from scrubjay.vaults.dialects.claude_memory import host
from scrubjay.vaults.dialects.claude_memory.loading import Line, Loaded, loaded, marked, measured, size_of
from scrubjay.vaults.dialects.claude_memory.topics import one_line

__all__ = [
    "HIDDEN",
    "PIN",
    "Entry",
    "Evicted",
    "Index",
    "Loaded",
    "entry_line",
    "evicted",
    "loaded",
    "measured",
    "normal",
    "parse",
    "with_entry",
    "with_hidden",
    "without_dead",
    "without_entry",
]

PIN = "📌"
"""A line with this sign, or with the comment ``<!-- pin -->``, is never taken out of the index."""
HIDDEN = "- {number} more memories are not listed here: they are in this folder, and a search finds them."
"""The line that stands for those that were taken out of an index that was over its limits."""

_ITEM = r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+"
_LINK = (
    r"\[(?P<title>(?:[^\[\]\\]|\\.|\[[^\[\]]*\])*)\]"
    r"\((?:<(?P<angle>[^<>]+)>|(?P<bare>(?:[^()\s<>]|\([^()\s]*\))+))(?:[ \t]+(?:\"[^\"]*\"|'[^']*'))?\)"
)
_WIKI = r"\[\[(?P<wiki>[^\[\]|]+)(?:\|(?P<shown>[^\[\]]*))?\]\]"
# A mark such as a pin, a warning sign or the stars of bold text may stand before the link.
_ENTRY = re.compile(
    rf"(?P<before>{_ITEM}(?:\[[ xX]\][ \t]+)?(?:[^\w\s\[\](){{}}<>`]{{1,8}}[ \t]*){{0,3}})"
    rf"(?:{_LINK}|{_WIKI})(?:\*\*|__)?[ \t]*(?P<dash>—+|–+|―|-{{1,3}}>?|=>|→|:|：|\||·|•|~)?[ \t]*(?P<hook>.*)"
)
_BULLET = re.compile(_ITEM)
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(?P<title>.*?)[ \t]*#*[ \t]*$")
_PINNED = re.compile(rf"{PIN}|<!--\s*pin(?:ned)?\s*-->", re.IGNORECASE)
_HIDDEN = re.compile(re.escape(HIDDEN).replace(r"\{number\}", r"(\d{1,6})"))
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_ENDINGS = (".md", ".markdown")
_LONGEST = 4_000  # characters of a line in which an entry is looked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An index line: the memory at ``path``, relative to the index, under ``heading``. It stands on ``line`` and goes
    on to ``last`` (from 1) where lines below it are indented."""

    title: str
    path: str
    hook: str
    line: int
    last: int
    text: str
    dash: str = ""
    heading: str = ""
    pinned: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """What an index says. ``prose`` are the numbers of the lines that are neither entries nor headings: content that
    belongs in topic files. ``hidden`` is how many memories the index says it does not list."""

    entries: tuple[Entry, ...] = ()
    headings: tuple[str, ...] = ()
    prose: tuple[int, ...] = ()
    hidden: int = 0

    def find(self, path: str) -> Entry | None:
        """The first entry of ``path``."""
        wanted = normal(path)
        return next((entry for entry in self.entries if entry.path == wanted), None)

    @property
    def overlong(self) -> tuple[Entry, ...]:
        """Entries of more than ``LINE_MOST`` characters (CC-F1)."""
        return tuple(entry for entry in self.entries if len(entry.text) > host.LINE_MOST)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evicted:
    """An index that fits, and the entries that were taken out of it for that, least valuable first."""

    text: str
    hidden: tuple[Entry, ...] = ()


def parse(text: str) -> Index:
    """The entries of an index, with every bullet, dash and heading met in the wild."""
    entries: list[Entry] = []
    headings: list[str] = []
    prose: list[int] = []
    hidden = 0
    lines = marked(text)
    done = 0
    for number, line in enumerate(lines, start=1):
        if number <= done or line.kind in ("front", "comment") or not line.content.strip():
            continue
        if line.kind == "code":
            prose.append(number)
        elif heading := _HEADING.match(line.content):
            headings.append(heading["title"])
        elif note := _HIDDEN.fullmatch(line.content.strip()):
            hidden = int(note[1])
        elif entry := _entry(lines, number, headings[-1] if headings else ""):
            entries.append(entry)
            done = entry.last
        else:
            prose.append(number)
    return Index(entries=tuple(entries), headings=tuple(headings), prose=tuple(prose), hidden=hidden)


def with_entry(text: str, path: str, title: str, hook: str, *, heading: str = "") -> str:
    """``text`` with the line of the memory at ``path``: where it stands already, else the last under ``heading``, or
    of all. The line is shortened to ``LINE_TARGET`` characters; further lines of the same memory go."""
    index = parse(text)
    same = [entry for entry in index.entries if entry.path == normal(path)]
    if not same:
        return _inserted(text, index, entry_line(path, title, hook, like=next(reversed(index.entries), None)), heading)
    first = same[0]
    parts = [line.text for line in marked(text)]
    if (one_line(title), one_line(hook)) != (first.title, first.hook):
        wanted = entry_line(path, title, hook, like=first)
        pin = f" {PIN}" if first.pinned and not _PINNED.search(wanted) else ""
        parts[first.line - 1] = wanted + pin + _ending(parts[first.line - 1])
    for entry in same[1:]:
        parts[entry.line - 1 : entry.last] = [""] * (entry.last - entry.line + 1)
    return "".join(parts)


def without_entry(text: str, path: str) -> str:
    """``text`` without the lines of the memory at ``path``."""
    return _without(text, [entry for entry in parse(text).entries if entry.path == normal(path)])


def without_dead(text: str, there: Callable[[str], bool]) -> str:
    """``text`` without the lines of memories that are not ``there``, and without further lines of those that are."""
    seen: set[str] = set()
    gone: list[Entry] = []
    for entry in parse(text).entries:
        if entry.path in seen or not there(entry.path):
            gone.append(entry)
        seen.add(entry.path)
    return _without(text, gone) if gone else text


def entry_line(path: str, title: str, hook: str, *, like: Entry | None = None) -> str:
    """The index line of a memory, in the manner of the entry ``like``, with a hook short enough for ``LINE_TARGET``."""
    bullet = _BULLET.match(like.text) if like else None
    dash = (like.dash if like else "") or "—"
    target = f"<{path}>" if re.search(r"[\s()]", path) else path
    shown = re.sub(r"([\[\]\\])", r"\\\1", one_line(title)) or path
    line = f"{bullet.group() if bullet else '- '}[{shown}]({target})"
    said = one_line(hook)
    return line + _shortened(f"{'' if dash in (':', '：') else ' '}{dash} {said}", host.LINE_TARGET - len(line), said)


def evicted(
    text: str,
    values: Mapping[str, float],
    *,
    keep: Collection[str] = (),
    lines: int = host.INDEX_LINES,
    bytes: int = host.INDEX_BYTES,
) -> Evicted:
    """``text`` made to fit (F104): the entries worth least by ``values`` (path to worth; 0 where it is not named) are
    taken out, of the same worth the older lines first, and one line says how many there are.

    Pinned lines and the paths in ``keep`` stay. What is no entry stays too, so a text may remain over its limits.
    """
    size = loaded(text)
    if size.lines <= lines and size.bytes <= bytes:
        return Evicted(text=text)
    index = parse(text)
    kept = {normal(path) for path in keep}
    candidates = (entry for entry in index.entries if not entry.pinned and entry.path not in kept)
    shown = marked(text)
    note = size_of(HIDDEN) + 2
    over_lines, over_bytes = size.lines + (not index.hidden) - lines, size.bytes + note * (not index.hidden) - bytes
    hidden: list[Entry] = []
    for entry in sorted(candidates, key=lambda entry: (values.get(entry.path, 0.0), entry.line)):
        if over_lines <= 0 and over_bytes <= 0:
            break
        hidden.append(entry)
        over_lines -= entry.last - entry.line + 1
        over_bytes -= sum(size_of(line.text) for line in shown[entry.line - 1 : entry.last])
    if not hidden:
        return Evicted(text=text)
    return Evicted(text=with_hidden(_without(text, hidden), index.hidden + len(hidden)), hidden=tuple(hidden))


def with_hidden(text: str, number: int) -> str:
    """``text`` with the line that says how many memories it does not list, or without it where there are none."""
    note = HIDDEN.format(number=number)
    parts = [line.text for line in marked(text)]
    place = next((place for place, part in enumerate(parts) if _HIDDEN.fullmatch(part.strip())), None)
    if place is None:
        return _inserted(text, parse(text), note, "") if number > 0 else text
    parts[place] = note + _ending(parts[place]) if number > 0 else ""
    return "".join(parts)


def normal(path: str) -> str:
    """``path`` as entries are compared by: decoded, NFC, without ``./`` and what follows a ``#``."""
    path = path.partition("#")[0].strip()
    if "%" in path:
        from urllib.parse import unquote

        path = unquote(path)
    while path.startswith("./"):
        path = path[2:]
    return unicodedata.normalize("NFC", path)


def _entry(lines: Sequence[Line], number: int, heading: str) -> Entry | None:
    content = lines[number - 1].content
    found = _ENTRY.match(content[:_LONGEST])
    if found is None:
        return None
    target = found["angle"] or found["bare"] or f"{found['wiki'].strip().removesuffix('.md')}.md"
    path = normal(target)
    if _SCHEME.match(target) or not path.lower().endswith(_ENDINGS):
        return None
    title = found["shown"] or found["wiki"] or re.sub(r"\\([\[\]\\])", r"\1", found["title"] or "")
    last = number
    width = _indentation(content)
    while last < len(lines) and _goes_on(lines[last], width):
        last += 1
    return Entry(
        title=title.strip(),
        path=path,
        hook=_PINNED.sub("", found["hook"]).strip(),
        line=number,
        last=last,
        text=content,
        dash=found["dash"] or "",
        heading=heading,
        pinned=_PINNED.search(content) is not None,
    )


def _goes_on(line: Line, width: int) -> bool:
    """Whether ``line`` belongs to the entry above it, which is indented by ``width``; an entry of its own does not."""
    content = line.content
    if not content.strip() or line.kind or _indentation(content) <= width:
        return False
    return _ENTRY.match(content[:_LONGEST]) is None


def _indentation(content: str) -> int:
    return len(content) - len(content.lstrip(" \t"))


def _inserted(text: str, index: Index, line: str, heading: str) -> str:
    parts = [part.text for part in marked(text)]
    wanted = heading.casefold()
    own = [entry for entry in index.entries if wanted and entry.heading.casefold() == wanted]
    entries = own or index.entries
    newline = newline_of(text)
    place = entries[-1].last if entries else len(parts)
    if place and not _ending(parts[place - 1]):
        parts[place - 1] += newline
    gap = newline if not entries and parts and parts[-1].strip() else ""
    parts.insert(place, f"{gap}{line}{newline}")
    return "".join(parts)


def _without(text: str, entries: Sequence[Entry]) -> str:
    gone = {number for entry in entries for number in range(entry.line, entry.last + 1)}
    return "".join(line.text for number, line in enumerate(marked(text), start=1) if number not in gone)


def _ending(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]


def _shortened(text: str, most: int, said: str) -> str:
    """``text`` in at most ``most`` characters, cut between words; nothing where nothing is ``said`` or fits."""
    if not said:
        return ""
    if len(text) <= most:
        return text
    cut = text[: max(0, most - 1)].rstrip()
    words = cut.rpartition(" ")[0] if text[len(cut) : len(cut) + 1].strip() else cut
    kept = words if len(words) > most // 2 else cut
    return f"{kept.rstrip(' ,;:—–-')}…" if len(kept) > len(text) - len(said) else ""
