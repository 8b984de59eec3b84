"""What a decision would make of a memory is what it then makes of it, and looking writes nothing (SM-11)."""

from __future__ import annotations

from pathlib import Path

import pytest

from scrubjay import Memory
from scrubjay.errors import NotFound, ScrubjayError
from scrubjay.operations.gate.preview import Preview, preview
from scrubjay.proposals import Action, Decision
from scrubjay.types import Document
from scrubjay.vaults.documents import revision
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


@pytest.mark.parametrize("kind", ["merge", "compress", "refine", "purge"])
def test_distilling_is_shown_too(memory: Memory, kind: str) -> None:
    for number in (1, 2):
        words = " ".join(f"Sentence {line} tells of pools, caches and retries, part {number}." for line in range(400))
        memory.note(f"Pools {number}", words, topic="net", tags=["pools"])
    plan = memory.distill(kind)
    assert plan.proposals or kind != "compress"
    for proposal in plan.proposals:
        found = memory.preview(plan, proposal.key)
        assert found.path and found.before
    with pytest.raises(ScrubjayError):
        memory.preview(plan, "seg-999")
