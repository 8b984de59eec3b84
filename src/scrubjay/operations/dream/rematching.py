"""A proposal of a dream whose memory changed since: made anew, or not needed any more (F54)."""

from __future__ import annotations

from dataclasses import replace
from datetime import tzinfo

from scrubjay.operations.dream import consolidating
from scrubjay.operations.store import Store
from scrubjay.proposals import Proposal
from scrubjay.temporal import now


def rematch(store: Store, proposal: Proposal, *, zone: tzinfo) -> Proposal:
    """What a dream would propose about the same documents now, under the proposal's own names; SKIP when nothing."""
    paths = [target.path for target in proposal.targets]
    anew = consolidating.propose(store, now=now(), zone=zone, cap=10_000, last=None)
    for found in anew.plan.proposals:
        if found.action == proposal.action and [target.path for target in found.targets] == paths:
            return replace(found, id=proposal.id, key=proposal.key, plan=proposal.plan, path=proposal.path)
    rule = "The memory changed, and there is no need for it any more."
    return replace(proposal, action="SKIP", rule=rule, targets=())
