"""What must hold before a memory is changed: the file is sound, the text whole, no loss unmeant (F4, F5, F30, F108)."""

from __future__ import annotations

import re

from scrubjay.errors import Refused
from scrubjay.text import frontmatter, markdown
from scrubjay.text.placeholder import placeholder
from scrubjay.types import Document

LONG_LINES = 10
"""From this many lines on, losing more than half of them has to be meant."""

_MARKER = re.compile(r"^(?:<{7}|>{7}) ", re.MULTILINE)
_UTF_8 = frozenset({"utf-8", "utf-8-sig", "ascii"})


def flaw(document: Document) -> str:
    """Why ``document`` must not be changed, with its line; empty when it is sound (F30, F108)."""
    if not document.exact or document.encoding not in _UTF_8:
        return f"{document.path} is not UTF-8 (read as {document.encoding})"
    marker = _MARKER.search(document.text)
    if marker:
        line = document.text.count("\n", 0, marker.start()) + 1
        return f"{document.path}, line {line}: an unresolved merge-conflict marker"
    problems = frontmatter.parse(document.text).problems
    return f"{document.path}, line {problems[0].line}: {problems[0].message}" if problems else ""


def require_sound(document: Document) -> None:
    """Raises ``Refused`` for a document that has a ``flaw``."""
    found = flaw(document)
    if found:
        raise Refused(f"{found}; it was left alone.", hint="Mend the file in an editor, then decide again.")


def conflict(text: str) -> str:
    """The line that begins or ends an unresolved merge conflict in ``text``; empty without any."""
    marker = _MARKER.search(text)
    return text[marker.start() :].partition("\n")[0].rstrip() if marker else ""


def require_whole(body: str, *others: str) -> None:
    """Raises ``Refused`` when ``body`` has a line that stands for left-out text and none of ``others`` has it (F5), and
    when it holds an unresolved merge conflict (F108).

    In prose such a line is never knowledge; in a code block it is, when it was there before.
    """
    marker = conflict(body)
    if marker and _in_prose(body, marker):
        raise Refused(
            f"The text holds an unresolved merge conflict: {marker!r}.",
            hint="Resolve it, then decide again; or skip it.",
        )
    gap = placeholder(body)
    if gap is None:
        return
    if any(gap in other for other in others) and not _in_prose(body, gap):
        return
    raise Refused(
        f"The text leaves something out: {gap!r}.", hint="Put the whole text there, then decide again; or skip it."
    )


def require_meant(old: str, new: str, *, meant: bool) -> None:
    """Raises ``Refused`` when ``new`` has less than half of the lines of ``old``, unless somebody said so (F4, F5)."""
    before, after = lines_of(old), lines_of(new)
    if not meant and before >= LONG_LINES and after * 2 < before:
        raise Refused(
            f"{after} lines would take the place of {before}, and nobody looked at it.",
            hint="Decide it by itself, or choose EXTEND.",
        )


def lines_of(text: str) -> int:
    """How many lines of ``text`` say something."""
    return sum(1 for line in text.splitlines() if line.strip())


def _in_prose(body: str, line: str) -> bool:
    found = markdown.structure(body, 0)
    code = {"fence", "code"}
    return any(
        kind not in code and body[found.starts[number] : found.starts[number + 1]].strip() == line
        for number, kind in enumerate(found.kinds)
    )
