"""What a reader sees of Markdown: words without marks, links without their targets, no HTML, no addresses.

Meant for titles, summaries and terms, where ``](https://…)``, ``class="note"`` and ``{#anchor}`` are noise. Every
pattern is linear in the text. Other markup (HTML, reStructuredText, MDX) loses what it shares with Markdown.
"""

from __future__ import annotations

import html
import re

from scrubjay.text.graphemes import cut_before

_COMMENT = re.compile(r"<!--(?:(?!-->).)*+(?:-->)?|\{/\*(?:(?!\*/).)*+(?:\*/\}?)?", re.DOTALL)
_IMAGE = re.compile(r"!\[([^\[\]\n]*+)\](?:\([^()\s]*+(?:[ \t][^()\n]*+)?\)|\[[^\[\]\n]*+\])?")
_LINK = re.compile(r"\[([^\[\]\n]*+)\]\((?:[^()\n]|\([^()\n]*+\))*+\)|(?<!\w)\[([^\[\]\n]++)\]\[[^\[\]\n]*+\]")
_DEFINITION = re.compile(r"^[ ]{0,3}\[[^\[\]\n]++\]:[ \t]*+\S.*+$", re.MULTILINE)
_WIKI = re.compile(r"!?\[\[([^\[\]|\n]++)(?:\|([^\[\]\n]*+))?\]\]")
_TAG = re.compile(r"(`[^`\n]++`)|<(?:/?[A-Za-z][\w.:-]*+(?:\s[^<>]*+)?/?|[!?][^<>]*+|[ \t]*+)>")
_ADDRESS = re.compile(r"(?:https?://|ftp://|file://|mailto:|www\.)[^\s<>()\[\]\"'`，。；、）]++")
_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]++@[\w-]++\.[\w.-]++")
_ATTRIBUTES = re.compile(r"\{[#.:][^{}\n]*+\}")
_ROLE = re.compile(r":[a-z][a-z+-]*+(?::[a-z+-]++)?:(?=`)|`_{1,2}(?!\w)")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")

_LEAD = re.compile(r"[ \t]*+(?:(?:#{1,6}|>|[-*+•]|\d{1,9}[.)])(?:[ \t]++|$)|\[[ xX]\][ \t]++|\[![A-Za-z]++\][ \t]*+|>)")
_EMPHASIS = re.compile(r"(?<!\\)(?:\*++(?=\S)|(?<=\S)\*++|~~|`++)")
_UNDERSCORES = re.compile(r"(?<![\w\\`])(_{1,3})(?=[^\s_])([^_]*+(?:_(?=\w)[^_]*+)*+)(?<=\S)\1(?![\w`])")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_BEFORE_STOP = re.compile(r" ?\( \)| (?=[.,](?:\s|$))")
_MARKS = re.compile(r"(?<!\w)[*`]+(?=\S)|(?<=\S)[*`]+(?!\w)")
_CLOSING = re.compile(r"(?<![ \t])[ \t]++#++[ \t]*+$")
_UNSHOWN = re.compile("[\u00ad\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]+")
_SENTENCE = re.compile(r"[.!?…][\"'»”)\]]*+(?=\s|$)|[。！？][”’』」）]*+")
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|Mr|Mrs|Dr|St|No|т\.е|т\.д|т\.п|т\.к|др|см|напр)|\b\w|^\d+)$")


_LONGEST_LINE = 4_000  # characters; whoever wants one line wants less


def without_comments(text: str) -> str:
    """``text`` without the comments of HTML and MDX."""
    return _COMMENT.sub(" ", text) if "<!--" in text or "{/*" in text else text


def bare_heading(title: str) -> str:
    """The words of a heading without comments, anchors and emphasis; nothing that says something is lost."""
    return " ".join(_MARKS.sub("", _ATTRIBUTES.sub(" ", without_comments(title))).split()).rstrip(" :：")


