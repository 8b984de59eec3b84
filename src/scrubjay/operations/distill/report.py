"""How a vault is: categories, clusters, use, candidates, retired memories, health (SM-44). Changes nothing."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta

from scrubjay.errors import ScrubjayError
from scrubjay.operations import indices
from scrubjay.operations.distill import scoring
from scrubjay.operations.distill.scoring import Score
from scrubjay.operations.indices import IndexEntry
from scrubjay.operations.store import Store
from scrubjay.temporal import now
from scrubjay.text.tokens import on_disk_token_count

GC_DAYS = 7
UNCATEGORIZED = "uncategorized"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What distilling sees. ``scores`` are worst first; ``retired`` are tombstones with the days until they may go."""

    scope: str
    scores: tuple[Score, ...]
    retired: tuple[tuple[IndexEntry, int], ...]
    total_tokens: int

    @property
    def health(self) -> int:
        """From 0 to 100."""
        return scoring.health(self.scores)

    @property
    def health_name(self) -> str:
        """The same as a word."""
        return scoring.health_name(self.health)

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


def report(store: Store, *, today: date | None = None) -> Report:
    """How the vault of ``store`` is now."""
    day = today or now().date()
    entries = indices.entries(store)
    found = scoring.scores(entries, day, _sizes(store, entries))
    retired = [(entry, _days_left(entry, day)) for entry in entries if not entry.active]
    return Report(
        scope=store.scope,
        scores=tuple(found),
        retired=tuple(sorted(retired, key=lambda pair: (pair[1], pair[0].id))),
        total_tokens=sum(score.entry.token_count for score in found),
    )


def cluster(entry: IndexEntry) -> str:
    """The first segment of the topic."""
    return entry.topic.strip("/").partition("/")[0] or UNCATEGORIZED


def _sizes(store: Store, entries: list[IndexEntry]) -> dict[str, int]:
    """Tokens above the history of memories that are large with it (SM-47)."""
    from scrubjay.vaults.documents import revision

    sizes = {}
    for entry in entries:
        if entry.active and entry.token_count > scoring.IDEAL_TOKENS:
            try:
                text = store.vault.read(entry.path).text
            except ScrubjayError:
                continue
            history = revision.history_of(text)
            if history:
                sizes[entry.id] = on_disk_token_count(text.replace(history, "", 1))
    return sizes


def _days_left(entry: IndexEntry, today: date) -> int:
    """Days until a tombstone may go; 0 when it may."""
    try:
        since = date.fromisoformat(entry.tombstoned_at or "")
    except ValueError:
        return GC_DAYS
    return max(0, (since + timedelta(days=GC_DAYS) - today).days)
