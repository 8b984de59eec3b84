"""The lines of a frontmatter block as entries, and the value of each.

An entry is a key with all the lines that belong to it. Knowing which lines those are is what lets one key change
while every other byte stays (R-COM-4). Real YAML is asked only for values that need it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from scrubjay.text.frontmatter.nested import load
from scrubjay.text.frontmatter.scalars import MAX_LEVELS, TOO_DEEP, NotOneLineError, UnreadableError, scalar, unescape

Report = Callable[[int, str], None]

_QUOTED_KEY = re.compile(r"""("(?:[^"\\]|\\.)*+"|'(?:[^']|'')*+')[ \t]*+:(?=[ \t]|$)""")
_COLON = re.compile(r":(?=[ \t]|$)")
_BELOW = re.compile(r"-(?: |$)|[\]}][\]},\s]*+(?:#.*)?$")
"""Lines that belong to the key above them without being indented: list items, closing brackets."""
_CONFLICT = re.compile(r"(?:<{7}|={7}|>{7}|\|{7})(?: |$)")


@dataclass(frozen=True, slots=True)
class Entry:
    """A key: ``name`` as meant, ``source`` as written, ``inline`` what follows its colon, lines ``first``:``last``."""

    name: str
    source: str
    inline: str
    first: int
    last: int


def key_of(line: str) -> tuple[str, str, str] | None:
    """``(name, as written, what follows the colon)`` where ``line`` (no indentation) begins with a key."""
    line = line.rstrip()
    if line[:1] in ('"', "'"):
        quoted = _QUOTED_KEY.match(line)
        if quoted is None:
            return None
        source = quoted.group(1)
        name = unescape(source[1:-1]) if source[0] == '"' else source[1:-1].replace("''", "'")
        return name, source, line[quoted.end() :].strip()
    if not line or line[0] in " \t#[]{},&*!|>%@`:" or line.startswith(("- ", "? ")):
        return None
    colon = _COLON.search(line)
    if colon is None:
        return None
    source = line[: colon.start()].rstrip()
    return source, source, line[colon.end() :].strip()


def is_conflict_marker(line: str) -> bool:
    """Whether git left ``line`` behind in a merge (F108)."""
    return _CONFLICT.match(line.rstrip()) is not None


def split_entries(lines: Sequence[str], report: Report) -> list[Entry]:
    """The entries of ``lines`` at the indentation of the first; ``report(index, message)`` hears of other lines."""
    entries: list[Entry] = []
    width = _indentation(lines)
    index = 0
    while index < len(lines):
        line = lines[index][width:] if not lines[index][:width].strip() else lines[index].lstrip()
        key = None
        if not _empty(line):
            key = key_of(line)
            if is_conflict_marker(line):
                report(index, "is a merge conflict marker; resolve the conflict first")
            elif key is None:
                report(index, "is not a `key: value` line")
        if key is None:
            index += 1
            continue
        last = _last(lines, index, width)
        entries.append(Entry(*key, first=index, last=last))
        index = last
    return entries


def read_entries(lines: Sequence[str], report: Report, levels: int = MAX_LEVELS) -> dict[str, object]:
    """The values of ``lines`` in order. A value that cannot be read is reported and kept as the text it is."""
    values: dict[str, object] = {}
    for entry in split_entries(lines, report):
        if entry.name in values:
            report(entry.first, f"has the key {entry.name!r} a second time")
        values[entry.name] = read_entry(lines, entry, report, levels)
    return values


def read_entry(lines: Sequence[str], entry: Entry, report: Report, levels: int = MAX_LEVELS) -> object:
    """The value of ``entry``."""
    rest = lines[entry.first + 1 : entry.last]
    try:
        if children := nested_mapping(lines, entry):
            return _read_nested(children, entry, report, levels)
        value = _read_flat(entry, rest, levels)
        if isinstance(value, list) and levels <= 0:
            raise UnreadableError(TOO_DEEP)
        return value
    except NotOneLineError:
        return _read_yaml(rest, entry, report, levels)
    except UnreadableError as error:
        report(entry.first + error.line, f"`{entry.name}` {error}")
        return _as_text(entry, rest)


def _read_flat(entry: Entry, rest: Sequence[str], levels: int) -> object:
    """A value of one line, or a list that needs no YAML."""
    if not rest:
        return scalar(entry.inline)
    if not entry.inline or entry.inline.startswith("# "):
        return _block_list(rest, levels)
    if entry.inline[0] == "[":
        return scalar(" ".join([entry.inline, *(line.strip() for line in rest)]))
    raise NotOneLineError


def nested_mapping(lines: Sequence[str], entry: Entry) -> Sequence[str]:
    """The lines below ``entry`` if they are a block of keys, else none."""
    rest = lines[entry.first + 1 : entry.last]
    if entry.inline and not entry.inline.startswith("# "):
        return ()
    first = next((line for line in rest if not _empty(line)), "")
    return rest if first[:1] in (" ", "\t") and key_of(first.lstrip()) else ()


def _read_nested(children: Sequence[str], entry: Entry, report: Report, levels: int) -> dict[str, object]:
    if levels <= 0:
        raise UnreadableError(TOO_DEEP)
    return read_entries(children, lambda index, message: report(entry.first + 1 + index, message), levels - 1)


def _read_yaml(rest: Sequence[str], entry: Entry, report: Report, levels: int) -> object:
    try:
        value = load("\n".join([f"k: {entry.inline}", *(line.rstrip("\r\n") for line in rest)]) + "\n", levels + 1)
    except UnreadableError as error:
        report(entry.first + min(error.line, len(rest)), f"`{entry.name}` {error}")
        return _as_text(entry, rest)
    return value["k"] if isinstance(value, dict) and set(value) == {"k"} else _as_text(entry, rest)


def _block_list(rest: Sequence[str], levels: int) -> list[object]:
    """A list of one-line items. Anything more is left to YAML."""
    width = _indentation(rest)
    items: list[object] = []
    for number, line in enumerate(rest, start=1):
        if _empty(line):
            continue
        item = line[width + 2 :].strip()
        if line[width : width + 2].rstrip() != "-" or item.startswith("- "):
            raise NotOneLineError
        try:
            items.append(_list_item(item, levels - 1))
        except UnreadableError as error:
            raise UnreadableError(str(error), number) from None
    return items


def _list_item(item: str, levels: int) -> object:
    pair = key_of(item) if item[:1] not in ("[", "{") else None
    value = {pair[0]: scalar(pair[2])} if pair else scalar(item)
    if isinstance(value, (list, dict)) and levels <= 0:
        raise UnreadableError(TOO_DEEP)
    return value


def _last(lines: Sequence[str], first: int, width: int) -> int:
    """The index after the last line of the entry that begins at ``first``; blank and comment lines after it are not
    its own."""
    last = first + 1
    for index in range(first + 1, len(lines)):
        line = lines[index].rstrip()
        body = line.lstrip()
        if not body:
            continue
        own = len(line) - len(body)
        if own > width or (own == width and _BELOW.match(body)):
            last = index + 1
        elif body[0] != "#":
            break
    return last


def _indentation(lines: Sequence[str]) -> int:
    first = next((line for line in lines if not _empty(line)), "")
    return len(first) - len(first.lstrip(" \t"))


def _empty(line: str) -> bool:
    stripped = line.strip()
    return not stripped or stripped[0] == "#"


def _as_text(entry: Entry, rest: Sequence[str]) -> str:
    return "\n".join([entry.inline, *(line.strip() for line in rest)]).strip()
