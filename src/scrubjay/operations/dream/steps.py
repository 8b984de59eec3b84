"""Carrying out what a dream proposed in an agent's notebook: topic files and their lines in the index (CC-D3, XC-8).

What is written is read back before anything is retired (F2); what is retired lies in our trash, and one undo brings all
of it back (F1).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from scrubjay.errors import BadInput, Conflict, NotFound, Refused
from scrubjay.operations.dream import doubles
from scrubjay.operations.editing import Edits
from scrubjay.operations.gate import guards
from scrubjay.operations.notebook import listing, writing
from scrubjay.operations.store import Store
from scrubjay.proposals import Action, Decision, Done, Proposal
from scrubjay.temporal import now
from scrubjay.text.placeholder import placeholder
from scrubjay.types import Document
from scrubjay.vaults.dialects.claude_memory import host, index, topics
from scrubjay.vaults.documents.proposal import stem

LEAST_KEPT = 0.5
"""Share of its lines that a rewritten memory keeps at least (F4, F5)."""


def replace(store: Store, edits: Edits, proposal: Proposal, decision: Decision) -> Done:
    """The text that was proposed in place of the one that is there."""
    document = _target(store, proposal, 0)
    text = text_of(store, proposal, decision)
    stored = edits.replace(document, text) if text != document.text else document
    return _done("REPLACE", proposal, stored.path)


def merge(store: Store, edits: Edits, proposal: Proposal, decision: Decision) -> Done:
    """The second memory's lines into the first; then the second goes to the trash, with its index line."""
    first, second = _target(store, proposal, 0), _target(store, proposal, 1)
    text = text_of(store, proposal, decision)
    stored = edits.replace(first, text) if text != first.text else first
    if lost := missing(second, stored.text):
        raise Conflict(f"{stored.path} would lack {lost[:60]!r} of {second.path}, so nothing was merged.")
    edits.retire(second)
    listing.rewrite(edits, store, lambda listed: index.without_entry(listed, second.path), make=False)
    return _done("MERGE", proposal, stored.path)


def retire(store: Store, edits: Edits, proposal: Proposal, decision: Decision) -> Done:  # noqa: ARG001
    """The memory to the trash, and its line out of the index."""
    document = _target(store, proposal, 0)
    edits.retire(document)
    listing.rewrite(edits, store, lambda listed: index.without_entry(listed, document.path), make=False)
    return _done("RETIRE", proposal, document.path)


STEPS: Mapping[Action, Callable[[Store, Edits, Proposal, Decision], Done]] = MappingProxyType(
    {"REPLACE": replace, "MERGE": merge, "RETIRE": retire}
)


def outcome(store: Store, proposal: Proposal, decision: Decision) -> tuple[Document, str]:
    """The document that ``decision`` is about and its text afterwards, empty for one that leaves."""
    document = _target(store, proposal, 0)
    return document, "" if decision.action == "RETIRE" else text_of(store, proposal, decision)


def text_of(store: Store, proposal: Proposal, decision: Decision) -> str:
    """The whole text that would be written. Raises ``Refused`` for one that would lose what is there."""
    document = _target(store, proposal, 0)
    if decision.action == "MERGE":
        first, second = topics.read(document), topics.read(_target(store, proposal, 1))
        body = decision.body if decision.body is not None else doubles.merged(first.body, second.body)
        text = topics.changed(document.text, modified=now(), body=body, path=document.path)
    else:
        text = proposal.body if decision.body is None else decision.body
        text = text if text.endswith("\n") or not document.text.endswith("\n") else f"{text}\n"
    _require_kept(document, text)
    return text


def missing(document: Document, text: str) -> str:
    """A line of ``document``'s body that ``text`` does not hold; empty when it holds all of them."""
    there = {" ".join(line.split()) for line in text.split("\n")}
    lines = (" ".join(line.split()) for line in topics.read(document).body.split("\n"))
    return next((line for line in lines if line and line not in there), "")


def _require_kept(document: Document, text: str) -> None:
    if document.path == host.INDEX_NAME:
        return  # what it does not list any more is in the files
    if not text.strip():
        raise Refused(f"{document.path} would be empty.", hint="Skip it, or retire the memory.")
    if placeholder(text) and not placeholder(document.text):
        raise Refused(f"The text for {document.path} leaves something out.", hint="Write it in full, or skip it.")
    old = [line.strip() for line in document.text.split("\n") if line.strip()]
    new = [line.strip() for line in text.split("\n") if line.strip()]
    if len(new) < LEAST_KEPT * len(old):
        raise Refused(f"{document.path} would lose most of its lines.", hint="Skip it, or edit it by hand.")


def _target(store: Store, proposal: Proposal, place: int) -> Document:
    """The document that the proposal names; a proposal may have come with somebody's folder."""
    writing.require_notebook(store)
    if place >= len(proposal.targets):
        raise BadInput(f"{proposal.key} names no document.", hint="Skip it.")
    path = proposal.targets[place].path
    if path != host.INDEX_NAME and path not in listing.memories(store):
        raise NotFound(f"There is no memory at {path}.", hint="Skip it.")
    document = store.vault.read(path)
    guards.require_sound(document)
    return document


def _done(action: Action, proposal: Proposal, path: str) -> Done:
    return Done(action=action, key=proposal.key, memory_id=stem(path), path=path)