def without_markup(text: str) -> str:
    """``text`` without comments, images, link targets, HTML tags, addresses and attributes; lines stay lines."""
    text = without_comments(text)
    if "[" in text:
        text = _IMAGE.sub(" ", text)
        text = _WIKI.sub(lambda link: link.group(2) or link.group(1), text)
        text = _LINK.sub(lambda link: link.group(1) or link.group(2) or "", text)
        text = _DEFINITION.sub("", text)
    if "://" in text or "www." in text or "mailto:" in text:
        text = _ADDRESS.sub(" ", text)
    if "@" in text:
        text = _MAIL.sub(" ", text)
    if "<" in text:
        text = _TAG.sub(lambda tag: tag.group(1) or " ", text)
    if "{" in text:
        text = _ATTRIBUTES.sub(" ", text)
    if "`" in text and (":`" in text or "`_" in text):
        text = _ROLE.sub(" ", text)
    if "&" in text:
        text = _ENTITY.sub(lambda entity: html.unescape(entity.group()), text)
    return text


def fenced(text: str) -> tuple[str, str]:
    """``text`` without its fenced code, and that code. Fences in lists and quotes count too."""
    if "```" not in text and "~~~" not in text:
        return text, ""
    prose: list[str] = []
    code: list[str] = []
    mark = ""
    for line in text.split("\n"):
        bare = line.lstrip(" \t>*+-0123456789.)") if not mark else line.strip(" \t>\r")
        if mark:
            if len(bare) >= len(mark) and bare == mark[0] * len(bare):
                mark = ""
            else:
                code.append(line)
        elif bare.startswith(("```", "~~~")) and "`" not in bare.lstrip("`"):
            mark = bare[: len(bare) - len(bare.lstrip(bare[0]))]
        else:
            prose.append(line)
    return "\n".join(prose), "\n".join(code)


def plain_line(line: str) -> str:
    """One line of Markdown as a reader sees it: no marks at its beginning, no emphasis, nothing invisible, one space
    between words. An image gives its description where it is all there is. Of a very long line only the beginning."""
    line = line[:_LONGEST_LINE]
    shown = _shown(without_markup(line))
    if not shown and (image := _IMAGE.search(line)):
        shown = _shown(image.group(1))
    return shown


def first_sentence(text: str) -> str:
    """The first sentence of ``text`` (one plain line), with its full stop; all of it where it has but one.

    A mark with a small letter behind it ends none, as in ``a ? b : c`` and ``(and so on!) it goes``.
    """
    for end in _SENTENCE.finditer(text):
        if end.group().startswith(".") and _ABBREVIATION.search(text, 0, end.start()):
            continue
        if end.group() == "." or not text[end.end() :].lstrip()[:1].islower():
            return text[: end.end()]
    return text


def shortened(text: str, limit: int) -> str:
    """``text`` in at most ``limit`` characters: cut behind a word where there is one, with ``…`` for the rest."""
    if len(text) <= limit:
        return text
    cut = text[: cut_before(text, limit - 1)] if limit > 1 else ""
    space = cut.rfind(" ")
    if space > limit // 2 and not text[len(cut) : len(cut) + 1].isspace():
        cut = cut[:space]
    return cut.rstrip(" ,;:，；：、-–—(（«“\"'") + "…"


def _shown(line: str) -> str:
    line = line.strip()
    while lead := _LEAD.match(line):
        line = line[lead.end() :]
    line = _CLOSING.sub("", line)
    if "_" in line:
        line = _UNDERSCORES.sub(r"\2", line)
    line = _EMPHASIS.sub("", line)
    if "\\" in line:
        line = _ESCAPE.sub(r"\1", line)
    if not line.isascii():
        line = _UNSHOWN.sub("", line)
    if not line.isprintable():
        line = "".join(letter if letter.isprintable() or letter == "\u200d" else " " for letter in line)
    return _BEFORE_STOP.sub("", " ".join(line.split())).strip("|").strip()
