"""Choosing files of a folder, ten to a page (SM-18)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from scrubjay.interfaces.cli import console
from scrubjay.interfaces.render.plain import one_line

PAGE = 10
CONTINUE = "--- Continue to next page ---"

Ask = Callable[[str], str]


def choose(files: Sequence[tuple[str, int]], ask: Ask) -> list[str]:
    """The paths that somebody picks from ``files`` (path and size in bytes).

    ``ask`` shows a question and returns the answer: numbers and ranges, ``all`` for every file that is left, and the
    number of the last option for the next page. A page answered without it is the last one.
    """
    chosen: list[str] = []
    pages = (len(files) + PAGE - 1) // PAGE
    for page in range(pages):
        shown = files[page * PAGE : (page + 1) * PAGE]
        more = len(files) - (page + 1) * PAGE
        console.write("\n".join(_options(shown, more)))
        answer = _answer(ask, _question(page, pages, shown, len(files)), len(shown) + (more > 0))
        if answer is None:
            return [*chosen, *(path for path, _ in files[page * PAGE :])]
        chosen += [shown[number - 1][0] for number in sorted(answer) if number <= len(shown)]
        if more <= 0 or len(shown) + 1 not in answer:
            break
    return chosen


def size(number: int) -> str:
    """``4.1KB``."""
    return f"{number / 1024:.1f}KB"


def _options(shown: Sequence[tuple[str, int]], more: int) -> list[str]:
    lines = [f"{number:>3}. {one_line(path, 90)}  {size(of)}" for number, (path, of) in enumerate(shown, 1)]
    if more > 0:
        lines.append(f"{len(shown) + 1:>3}. {CONTINUE}  {more} more files remaining")
    return lines


def _question(page: int, pages: int, shown: Sequence[tuple[str, int]], total: int) -> str:
    first = page * PAGE + 1
    return f"Which files? (page {page + 1}/{pages}, showing {first}-{first + len(shown) - 1} of {total}; 1 3-5, or all)"


def _answer(ask: Ask, question: str, most: int) -> set[int] | None:
    """The numbers that were chosen; ``None`` for all that are left."""
    while True:
        said = ask(question).strip().casefold()
        if said in ("all", "a"):
            return None
        numbers = _numbers(said)
        if numbers is not None and all(1 <= number <= most for number in numbers):
            return numbers
        console.write_error(f"Numbers from 1 to {most} are needed, such as 1 3-5; or all; nothing for none.")


def _numbers(said: str) -> set[int] | None:
    found: set[int] = set()
    for part in re.split(r"[\s,]+", said):
        if not part:
            continue
        span = re.fullmatch(r"(\d{1,4})(?:-(\d{1,4}))?", part)
        if span is None:
            return None
        found |= set(range(int(span.group(1)), int(span.group(2) or span.group(1)) + 1))
    return found
