"""What a decision would make of a memory, to be seen before it is made; nothing is written here (SM-11)."""

from __future__ import annotations

from dataclasses import dataclass

from scrubjay.operations.gate import steps
from scrubjay.operations.gate.cleansing import answer_without_secrets
from scrubjay.operations.store import Store
from scrubjay.proposals import Decision, Proposal
from scrubjay.types import Document
from scrubjay.vaults.documents import revision
from scrubjay.vaults.documents.revision import Revision


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """A memory's own words ``before`` and ``after`` a decision. A new memory has no ``before``, and no ``path`` yet;
    one that is retired, moved to the trash or left alone has no ``after``."""

    path: str = ""
    title: str = ""
    before: str = ""
    after: str = ""


def preview(store: Store, proposal: Proposal, decision: Decision) -> Preview:
    """What ``decision`` would make of the memory it is about.

    Raises ``ScrubjayError`` for a memory that is gone, retired or damaged, and for a text or title that is missing.
    """
    proposal, decision = answer_without_secrets(proposal, decision)
    if decision.action == "SKIP":
        return Preview()
    if decision.action == "CREATE":
        return Preview(after=revision.body_of(steps.new_memory(proposal, decision)))
    if decision.action in ("UPDATE", "EXTEND"):
        document = steps.target_of(store, proposal, decision)
        return _compared(document, _learned(document, proposal, decision))
    if proposal.origin == "dream":
        return _dreamt(store, proposal, decision)
    if decision.action == "REPLACE":
        return _replaced(store, proposal, decision)
    return _distilled(store, proposal, decision)


def _learned(document: Document, proposal: Proposal, decision: Decision) -> str:
    body, change = steps.body_of(proposal, decision), Revision(today=steps.today())
    if decision.action == "UPDATE":
        return revision.update(document.text, body, change)
    return revision.extend(document.text, body, change, source=proposal.source)


def _replaced(store: Store, proposal: Proposal, decision: Decision) -> Preview:
    from scrubjay.operations.share import conflicts

    document = conflicts.target_of(store, proposal)
    after = conflicts.text_of(proposal, decision)
    if document is None:
        return Preview(after=after)
    return Preview(path=document.path, title=_title(document), before=document.text, after=after)


def _dreamt(store: Store, proposal: Proposal, decision: Decision) -> Preview:
    from scrubjay.operations.dream.steps import outcome

    document, after = outcome(store, proposal, decision)
    return Preview(path=document.path, title=_title(document), before=document.text, after=after)


def _distilled(store: Store, proposal: Proposal, decision: Decision) -> Preview:
    from scrubjay.operations.distill.steps import outcome

    document, changed = outcome(store, proposal, decision)
    if decision.action == "REFINE" and changed is not None:
        return Preview(path=document.path, title=_title(document), before=document.text, after=changed)
    if changed is None:
        return Preview(path=document.path, title=_title(document), before=revision.body_of(document.text))
    return _compared(document, changed)


def _compared(document: Document, changed: str) -> Preview:
    return Preview(
        path=document.path,
        title=_title(document),
        before=revision.body_of(document.text),
        after=revision.body_of(changed),
    )


def _title(document: Document) -> str:
    return revision.title_of(document.text)
