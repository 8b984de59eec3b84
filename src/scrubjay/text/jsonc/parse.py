"""From text to a tree with exact places, by the grammar of JavaScript, which has comments and trailing commas."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from scrubjay.errors import BadInput

if TYPE_CHECKING:
    import tree_sitter

MOST_BYTES = 16 << 20
_DEPTH = 100
_SCALARS = frozenset({"string", "number", "true", "false", "null", "unary_expression"})


class Malformed(BadInput):
    """The text is not JSON; ``line`` is the 1-based line of what is wrong."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


@dataclass(slots=True)
class Node:
    """A value at the bytes ``start`` to ``end`` (UTF-8). ``kind`` is ``object``, ``array`` or ``scalar``.

    ``items`` are the values inside; of an object ``keys`` are their names, in order, and ``places`` where each member
    begins (its key, or the item itself). ``value`` is what a scalar says.
    """

    kind: str
    start: int
    end: int
    value: Any = None
    keys: list[str] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    items: list[Node] = field(default_factory=list)

    def get(self, key: str) -> Node | None:
        """The value of ``key``; of a key that is there twice the last one, as programs read it."""
        found = [item for name, item in zip(self.keys, self.items, strict=False) if name == key]
        return found[-1] if found else None

    def plain(self) -> Any:
        """The value without places."""
        if self.kind == "object":
            return {key: item.plain() for key, item in zip(self.keys, self.items, strict=True)}
        return [item.plain() for item in self.items] if self.kind == "array" else self.value


def parse(text: str) -> Node:
    """The one value in ``text``. Raises ``Malformed``."""
    data = text.encode("utf-8", "surrogatepass")
    if len(data) > MOST_BYTES:
        raise Malformed(1, "is too big to be settings")
    # Between parentheses an object is a value and not a block of statements.
    tree = _parser().parse(b"(" + data + b"\n)")
    if tree.root_node.has_error:
        raise Malformed(_line_of_error(tree.root_node), "is not JSON here")
    values = [node for node in tree.root_node.named_children if node.type != "comment"]
    inner = values[0].named_children if len(values) == 1 and values[0].type == "expression_statement" else []
    inside = [node for node in inner if node.type == "parenthesized_expression"]
    found = [node for node in inside[0].named_children if node.type != "comment"] if len(inside) == 1 else []
    if len(found) != 1:
        raise Malformed(1, "does not hold one JSON value")
    return _node(found[0], data, 0)


@lru_cache
def _parser() -> tree_sitter.Parser:
    import tree_sitter_javascript
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_javascript.language()))


def _node(found: tree_sitter.Node, data: bytes, depth: int) -> Node:
    if depth > _DEPTH:
        raise Malformed(_line(found), "is nested too deeply")
    start, end = found.start_byte - 1, found.end_byte - 1
    if found.type == "object":
        node = Node("object", start, end)
        for child in found.named_children:
            if child.type == "comment":
                continue
            key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
            if child.type != "pair" or key is None or value is None or key.type != "string":
                raise Malformed(_line(child), "is not a member of a JSON object")
            node.keys.append(_scalar(key, data))
            node.places.append(child.start_byte - 1)
            node.items.append(_node(value, data, depth + 1))
        return node
    if found.type == "array":
        children = [child for child in found.named_children if child.type != "comment"]
        items = [_node(child, data, depth + 1) for child in children]
        return Node("array", start, end, places=[item.start for item in items], items=items)
    if found.type not in _SCALARS:
        raise Malformed(_line(found), "is not a JSON value")
    return Node("scalar", start, end, value=_scalar(found, data))


def _scalar(found: tree_sitter.Node, data: bytes) -> Any:
    source = data[found.start_byte - 1 : found.end_byte - 1].decode("utf-8", "surrogatepass")
    try:
        return json.loads(source, strict=False)
    except ValueError:
        raise Malformed(_line(found), "is not a JSON value") from None


def _line(found: tree_sitter.Node) -> int:
    return int(found.start_point[0]) + 1


def _line_of_error(node: tree_sitter.Node) -> int:
    """The line of the innermost first thing that does not fit."""
    while True:
        wrong = next((child for child in node.children if child.has_error or child.is_missing), None)
        if wrong is None:
            return _line(node)
        node = wrong
