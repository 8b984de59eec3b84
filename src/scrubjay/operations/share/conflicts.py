"""Two versions of a document of which neither may be lost: one is in its place, the other waits in the inbox (F108)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace as changed

from scrubjay.errors import BadInput, NotFound, Refused
from scrubjay.ids import derived_id
from scrubjay.operations.editing import Edits
from scrubjay.operations.gate import guards, inbox
from scrubjay.operations.gate.cleansing import without_secrets
from scrubjay.operations.share.screening import flaw, is_shared, place_of
from scrubjay.operations.store import Store
from scrubjay.proposals import Decision, Done, Proposal, Target
from scrubjay.temporal import now
from scrubjay.types import Document
from scrubjay.vaults.documents import proposal as documents
from scrubjay.vaults.documents.note import read as note_of
from scrubjay.vaults.encoding import to_document

ORIGIN = "share"
OURS = "You and the team worded it differently. The team's text is there; this is yours."
THEIRS = "What was imported says something else than what is here. Yours is there; this is the other."


def keep(
    store: Store, edits: Edits, versions: Sequence[tuple[Document, bytes]], *, rule: str, source: str
) -> list[Proposal]:
    """Puts other versions of documents that are here into the inbox, as part of the open operation."""
    plan = edits.id
    made = [
        without_secrets(_proposal(here, data, plan=plan, key=f"{ORIGIN}-{number}", rule=rule, source=source))
        for number, (here, data) in enumerate(versions, 1)
    ]
    return inbox.put(store, edits, made)


def replace(store: Store, edits: Edits, proposal: Proposal, decision: Decision) -> Done:
    """The version that waited in place of the one that is there; edited by hand it may well be both in one."""
    document = target_of(store, proposal)
    text = text_of(proposal, decision)
    path = proposal.targets[0].path
    stored = edits.create(path, text) if document is None else edits.replace(document, text)
    return Done(action="REPLACE", key=proposal.key, memory_id=documents.stem(stored.path), path=stored.path)


def rematch(store: Store, proposal: Proposal) -> Proposal:
    """The same version, against the document as it is now."""
    document = target_of(store, proposal)
    if document is None:
        return changed(proposal, targets=())
    target = changed(proposal.targets[0], hash=document.hash)
    caution = f"{document.path} changed since this was proposed."
    return changed(proposal, targets=(target,), cautions=tuple(dict.fromkeys([*proposal.cautions, caution])))


def target_of(store: Store, proposal: Proposal) -> Document | None:
    """The document that would be replaced, ``None`` when it is gone. The proposal may have come with somebody's folder,
    so that its path is checked again."""
    if len(proposal.targets) != 1:
        raise BadInput(f"{proposal.key} names no document.", hint="Skip it.")
    path = place_of(proposal.targets[0].path)
    if not is_shared(path, store.dialect):
        raise Refused(f"{path} is no document that is shared.", hint="Skip it.")
    try:
        document = store.vault.read(path)
    except NotFound:
        return None
    guards.require_sound(document)
    return document


def text_of(proposal: Proposal, decision: Decision) -> str:
    """The text that would be written. Raises ``Refused`` for one that could not be shared."""
    text = proposal.body if decision.body is None else decision.body
    line, reason = flaw(proposal.key, text.encode("utf-8", "replace"))
    if reason or not text.strip():
        raise Refused(f"The text, line {max(line, 1)}: {reason or 'it is empty'}.", hint="Mend it, or skip it.")
    return text if text.endswith("\n") else f"{text}\n"


def _proposal(here: Document, data: bytes, *, plan: str, key: str, rule: str, source: str) -> Proposal:
    text = to_document(here.path, data, mtime_ns=0).text
    title = note_of(here).title
    target = Target(id=documents.stem(here.path), path=here.path, hash=here.hash, title=title)
    return Proposal(
        id=derived_id(ORIGIN, here.path, text),
        key=key,
        action="REPLACE",
        rule=rule,
        title=title,
        body=text.removesuffix("\n"),
        targets=(target,),
        source=source,
        origin=ORIGIN,
        plan=plan,
        created=now(),
    )
