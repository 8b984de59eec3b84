"""One dream: gates, lock, proposals, what may be done alone, and the rest into the inbox (CC-D1 … CC-D4)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from functools import partial
from pathlib import Path
from typing import Literal

from scrubjay.errors import ScrubjayError
from scrubjay.operations.dream import consolidating, gates, rematching
from scrubjay.operations.dream.consolidating import Proposed
from scrubjay.operations.dream.gates import Night
from scrubjay.operations.dream.lock import DreamLock, HeldError, last
from scrubjay.operations.dream.report import Dream
from scrubjay.operations.gate import applying, inbox
from scrubjay.operations.store import Store
from scrubjay.operations.sync import sync
from scrubjay.temporal import now
from scrubjay.types import Fact
from scrubjay.vaults.dialects.claude_memory.topics import Topic

Accept = Literal["safe", "all", "none"]
BY = "--dream"
"""Who decided what a dream did alone (``Plan.by``)."""
_LOOKED = "dream:looked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """How to dream: the policy and the caps of the settings, and what else is known."""

    accept: Accept
    cap: int
    zone: tzinfo
    dry_run: bool = False
    force: bool = False
    facts: Sequence[Fact] = ()
    team: Sequence[tuple[str, Topic]] = ()


def dream(store: Store, night: Night, wish: Wish) -> Dream:
    """Dreams over ``store``. Nothing is read before the gates are open, unless ``wish.force`` says so."""
    moment = now()
    before = last(Path(store.vault.name))
    night = replace(night, last=before, looked=_looked(store))
    if not wish.force and (reason := gates.closed(night, moment)):
        if reason.startswith("Only ") and not wish.dry_run:
            _note_looked(store, moment)
        return Dream(scope=store.scope, status="closed", reason=reason, last=before)
    try:
        with nullcontext() if wish.dry_run else DreamLock(Path(store.vault.name)) as held:
            found = _dreamt(store, wish, before, moment)
            if held is not None and found.status != "failed":
                held.done()
            return found
    except HeldError as error:
        return Dream(scope=store.scope, status="locked", reason=str(error), last=before)


def _dreamt(store: Store, wish: Wish, before: datetime | None, moment: datetime) -> Dream:
    sync(store)
    proposed = consolidating.propose(
        store, now=moment, zone=wish.zone, cap=wish.cap, last=before, facts=wish.facts, team=dict(wish.team)
    )
    told = Dream(
        scope=store.scope,
        status="dry run" if wish.dry_run else "nothing",
        last=before,
        looked_at=proposed.looked_at,
        plan=proposed.plan,
        left=proposed.left,
        remarks=proposed.remarks,
    )
    if wish.dry_run or not proposed.plan.proposals:
        return told
    return _settled(store, wish, proposed, told)


def _settled(store: Store, wish: Wish, proposed: Proposed, told: Dream) -> Dream:
    alone = _alone(proposed, wish.accept)
    plan = proposed.plan.decide({key: proposed.plan[key].action for key in alone}, by=BY)
    try:
        applied = applying.apply(store, plan, rematch=partial(rematching.rematch, store, zone=wish.zone), keep=True)
        kept = inbox.keep(store, replace(plan, proposals=plan.undecided))
    except ScrubjayError as error:
        return replace(told, status="failed", reason=str(error))
    waiting = len(kept.proposals) + len(applied.stale) + len(applied.refused)
    status: Literal["completed", "partial"] = "partial" if waiting else "completed"
    return replace(told, status=status, applied=applied, waiting=waiting)


def _alone(proposed: Proposed, accept: Accept) -> list[str]:
    if accept == "none":
        return []
    keys = [proposal.key for proposal in proposed.plan.proposals]
    return keys if accept == "all" else [key for key in keys if key in proposed.safe]


def _looked(store: Store) -> datetime | None:
    text = store.index.mark(_LOOKED)
    try:
        return datetime.fromisoformat(text) if text else None
    except ValueError:
        return None


def _note_looked(store: Store, moment: datetime) -> None:
    with store.index.writing():
        store.index.set_mark(_LOOKED, moment.isoformat())
