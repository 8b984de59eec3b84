"""Which memories say much the same: pairs of one cluster that share most of their keywords (SM-46)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from scrubjay.operations.distill.scoring import Score, overlap
from scrubjay.operations.indices import IndexEntry

PAIR = 0.6
_SAME = 2.0
"""Stands before every overlap: two memories with the very same keywords."""

UNCATEGORIZED = "uncategorized"


def cluster(entry: IndexEntry) -> str:
    """The first segment of the topic."""
    return entry.topic.strip("/").partition("/")[0] or UNCATEGORIZED


def pairs_of(scores: Iterable[Score]) -> list[tuple[IndexEntry, IndexEntry]]:
    """Pairs whose keywords overlap enough, the closest first: the memory that stays, and the one that goes into it.

    A memory goes into one other at most, and what it leaves is looked at again in the next run.
    """
    alike: dict[tuple[str, frozenset[str]], list[IndexEntry]] = {}
    for score in scores:
        if score.duplicate > 0:
            words = frozenset(word.casefold() for word in score.entry.keywords)
            alike.setdefault((cluster(score.entry), words), []).append(score.entry)
    found: list[tuple[float, IndexEntry, IndexEntry]] = []
    clusters: dict[str, list[IndexEntry]] = {}
    for (name, _), members in alike.items():
        best, *others = sorted(members, key=_rank)  # of those with the same keywords one speaks for all
        found += [(_SAME, best, other) for other in others]
        clusters.setdefault(name, []).append(best)
    for members in clusters.values():
        near = ((overlap(one.keywords, other.keywords), *ranked(one, other)) for one, other in _sharing(members))
        found += [pair for pair in near if pair[0] >= PAIR]
    return list(_disjoint(sorted(found, key=lambda pair: (-pair[0], pair[1].id, pair[2].id))))


def ranked(one: IndexEntry, other: IndexEntry) -> tuple[IndexEntry, IndexEntry]:
    """The memory that stays, then the one that goes into it (SM-46)."""
    first, second = sorted((one, other), key=_rank)
    return first, second


def _rank(entry: IndexEntry) -> tuple[int, str, str]:
    return -entry.retrieval_count, entry.created or "9999", entry.id


def _disjoint(pairs: Iterable[tuple[float, IndexEntry, IndexEntry]]) -> Iterator[tuple[IndexEntry, IndexEntry]]:
    gone: set[str] = set()
    for _, first, second in pairs:
        if first.id not in gone and second.id not in gone:
            gone.add(second.id)
            yield first, second


def _sharing(members: Sequence[IndexEntry]) -> Iterator[tuple[IndexEntry, IndexEntry]]:
    """Pairs that may share enough, each once: those that have one of the rarer keywords of the smaller in common."""
    words = {entry.id: {word.casefold() for word in entry.keywords} for entry in members}
    holders: dict[str, list[IndexEntry]] = {}
    for entry in members:
        for word in words[entry.id]:
            holders.setdefault(word, []).append(entry)
    for entry in members:
        own = sorted(words[entry.id], key=lambda word: (len(holders[word]), word))
        rare = own[: len(own) - math.ceil(PAIR * len(own)) + 1]
        size = (len(own), entry.id)
        near = {other.id: other for word in rare for other in holders[word]}
        yield from ((entry, other) for other in near.values() if (len(words[other.id]), other.id) > size)
