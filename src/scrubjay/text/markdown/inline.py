"""Links and tags in running text: not in code, not in comments."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from scrubjay.text.markdown.blocks import Kind, Structure, structure

_LINK = re.compile(r"\[\[([^\[\]|\r\n]++)(?:\|([^\[\]\r\n]*+))?\]\]")
_TAG = re.compile(r"(?<![^\s(\[,;（，、；。])#(?=[\w/-]*[^\W\d_])([\w/-]++)")
_BACKTICKS = re.compile(r"(\\?)(`++)")
_CODE: frozenset[Kind] = frozenset({"fence", "code", "comment"})


class WikiLink(NamedTuple):
    """``[[target|alias]]`` at ``offset``. ``target`` keeps its ``#heading``; ``alias`` is empty where there is none."""

    target: str
    alias: str
    offset: int


def wiki_links(text: str) -> list[WikiLink]:
    """The wiki links of ``text`` in order, outside code, comments and frontmatter."""
    if "[[" not in text:
        return []
    return [
        WikiLink(match.group(1).strip(), (match.group(2) or "").strip(), match.start())
        for start, end in _prose(text, structure(text), headings=True)
        for match in _LINK.finditer(text, start, end)
    ]


def tags(text: str) -> list[str]:
    """The tags (``#like/this``, without the mark) in the prose of ``text``, each once, in order of appearance.

    Not in code, comments, headings, links or addresses. A tag has at least one letter.
    """
    if "#" not in text:
        return []
    spans = _prose(text, structure(text), headings=False)
    found = (match.group(1).strip("/-") for start, end in spans for match in _TAG.finditer(text, start, end))
    return list(dict.fromkeys(tag for tag in found if tag))


def _prose(text: str, found: Structure, *, headings: bool) -> Iterator[tuple[int, int]]:
    """The stretches of running text: blocks of prose without code spans and inline comments."""
    index = 0
    for kind, lines in groupby(found.kinds, key=lambda kind: _group(kind, headings)):
        count = sum(1 for _ in lines)
        if kind:
            yield from _outside_code(text, found.starts[index], found.starts[index + count])
        index += count


def _group(kind: Kind, headings: bool) -> str:
    """Lines that code spans may reach across share a group; lines that are no prose have none."""
    if kind in _CODE or kind == "blank" or (kind == "heading" and not headings):
        return ""
    return kind


def _outside_code(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """``text[start:end]`` without its code spans (CommonMark 6.1) and inline comments."""
    runs = [(match.start(2), match.end(2), bool(match.group(1))) for match in _BACKTICKS.finditer(text, start, end)]
    by_length: dict[int, list[int]] = defaultdict(list)
    for run_start, run_end, _ in runs:
        by_length[run_end - run_start].append(run_start)
    position = start
    for run_start, run_end, escaped in runs:
        if run_start < position or escaped:
            continue
        same = by_length[run_end - run_start]
        closing = bisect_right(same, run_start)
        if closing < len(same):
            yield from _outside_comments(text, position, run_start)
            position = same[closing] + run_end - run_start
    yield from _outside_comments(text, position, end)


def _outside_comments(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while (opening := text.find("<!--", start, end)) >= 0:
        closing = text.find("-->", opening, end)
        if closing < 0:
            break
        yield start, opening
        start = closing + 3
    yield start, end
