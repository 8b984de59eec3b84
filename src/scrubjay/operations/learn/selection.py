"""Choosing among the files of a folder, ten at a time, as questions for any door (SM-11, SM-13, SM-18)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from scrubjay.operations.learn.files import Listing, size_text
from scrubjay.proposals import Option, Question

PAGE = 10
CONTINUE = "--- Continue to next page ---"
REMAINING = "{count} more files remaining"


def pages(listing: Listing) -> list[Question]:
    """A question for each ten files. ``key`` is ``page-1`` …; a label is a path, a description its size; while more
    files remain the last option goes on to the next page."""
    count = (listing.total + PAGE - 1) // PAGE
    return [_page(listing, number, count) for number in range(count)]


def chosen(listing: Listing, answers: Sequence[Collection[str]]) -> list[str]:
    """The files that the answered ``pages`` select, in the order of the listing. Selections add up; a page that was
    answered without the option to continue is the last one."""
    picked: set[str] = set()
    for labels in answers:
        picked.update(labels)
        if CONTINUE not in labels:
            break
    return [found.path for found in listing.files if found.path in picked]


def _page(listing: Listing, number: int, count: int) -> Question:
    first = number * PAGE
    shown = listing.files[first : first + PAGE]
    options = [Option(label=found.path, description=size_text(found.size)) for found in shown]
    remaining = listing.total - first - len(shown)
    if remaining:
        options.append(Option(label=CONTINUE, description=REMAINING.format(count=remaining)))
    place = f"page {number + 1}/{count}, showing {first + 1}-{first + len(shown)} of {listing.total}"
    return Question(
        key=f"page-{number + 1}",
        question=f"Which files of {listing.shown} should be learned from? ({place})",
        header="Files",
        options=tuple(options),
        multi_select=True,
    )
