"""A proposal of distilling whose memory changed since: made anew from what is there now."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from scrubjay.errors import ScrubjayError
from scrubjay.operations import indices
from scrubjay.operations.distill import compressing, pairs, proposing
from scrubjay.operations.distill.report import days_left, report
from scrubjay.operations.distill.scoring import LARGE, Score, overlap
from scrubjay.operations.indices import IndexEntry
from scrubjay.operations.store import Store
from scrubjay.proposals import Proposal
from scrubjay.temporal import now
from scrubjay.types import Document

_MERGED_INTO = re.compile(r"merged_into:(\S+)")


def rematch(store: Store, proposal: Proposal) -> Proposal:
    """``proposal`` on the bytes that its memories have now; SKIP, with the reason, where there is no need any more.

    A memory that was merged into another one meanwhile stands for that one (SM-46 ``Z``).
    """
    known = {name: entry for entry in indices.entries(store) for name in (entry.id, entry.path)}
    try:
        fresh = _fresh(store, proposal, known)
    except _NoNeedError as reason:
        return replace(proposal, action="SKIP", rule=str(reason), cautions=())
    kept = {name: getattr(proposal, name) for name in ("id", "key", "plan", "created", "scope", "path", "origin")}
    return replace(fresh, **kept, cautions=proposal.cautions, rule=f"The memory changed. {fresh.rule}")


def home(known: Mapping[str, IndexEntry], name: str) -> IndexEntry | None:
    """The live memory that ``name`` (id or path) stands for: itself, or the one that it was merged into, over as many
    steps as need be; ``None`` when it is gone or retired."""
    seen: set[str] = set()
    entry = known.get(name)
    while entry is not None and not entry.active:
        into = _MERGED_INTO.fullmatch(entry.tombstone_reason or "")
        seen.add(entry.id)
        entry = known.get(into.group(1)) if into and into.group(1) not in seen else None
    return entry


class _NoNeedError(ScrubjayError):
    """There is nothing left to propose."""


def _fresh(store: Store, proposal: Proposal, known: Mapping[str, IndexEntry]) -> Proposal:
    if not proposal.targets:
        raise _NoNeedError("It names no memory.")
    if proposal.action == "MERGE":
        return _merge(store, proposal, known)
    target = proposal.targets[0]
    entry = known.get(target.path) or known.get(target.id)
    if entry is None:
        raise _NoNeedError("The memory is not there any more.")
    if proposal.action == "DELETE":
        return _delete(store, proposal, entry)
    if not entry.active:
        raise _NoNeedError("The memory is retired already.")
    document = store.vault.read(entry.path)
    if proposal.action == "REFINE":
        fresh = proposing.refining_of(entry, document, asked=True)
        if fresh is None:
            raise _NoNeedError("The memory was mended already.")
        return fresh
    score = next(score for score in report(store).scores if score.entry.path == entry.path)
    return _retire(score, document, proposal) if proposal.action == "RETIRE" else _compress(score, document, proposal)


def _retire(score: Score, document: Document, proposal: Proposal) -> Proposal:
    if not score.purgeable:
        raise _NoNeedError("The memory is in use again.")
    return replace(_on(proposal, score.entry, document), rule=proposing.why_purge(score))


def _compress(score: Score, document: Document, proposal: Proposal) -> Proposal:
    short = compressing.compressed(document.text, score.entry.keywords) if score.size > LARGE else None
    if short is None:
        raise _NoNeedError("The memory is short enough.")
    return replace(_on(proposal, score.entry, document), rule=proposing.why_long(score, short), body=short)


def _merge(store: Store, proposal: Proposal, known: Mapping[str, IndexEntry]) -> Proposal:
    found = [home(known, target.path) or home(known, target.id) for target in proposal.targets[:2]]
    one, other = (*found, None)[:2]
    if one is None or other is None:
        raise _NoNeedError("One of the memories is retired or not there any more.")
    if one.id == other.id:
        raise _NoNeedError("They are one memory already.")
    if overlap(one.keywords, other.keywords) < pairs.PAIR:
        raise _NoNeedError("They do not share most of their keywords any more.")
    first, second = pairs.ranked(one, other)
    return proposing.merging(first, store.vault.read(first.path), second, store.vault.read(second.path))


def _delete(store: Store, proposal: Proposal, entry: IndexEntry) -> Proposal:
    if entry.active:
        raise _NoNeedError("The memory is in use again.")
    if days_left(entry, now().date()) != 0:
        raise _NoNeedError("The memory was retired less than a week ago.")
    return _on(proposal, entry, store.vault.read(entry.path))


def _on(proposal: Proposal, entry: IndexEntry, document: Document) -> Proposal:
    target = replace(proposal.targets[0], path=document.path, hash=document.hash, title=entry.title)
    return replace(proposal, targets=(target,))
