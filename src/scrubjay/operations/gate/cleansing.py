"""Plans and proposals without secrets, whoever wrote them: an agent, a person, a program (SEC-2, F110)."""

from __future__ import annotations

from dataclasses import replace

from scrubjay.operations.redaction import Redaction
from scrubjay.proposals import Decision, Plan, Proposal

_PROPOSED = (
    "title",
    "body",
    "topic",
    "category",
    "tags",
    "summary",
    "key_terms",
    "rule",
    "cautions",
    "values",
    "memory_id",
    "source",
    "source_file",
)
_DECIDED = ("title", "body", "topic", "category", "tags", "target")
_PAIRS = (("title", "body"),)


def plan_without_secrets(plan: Plan) -> Plan:
    """``plan`` with secrets taken out of proposals and answers; its content map says which and where."""
    redaction = Redaction()
    proposals = tuple(_proposal(redaction, one) for one in plan.proposals)
    decisions = {key: _decision(redaction, one, key) for key, one in plan.decisions.items()}
    path = redaction.text(plan.content.path, "path")
    if not redaction.found:
        return plan
    content = replace(plan.content, path=path, redacted=(*plan.content.redacted, *redaction.found))
    return replace(plan, content=content, proposals=proposals, decisions=decisions)


def without_secrets(proposal: Proposal) -> Proposal:
    """``proposal`` with secrets taken out; its ``redacted`` says which and where."""
    redaction = Redaction()
    clean = _proposal(redaction, proposal)
    return replace(clean, redacted=(*proposal.redacted, *redaction.found)) if redaction.found else proposal


def answer_without_secrets(proposal: Proposal, decision: Decision) -> tuple[Proposal, Decision]:
    """Both of them as they would be carried out."""
    redaction = Redaction()
    return _proposal(redaction, proposal), _decision(redaction, decision, proposal.key)


def _proposal(redaction: Redaction, proposal: Proposal) -> Proposal:
    return redaction.fields(proposal, _PROPOSED, pairs=_PAIRS, place=proposal.key)


def _decision(redaction: Redaction, decision: Decision, key: str) -> Decision:
    return redaction.fields(decision, _DECIDED, pairs=_PAIRS, place=f"decision {key}")
