"""Code: functions and classes with the comments above them, imports together (SM-21).

A class that is too large is cut at its methods. Code without a grammar, or that does not parse, is cut at blank lines.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrubjay.text.segment.grammars import COMMENT, IMPORT, is_definition, members, name_of, parser_for
from scrubjay.text.segment.pack import Piece, Size, weight
from scrubjay.text.segment.prose import divided, prose_pieces

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_PARSED = 2_000_000
"""Bytes; more than this is data or generated, and is cut at blank lines."""

_MAX_ERRORS = 0.2
_MAX_DEPTH = 4
_OFFSET_STEP = 4096


def code_pieces(text: str, start: int, language: str | None, size: Size) -> list[Piece]:
    """The definitions of ``text`` from ``start``, with the names of class and function as headings."""
    parser = parser_for(language)
    source = text[start:].encode("utf-8", "replace") if parser else b""
    if parser is None or len(source) > MAX_PARSED:
        return prose_pieces(text, start, len(text), size)
    root = parser.parse(source).root_node
    if _errors(root) > _MAX_ERRORS * max(1, len(source)):
        return prose_pieces(text, start, len(text), size)
    return list(_Cutter(text, _Offsets(text, start), size).pieces(root.children, start, len(text), ()))


def _errors(root: Node) -> int:
    """Bytes that the grammar could not read, as far down as it costs little to look."""
    if not root.has_error:
        return 0
    if root.type == "ERROR":
        return root.end_byte - root.start_byte
    return sum(
        child.end_byte - child.start_byte
        for node in root.children
        if node.has_error
        for child in ([node] if node.type == "ERROR" else members(node))
        if child.type == "ERROR"
    )


class _Cutter:
    """Numbers the sections while it walks the definitions."""

    def __init__(self, text: str, offsets: _Offsets, size: Size) -> None:
        self.text = text
        self.offsets = offsets
        self.size = size
        self.section = 0

    def pieces(self, nodes: Sequence[Node], start: int, end: int, path: tuple[str, ...]) -> Iterator[Piece]:
        """The pieces of ``text[start:end]``, in which ``nodes`` stand; every character falls to one of them."""
        units = list(self._units(nodes))
        previous = ""
        for index, unit in enumerate(units):
            kind = _kind(unit.node)
            if kind != previous or kind == "definition":
                self.section += 1
            previous = kind
            first = start if index == 0 else unit.start
            last = units[index + 1].start if index + 1 < len(units) else end
            if first < last:
                yield from self._unit(unit, first, last, path)
        if not units:
            yield from self._cut(start, end, path)

    def _unit(self, unit: _Unit, start: int, end: int, path: tuple[str, ...]) -> Iterator[Piece]:
        name = name_of(unit.node)
        inner = (*path, name) if name else path
        tokens = weight(self.text[start:end], self.size)
        nodes = members(unit.node) if tokens > self.size.max and len(path) < _MAX_DEPTH else []
        if tokens <= self.size.max:
            yield Piece(start, end, tokens, self.section, inner)
        elif len(nodes) < 2 or unit.node.type == "ERROR":
            yield from self._cut(start, end, inner)
        else:
            yield from self.pieces(nodes, start, end, inner)

    def _cut(self, start: int, end: int, path: tuple[str, ...]) -> list[Piece]:
        """A definition that is too large: at blank lines where paragraphs are to stay whole, else at any line."""
        cut = prose_pieces if self.size.whole > self.size.max else divided
        return cut(self.text, start, end, self.size, self.section, path)

    def _units(self, nodes: Sequence[Node]) -> Iterator[_Unit]:
        """``nodes``, comments and decorators joined to what stands right below them or before them on their line."""
        unit: _Unit | None = None
        for node in nodes:
            if unit is not None and unit.takes(node):
                unit = unit.with_node(node)
                continue
            if unit is not None:
                yield unit
            unit = _Unit(self._line_start(self.offsets[node.start_byte]), _last_row(node), node)
        if unit is not None:
            yield unit

    def _line_start(self, offset: int) -> int:
        """The start of the line, where nothing but indentation stands before ``offset``."""
        line = max(self.text.rfind("\n", 0, offset), self.text.rfind("\r", 0, offset)) + 1
        return offset if self.text[line:offset].strip() else line


@dataclass(frozen=True, slots=True)
class _Unit:
    """Nodes that belong together: the offset of the first, the row of the last, and the one that gives the name."""

    start: int
    row: int
    node: Node

    def takes(self, node: Node) -> bool:
        """Whether ``node`` comes next in this unit."""
        waits = COMMENT.search(self.node.type) is not None
        if node.start_point.row == self.row:
            return waits or not node.is_named or COMMENT.search(node.type) is not None
        return waits and node.start_point.row == self.row + 1

    def with_node(self, node: Node) -> _Unit:
        """The unit with ``node`` behind it."""
        names = COMMENT.search(self.node.type) is not None and node.is_named
        return _Unit(self.start, _last_row(node), node if names else self.node)


def _last_row(node: Node) -> int:
    """The row of its last character; some grammars count the line ending of a comment."""
    end = node.end_point
    return end.row - 1 if end.column == 0 and end.row > node.start_point.row else end.row


def _kind(node: Node) -> str:
    if IMPORT.search(node.type):
        return "import"
    return "definition" if is_definition(node) else "statement"


class _Offsets:
    """Character offsets for the byte offsets of the UTF-8 form of ``text[start:]``."""

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.start = start
        self.bytes = [0]
        if not text.isascii():
            for place in range(start, len(text), _OFFSET_STEP):
                self.bytes.append(self.bytes[-1] + len(text[place : place + _OFFSET_STEP].encode("utf-8", "replace")))

    def __getitem__(self, byte: int) -> int:
        if len(self.bytes) == 1:
            return self.start + byte
        step = min(bisect_right(self.bytes, byte), len(self.bytes) - 1) - 1
        place = self.start + step * _OFFSET_STEP
        part = self.text[place : place + _OFFSET_STEP].encode("utf-8", "replace")[: byte - self.bytes[step]]
        return place + len(part.decode("utf-8", "replace"))
