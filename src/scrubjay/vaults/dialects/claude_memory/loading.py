"""What the host loads of an index, and what whoever wrote one is told about its size (CC-L1, CC-L2)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from scrubjay.text.frontmatter.block import body_start
from scrubjay.text.lines import split_lines
from scrubjay.vaults.dialects.claude_memory import host

NEAR = 0.9
"""Share of a limit from which on a writer is reminded of it."""

_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_COMMENT = re.compile(r" {0,3}<!--")


class Line(NamedTuple):
    """A line with its ending. ``kind`` is ``front``, ``code``, ``comment`` or empty; ``shown`` is what is loaded of
    it, ``None`` where nothing is."""

    text: str
    shown: str | None
    kind: str = ""

    @property
    def content(self) -> str:
        """The line without its ending."""
        return self.text.rstrip("\r\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What is loaded of an index: ``text`` with the ``warning`` at its end, if a limit was hit; ``lines`` and
    ``bytes`` count all that would be loaded without limits."""

    text: str
    warning: str
    lines: int
    bytes: int

    @property
    def over(self) -> bool:
        """Whether a limit is exceeded."""
        return self.lines > host.INDEX_LINES or self.bytes > host.INDEX_BYTES

    @property
    def near(self) -> bool:
        """Whether a limit is close or exceeded."""
        return self.lines >= NEAR * host.INDEX_LINES or self.bytes >= NEAR * host.INDEX_BYTES


def loaded(text: str) -> Loaded:
    """What the host loads of an index at the start of a session.

    Frontmatter, and comments that stand as blocks outside code, are left out; then come at most ``INDEX_LINES`` lines,
    and of those at most ``INDEX_BYTES`` bytes, cut after a whole line where there is one and never inside a letter.
    """
    content = "\n".join(line.shown.rstrip("\r\n") for line in marked(text) if line.shown is not None).strip()
    lines = content.split("\n") if content else []
    kept = "\n".join(lines[: host.INDEX_LINES])
    if size_of(kept) > host.INDEX_BYTES:
        cut = kept.encode("utf-8", "replace")[: host.INDEX_BYTES]
        end = cut.rfind(b"\n")
        kept = (cut[:end] if end > 0 else cut).decode("utf-8", "ignore")
    size = Loaded(text=kept, warning="", lines=len(lines), bytes=size_of(content))
    if not size.over:
        return size
    warning = _warning(size, kept.count("\n") + 1)
    return Loaded(text=f"{kept}\n\n{warning}", warning=warning, lines=size.lines, bytes=size.bytes)


def measured(text: str) -> str | None:
    """What whoever wrote an index is told: nothing, that a limit is near, or that one is exceeded and what to do. The
    measure is what is loaded."""
    size = loaded(text)
    if not size.near:
        return None
    state = "over its limit" if size.over else "close to its limit"
    fate = " What is beyond is not loaded." if size.over else ""
    target = f"{host.REWRITE_LINES} lines"
    if size.bytes >= NEAR * host.INDEX_BYTES:
        target += f" and {host.INDEX_BYTES * host.REWRITE_LINES // host.INDEX_LINES:,} bytes"
    return (
        f"{host.INDEX_NAME} is {state}: {size.lines} lines and {size.bytes:,} bytes, of at most {host.INDEX_LINES}"
        f" lines and {host.INDEX_BYTES:,} bytes.{fate} Rewrite it to about {target}: one line a memory, and what it"
        " says in its own file."
    )


def marked(text: str) -> list[Line]:
    """The lines of ``text``, each with what it is. A comment that is never closed is none."""
    lines = split_lines(text)
    front = len(split_lines(text[: body_start(text)]))
    result = [Line(text=line, kind="front", shown=None) for line in lines[:front]]
    last_end = next((place for place in range(len(lines) - 1, -1, -1) if "-->" in lines[place]), -1)
    fence = ""
    while len(result) < len(lines):
        place = len(result)
        line = lines[place]
        found = _FENCE.match(line.rstrip("\r\n"))
        if fence:
            fence = "" if found and _closes(line, found[1], fence) else fence
            result.append(Line(text=line, kind="code", shown=line))
        elif found:
            fence = found[1]
            result.append(Line(text=line, kind="code", shown=line))
        elif place <= last_end and _COMMENT.match(line):
            result += _comment(lines, place) or [Line(text=line, shown=line)]
        else:
            result.append(Line(text=line, shown=line))
    return result


def size_of(text: str) -> int:
    """Bytes of ``text`` on the disk."""
    return len(text.encode("utf-8", "replace"))


def _closes(line: str, marks: str, fence: str) -> bool:
    return marks[0] == fence[0] and len(marks) >= len(fence) and not line.strip().strip(fence[0])


def _comment(lines: Sequence[str], first: int) -> list[Line]:
    """The lines of the comment that begins on the line ``first``; what stands behind its end is loaded."""
    place, start = first, lines[first].index("<!--") + 4
    while place < len(lines) and "-->" not in lines[place][start:]:
        place, start = place + 1, 0
    if place == len(lines):
        return []
    rest = lines[place][start:].partition("-->")[2]
    while rest.lstrip().startswith("<!--") and "-->" in rest:
        rest = rest.partition("-->")[2]
    inner = [Line(text=line, kind="comment", shown=None) for line in lines[first:place]]
    return [*inner, Line(text=lines[place], kind="comment", shown=rest if rest.strip() else None)]


def _warning(size: Loaded, shown: int) -> str:
    limits = [f"{host.INDEX_LINES} lines"] if size.lines > host.INDEX_LINES else []
    limits += [f"{host.INDEX_BYTES:,} bytes"] if size.bytes > host.INDEX_BYTES else []
    return (
        f"> {host.INDEX_NAME} has {size.lines} lines and {size.bytes:,} bytes. Its limit of {' and of '.join(limits)}"
        f" was hit: only its first {shown} lines were loaded. Keep to one line a memory, and details in topic files."
    )
