"""Carrying out the decisions of a plan: all that can be done in one operation, so that one ``undo`` takes it back.

Nothing is applied blindly. A proposal rests on the bytes that its targets had; where they are others now, it is matched
anew and waits. What cannot be done is refused with its reason and waits too; the rest of the batch goes on. The same
plan again does nothing, since the vault says it all already (F21, F22, F54).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from scrubjay.errors import NotFound, ScrubjayError
from scrubjay.operations.editing import Edits, editing
from scrubjay.operations.gate import guards, inbox, merging, steps
from scrubjay.operations.gate.cleansing import plan_without_secrets
from scrubjay.operations.gate.known import Contents
from scrubjay.operations.gate.merging import Item
from scrubjay.operations.store import Store
from scrubjay.proposals import Applied, Done, Plan, Proposal
from scrubjay.types import Change, Document
from scrubjay.vaults.documents import note as notes
from scrubjay.vaults.documents import proposal as documents
from scrubjay.vaults.documents import revision
from scrubjay.vaults.encoding import digest

NOTHING_DECIDED = "Memory operation cancelled. No files created."
ALL_SKIPPED = "No memories created (all content skipped)"

Rematch = Callable[[Proposal], Proposal]


@dataclass(slots=True)
class _Batch:
    """The open operation, and what became of each proposal so far.

    ``anew`` are stale proposals that were matched before the lock, ``late`` those that turned stale since.
    """

    store: Store
    plan: Plan
    edits: Edits
    contents: Contents
    anew: dict[str, Proposal]
    late: list[Proposal] = field(default_factory=list)
    done: list[Done] = field(default_factory=list)
    stale: list[Proposal] = field(default_factory=list)
    refused: list[tuple[Proposal, str]] = field(default_factory=list)

    def settle(self, item: Item) -> None:
        """Carries out one decision, or notes why it was not."""
        try:
            with self.edits.attempt():
                done = self._carried_out(item)
        except inbox.EditedError as edited:
            self.stale.append(edited.proposal)
        except ScrubjayError as error:
            self.refused += [(proposal, str(error)) for proposal in item.all]
        else:
            if done is not None:
                self.done += [replace(done, key=proposal.key) for proposal in item.all]
                self.contents.written(done.path)

    def keep_failed(self) -> None:
        """Puts what could not be carried out into the inbox, with the words that somebody changed about it."""
        failed = [*self.stale, *(proposal for proposal, _ in self.refused)]
        with suppress(ScrubjayError), self.edits.attempt():
            fresh = [inbox.with_words(one, self.plan.decisions[one.key]) for one in failed if not one.path]
            kept = {proposal.key: proposal for proposal in inbox.put(self.store, self.edits, fresh)}
            self.stale = [kept.get(proposal.key, proposal) for proposal in self.stale]
            self.refused = [(kept.get(proposal.key, proposal), reason) for proposal, reason in self.refused]

    def _carried_out(self, item: Item) -> Done | None:
        """``None`` for a stale item, which goes on waiting."""
        try:
            waiting = [inbox.unchanged(self.store, proposal) for proposal in item.all if proposal.path]
        except inbox.DecidedError:
            if known := self._done_already(item):
                return known
            raise
        if item.decision.action == "SKIP":
            done = _skipped(item.proposal)
        elif known := self.contents.known(item.whole, item.decision):
            done = known
        elif _changed(self.store, item, self.edits.changes):
            self._wait(item.proposal, waiting)
            return None
        else:
            self._require_meant(item)
            done = steps.step_for(item.decision.action, item.proposal.origin)(
                self.store, self.edits, item.whole, item.decision
            )
        # The memory first: a proposal leaves the inbox only when what it proposed is there (F2).
        for document in waiting:
            self.edits.retire(document)
        return done

    def _done_already(self, item: Item) -> Done | None:
        """What is there when the same was decided twice."""
        skipped = item.decision.action == "SKIP"
        return _skipped(item.proposal) if skipped else self.contents.known(item.whole, item.decision)

    def _wait(self, proposal: Proposal, waiting: Sequence[Document]) -> None:
        """Notes that ``proposal`` is stale; its document says what was found instead."""
        anew = self.anew.get(proposal.id)
        if anew is None:
            self.late.append(proposal)
            return
        for document in waiting:
            if document.path == anew.path:
                self.edits.replace(document, documents.revise(document.text, anew))
        self.stale.append(anew)

    def _require_meant(self, item: Item) -> None:
        if item.decision.action == "UPDATE" and self.plan.by in steps.UNREVIEWED:
            old = steps.target_of(self.store, item.whole, item.decision)
            guards.require_meant(revision.body_of(old.text), steps.body_of(item.whole, item.decision), meant=False)


def apply(store: Store, plan: Plan, *, rematch: Rematch, keep: bool = False) -> Applied:
    """Carries out what is decided in ``plan`` and says what became of each proposal, as read back from the disk.

    ``rematch`` matches a proposal anew; it may run models and is never called inside the lock. Secrets are taken out of
    proposals and answers first. With ``keep`` what could not be carried out waits in the inbox, so that the same
    ``undo`` takes it back. Raises ``ScrubjayError`` only when nothing could be written; then nothing has changed.
    """
    plan = plan_without_secrets(plan)
    items, wrong = merging.items(plan)
    refused = [(proposal, str(error)) for proposal, error in wrong]
    if not items and not (keep and refused):
        return _applied(plan, refused=refused, message=NOTHING_DECIDED)
    anew = {item.proposal.id: rematch(item.proposal) for item in items if _is_stale(store, item)}
    with editing(store, _verb(plan), _summary(plan, len(items)), batch=True) as edits:
        batch = _Batch(store, plan, edits, Contents(store, items), anew, refused=refused)
        for item in items:
            batch.settle(item)
        if keep:
            batch.keep_failed()
    stale = [*batch.stale, *(rematch(proposal) for proposal in batch.late)]
    operations = (edits.id,) if edits.changes else ()
    done, missing = _read_back(store, batch.done, edits.changes, next(iter(operations), ""))
    refused = batch.refused + [(plan[key], reason) for key, reason in missing]
    return _applied(
        plan,
        done=done,
        stale=stale,
        refused=refused,
        operations=operations,
        message=" ".join(part for part in (_message(done), _renewed(store, edits.changes)) if part),
    )


def _applied(
    plan: Plan,
    *,
    message: str,
    done: Sequence[Done] = (),
    stale: Sequence[Proposal] = (),
    refused: Sequence[tuple[Proposal, str]] = (),
    operations: tuple[str, ...] = (),
) -> Applied:
    order = {proposal.key: place for place, proposal in enumerate(plan.proposals)}
    return Applied(
        mode=plan.mode,
        content=plan.content,
        done=tuple(sorted(done, key=lambda one: order[one.key])),
        stale=tuple(stale),
        refused=tuple(refused),
        waiting=plan.undecided,
        operations=operations,
        by=plan.by,
        message=message,
    )


def _is_stale(store: Store, item: Item) -> bool:
    """Whether ``item`` has to be matched anew, as far as can be told before the lock."""
    if item.decision.action == "SKIP":
        return False
    try:
        return _changed(store, item, ()) and Contents(store).known(item.whole, item.decision) is None
    except ScrubjayError:
        return False  # what is wrong with it is said when it is settled


def _changed(store: Store, item: Item, made: Sequence[Change]) -> bool:
    """Whether a target is not as it was when the proposal was made, other than by the changes ``made`` in this batch.

    A memory that the decision names itself was chosen as it is now.
    """
    named = item.decision.target
    if named is not None and named not in {
        name for target in item.proposal.targets for name in (target.id, target.path)
    }:
        return False
    before = {change.path: change.before for change in reversed(made)}
    after = {change.path: change.after for change in made}
    for target in item.proposal.targets:
        here = _hash_at(store, target.path)
        ours = before.get(target.path) == target.hash and after.get(target.path) == here
        if here != target.hash and not ours:
            return True
    return False


def _skipped(proposal: Proposal) -> Done:
    known = next(iter(proposal.targets), None)
    if known is None or proposal.action != "SKIP":
        return Done(action="SKIP", key=proposal.key)
    return Done(action="SKIP", key=proposal.key, memory_id=known.id, path=known.path)


def _read_back(
    store: Store, done: Sequence[Done], changes: Sequence[Change], operation: str
) -> tuple[list[Done], list[tuple[str, str]]]:
    """What is there now of what was done, and the keys of proposals of which nothing is, with the reason (F14)."""
    meant = {change.path: change.after for change in changes}
    found: list[Done] = []
    missing: list[tuple[str, str]] = []
    for one in done:
        here = _hash_at(store, one.path) if one.path else None
        gone = meant.get(one.path, here) is None
        if one.action != "SKIP" and (here is None) != gone:
            missing.append((one.key, f"{one.path} is not there although it was written. Run `scrubjay doctor`."))
            continue
        tags = notes.read(store.vault.read(one.path)).tags if here is not None else ()
        found.append(replace(one, category=tags[0] if tags else "", operation=operation))
    return found, missing


def _renewed(store: Store, changes: Sequence[Change]) -> str:
    """Makes the overviews anew (SM-31); a sentence when that failed, since the memories are written all the same."""
    from scrubjay.operations import indices

    if not changes:
        return ""
    try:
        indices.regenerate(store)
    except ScrubjayError as error:
        return f"The overviews could not be renewed: {error}"
    return ""


def _message(done: Sequence[Done]) -> str:
    written = {one.path: one.action for one in done if one.action != "SKIP"}
    if not written:
        return ALL_SKIPPED if done else ""
    counts = Counter(written.values())
    parts = ", ".join(f"{count} {action}" for action, count in sorted(counts.items()))
    return f"{len(written)} {'memory' if len(written) == 1 else 'memories'}: {parts}."


def _verb(plan: Plan) -> str:
    return plan.mode if plan.mode in ("harvest", "distill", "dream") else "learn"


def _summary(plan: Plan, count: int) -> str:
    where = f" from {plan.content.path}" if plan.content.path else ""
    unseen = f", decided by {plan.by}" if plan.by != "person" else ""
    return f"Applied {count} decision{'s' * (count != 1)}{where}{unseen}"


def _hash_at(store: Store, path: str) -> str | None:
    try:
        return digest(store.vault.read_bytes(path))
    except NotFound:
        return None
