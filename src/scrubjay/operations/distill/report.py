"""How a vault is: categories, clusters, use, candidates, retired memories, health (SM-44). Changes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from scrubjay.errors import ScrubjayError
from scrubjay.operations import indices
from scrubjay.operations.distill import refining, scoring
from scrubjay.operations.distill.pairs import UNCATEGORIZED, cluster, pairs_of
from scrubjay.operations.distill.scoring import Score
from scrubjay.operations.indices import IndexEntry
from scrubjay.operations.store import Store
from scrubjay.temporal import now
from scrubjay.text.tokens import token_count
from scrubjay.vaults.documents import revision

GC_DAYS = 7
_LARGE_BYTES = 3 * scoring.IDEAL_TOKENS  # a character of a script without spaces is a token of three bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What distilling sees. ``scores`` are worst first; ``retired`` are tombstones with the days until they may go, and
    ``None`` for one that does not say since when it is one. ``untidy`` are the memories that refining would mend."""

    scope: str
    scores: tuple[Score, ...]
    retired: tuple[tuple[IndexEntry, int | None], ...]
    total_tokens: int
    untidy: tuple[str, ...] = ()

    @property
    def health(self) -> int:
        """From 0 to 100."""
        return scoring.health(self.scores)

    @property
    def health_name(self) -> str:
        """The same as a word."""
        return scoring.health_name(self.health)

    @property
    def bands(self) -> dict[str, int]:
        """How many memories each band of scores has, worst first (SM-43)."""
        counted = Counter(score.band for score in self.scores)
        return {name: counted[name] for name in scoring.BANDS}

    @property
    def categories(self) -> dict[str, int]:
        """How many memories each category has, most first."""
        counted = Counter(score.entry.category or UNCATEGORIZED for score in self.scores)
        return dict(sorted(counted.items(), key=lambda item: (-item[1], item[0])))

    @property
    def clusters(self) -> dict[str, int]:
        """The same by the first segment of the topic."""
        counted = Counter(cluster(score.entry) for score in self.scores)
        return dict(sorted(counted.items(), key=lambda item: (-item[1], item[0])))

    @property
    def retrievals(self) -> dict[str, int]:
        """How many memories were retrieved never, one to three times, more often."""
        numbers = [score.entry.retrieval_count for score in self.scores]
        return {
            "never": sum(number == 0 for number in numbers),
            "1-3": sum(1 <= number <= 3 for number in numbers),
            "4+": sum(number >= 4 for number in numbers),
        }

    @property
    def most_retrieved(self) -> IndexEntry | None:
        """The memory that was retrieved most."""
        used = [score.entry for score in self.scores if score.entry.retrieval_count]
        return max(used, key=lambda entry: (entry.retrieval_count, entry.id), default=None)

    @property
    def pairs(self) -> list[tuple[IndexEntry, IndexEntry]]:
        """Memories that could be one, the closest first: the one that stays, and the one that goes into it (SM-46)."""
        return pairs_of(self.scores)

    @property
    def metrics(self) -> dict[str, int]:
        """The numbers that the log keeps (SM-50)."""
        counted = scoring.counts(self.scores)
        return {
            "total_memories": len(self.scores),
            "total_tokens": self.total_tokens,
            "health_score": self.health,
            "purge_candidates": counted["purge"],
            "merge_candidates": counted["merge"],
            "compress_candidates": counted["compress"],
        }


def report(store: Store, *, today: date | None = None, thorough: bool = False) -> Report:
    """How the vault of ``store`` is now; ``thorough`` also reads every memory to see which are untidy."""
    day = today or now().date()
    entries = indices.entries(store)
    found = scoring.scores(entries, day, _sizes(store, entries))
    retired = [(entry, days_left(entry, day)) for entry in entries if not entry.active]
    return Report(
        scope=store.scope,
        scores=tuple(found),
        retired=tuple(sorted(retired, key=lambda pair: (pair[1] is None, pair[1], pair[0].id))),
        total_tokens=sum(score.entry.token_count for score in found),
        untidy=tuple(_untidy(store, entries)) if thorough else (),
    )


def days_left(entry: IndexEntry, today: date) -> int | None:
    """Days until a tombstone may go, 0 when it may; ``None`` when nothing says since when it is one."""
    try:
        since = date.fromisoformat(entry.tombstoned_at or "")
    except ValueError:
        return None
    return max(0, (since + timedelta(days=GC_DAYS) - today).days)


def _sizes(store: Store, entries: Iterable[IndexEntry]) -> dict[str, int]:
    """Tokens above the history of memories that may be large (SM-47), by id.

    A ``token_count`` counts the history too, and a text without spaces as a few words; so those are counted anew.
    """
    bytes_of = {path: document.size for path, document in store.index.documents().items()}
    sizes: dict[str, int] = {}
    for entry in entries:
        large = entry.token_count > scoring.IDEAL_TOKENS or bytes_of.get(entry.path, 0) > _LARGE_BYTES
        text = _text(store, entry) if entry.active and large else ""
        if text:
            history = revision.history_of(text)
            above = token_count(text) - token_count(history)
            sizes[entry.id] = above if history else max(entry.token_count, above)
    return sizes


def _untidy(store: Store, entries: Iterable[IndexEntry]) -> Iterator[str]:
    for entry in entries:
        if entry.active and refining.changes(_text(store, entry), asked=True)[0]:
            yield entry.id


def _text(store: Store, entry: IndexEntry) -> str:
    try:
        return store.vault.read(entry.path).text
    except ScrubjayError:
        return ""
