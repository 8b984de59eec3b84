"""The queue of decisions: documents that survive restarts, that anybody may edit, that are no knowledge (SM-11)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from scrubjay import Memory
from scrubjay.errors import BadInput, Conflict, NotFound
from scrubjay.operations.gate import inbox
from scrubjay.operations.store import Store
from scrubjay.proposals import Decision, Proposal
from tests.flows.segments import apply, body_at, learned, plan_of, segment, store_of, text_at

RETRY = "Retry failed requests with exponential backoff and jitter, never forever."
NEWER = "Retry failed requests with exponential backoff and jitter, at most 5 times."
FRUIT = "Bananas ripen faster in a bag with apples."


@pytest.fixture
def store(memory: Memory) -> Store:
    return store_of(memory)


def kept(store: Store, *texts: str) -> list[Proposal]:
    return list(inbox.keep(store, plan_of(store, *texts)).proposals)


def test_a_kept_plan_is_one_document_a_proposal_and_one_operation(store: Store) -> None:
    operations = len(store.index.operations())
    plan = plan_of(store, RETRY, FRUIT)
    proposals = inbox.keep(store, plan).proposals
    assert [one.path for one in proposals] == [f"00-Inbox/{plan.id.lower()}-seg-00{n}.md" for n in (1, 2)]
    assert [one.body for one in inbox.waiting(store)] == [RETRY, FRUIT]
    assert len(store.index.operations()) == operations + 1


def test_it_survives_a_restart_and_somebody_else_finishes_it(open_memory: Callable[..., Memory]) -> None:
    first = open_memory()
    kept(store_of(first), RETRY)
    first.close()
    second = store_of(open_memory())
    plan = inbox.as_plan(second, inbox.waiting(second))
    done = apply(second, plan.decide("recommended")).done[0]
    assert body_at(second, done.path) == RETRY
    assert inbox.waiting(second) == []


def test_what_waits_is_never_searched(memory: Memory) -> None:
    kept(store_of(memory), RETRY)
    assert memory.search("retry failed requests backoff", abstain=False).hits == ()
    memory.sync()
    memory.reindex()
    assert memory.search("retry failed requests backoff", abstain=False).hits == ()
    assert len(inbox.waiting(store_of(memory))) == 1


def test_f22_the_same_proposal_waits_once(store: Store) -> None:
    first = kept(store, RETRY)[0]
    again = kept(store, RETRY)[0]
    assert (again.id, again.path) == (first.id, first.path)
    assert len(inbox.waiting(store)) == 1


def test_keeping_twice_changes_nothing(store: Store) -> None:
    plan = inbox.keep(store, plan_of(store, RETRY))
    operations = len(store.index.operations())
    assert inbox.keep(store, plan) == plan
    assert len(store.index.operations()) == operations


def test_what_is_skipped_known_or_applied_is_not_kept(store: Store) -> None:
    learned(store, RETRY)
    plan = plan_of(store, segment(RETRY, 1), segment(FRUIT, 2), segment("Oranges need sun.", 3)).decide(
        {"seg-002": "SKIP", "seg-003": "CREATE"}
    )
    apply(store, plan)
    after = inbox.keep(store, plan)
    assert inbox.waiting(store) == []
    assert [one.path for one in after.proposals] == ["", "", ""]


def test_answers_that_were_not_applied_are_kept(store: Store) -> None:
    there, other = learned(store, RETRY), learned(store, FRUIT)
    decision = Decision(action="EXTEND", target=other.path, body="Other words.", topic="food", tags=("a",))
    plan = inbox.keep(store, plan_of(store, NEWER).decide({"seg-001": decision}))
    waiting = inbox.waiting(store)[0]
    assert (waiting.action, waiting.body, waiting.topic, waiting.tags) == ("EXTEND", "Other words.", "food", ("a",))
    assert [(target.path, target.hash) for target in waiting.targets] == [(other.path, other.hash)]
    applied = apply(store, inbox.as_plan(store, [waiting]).decide("recommended"))
    assert (applied.done[0].path, applied.done[0].action) == (other.path, "EXTEND")
    assert text_at(store, there.path) == there.text
    assert 'topic: "food"' in text_at(store, other.path)
    assert plan.proposals[0].path == waiting.path


def test_an_answer_that_cannot_be_carried_out_is_kept_all_the_same(store: Store) -> None:
    """Ctrl-C keeps the plan whatever is in it; what is wrong is said when it is decided."""
    lost = Decision(action="UPDATE", target="MEM-nothing", body="Other words.")
    inbox.keep(store, plan_of(store, segment(RETRY, 1), segment(FRUIT, 2)).decide({"seg-001": lost}))
    waiting = inbox.waiting(store)
    assert [one.action for one in waiting] == ["UPDATE", "CREATE"]
    assert waiting[0].body == "Other words."
    applied = apply(store, inbox.as_plan(store, waiting).decide("recommended"))
    assert [done.key for done in applied.done] == ["seg-002"]
    assert "names no memory to change" in applied.refused[0][1]


def test_segments_that_go_into_one_memory_are_kept_as_one(store: Store) -> None:
    plan = plan_of(store, segment(RETRY, 1), segment(FRUIT, 2)).decide(
        {"seg-001": "CREATE", "seg-002": Decision(action="CREATE", into="seg-001")}
    )
    inbox.keep(store, plan)
    assert [one.body for one in inbox.waiting(store)] == [f"{RETRY}\n\n{FRUIT}"]


def test_a_person_edits_the_document_and_accepts(memory: Memory, tmp_path: Path) -> None:
    store = store_of(memory)
    place = tmp_path / "vault" / kept(store, RETRY)[0].path
    text = place.read_text(encoding="utf-8")
    edited = text.replace(RETRY, "My own words.\r\n").replace("category: INSIGHT", "category: CONFIG\nmine: true")
    place.write_text(edited, encoding="utf-8", newline="")
    waiting = inbox.waiting(store)[0]
    done = apply(store, inbox.as_plan(store, [waiting]).decide("recommended")).done[0]
    assert (body_at(store, done.path), done.category) == ("My own words.", "CONFIG")


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text.replace("action: CREATE", "action: INVENT"),
        lambda text: text.replace("kind: proposal", "kind: proposal\n<<<<<<< HEAD"),
        lambda text: text.replace("key:", "clef:"),
    ],
)
def test_f30_a_damaged_document_is_named_and_the_others_still_work(
    memory: Memory, tmp_path: Path, damage: Callable[[str], str]
) -> None:
    store = store_of(memory)
    broken, _ = kept(store, RETRY, FRUIT)
    place = tmp_path / "vault" / broken.path
    place.write_text(damage(place.read_text(encoding="utf-8")), encoding="utf-8")
    assert [one.body for one in inbox.waiting(store)] == [FRUIT]
    assert [problem.path for problem in inbox.damaged(store)] == [broken.path]
    name = broken.path.rpartition("/")[2]
    with pytest.raises(BadInput, match=rf"^00-Inbox/{name}, line \d+: ") as caught:
        inbox.find(store, name)
    assert "Mend that line in an editor" in caught.value.hint
    memory.sync()
    assert memory.search("retry failed requests", abstain=False).hits == ()
    place.write_text(damage("x") and _whole(place, store, broken), encoding="utf-8")  # F7: the hint works
    assert len(inbox.waiting(store)) == 2


def _whole(place: Path, store: Store, proposal: Proposal) -> str:
    from scrubjay.vaults.documents import proposal as documents

    return documents.write(proposal)


def test_names_are_numbers_ids_keys_files_and_paths(store: Store) -> None:
    first, second = kept(store, RETRY, FRUIT)
    name = second.path.rpartition("/")[2]
    for asked in ("2", second.id, "seg-002", name, name.removesuffix(".md"), second.path):
        assert inbox.named([store], asked) == (store, second)
    assert inbox.find(store, "1") == first
    with pytest.raises(NotFound, match="nothing-like-it"):
        inbox.find(store, "nothing-like-it")
    kept(store, "Oranges need sun.")
    with pytest.raises(BadInput, match="means 2 proposals"):
        inbox.find(store, "seg-001")


def test_reject_goes_to_the_trash_and_undo_brings_it_back(memory: Memory) -> None:
    store = store_of(memory)
    proposal = kept(store, RETRY)[0]
    operation = inbox.reject(store, proposal)
    assert operation.verb == "reject"
    assert inbox.waiting(store) == []
    with pytest.raises(Conflict, match="was decided already"):
        inbox.reject(store, proposal)
    memory.undo(operation.id)
    assert inbox.waiting(store) == [proposal]


def test_amend_changes_what_is_named_and_is_read_back(store: Store) -> None:
    proposal = kept(store, RETRY)[0]
    changed = inbox.amend(store, proposal, body="Other.", title="Other title", tags=["x", "y"], category="CONFIG")
    assert inbox.waiting(store) == [changed]
    assert (changed.body, changed.title, changed.tags, changed.id) == ("Other.", "Other title", ("x", "y"), proposal.id)
    done = apply(store, inbox.as_plan(store, [changed]).decide("recommended")).done[0]
    assert (done.memory_id, done.category) == ("MEM-other-title", "CONFIG")


def test_amending_the_topic_of_an_update_sets_it(store: Store) -> None:
    there = learned(store, RETRY)
    changed = inbox.amend(store, kept(store, NEWER)[0], topic="net/http", title="Retries")
    apply(store, inbox.as_plan(store, [changed]).decide("recommended"))
    text = text_at(store, there.path)
    assert 'topic: "net/http"' in text and 'title: "Retries"' in text and "\n# Retries\n" in text


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"colour": "red"}, "no colour to change"),
        ({"action": "UPDATE"}, "action must be one of CREATE, SKIP"),
        ({"action": "NEW"}, "action must be one of"),
        ({"body": 7}, "body must be a string"),
        ({"tags": 7}, "tags must be a list"),
    ],
)
def test_amend_refuses_what_makes_no_sense(store: Store, changes: dict[str, object], message: str) -> None:
    proposal = kept(store, RETRY)[0]
    with pytest.raises(BadInput, match=message):
        inbox.amend(store, proposal, **changes)
    assert inbox.waiting(store) == [proposal]


def test_amend_is_compared_with_what_was_read(store: Store) -> None:
    """F54: two people amend the same proposal; the second hears of the first."""
    proposal = kept(store, RETRY)[0]
    inbox.amend(store, proposal, body="First.")
    with pytest.raises(Conflict, match="changed since it was read"):
        inbox.amend(store, proposal, body="Second.")
    assert inbox.waiting(store)[0].body == "First."


def test_other_documents_of_the_inbox_are_notes(memory: Memory) -> None:
    """SM-1: quick captures live there too."""
    store = store_of(memory)
    store.vault.write("00-Inbox/idea.md", "Grow bananas on the balcony.\n", expected=None)
    memory.sync()
    assert inbox.waiting(store) == []
    assert inbox.damaged(store) == []
    assert memory.search("bananas balcony", abstain=False).hits


def test_a_plan_of_proposals_with_one_key_tells_them_apart(store: Store) -> None:
    first, second = kept(store, RETRY)[0], kept(store, FRUIT)[0]
    plan = inbox.as_plan(store, [first, second])
    assert [one.key for one in plan.proposals] == [first.id, second.id]
    assert apply(store, plan.decide("recommended")).memories_affected == 2
