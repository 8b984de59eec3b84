"""Choosing files of a folder, ten to a page (SM-18)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from scrubjay.interfaces.cli import console
from scrubjay.interfaces.render.plain import one_line, width
from scrubjay.proposals import Option

if TYPE_CHECKING:
    from scrubjay.operations.learn.files import Listing

Ask = Callable[[str], str]

_PATH = 70
_HINT = "numbers such as 1 3-5, or all"


def choose(listing: Listing, ask: Ask) -> list[str]:
    """The paths that somebody picks from a folder.

    ``ask`` shows a question and returns the answer: numbers and ranges, ``all`` for every file that is left, and the
    number of the last option for the next page. A page answered without it is the last one.
    """
    from scrubjay.operations.learn import selection

    pages = selection.pages(listing)
    answers: list[list[str]] = []
    for page in pages:
        console.write("\n".join(["", *_options(page.options)]))
        picked = _answer(ask, f"{page.question} {_HINT}", page.options)
        if picked is None:
            answers += [[option.label for option in later.options] for later in pages[len(answers) :]]
            break
        answers.append(picked)
        if selection.CONTINUE not in picked:
            break
    return selection.chosen(listing, answers)


def _options(options: tuple[Option, ...]) -> list[str]:
    names = [one_line(option.label, _PATH) for option in options]
    room = max(map(width, names))
    return [
        f"{number:>3}. {name}{' ' * (room - width(name))}  {option.description}"
        for number, (name, option) in enumerate(zip(names, options, strict=True), 1)
    ]


def _answer(ask: Ask, question: str, options: tuple[Option, ...]) -> list[str] | None:
    """The labels that were chosen; ``None`` for all that are left."""
    while True:
        said = ask(question).strip().casefold()
        if said in ("all", "a"):
            return None
        numbers = _numbers(said)
        if numbers is not None and all(1 <= number <= len(options) for number in numbers):
            return [options[number - 1].label for number in sorted(numbers)]
        console.write_error(f"Numbers from 1 to {len(options)} are needed, such as 1 3-5; or all; or nothing for none.")


def _numbers(said: str) -> set[int] | None:
    found: set[int] = set()
    for part in re.split(r"[\s,]+", said):
        if not part:
            continue
        span = re.fullmatch(r"([0-9]{1,4})(?:-([0-9]{1,4}))?", part)
        if span is None:
            return None
        found |= set(range(int(span.group(1)), int(span.group(2) or span.group(1)) + 1))
    return found
