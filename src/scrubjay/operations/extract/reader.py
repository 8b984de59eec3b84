"""What reads conversations, by which limits, and what it reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Literal

from scrubjay.config.sections import ExtractSettings
from scrubjay.ports import Extractor, Judge, Summarizer
from scrubjay.types import Candidate

Outcome = Literal["new", "superseded", "history", "conflict", "proposed", "known", "gone", "capped", "refused"]
STORED: frozenset[Outcome] = frozenset({"new", "superseded", "history", "conflict"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Who finds statements, who compares them, who summarises; ``zone`` is the user's, for relative days (F85)."""

    extractor: Extractor
    judge: Judge
    summarizer: Summarizer
    zone: tzinfo
    settings: ExtractSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One statement and what became of it.

    ``new`` is stored beside what was known, ``superseded`` took the place of another fact, ``history`` held before one
    that is newer, ``conflict`` is stored and contradicts another. ``proposed`` waits in the inbox of a shared vault.
    ``known`` was there; ``gone`` was forgotten, retracted or rejected before; ``capped`` is beyond the limits;
    ``refused`` does not hold, for ``reason``. ``id`` is that of the fact or proposal, ``other`` that of the fact it was
    compared with. ``path`` and ``line`` say where the message stands.
    """

    candidate: Candidate
    session: str
    at: datetime | None
    outcome: Outcome
    reason: str = ""
    id: str = ""
    other: str = ""
    scope: str = ""
    path: str = ""
    line: int = 0


@dataclass(slots=True, kw_only=True)
class Extracted:
    """What was read and what came of it. ``failures`` are conversations that could not be read, with the reason;
    ``waiting`` counts those left for the next run."""

    found: list[Found] = field(default_factory=list)
    sessions: int = 0
    messages: int = 0
    episodes: int = 0
    waiting: int = 0
    failures: list[tuple[str, str]] = field(default_factory=list)

    @property
    def stored(self) -> int:
        """Facts that were written."""
        return sum(one.outcome in STORED for one in self.found)

    @property
    def proposed(self) -> int:
        """Proposals that wait for a decision."""
        return sum(one.outcome == "proposed" for one in self.found)

    @property
    def outcomes(self) -> Counter[Outcome]:
        """How many statements had each outcome."""
        return Counter(one.outcome for one in self.found)

    def add(self, other: Extracted) -> None:
        """Takes in another report."""
        self.found += other.found
        self.sessions += other.sessions
        self.messages += other.messages
        self.episodes += other.episodes
        self.waiting += other.waiting
        self.failures += other.failures


def by_outcome(found: Sequence[Found], *outcomes: Outcome) -> list[Found]:
    """Those of ``found`` with one of ``outcomes``."""
    return [one for one in found if one.outcome in outcomes]
