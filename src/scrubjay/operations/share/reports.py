"""What sharing did, for every door."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from scrubjay.types import Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Withheld:
    """A file that stayed where it was because it holds a secret: where, and by which rule; never what (CC-T2)."""

    path: str
    rule: str
    label: str


@dataclass(slots=True, kw_only=True)
class ExportReport:
    """What was exported. ``skipped`` were left out for a secret, ``refused`` for another reason; ``doubtful`` went
    along and hold something that looks like a secret by the word before it."""

    target: str
    written: list[str] = field(default_factory=list)
    skipped: list[Withheld] = field(default_factory=list)
    doubtful: list[Withheld] = field(default_factory=list)
    refused: list[Problem] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class ImportReport:
    """What was imported: paths as they are here now.

    ``known`` is here already, ``stale`` is an older version of what is here or was deleted here, ``conflicts`` say
    something else than what is here and wait in the inbox at ``proposals``. ``skipped`` hold a secret.
    """

    source: str
    scope: str
    written: list[str] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    proposals: list[str] = field(default_factory=list)
    skipped: list[Withheld] = field(default_factory=list)
    refused: list[Problem] = field(default_factory=list)
    operation: str = ""


@dataclass(slots=True, kw_only=True)
class SyncReport:
    """What a sync did, by path.

    ``taken`` came from the team, ``removed`` were deleted by it, ``merged`` were changed on both sides. ``sent`` went
    to the team, ``withdrawn`` are deletions that did. ``kept`` were deleted on one side and changed on the other since.
    ``conflicts`` were worded differently on both sides: the team's text is here, the own one waits in the inbox at
    ``proposals``. ``skipped`` hold a secret and were neither sent nor taken in; ``refused`` could not be.
    ``operations`` are what ``undo`` takes back, ``commit`` is what the remote is at now.
    """

    remote: str
    taken: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    merged: list[str] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)
    withdrawn: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    proposals: list[str] = field(default_factory=list)
    skipped: list[Withheld] = field(default_factory=list)
    doubtful: list[Withheld] = field(default_factory=list)
    refused: list[Problem] = field(default_factory=list)
    operations: list[str] = field(default_factory=list)
    commit: str = ""

    @property
    def anything(self) -> bool:
        """Whether anything changed, here or there."""
        return bool(self.taken or self.removed or self.merged or self.sent or self.withdrawn or self.conflicts)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareStatus:
    """What would go out at the next sync, as far as is known without asking the remote, and what waits for somebody."""

    folder: Path
    remote: str = ""
    synced: datetime | None = None
    new: Sequence[str] = ()
    changed: Sequence[str] = ()
    deleted: Sequence[str] = ()
    skipped: Sequence[Withheld] = ()
    refused: Sequence[Problem] = ()
    waiting: Sequence[str] = ()
