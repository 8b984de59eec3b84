"""Memories that say the same: word for word, or nearly, and nothing differently (F15, F16, F19, F88)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from scrubjay.operations.learn.differences import Statements, differences, in_one_line, wording
from scrubjay.text.analyze import lexemes
from scrubjay.vaults.dialects.claude_memory.topics import Topic

ALIKE = 0.7
"""Share of their words that two memories have in common to be looked at closely."""
MOST_COMPARED = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Double:
    """The memory that stays and the one that goes into it; ``exact``: they say the same word for word."""

    stays: str
    goes: str
    exact: bool
    share: float


def doubles(topics: Mapping[str, Topic], rank: Mapping[str, float]) -> list[Double]:
    """Pairs of ``topics`` (by path), the surest first; each memory goes into one other at most. The one worth more by
    ``rank`` stays."""
    found = [*_exact(topics), *_near(topics)]
    gone: set[str] = set()
    chosen = []
    for one, other, exact, share in sorted(found, key=lambda pair: (not pair[2], -pair[3], pair[0], pair[1])):
        stays, goes = sorted((one, other), key=lambda path: (-rank.get(path, 0.0), len(path), path))
        if stays not in gone and goes not in gone:
            gone.add(goes)
            chosen.append(Double(stays=stays, goes=goes, exact=exact, share=share))
    return chosen


def merged(stays: str, goes: str) -> str:
    """The body ``stays`` with the lines of ``goes`` that it lacks, at its end: nothing of either is lost."""
    known = {" ".join(line.split()) for line in stays.split("\n")}
    more = [line for line in goes.strip("\n").split("\n") if (said := " ".join(line.split())) and said not in known]
    return stays if not more else "\n".join([stays.rstrip(), "", *more, ""])


def _exact(topics: Mapping[str, Topic]) -> Iterator[tuple[str, str, bool, float]]:
    same: dict[str, list[str]] = defaultdict(list)
    for path, topic in topics.items():
        if line := in_one_line(topic.body):
            same[line].append(path)
    for paths in same.values():
        first, *others = sorted(paths)
        yield from ((first, other, True, 1.0) for other in others)


def _near(topics: Mapping[str, Topic]) -> Iterator[tuple[str, str, bool, float]]:
    words = {path: frozenset(lexemes(f"{topic.description or ''} {topic.body}")) for path, topic in topics.items()}
    paths = sorted(topics)[:MOST_COMPARED]
    for one, other in combinations(paths, 2):
        if topics[one].type != topics[other].type:
            continue  # never on likeness alone when the kinds differ
        here, there = words[one], words[other]
        if not here or not there or min(len(here), len(there)) < ALIKE * max(len(here), len(there)):
            continue
        share = len(here & there) / len(here | there)
        if share >= ALIKE and not _differ(topics[one], topics[other]):
            yield one, other, False, share


def _differ(one: Topic, other: Topic) -> bool:
    here, there = Statements(_said(one)), Statements(_said(other))
    if differences(here, there, other.name) or differences(there, here, one.name):
        return True
    mine = {mark for statement in here.all for mark in statement.marks}
    theirs = {mark for statement in there.all for mark in statement.marks}
    return bool(mine ^ theirs) or wording("", one.body).same(wording("", other.body))


def _said(topic: Topic) -> str:
    return f"{topic.description or ''}\n{topic.body}"
