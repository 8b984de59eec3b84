"""When a line opens an HTML block, and what ends it (CommonMark 4.6)."""

from __future__ import annotations

import re
from typing import NamedTuple


class HtmlBlock(NamedTuple):
    """``end`` is searched for in each line (``None``: a blank line ends it); ``closing`` would end it at once."""

    comment: bool
    end: re.Pattern[str] | None
    closing: str


_TAGS = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt"
    "|fieldset|figcaption|figure|footer|form|frame|frameset|h1|h2|h3|h4|h5|h6|head|header|hr|html|iframe|legend|li"
    "|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th"
    "|thead|title|tr|track|ul"
)
_ATTRIBUTE = r"""[ \t]++[A-Za-z_:][\w:.-]*+(?:[ \t]*+=[ \t]*+(?:[^\s"'=<>`]++|'[^']*+'|"[^"]*+"))?"""
_VERBATIM = re.compile(r"<(script|pre|textarea|style)(?:[\s>]|$)", re.I)
_NAMED = re.compile(rf"</?(?:{_TAGS})(?:\s|/?>|$)", re.I)
_ANY = re.compile(
    rf"<(?:[A-Za-z][A-Za-z0-9-]*+(?:{_ATTRIBUTE})*+[ \t]*+/?|/[A-Za-z][A-Za-z0-9-]*+[ \t]*+)>[ \t]*+$", re.A
)
_VERBATIM_END = re.compile(r"</(?:script|pre|textarea|style)>", re.I)
_ENDS = (
    ("<!--", re.compile("-->"), "-->"),
    ("<?", re.compile(r"\?>"), "?>"),
    ("<![CDATA[", re.compile(r"\]\]>"), "]]>"),
)
_DECLARATION = re.compile(r"<![A-Za-z]")
_UNTIL_BLANK = HtmlBlock(False, None, "")


def html_block(line: str, position: int, *, in_paragraph: bool) -> HtmlBlock | None:
    """The block that opens at the ``<`` at ``position``; a lone unknown tag cannot interrupt a paragraph."""
    verbatim = _VERBATIM.match(line, position)
    if verbatim:
        return HtmlBlock(False, _VERBATIM_END, f"</{verbatim.group(1)}>")
    for start, end, closing in _ENDS:
        if line.startswith(start, position):
            return HtmlBlock(start == "<!--", end, closing)
    if _DECLARATION.match(line, position):
        return HtmlBlock(False, re.compile(">"), ">")
    if _NAMED.match(line, position) or (not in_paragraph and _ANY.match(line, position)):
        return _UNTIL_BLANK
    return None
