"""What a decision would make of a memory is what it then makes of it, and looking writes nothing (SM-11)."""

from __future__ import annotations

from pathlib import Path

import pytest

from scrubjay import Memory
from scrubjay.errors import NotFound, ScrubjayError
from scrubjay.operations.gate.preview import Preview, preview
from scrubjay.proposals import Action, Decision, Proposal, Target
from scrubjay.types import Document
from scrubjay.vaults.documents import revision
from tests.flows.grown import grow
from tests.flows.segments import apply, learned, plan_of, snapshot, store_of, text_at

RETRY = "Retry failed requests with exponential backoff and jitter, never forever."
NEWER = "Retry failed requests with exponential backoff and jitter, at most 5 times."


@pytest.mark.parametrize("action", ["CREATE", "UPDATE", "EXTEND"])
def test_sm11_what_is_shown_is_what_is_written(memory: Memory, tmp_path: Path, action: Action) -> None:
    store = store_of(memory)
    there: Document = learned(store, RETRY)
    plan = plan_of(store, NEWER)
    decision = Decision(action=action, target=None if action == "CREATE" else there.path)
    before = snapshot(tmp_path / "vault")
    found = preview(store, plan.proposals[0], decision)
    assert snapshot(tmp_path / "vault") == before
    assert found.before == ("" if action == "CREATE" else revision.body_of(there.text))
    done = apply(store, plan.decide({"seg-001": decision})).done[0]
    assert found.after == revision.body_of(text_at(store, done.path))


def test_skipping_shows_nothing_and_a_memory_that_is_gone_is_named(memory: Memory) -> None:
    store = store_of(memory)
    proposal = plan_of(store, NEWER).proposals[0]
    assert preview(store, proposal, Decision(action="SKIP")) == Preview()
    with pytest.raises(NotFound):
        preview(store, proposal, Decision(action="UPDATE", target="MEM-gone"))


@pytest.mark.parametrize("kind", ["merge", "compress", "refine", "purge", "gc"])
def test_sm11_what_is_shown_of_distilling_is_what_is_done(memory: Memory, tmp_path: Path, kind: str) -> None:
    grow(tmp_path / "vault")
    memory.sync()
    plan = memory.distill(kind, cap=1)
    [proposal] = plan.proposals
    before = snapshot(tmp_path / "vault")
    found = memory.preview(plan, proposal.key)
    assert snapshot(tmp_path / "vault") == before
    assert found.path == proposal.targets[0].path and found.before
    memory.apply(plan.decide("recommended"))
    if kind in ("purge", "gc"):
        assert found.after == ""
    else:
        text = text_at(store_of(memory), found.path)
        assert found.after == (text if kind == "refine" else revision.body_of(text))
    with pytest.raises(ScrubjayError):
        memory.preview(plan, "seg-999")


@pytest.mark.parametrize("action", ["MERGE", "COMPRESS", "REFINE", "RETIRE", "DELETE"])
def test_a_proposal_of_a_stranger_shows_nothing_but_memories(memory: Memory, action: Action) -> None:
    """SEC-1: what lies in the inbox may have come with a clone."""
    there = learned(store_of(memory), RETRY)
    targets = [(), tuple(Target(id="x", path=path, hash="") for path in ("README.md", "../secret", there.path))]
    for some in targets:
        proposal = Proposal(id="1", key="k", action=action, targets=some, body="x", values={"kind": "fact"})
        with pytest.raises(ScrubjayError):
            preview(store_of(memory), proposal, Decision(action=action))
