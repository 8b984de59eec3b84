"""Statements for a vault that others read: proposals in its inbox, never written (design §2.5)."""

from __future__ import annotations

from collections.abc import Sequence

from scrubjay.ids import new_id
from scrubjay.operations.extract.evidence import Evidence
from scrubjay.operations.extract.judging import RuleJudge
from scrubjay.operations.extract.known import Gone, near
from scrubjay.operations.extract.reader import Found
from scrubjay.operations.extract.settling import result
from scrubjay.operations.gate import inbox
from scrubjay.operations.store import Store
from scrubjay.proposals import ContentMap, Plan, Proposal
from scrubjay.temporal import now
from scrubjay.text.plain import shortened
from scrubjay.text.terms import key_terms
from scrubjay.text.tokens import token_count
from scrubjay.types import Session, Verdict

_TITLE = 80
_RULES = RuleJudge()


def propose(
    store: Store, evidence: Sequence[Evidence], session: Session, gone: Gone, *, dry_run: bool = False
) -> list[Found]:
    """Keeps a proposal for each statement that the vault does not know, and says what became of each.

    What waits already, or was decided once, is not proposed again.
    """
    waiting = {proposal.id for proposal in inbox.waiting(store)}
    found: list[Found] = []
    proposals: list[Proposal] = []
    plan, moment = new_id(), now()
    for one in evidence:
        verdict = _RULES.compare(one.candidate, near(store, one.candidate, at=moment, tags=()))
        if one.fact.id in waiting or verdict.relation == "duplicate":
            found.append(result(store, one, "known", other=verdict.fact_id))
        elif one.fact.id in gone.ids:
            found.append(result(store, one, "gone", reason="somebody decided about it before"))
        else:
            key = f"seg-{len(proposals) + 1:03}"
            proposals.append(_proposal(store, one, session, verdict, key=key, plan=plan))
            found.append(result(store, one, "proposed", other=verdict.fact_id))
    if proposals and not dry_run:
        content = ContentMap(mode="extract", path=session.title or session.id)
        inbox.keep(
            store,
            Plan(
                id=plan, mode="extract", created=moment, scope=store.scope, content=content, proposals=tuple(proposals)
            ),
        )
    return found


def _proposal(store: Store, one: Evidence, session: Session, verdict: Verdict, *, key: str, plan: str) -> Proposal:
    text = one.fact.text
    cautions = []
    if verdict.fact_id:
        record = store.index.record(verdict.fact_id)
        cautions = [f"{verdict.reason} Known so far: {record.text if record else verdict.fact_id}"]
    return Proposal(
        id=one.fact.id,
        key=key,
        action="CREATE",
        rule=f"It was said outright ({one.candidate.rule}).",
        title=shortened(text, _TITLE),
        body=_body(one, session),
        category=one.fact.category,
        tags=one.fact.tags,
        summary=shortened(text, _TITLE),
        key_terms=tuple(key_terms(text, 8)),
        tokens=token_count(text),
        cautions=tuple(cautions),
        source=_said(one, session),
        origin="extract",
        plan=plan,
        created=now(),
        scope=store.scope,
    )


def _body(one: Evidence, session: Session) -> str:
    quote = "\n".join(f"> {line}" for line in one.candidate.quote.splitlines())
    return f"{one.fact.text}\n\n{quote}\n\n{_said(one, session)}\n"


def _said(one: Evidence, session: Session) -> str:
    when = f" on {one.message.at:%Y-%m-%d}" if one.message.at else ""
    return f"Said{when} in “{session.title or session.id}”, message {one.message.id}."
