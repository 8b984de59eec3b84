"""What a dream found, did and left, as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from scrubjay.proposals import Applied, Plan

Status = Literal["closed", "locked", "dry run", "nothing", "completed", "partial", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dream:
    """One dream of the notebook of ``scope``.

    ``status`` is ``closed`` when a gate said no and ``locked`` when somebody else dreams, with the ``reason``. ``plan``
    holds what was proposed, ``applied`` what of it was done at once, ``waiting`` how many proposals wait in the inbox.
    ``looked_at`` are memories that were read, ``remarks`` sentences about what only a person can settle; ``left`` is
    how many more proposals the caps of a run left out. ``last`` is when the dream before this one ended.
    """

    scope: str
    status: Status
    reason: str = ""
    last: datetime | None = None
    looked_at: int = 0
    plan: Plan | None = None
    applied: Applied | None = None
    waiting: int = 0
    left: int = 0
    remarks: tuple[str, ...] = field(default=())

    @property
    def operations(self) -> tuple[str, ...]:
        """What ``undo`` takes back."""
        return self.applied.operations if self.applied is not None else ()
