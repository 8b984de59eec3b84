"""The one style in which frontmatter is written (R-COM-3, SM-4, CC-F2): ``key: value``, lists in brackets, one nested
block of two spaces, ``null``, text in double quotes wherever plain text could be misread.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from scrubjay.errors import BadInput
from scrubjay.text.frontmatter.entries import key_of
from scrubjay.text.frontmatter.scalars import MAX_LEVELS, plain

_ALWAYS_QUOTED = frozenset({"title", "topic", "source", "summary", "description"})
"""Keys of running text, quoted by every writer of these formats; shell readers of S0 rely on the quotes (SM-4)."""

_SPECIAL = re.compile("[:#\\[\\]{},&*!|>'\"%@`\\\\\x00-\x1f\x7f-\xa0\xad\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")
_ESCAPED = re.compile('["\\\\\x00-\x1f\x7f-\xa0\xad\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]')
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))?", re.ASCII)
_OTHERWISE_TYPED = re.compile(
    r"[-+.]?[0-9][0-9_.,eExXoOa-fA-F+-]*|[-+]?\.(?:inf|nan)|y|n|yes|no|on|off|<<|=", re.I | re.A
)
_PLAIN_KEY = re.compile(r"\w(?:[\w .-]*[\w.-])?")


def format_entry(name: str, value: object, *, source: str = "", indent: str = "") -> list[str]:
    """The lines, without endings, that say ``name`` is ``value``; ``source`` is the key as it is already written.

    Raises ``BadInput`` for a value that frontmatter cannot hold.
    """
    key = indent + (source or format_key(name))
    if isinstance(value, Mapping) and value and not indent:
        lines = [f"{key}:"]
        for child, inner in value.items():
            lines += format_entry(_text(child, name), inner, indent="  ")
        return lines
    depth = MAX_LEVELS - 1 if indent else MAX_LEVELS
    return [f"{key}: {_flow(value, name, depth, quoted=name in _ALWAYS_QUOTED)}"]


def format_key(name: str) -> str:
    """``name`` as it stands before the colon."""
    if _PLAIN_KEY.fullmatch(name) and (key_of(f"{name}:") or ("",))[0] == name:
        return name
    return _quote(name)


def _flow(value: object, name: str, levels: int, *, quoted: bool = False) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() if abs(value) < 10**18:
            return str(value)
        case float() if math.isfinite(value):
            return repr(value)
        case str():
            return _quote(value) if quoted or _needs_quotes(value) else value
        case list() | tuple() if levels > 0:
            return f"[{', '.join(_flow(item, name, levels - 1) for item in value)}]"
        case Mapping() if levels > 0:
            pairs = (f"{_quote(_text(key, name))}: {_flow(item, name, levels - 1)}" for key, item in value.items())
            return f"{{{', '.join(pairs)}}}"
    raise BadInput(
        f"The frontmatter field {name!r} cannot hold a {type(value).__name__}"
        f"{' nested this deep' if isinstance(value, (list, tuple, Mapping)) else ''}.",
        hint="Use text, numbers, true, false, null, lists and one level of names.",
    )


def _text(key: object, name: str) -> str:
    if not isinstance(key, str):
        raise BadInput(f"The frontmatter field {name!r} holds a name that is not text: {key!r}.")
    return key


def _needs_quotes(value: str) -> bool:
    if _DATE.fullmatch(value):
        return False
    return (
        not value
        or value != value.strip()
        or _SPECIAL.search(value) is not None
        or plain(value) != value
        or _OTHERWISE_TYPED.fullmatch(value) is not None
        or value.startswith(("---", "...", "- ", "? "))
        or value in ("-", "?")
    )


def _quote(value: str) -> str:
    return f'"{_ESCAPED.sub(_escape, value)}"'


def _escape(match: re.Match[str]) -> str:
    letter = match.group()
    return _SHORT.get(letter) or f"\\u{ord(letter):04x}"
