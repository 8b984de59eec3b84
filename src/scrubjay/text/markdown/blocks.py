"""The block structure of Markdown, line by line: CommonMark's algorithm for containers and leaves, nothing else.

One pass, linear in the text, no recursion, so that 100,000 headings or a line of 5 MB do no harm. It agrees with
markdown-it-py on where headings, fences and HTML blocks stand (the tests compare them on real documents).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Literal

from scrubjay.text.frontmatter.block import body_start
from scrubjay.text.lines import line_starts
from scrubjay.text.markdown.html import HtmlBlock, html_block

Kind = Literal["blank", "paragraph", "heading", "fence", "code", "html", "comment", "rule", "marker"]
"""What a line belongs to. ``marker`` is a line of nothing but list or quote marks."""

MAX_NESTING = 100
"""Containers inside one another; deeper ones are text."""

_QUOTE = -1
_NOT_SPACE = re.compile(r"[^ ]|$")
_PLAIN = re.compile(r"[^\s#>`~<*+_=0-9-]")
_ATX = re.compile(r"(#{1,6})(?=[ \t]|$)")
_FENCE = re.compile(r"(`{3,}+)[^`]*+$|(~{3,}+)")
_SETEXT = re.compile(r"(=++|-++)[ \t]*+$")
_MARK = re.compile(r"(?:[*+-]|([0-9]{1,9})[.)])(?= |$)")
_DEFINITION = re.compile(r"""[ \t]{0,3}\[[^\[\]]++\]:[ \t]*+\S++[ \t]*+(?:"[^"]*+"|'[^']*+'|\([^()]*+\))?[ \t]*+$""")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading outside lists and quotes. ``title`` is its source without the marks; ``line`` is 1-based;
    ``start`` the offset of its first line, ``end`` the offset behind its last line (ending included)."""

    level: int
    title: str
    line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Structure:
    """The lines of a text and what they are.

    ``starts`` holds the offset of each line and the length of the text; ``kinds`` the kind of each line. ``blocks``
    are the indices of lines where a block begins that lies in no other (each item of a list is one). ``unclosed`` is
    the line that would close what is still open at the end: a fence or an HTML comment.
    """

    starts: list[int]
    kinds: list[Kind]
    blocks: list[int]
    headings: list[Heading]
    unclosed: str


def structure(text: str, start: int | None = None) -> Structure:
    """The structure of ``text`` from offset ``start``, by default behind its frontmatter (whose lines are blank)."""
    scanner = _Scanner(text, body_start(text) if start is None else start)
    return scanner.run()


class _Scanner:
    """The open containers and the open leaf while the lines go by."""

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.starts = line_starts(text)
        self.first = bisect_right(self.starts, start) - 1 if start < len(text) else len(self.starts)
        self.kinds: list[Kind] = ["blank"] * self.first
        self.blocks: list[int] = []
        self.headings: list[Heading] = []
        self.containers: list[int] = []  # _QUOTE, or the width of a list item
        self.leaf: Kind | None = None
        self.leaf_line = 0
        self.fence = ""
        self.html: HtmlBlock | None = None
        self.hollow = False  # the innermost list item has no content yet

    def run(self) -> Structure:
        text, kinds = self.text, self.kinds
        ends = [*self.starts[1:], len(text)]
        for index in range(self.first, len(self.starts)):
            line = text[self.starts[index] : ends[index]].rstrip("\r\n")
            simple = not self.containers and (self.leaf is None or self.leaf == "paragraph")
            if simple and not line:
                self.leaf = None
                kinds.append("blank")
            elif simple and _PLAIN.match(line):
                if self.leaf is None:
                    self._open(index, "paragraph")
                kinds.append("paragraph")
            else:
                kinds.append(self._line(index, line.expandtabs(4) if "\t" in line else line))
        return Structure([*self.starts, len(text)], kinds, self.blocks, self.headings, self._unclosed())

    # --- one line -------------------------------------------------------------------------------------------------

    def _line(self, index: int, line: str) -> Kind:
        position, matched = self._continue_containers(line)
        inside = matched == len(self.containers)
        if inside and self.leaf in ("fence", "html", "comment", "code"):
            kind = self._continue_leaf(line, position)
            if kind is not None:
                return kind
        return self._open_blocks(index, line, position, matched, inside)

    def _continue_containers(self, line: str) -> tuple[int, int]:
        """``(column behind their marks, how many containers)`` go on in ``line``."""
        if not line:
            return 0, self._continued_by_nothing()
        position = matched = 0
        for container in self.containers:
            content = _content(line, position)
            if container == _QUOTE:
                if content - position > 3 or line[content : content + 1] != ">":
                    break
                position = content + 1 + (line[content + 1 : content + 2] == " ")
            elif content == len(line):
                if self.hollow and matched == len(self.containers) - 1:
                    break
                position = min(len(line), position + container)
            elif content - position >= container:
                position += container
            else:
                break
            matched += 1
        return position, matched

    def _continued_by_nothing(self) -> int:
        """How many containers an empty line continues: list items that have content, up to the first quote."""
        if _QUOTE in self.containers:
            return self.containers.index(_QUOTE)
        return len(self.containers) - self.hollow

    def _continue_leaf(self, line: str, position: int) -> Kind | None:
        """What ``line`` is when the open fence, HTML block or indented code goes on; ``None`` when it ends before."""
        content = _content(line, position)
        leaf = self.leaf
        if leaf == "fence":
            closing = line[content:].rstrip(" ") if content - position <= 3 else ""
            if len(closing) >= len(self.fence) and not closing.strip(self.fence[0]):
                self.leaf = None
            return "fence"
        if leaf == "code":
            if content == len(line):
                return "blank"
            if content - position >= 4:
                return "code"
            self.leaf = None
            return None
        return self._continue_html(line, position, blank=content == len(line))

    def _continue_html(self, line: str, position: int, *, blank: bool) -> Kind | None:
        leaf, end = self.leaf, self.html.end if self.html else None
        if end is None and blank:
            self.leaf = None
            return "blank"
        if end is not None and end.search(line, position):
            self.leaf = None
        return leaf

    def _open_blocks(self, index: int, line: str, position: int, matched: int, inside: bool) -> Kind:
        """Opens what begins in ``line`` behind the containers that go on."""
        opened = False
        while True:
            content = _content(line, position)
            if content == len(line):
                return self._blank(line, matched, opened)
            paragraph = self.leaf == "paragraph" and not opened
            if content - position >= 4:
                if paragraph:
                    break
                self._close(matched, opened)
                return self._open(index, "code")
            kind = self._open_leaf(index, line, content, matched, opened, interrupts=paragraph and inside)
            if kind is not None:
                return kind
            width = self._container(line, position, content, interrupts=paragraph and inside)
            if width is None or len(self.containers) >= MAX_NESTING:
                break
            self._close(matched, opened)
            self._begin(index)
            opened = True
            self.containers.append(width)
            if width == _QUOTE:
                position = content + 1 + (line[content + 1 : content + 2] == " ")
            else:
                position = min(len(line), position + width)
                self.hollow = _content(line, position) == len(line)
        if self.leaf == "paragraph" and not opened:
            return "paragraph"
        self._close(matched, opened)
        return self._open(index, "paragraph")

    def _blank(self, line: str, matched: int, opened: bool) -> Kind:
        if not opened and matched < len(self.containers):
            del self.containers[matched:]
            self.hollow = False
        self.leaf = None
        return "marker" if line.strip(" ") else "blank"

    def _container(self, line: str, position: int, content: int, *, interrupts: bool) -> int | None:
        """The container whose mark stands at ``content``: ``_QUOTE`` or the width of a list item."""
        if line[content] == ">":
            return _QUOTE
        mark = _MARK.match(line, content)
        if mark is None:
            return None
        behind = _content(line, mark.end())
        empty = behind == len(line)
        if interrupts and (empty or (mark.group(1) is not None and int(mark.group(1)) != 1)):
            return None
        spaces = behind - mark.end()
        return mark.end() - position + (1 if empty or spaces > 4 else spaces)

    def _open_leaf(
        self, index: int, line: str, content: int, matched: int, opened: bool, *, interrupts: bool
    ) -> Kind | None:
        match line[content]:
            case "#" if atx := _ATX.match(line, content):
                self._close(matched, opened)
                self._open(index, "heading")
                self.leaf = None
                self._heading(index, index, len(atx.group(1)), self._atx_title(index))
                return "heading"
            case "`" | "~" if fence := _FENCE.match(line, content):
                self._close(matched, opened)
                self.fence = fence.group(1) or fence.group(2)
                return self._open(index, "fence")
            case "<" if html := html_block(line, content, in_paragraph=self.leaf == "paragraph" and not opened):
                self._close(matched, opened)
                self.html = html
                kind = self._open(index, "comment" if html.comment else "html")
                if html.end and html.end.search(line, content):
                    self.leaf = None
                return kind
            case "=" | "-" if interrupts and (setext := _SETEXT.match(line, content)):
                if self._setext(index, 1 if setext.group(1)[0] == "=" else 2):
                    return "heading"
        if line[content] in "*-_" and _is_rule(line[content:]):
            self._close(matched, opened)
            self._open(index, "rule")
            self.leaf = None
            return "rule"
        return None

    # --- opening and closing --------------------------------------------------------------------------------------

    def _close(self, matched: int, opened: bool) -> None:
        if not opened:
            del self.containers[matched:]
        self.leaf = None

    def _begin(self, index: int) -> None:
        self.hollow = False
        if not self.containers and (not self.blocks or self.blocks[-1] != index):
            self.blocks.append(index)

    def _open(self, index: int, leaf: Kind) -> Kind:
        self._begin(index)
        self.leaf, self.leaf_line = leaf, index
        return leaf

    def _setext(self, index: int, level: int) -> bool:
        """Turns the open paragraph into a heading, unless it holds nothing but link definitions."""
        first = self.leaf_line
        while first < index and _DEFINITION.match(self._source(first)):
            first += 1
        if first == index and not self.containers:
            return False
        if first > self.leaf_line and not self.containers:
            self.blocks.append(first)
        self.kinds[first:index] = ["heading"] * (index - first)
        self.leaf = None
        title = " ".join(self._source(line).strip() for line in range(first, index)) if not self.containers else ""
        self._heading(first, index, level, title)
        return True

    def _heading(self, first: int, last: int, level: int, title: str) -> None:
        if not self.containers:
            end = self.starts[last + 1] if last + 1 < len(self.starts) else len(self.text)
            self.headings.append(Heading(level, title, first + 1, self.starts[first], end))

    def _atx_title(self, index: int) -> str:
        if self.containers:
            return ""
        source = self._source(index).strip(" \t").lstrip("#").strip(" \t")
        bare = source.rstrip("#")
        return (bare if bare != source and (not bare or bare[-1] in " \t") else source).strip()

    def _source(self, index: int) -> str:
        end = self.starts[index + 1] if index + 1 < len(self.starts) else len(self.text)
        return self.text[self.starts[index] : end].rstrip("\r\n")

    def _unclosed(self) -> str:
        if self.containers:
            return ""
        if self.leaf == "fence":
            return self.fence
        return self.html.closing if self.html and self.leaf in ("html", "comment") else ""


def _content(line: str, position: int) -> int:
    """The column of the first character from ``position`` that is no space, or the length of ``line``."""
    if line[position : position + 1] not in (" ", ""):
        return position
    match = _NOT_SPACE.search(line, position)
    return match.start() if match else len(line)


def _is_rule(line: str) -> bool:
    bare = line.replace(" ", "")
    return len(bare) >= 3 and not bare.strip(bare[0])
