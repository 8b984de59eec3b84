"""One-line values of frontmatter: plain, quoted, and flat lists in brackets.

Plain text is taken as a person means it: a ``#``, a colon or an ``@`` inside belongs to the value (R-COM-3, F30).
``true``, ``null``, ``7`` and ``0.9`` are typed; dates, ``yes``, ``007`` and ``1.10`` stay text, so that whatever is
read can be written again without loss.
"""

from __future__ import annotations

import re

from scrubjay.errors import BadInput

MAX_LEVELS = 3
"""How many containers may stand inside one another below the block itself (SEC-6)."""

TOO_DEEP = f"is nested more than {MAX_LEVELS} levels deep"

_CONSTANTS = {
    "null": None, "Null": None, "NULL": None, "~": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,25})?(e[+-]?[0-9]{1,3})?", re.ASCII)
_DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*+)"[ \t]*+(?:[ \t]#.*)?', re.DOTALL)
_SINGLE = re.compile(r"'((?:[^']|'')*+)'[ \t]*+(?:[ \t]#.*)?", re.DOTALL)
_BLOCK_HEADER = re.compile(r"[|>][0-9+-]{0,2}[ \t]*+(?:#.*)?")
_ITEM = re.compile(
    r"""\s*+(?:("(?:[^"\\]|\\.)*+"|'(?:[^']|'')*+')\s*+|([^,\[\]{}"'][^,\[\]{}]*+))?([,\]])""", re.DOTALL
)
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_SURROGATES = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip


class UnreadableError(BadInput):
    """A value that is not valid; ``line`` counts from the first line of the value."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


class NotOneLineError(BadInput):
    """Not a value of this module: nested, or spread over lines. A YAML reader has to look at it."""


def scalar(source: str) -> object:
    """The value that ``source`` (what stands after the colon) means.

    Raises ``UnreadableError`` for aliases, anchors and tags (SEC-6), ``NotOneLineError`` for what needs real YAML.
    """
    source = source.strip()
    match source[:1]:
        case "":
            return None
        case "#" if source[1:2] in ("", " ", "\t"):
            return None
        case '"':
            return unescape(_whole(_DOUBLE, source))
        case "'":
            return _whole(_SINGLE, source).replace("''", "'")
        case "[":
            return _flat_list(source)
        case "{":
            raise NotOneLineError
        case "&" | "*" | "!":
            raise UnreadableError("begins with a YAML anchor, alias or tag; put the value in quotes")
        case "|" | ">" if _BLOCK_HEADER.fullmatch(source):
            raise NotOneLineError
    return plain(source)


def plain(source: str) -> object:
    """The value of unquoted text: typed only where writing it again gives the same characters."""
    if source in _CONSTANTS:
        return _CONSTANTS[source]
    if not source or source[0] not in "-0123456789":
        return source
    number = _NUMBER.fullmatch(source)
    if number is None:
        return source
    value: int | float = float(source) if number.group(1) or number.group(2) else int(source)
    return value if repr(value) == source else source


def unescape(source: str) -> str:
    """The text between double quotes, its escapes resolved."""
    if "\\" not in source:
        return source
    text = _ESCAPE.sub(_escaped, source)
    return _SURROGATES.sub(lambda pair: pair.group().encode("utf-16-le", "surrogatepass").decode("utf-16-le"), text)


def _escaped(match: re.Match[str]) -> str:
    digits = match.group(1) or match.group(2) or match.group(3)
    if digits is None:
        return _ESCAPES.get(match.group(4), match.group(4))
    number = int(digits, 16)
    return chr(number) if number < 0x110000 else "\ufffd"


def _whole(pattern: re.Pattern[str], source: str) -> str:
    match = pattern.fullmatch(source)
    if match is None:
        raise NotOneLineError
    return match.group(1)


def _flat_list(source: str) -> list[object]:
    items: list[object] = []
    position = 1
    while match := _ITEM.match(source, position):
        quoted, unquoted, mark = match.groups()
        item = (quoted or unquoted or "").strip()
        if item:
            items.append(scalar(item) if quoted else _unquoted_item(item))
        position = match.end()
        if mark == "]":
            rest = source[position:].strip()
            if rest and not rest.startswith("#"):
                break
            return items
    raise NotOneLineError


def _unquoted_item(source: str) -> object:
    if source[0] in "&*!":
        raise UnreadableError("holds a YAML anchor, alias or tag; put the item in quotes")
    return plain(source)
