"""How much each memory costs and gives: staleness, no use, size, duplication, and what follows (SM-43, §12.3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice
from types import MappingProxyType

from scrubjay.operations.indices import IndexEntry

PURGE, MERGE, REVIEW = 0.7, 0.5, 0.3
BANDS = ("purge", "merge/compress", "review", "healthy")
DUPLICATE = 0.6
LARGE = 0.5
STALE = 0.8
IDEAL_TOKENS = 600
UNUSED_AFTER = 30  # days
STALE_AFTER = 90
SETTLED_AFTER = 60
SETTLED_BONUS = 0.3
TTL_DAYS: Mapping[str, int] = MappingProxyType({"CONFIG": 180, "TECHNIQUE": 270, "WORKFLOW": 365, "PATTERN": 540})
"""Days after which a memory of a category has outlived itself; the others never do (SM-45)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """What speaks against a memory, each from 0 on, and ``composite`` from 0 to 1. ``age`` is in days, ``idle`` in days
    since it was last retrieved (or made); ``tokens`` are those above its history."""

    entry: IndexEntry
    age: int
    idle: int
    tokens: int
    staleness: float
    unused: bool
    size: float
    duplicate: float
    duplicate_of: str = ""

    @property
    def composite(self) -> float:
        """The whole of it."""
        total = 0.3 * self.staleness + 0.25 * self.unused + 0.2 * self.size + 0.25 * self.duplicate
        return min(1.0, max(0.0, total))

    @property
    def band(self) -> str:
        """One of ``BANDS``."""
        least = zip(BANDS, (PURGE, MERGE, REVIEW, 0.0), strict=True)
        return next(name for name, number in least if self.composite >= number)

    @property
    def flags(self) -> tuple[str, ...]:
        """Single reasons, whatever the whole says."""
        found = (("merge", self.duplicate > DUPLICATE), ("compress", self.size > LARGE), ("review", self.unused))
        return tuple(name for name, holds in found if holds)

    @property
    def over(self) -> int:
        """Days past the time that its category lives; 0 while it does not."""
        lives = TTL_DAYS.get(self.entry.category)
        return max(0, self.age - lives) if lives is not None else 0

    @property
    def purgeable(self) -> bool:
        """Whether it is a candidate of SM-45, which is not the purge band."""
        return self.unused or self.staleness > STALE


def scores(entries: Iterable[IndexEntry], today: date, sizes: Mapping[str, int] | None = None) -> list[Score]:
    """A score for each active memory, worst first. ``sizes`` are tokens above the history, by id, where they differ
    from the whole file's: what was compressed must not count twice (SM-47)."""
    active = [entry for entry in entries if entry.active]
    holders: dict[str, dict[str, None]] = {}  # ids by keyword, each once and in order
    for entry in sorted(active, key=lambda entry: entry.id):
        for word in _words(entry):
            holders.setdefault(word, {})[entry.id] = None
    found = [_score(entry, holders, today, (sizes or {}).get(entry.id, entry.token_count)) for entry in active]
    return sorted(found, key=lambda score: (-score.composite, score.entry.id))


def health(found: Sequence[Score]) -> int:
    """From 100 for a vault without a candidate down to 0 (SM-43)."""
    counted = counts(found)
    return max(0, min(100, 100 - 3 * counted["purge"] - 5 * counted["merge"] - 2 * counted["compress"]))


def health_name(number: int) -> str:
    """``healthy``, ``manageable``, ``concerning`` or ``critical``."""
    return next(
        (name for least, name in ((80, "healthy"), (60, "manageable"), (40, "concerning")) if number >= least),
        "critical",
    )


def counts(found: Sequence[Score]) -> dict[str, int]:
    """How many memories are candidates, by what for."""
    return {
        "purge": sum(score.band == "purge" for score in found),
        "merge": sum("merge" in score.flags for score in found),
        "compress": sum("compress" in score.flags for score in found),
    }


def _score(entry: IndexEntry, holders: Mapping[str, Mapping[str, None]], today: date, tokens: int) -> Score:
    age = _days(entry.created, today) or 0
    used = _days(entry.last_retrieved or "", today)
    idle = age if used is None else used
    stale = min(1.0, idle / STALE_AFTER)
    if entry.retrieval_count > 0 and age > SETTLED_AFTER:
        stale = max(0.0, stale - SETTLED_BONUS)
    shared, other = _closest(entry, holders)
    return Score(
        entry=entry,
        age=age,
        idle=idle,
        tokens=tokens,
        staleness=stale,
        unused=entry.retrieval_count == 0 and age > UNUSED_AFTER,
        size=max(0.0, (tokens - IDEAL_TOKENS) / IDEAL_TOKENS),
        duplicate=shared,
        duplicate_of=other,
    )


def _closest(entry: IndexEntry, holders: Mapping[str, Mapping[str, None]]) -> tuple[float, str]:
    """The largest share of its keywords that another memory has, and whose.

    The rarest words come first: once as many are shared as are left, a word that nearly every memory has can bring up
    nobody better, and is only counted for those that share something already.
    """
    words = sorted(_words(entry), key=lambda word: (len(holders[word]), word))
    shared: dict[str, int] = {}
    best = 0
    for place, word in enumerate(words):
        held, left = holders[word], len(words) - place
        if left == 1 and not best:
            found: Iterable[str] = (id for id in held if id != entry.id)
            shared.update(dict.fromkeys(islice(found, 1), 1))
            break
        for id in list(held if left > best else shared):
            if id != entry.id and id in held:
                shared[id] = shared.get(id, 0) + 1
        best = max(shared.values(), default=0)
    if not shared:
        return 0.0, ""
    most = min(shared, key=lambda id: (-shared[id], id))
    return shared[most] / len(words), most


def overlap(one: Iterable[str], other: Iterable[str]) -> float:
    """The share of common keywords, of the two directions the larger one (SM-46)."""
    mine, theirs = ({word.casefold() for word in words} for words in (one, other))
    return len(mine & theirs) / min(len(mine), len(theirs)) if mine and theirs else 0.0


def _words(entry: IndexEntry) -> frozenset[str]:
    return frozenset(word.casefold() for word in entry.keywords)


def _days(text: str, today: date) -> int | None:
    """Days since a date; ``None`` when it is none: such a memory is of today, since nothing says that it is old."""
    try:
        return max(0, (today - date.fromisoformat(text[:10])).days)
    except ValueError:
        return None
