"""Edits of sections. What is not named keeps its bytes; line endings follow the text (R-COM-5).

A fence or comment that is left open would swallow what is put behind it, so it is closed first; by CommonMark's rule
that an open fence runs to the end, this changes nothing about its meaning.
"""

from __future__ import annotations

import re

from scrubjay.errors import NotFound
from scrubjay.text.lines import newline_of
from scrubjay.text.markdown.blocks import structure
from scrubjay.text.markdown.sections import Section, sections

_ENDING = re.compile(r"\r\n|\r|\n")


def replace_section(text: str, title: str, new_body: str) -> str:
    """``text`` with ``new_body`` below the heading ``title``, in place of all that stands there (subsections too).

    The first heading of that title counts. Raises ``NotFound`` where there is none.
    """
    section = _find(text, title)
    if section is None:
        raise NotFound(f"There is no section {title!r}.")
    return _joined(text[: section.body], new_body, text[section.end :], newline_of(text))


def insert_before_section(text: str, title: str, block: str) -> str:
    """``text`` with ``block`` before the heading ``title``, or at the end where there is none (SM-28)."""
    section = _find(text, title)
    place = section.start if section else len(text)
    return _joined(text[:place], block, text[place:], newline_of(text))


def append_section(text: str, title: str, body: str, *, level: int = 2) -> str:
    """``text`` with ``body`` at the end of section ``title``; the section is made, at the end, where there is none."""
    section = _find(text, title)
    if section:
        return _joined(text[: section.end], body, text[section.end :], newline_of(text))
    return _joined(text, f"{'#' * level} {title}\n\n{body}", "", newline_of(text))


def _find(text: str, title: str) -> Section | None:
    wanted = title.strip()
    return next((section for section in sections(text) if section.level and section.title == wanted), None)


def _joined(before: str, block: str, after: str, newline: str) -> str:
    """The three with one empty line between them; ``before`` and ``after`` keep every byte they have."""
    block = _ENDING.sub(newline, block.strip("\r\n"))
    before = _closed(before, newline)
    if not block.strip():
        return before + after
    if after.strip():
        block = _closed(block + newline, newline)
        return before + _gap(before, newline) + block + newline + after
    return before + _gap(before, newline) + block + newline + after.lstrip("\r\n")


def _closed(text: str, newline: str) -> str:
    unclosed = structure(text).unclosed
    return f"{text}{'' if _ends_line(text) else newline}{unclosed}{newline}" if unclosed else text


def _gap(before: str, newline: str) -> str:
    """What has to stand between ``before`` and a block after an empty line."""
    if not before.strip():
        return ""
    if not _ends_line(before):
        return newline * 2
    return "" if _ends_line(_ENDING.sub("\n", before)[:-1]) else newline


def _ends_line(text: str) -> bool:
    return text.endswith(("\n", "\r"))
