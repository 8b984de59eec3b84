"""Proposals that wait, as documents in ``00-Inbox``: kept, listed, found, changed, rejected (SM-11).

Whoever has the vault may decide: the documents are the queue, and nothing else knows of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import get_args

from scrubjay.errors import BadInput, Conflict, NotFound, ScrubjayError
from scrubjay.operations.editing import Edits, editing
from scrubjay.operations.gate import merging, steps
from scrubjay.operations.gate.cleansing import plan_without_secrets, without_secrets
from scrubjay.operations.gate.known import Contents
from scrubjay.operations.gate.merging import Item
from scrubjay.operations.store import Store
from scrubjay.proposals import ContentMap, Decision, Mode, Plan, Proposal, Target
from scrubjay.temporal import now
from scrubjay.types import Document, Operation, Problem
from scrubjay.vaults.documents import proposal as documents
from scrubjay.vaults.documents import revision
from scrubjay.vaults.documents.fact import strings

CHANGEABLE = ("action", "body", "title", "topic", "category", "tags")
_MODES: tuple[Mode, ...] = get_args(Mode)
_DECISIVE = ("id", "action", "body", "title", "topic", "category", "tags", "targets", "values")


class EditedError(Conflict):
    """A waiting proposal was changed since it was read; ``proposal`` is what it says now."""

    def __init__(self, proposal: Proposal) -> None:
        super().__init__(f"{proposal.path} was changed since it was read.", hint="Look at it again, then decide.")
        self.proposal = proposal


class DecidedError(Conflict):
    """Somebody decided this proposal meanwhile: it does not wait any more."""


def keep(store: Store, plan: Plan) -> Plan:
    """Writes what is left of ``plan`` as documents, one a proposal, and returns the plan with their places.

    An answer that was given and not applied is kept in the proposal, so that nobody has to think twice; it still
    waits. Not kept is what there is nothing to decide about: what is skipped, what the vault says already, and what
    waits already. Secrets are taken out first; the plan's content map names them.
    """
    plan = plan_without_secrets(plan)
    fresh = [item for item in _to_keep(plan) if not item.proposal.path]
    if not fresh:
        return plan
    contents = Contents(store)
    with editing(store, "keep", f"Kept proposals of {plan.content.path or 'a text'} for a decision") as edits:
        answered = plan.decisions
        asked = [item for item in fresh if item.proposal.key not in answered or not _is_known(contents, item)]
        found = [_with_answer(store, item, answered=item.proposal.key in answered) for item in asked]
        kept = {proposal.key: proposal for proposal in put(store, edits, found)}
    return replace(plan, proposals=tuple(kept.get(one.key, one) for one in plan.proposals))


def put(store: Store, edits: Edits, proposals: Sequence[Proposal]) -> list[Proposal]:
    """``proposals`` as documents of the open operation, read back; one that waits already is found there instead."""
    twins = {_purpose(proposal): proposal.path for proposal in waiting(store)}
    kept = []
    for proposal in proposals:
        twin = twins.get(_purpose(proposal))
        if twin is None:
            document = edits.create(documents.path_for(proposal), documents.write(proposal))
        else:
            document = store.vault.read(twin)
        kept.append(replace(documents.read(document, scope=store.scope), key=proposal.key))
    return kept


def with_words(proposal: Proposal, decision: Decision) -> Proposal:
    """``proposal`` with the words that somebody changed about it, whatever they decided."""
    words = {name: getattr(decision, name) for name in CHANGEABLE if name != "action"}
    return _reworded(proposal, {name: value for name, value in words.items() if value is not None})


def waiting(store: Store) -> list[Proposal]:
    """Proposals of ``store`` that wait, oldest first. Damaged documents are left out: see ``damaged``."""
    found = []
    for document in _documents(store):
        try:
            found.append(documents.read(document, scope=store.scope))
        except BadInput:
            continue
    return sorted(found, key=lambda proposal: (proposal.plan, proposal.path))


def damaged(store: Store) -> list[Problem]:
    """Documents of the inbox that claim to be proposals and are none, with the line that is wrong."""
    found = []
    for document in _documents(store):
        try:
            documents.read(document)
        except BadInput as error:
            found.append(Problem(path=document.path, message=error.message))
    return found


def find(store: Store, name: str) -> Proposal:
    """The waiting proposal that ``name`` means in one store; see ``named``."""
    return named([store], name)[1]


def named(stores: Sequence[Store], name: str) -> tuple[Store, Proposal]:
    """The waiting proposal that ``name`` means: its number in the list, id, key, file name or path.

    Raises ``NotFound``, or ``BadInput`` for a name that several have and for a damaged document.
    """
    listed = [(store, proposal) for store in stores for proposal in waiting(store)]
    if name.isascii() and name.isdigit() and 1 <= int(name) <= len(listed):
        return listed[int(name) - 1]
    found = [(store, one) for store, one in listed if name in _names(one.path, one.id, one.key)]
    if len(found) == 1:
        return found[0]
    if found:
        raise BadInput(f"{name!r} means {len(found)} proposals.", hint="Use the number that `scrubjay inbox` shows.")
    for store in stores:
        for document in _documents(store):
            if name in _names(document.path):
                documents.read(document)  # says what is wrong with it
    raise NotFound(f"No proposal that waits is called {name!r}.", hint="List them with `scrubjay inbox`.")


def as_plan(store: Store, proposals: Sequence[Proposal]) -> Plan:
    """Waiting proposals as a plan, to be decided and applied like a new one. Raises ``BadInput`` without any."""
    if not proposals:
        raise BadInput("There is no proposal to decide.", hint="List them with `scrubjay inbox`.")
    first = proposals[0]
    mode: Mode = next((known for known in _MODES if known == first.origin), "text")
    keys = Counter(proposal.key for proposal in proposals)
    ids = Counter(proposal.id for proposal in proposals)
    distinct = (
        # A copied document has the id of the other one, too.
        one if keys[one.key] == 1 else replace(one, key=one.id if ids[one.id] == 1 else one.path)
        for one in proposals
    )
    return Plan(
        id=first.plan or first.id,
        mode=mode,
        created=first.created or now(),
        scope=store.scope,
        content=ContentMap(mode=mode),
        proposals=tuple(distinct),
    )


def reject(store: Store, proposal: Proposal) -> Operation:
    """Retires a waiting proposal to the trash; ``undo`` brings it back. Raises ``Conflict`` when it is gone."""
    title = without_secrets(proposal).title
    with editing(store, "reject", f"Rejected: {title or proposal.key}") as edits:
        edits.retire(_current(store, proposal))
    return next(operation for operation in store.index.operations() if operation.id == edits.id)


def amend(store: Store, proposal: Proposal, **changes: object) -> Proposal:
    """Changes what a waiting proposal says and returns it as read back.

    Raises ``BadInput`` for another field or value, ``Conflict`` when it was decided or changed meanwhile.
    """
    changed = without_secrets(_reworded(proposal, changes))
    with editing(store, "amend", f"Changed the proposal: {changed.title or changed.key}") as edits:
        document = unchanged(store, proposal)
        stored = edits.replace(document, documents.revise(document.text, changed))
        # What was written has to be readable as the same, or the whole change is taken back.
        return replace(documents.read(stored, scope=store.scope), redacted=changed.redacted)


def unchanged(store: Store, proposal: Proposal) -> Document:
    """The document of a waiting proposal, whatever secrets were taken out of ``proposal`` since it was read.

    Raises ``DecidedError`` when somebody decided it meanwhile, ``EditedError`` when it says something else by now.
    """
    document = _current(store, proposal)
    here = documents.read(document, scope=store.scope)
    given, there = without_secrets(proposal), without_secrets(here)
    if any(getattr(there, name) != getattr(given, name) for name in _DECISIVE):
        raise EditedError(there)
    return document


def _current(store: Store, proposal: Proposal) -> Document:
    if not proposal.path.startswith(f"{documents.FOLDER}/"):
        raise BadInput(f"{proposal.path or proposal.key} is no document of {documents.FOLDER}.")
    try:
        document = store.vault.read(proposal.path)
    except NotFound:
        raise DecidedError(
            f"{proposal.title or proposal.key} was decided already.", hint="List what waits with `scrubjay inbox`."
        ) from None
    if documents.read(document).id != proposal.id:
        raise DecidedError(f"{proposal.path} holds another proposal by now.", hint="List them with `scrubjay inbox`.")
    return document


def _documents(store: Store) -> list[Document]:
    """Documents of the inbox that claim to be proposals, read from the disk: others may have put them there."""
    found = []
    for entry in store.vault.entries():
        if entry.path.startswith(f"{documents.FOLDER}/"):
            try:
                document = store.vault.read(entry.path)
            except ScrubjayError:
                continue
            if documents.is_proposal(document):
                found.append(document)
    return found


def _to_keep(plan: Plan) -> list[Item]:
    """What is left to decide; proposals that an answer puts into another one are in it already."""
    answered, _ = merging.items(plan)
    taken = {other.key for item in answered for other in item.others}
    settled = {item.proposal.key: item for item in answered}
    items = [settled.get(one.key) or merging.alone(one) for one in plan.proposals if one.key not in taken]
    return [item for item in items if item.decision.action != "SKIP"]


def _is_known(contents: Contents, item: Item) -> bool:
    try:
        return contents.known(item.whole, item.decision) is not None
    except ScrubjayError:
        return False


def _with_answer(store: Store, item: Item, *, answered: bool) -> Proposal:
    """The proposal with what was answered about it."""
    if not answered:
        return item.proposal
    decision = item.decision
    changed = with_words(replace(item.whole, action=decision.action), decision)
    if decision.target is not None:
        try:
            document = steps.target_of(store, item.proposal, decision)
        except ScrubjayError:
            return changed  # what is wrong with the target is said when it is decided
        own = next((target for target in item.proposal.targets if target.path == document.path), None)
        target = Target(
            id=documents.stem(document.path),
            path=document.path,
            hash=document.hash,
            title=revision.title_of(document.text),
        )
        changed = replace(changed, targets=(own or target,))
    return changed


def _reworded(proposal: Proposal, changes: Mapping[str, object]) -> Proposal:
    """``proposal`` with ``changes``; a title or topic for a memory that exists becomes a field to set."""
    values = dict(changes)
    unknown = next((name for name in values if name not in CHANGEABLE), None)
    if unknown is not None:
        raise BadInput(f"A proposal has no {unknown} to change.", hint=f"Change {', '.join(CHANGEABLE)}.")
    if isinstance(values.get("tags"), str | list | tuple):
        values["tags"] = strings(values["tags"])
    for name, value in values.items():
        if not isinstance(value, tuple if name == "tags" else str):
            raise BadInput(f"{name} must be {'a list of strings' if name == 'tags' else 'a string'}.")
    if isinstance(values.get("action"), str):
        values["action"] = str(values["action"]).strip().upper()
        if values["action"] not in proposal.choices:
            raise BadInput(
                f"action must be one of {', '.join(proposal.choices)}, not {values['action']!r}.",
            )
    changed = replace(proposal, **values)  # type: ignore[arg-type]
    if changed.action in ("UPDATE", "EXTEND"):
        fields: dict[str, object] = {name: values[name] for name in ("title", "topic") if name in values}
        changed = replace(changed, values={**changed.values, **fields})
    return changed


def _purpose(proposal: Proposal) -> tuple[str, str, tuple[str, ...]]:
    """What makes two waiting proposals the same one (F22)."""
    return proposal.action, proposal.body, tuple(target.path for target in proposal.targets)


def _names(path: str, *more: str) -> tuple[str, ...]:
    name = path.rpartition("/")[2]
    return *more, path, name, name.removesuffix(".md")
