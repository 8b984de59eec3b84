"""Several parts of a source in one memory: which proposals go into which (SM-12)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from scrubjay.errors import BadInput, Refused, ScrubjayError
from scrubjay.proposals import Decision, Plan, Proposal

MOST_TERMS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A decision to carry out. ``others`` go into the same memory: ``whole`` and ``decision`` hold their text as well;
    ``proposal`` is as it was proposed."""

    proposal: Proposal
    decision: Decision
    whole: Proposal
    others: tuple[Proposal, ...] = ()

    @property
    def all(self) -> tuple[Proposal, ...]:
        """Every proposal that this settles."""
        return (self.proposal, *self.others)


def items(plan: Plan) -> tuple[list[Item], list[tuple[Proposal, ScrubjayError]]]:
    """The decisions of ``plan`` in its order, and those that lead nowhere, with the reason."""
    gathered: dict[str, list[Proposal]] = {}
    wrong: list[tuple[Proposal, ScrubjayError]] = []
    for proposal in plan.proposals:
        if proposal.key in plan.decisions and plan.decisions[proposal.key].into is not None:
            try:
                gathered.setdefault(_end(plan, proposal), []).append(proposal)
            except ScrubjayError as error:
                wrong.append((proposal, error))
    found = []
    for proposal in plan.proposals:
        decision = plan.decisions.get(proposal.key)
        if decision is not None and decision.into is None:
            found.append(_item(plan, proposal, gathered.get(proposal.key, [])))
    return found, wrong


def alone(proposal: Proposal) -> Item:
    """``proposal`` as it recommends itself."""
    return Item(proposal=proposal, decision=Decision(action=proposal.action), whole=proposal)


def _end(plan: Plan, proposal: Proposal) -> str:
    """The key of the proposal whose memory takes ``proposal`` in. Raises ``ScrubjayError`` when there is none."""
    seen = {proposal.key}
    here = proposal
    while (into := plan.decisions[here.key].into) is not None:
        here = plan[into]
        if here.key in seen:
            raise BadInput(f"{proposal.key} goes into itself.", hint="Let one of them be CREATE, UPDATE or EXTEND.")
        seen.add(here.key)
        if here.key not in plan.decisions:
            raise Refused(f"{proposal.key} goes into {here.key}, which is not decided.", hint=f"Decide {here.key} too.")
    if plan.decisions[here.key].action == "SKIP":
        raise Refused(f"{proposal.key} goes into {here.key}, which is skipped.", hint="Let it go into another one.")
    return here.key


def _item(plan: Plan, proposal: Proposal, others: Sequence[Proposal]) -> Item:
    decision = plan.decisions[proposal.key]
    if not others:
        return Item(proposal=proposal, decision=decision, whole=proposal)
    parts = (proposal, *others)
    edited = [plan.decisions[part.key].body for part in parts]
    terms = dict.fromkeys(term for part in parts for term in part.key_terms)
    whole = replace(
        proposal,
        body=_joined([part.body for part in parts]),
        key_terms=tuple(terms)[:MOST_TERMS],
        tokens=sum(part.tokens for part in parts),
    )
    bodies = [part.body if body is None else body for part, body in zip(parts, edited, strict=True)]
    body = None if edited == [None] * len(parts) else _joined(bodies)
    return Item(proposal=proposal, decision=replace(decision, body=body), whole=whole, others=tuple(others))


def _joined(bodies: Sequence[str]) -> str:
    return "\n\n".join(body.strip("\r\n") for body in bodies)
