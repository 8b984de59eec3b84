"""What a memory is worth to whoever reads only the index: by its type, its age and its use (F104).

What the user said about themselves or corrected outlasts what was noted about a project. Age and use order memories of
one type; neither ever makes an old correction worthless.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from scrubjay.errors import ScrubjayError
from scrubjay.operations.store import Store
from scrubjay.vaults.dialects.claude_memory import topics
from scrubjay.vaults.dialects.claude_memory.topics import Topic

CORRECTIONS = ("user", "feedback")
NEWEST = 20
"""So many of the newest corrections always stay in an index."""
HALF_LIFE = 60.0  # days
_OF_TYPE: Mapping[str | None, float] = {"user": 1.0, "feedback": 1.0, "project": 0.6, "reference": 0.5, None: 0.4}
_LEAST_OF_AGE = 0.4
_COUNTER = "notebook:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known of a memory for this: its type, and when it was changed."""

    type: str | None
    modified: datetime


def known(store: Store, paths: Iterable[str]) -> dict[str, Known]:
    """The memories at ``paths`` that can be read."""
    return {path: Known(type=topic.type, modified=modified) for path, topic, modified in _read(store, paths)}


def newest(store: Store, paths: Iterable[str]) -> list[tuple[str, Topic]]:
    """The memories at ``paths`` that can be read, newest first."""
    found = sorted(_read(store, paths), key=lambda memory: memory[2], reverse=True)
    return [(path, topic) for path, topic, _ in found]


def values(memories: Mapping[str, Known], uses: Mapping[str, int], at: datetime) -> dict[str, float]:
    """The worth of each memory at the moment ``at``, more than 0."""
    return {path: _worth(memory, uses.get(path, 0), at) for path, memory in memories.items()}


def newest_corrections(memories: Mapping[str, Known]) -> list[str]:
    """The paths of the ``NEWEST`` newest memories of what the user is or corrected, newest first."""
    corrections = [path for path, memory in memories.items() if memory.type in CORRECTIONS]
    return sorted(corrections, key=lambda path: memories[path].modified, reverse=True)[:NEWEST]


def used(store: Store, paths: Iterable[str]) -> None:
    """Counts that the memories at ``paths`` were used."""
    for path in paths:
        store.index.count(_COUNTER + path)


def uses(store: Store) -> dict[str, int]:
    """How often each memory was used, as far as the index has seen."""
    counters = store.index.counters()
    return {name.removeprefix(_COUNTER): count for name, count in counters.items() if name.startswith(_COUNTER)}


def _read(store: Store, paths: Iterable[str]) -> Iterator[tuple[str, Topic, datetime]]:
    for path in paths:
        try:
            document = store.vault.read(path)
        except ScrubjayError:  # a dead line of the index
            continue
        topic = topics.read(document)
        yield path, topic, topic.modified or datetime.fromtimestamp((document.mtime_ns or 0) / 1e9, UTC)


def _worth(memory: Known, uses: int, at: datetime) -> float:
    days = max(0.0, (at - memory.modified).total_seconds() / 86_400)
    freshness = _LEAST_OF_AGE + (1 - _LEAST_OF_AGE) * math.exp2(-days / HALF_LIFE)
    return _OF_TYPE.get(memory.type, _OF_TYPE[None]) * freshness * (1 + math.log1p(uses))
