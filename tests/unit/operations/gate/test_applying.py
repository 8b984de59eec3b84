"""Decisions carried out: in one operation, nothing blindly, numbers read back (SM-9 … SM-12, SM-27 … SM-30)."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from scrubjay import Memory
from scrubjay.errors import BadInput, Conflict, Refused, Unavailable
from scrubjay.operations.editing import editing
from scrubjay.operations.gate import applying, inbox, steps
from scrubjay.operations.learn import planning
from scrubjay.operations.store import Store
from scrubjay.proposals import Action, Decision, Plan, Proposal, Target
from scrubjay.text import frontmatter
from scrubjay.vaults.folder import FolderVault
from tests.flows.segments import apply, body_at, learned, plan_of, segment, snapshot, store_of, text_at

RETRY = "Retry failed requests with exponential backoff and jitter, never forever."
NEWER = "Retry failed requests with exponential backoff and jitter, at most 5 times."
FRUIT = "Bananas ripen faster in a bag with apples."


@pytest.fixture
def store(memory: Memory) -> Store:
    return store_of(memory)


def decided(store: Store, text: str, answer: Decision | str, **more: object) -> Plan:
    return plan_of(store, text, **more).decide({"seg-001": answer})


# --- the three operations --------------------------------------------------------------------------------------


def test_sm29_sm30_create(store: Store) -> None:
    plan = plan_of(store, segment(RETRY, title="HTTP request retry patterns", topic="python/libs/requests"))
    applied = apply(store, plan.decide("recommended"))
    done = applied.done[0]
    assert (done.action, done.key, done.memory_id) == ("CREATE", "seg-001", "MEM-requests-http-request-retry")
    assert done.path == "10-Memories/MEM-requests-http-request-retry.md"
    assert (done.category, done.operation) == ("INSIGHT", applied.operations[0])
    values = frontmatter.parse(text_at(store, done.path)).values
    assert values["topic"] == "python/libs/requests"
    assert values["keywords"] == list(plan.proposals[0].key_terms)
    assert values["source"] == "user input"
    assert (applied.status, applied.memories_affected) == ("completed", 1)
    assert applied.message == "1 memory: 1 CREATE."


def test_sm30_names_that_are_taken_are_numbered(store: Store) -> None:
    plan = plan_of(store, segment(RETRY, 1, title="Same"), segment(FRUIT, 2, title="Same"))
    applied = apply(store, plan.decide("CREATE"))
    assert [done.memory_id for done in applied.done] == ["MEM-same", "MEM-same-2"]


def test_sm27_update(store: Store) -> None:
    there = learned(store, segment(RETRY, title="Retry", topic="http"))
    applied = apply(store, decided(store, NEWER, "UPDATE"))
    assert (applied.done[0].action, applied.done[0].path) == ("UPDATE", there.path)
    text = text_at(store, there.path)
    assert body_at(store, there.path) == NEWER
    assert RETRY in text and "### Previous Version (" in text
    assert frontmatter.parse(text).values["created"] == frontmatter.parse(there.text).values["created"]
    assert frontmatter.parse(text).values["topic"] == "http"


def test_sm28_extend(store: Store) -> None:
    there = learned(store, RETRY)
    apply(store, decided(store, NEWER, "EXTEND"))
    body = body_at(store, there.path)
    assert body.startswith(RETRY)
    assert re.search(r"## Extension \(\d{4}-\d\d-\d\d\)\n\n\*\*Source\*\*: user input\n\n" + re.escape(NEWER), body)


def test_sm10_what_is_all_skipped_and_what_is_not_decided(store: Store) -> None:
    plan = plan_of(store, RETRY)
    skipped = apply(store, plan.decide("SKIP"))
    assert skipped.message == "No memories created (all content skipped)"
    assert (skipped.memories_affected, skipped.operations) == (0, ())
    nothing = apply(store, plan)
    assert nothing.message == "Memory operation cancelled. No files created."
    assert (nothing.waiting, nothing.status) == (plan.proposals, "partial")


def test_sm12_overrides_of_target_title_topic_category_tags_and_body(store: Store) -> None:
    learned(store, RETRY)
    other = learned(store, segment(FRUIT, title="Fruit", topic="food"))
    decision = Decision(
        action="UPDATE", target=other.path, title="Ripening", topic="kitchen", category="TECHNIQUE", tags=("apple",),
        body="Apples make bananas ripen.",
    )  # fmt: skip
    applied = apply(store, decided(store, NEWER, decision))
    assert (applied.done[0].path, applied.done[0].category) == (other.path, "TECHNIQUE")
    values = frontmatter.parse(text_at(store, other.path)).values
    assert (values["title"], values["topic"]) == ("Ripening", "kitchen")
    assert values["tags"] == ["TECHNIQUE", "apple"]
    assert text_at(store, other.path).count("# Ripening") == 1
    assert body_at(store, other.path) == "Apples make bananas ripen."


def test_sm12_update_becomes_create_and_extend_becomes_update(store: Store) -> None:
    there = learned(store, RETRY)
    created = apply(store, decided(store, NEWER, "CREATE")).done[0]
    assert (created.action, created.path != there.path) == ("CREATE", True)
    target = Decision(action="EXTEND", target="MEM-" + there.path.partition("MEM-")[2].removesuffix(".md"))
    assert apply(store, decided(store, FRUIT, target)).done[0].path == there.path


def test_sm12_several_segments_go_into_one_memory(store: Store) -> None:
    plan = plan_of(store, segment(RETRY, 1, title="Retry"), FRUIT_SEGMENT, segment("Oranges need sun.", 3))
    into = Decision(action="CREATE", into="seg-001")
    applied = apply(store, plan.decide({"seg-001": "CREATE", "seg-002": into, "seg-003": into}))
    assert [(done.key, done.action) for done in applied.done] == [
        ("seg-001", "CREATE"), ("seg-002", "CREATE"), ("seg-003", "CREATE"),
    ]  # fmt: skip
    assert applied.memories_affected == 1
    assert body_at(store, applied.done[0].path) == f"{RETRY}\n\n{FRUIT}\n\nOranges need sun."
    again = apply(store, plan.decide({"seg-001": "CREATE", "seg-002": into, "seg-003": into}))
    assert (again.memories_affected, again.operations) == (0, ())


FRUIT_SEGMENT = segment(FRUIT, 2)


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ({"seg-002": Decision(action="CREATE", into="seg-001")}, "which is not decided"),
        ({"seg-001": "SKIP", "seg-002": Decision(action="CREATE", into="seg-001")}, "which is skipped"),
        ({"seg-002": Decision(action="CREATE", into="seg-009")}, "has no proposal"),
        ({"seg-002": Decision(action="CREATE", into="seg-002")}, "goes into itself"),
    ],
)
def test_sm12_what_goes_nowhere_is_refused(store: Store, answers: dict[str, Decision | str], reason: str) -> None:
    applied = apply(store, plan_of(store, segment(RETRY, 1), FRUIT_SEGMENT).decide(answers))
    assert [(proposal.key, reason in why) for proposal, why in applied.refused] == [("seg-002", True)]
    assert applied.memories_affected == 0


def test_sm4_topic_category_and_title_are_written_as_the_format_wants(store: Store) -> None:
    decision = Decision(
        action="CREATE", topic="/Python//HTTP Client/", category="[pattern]", title="Retry\x1b[31m\nred"
    )
    path = apply(store, decided(store, RETRY, decision)).done[0].path
    values = frontmatter.parse(text_at(store, path)).values
    assert (values["topic"], values["tags"], values["title"]) == ("python/http client", ["PATTERN"], "Retry [31m red")
    own = Decision(action="CREATE", category="Standard")
    path = apply(store, decided(store, FRUIT, own)).done[0].path
    assert frontmatter.parse(text_at(store, path)).values["tags"] == ["Standard"]


# --- one operation ---------------------------------------------------------------------------------------------


def test_one_undo_takes_the_whole_batch_back(memory: Memory, tmp_path: Path) -> None:
    store = store_of(memory)
    learned(store, RETRY)
    kept = inbox.keep(store, plan_of(store, segment(NEWER, 1), FRUIT_SEGMENT))
    before = snapshot(tmp_path / "vault" / "00-Inbox") | snapshot(tmp_path / "vault" / "10-Memories")
    applied = apply(store, kept.decide("recommended"))
    assert len(applied.operations) == 1
    assert inbox.waiting(store) == []
    memory.undo(applied.operations[0])
    after = snapshot(tmp_path / "vault" / "00-Inbox") | snapshot(tmp_path / "vault" / "10-Memories")
    before.pop("README.md", None), after.pop("README.md", None)
    assert after == before
    assert len(inbox.waiting(store)) == 2


def test_sm31_the_overviews_name_what_was_written(store: Store) -> None:
    done = apply(store, decided(store, RETRY, "CREATE")).done[0]
    assert done.memory_id in text_at(store, "20-Indices/index.md")


def test_a_refused_proposal_does_not_lose_the_others(store: Store, tmp_path: Path) -> None:
    there = learned(store, RETRY)
    plan = plan_of(store, segment(NEWER, 1), FRUIT_SEGMENT)
    torn = there.text.replace("# ", "<<<<<<< HEAD\n# ", 1)
    store.vault.write(there.path, torn, expected=there.hash)
    applied = apply(store, inbox.keep(store, plan).decide("recommended"))
    assert [done.key for done in applied.done] == ["seg-002"]
    assert [(proposal.key, "merge-conflict" in why) for proposal, why in applied.refused] == [("seg-001", True)]
    assert text_at(store, there.path) == torn
    assert [proposal.key for proposal in inbox.waiting(store)] == ["seg-001"]
    assert applied.status == "partial"


def test_two_proposals_on_one_memory_apply_in_order(store: Store) -> None:
    there = learned(store, RETRY)
    plan = plan_of(store, segment(NEWER, 1), segment(NEWER.replace("5", "9"), 2), segment(NEWER.replace("5", "7"), 3))
    applied = apply(store, plan.decide({"seg-001": "UPDATE", "seg-002": "UPDATE", "seg-003": "EXTEND"}))
    assert [done.action for done in applied.done] == ["UPDATE", "UPDATE", "EXTEND"]
    assert (applied.stale, applied.memories_affected) == ((), 1)
    text = text_at(store, there.path)
    assert body_at(store, there.path).startswith(NEWER.replace("5", "9"))
    assert [RETRY in text, NEWER in text, NEWER.replace("5", "7") in text] == [True, True, True]


def test_one_undo_takes_several_changes_of_one_memory_back(memory: Memory) -> None:
    store = store_of(memory)
    there = learned(store, RETRY)
    plan = plan_of(store, segment(NEWER, 1), segment(NEWER.replace("5", "9"), 2))
    applied = apply(store, plan.decide("UPDATE"))
    memory.undo(applied.operations[0])
    assert text_at(store, there.path) == there.text


# --- stale -----------------------------------------------------------------------------------------------------


def test_f54_a_target_that_changed_is_matched_anew_and_not_applied(store: Store) -> None:
    there = learned(store, RETRY)
    plan = plan_of(store, NEWER).decide("recommended")
    mine = there.text.replace(RETRY, RETRY + "\nI added this by hand.")
    store.vault.write(there.path, mine, expected=there.hash)
    applied = apply(store, plan)
    assert (applied.done, applied.operations, applied.status) == ((), (), "partial")
    assert text_at(store, there.path) == mine
    assert [proposal.key for proposal in applied.stale] == ["seg-001"]
    assert applied.stale[0].targets[0].hash == store.vault.read(there.path).hash


def test_f54_a_stale_proposal_waits_with_what_was_found_and_can_then_be_accepted(store: Store) -> None:
    there = learned(store, RETRY)
    kept = inbox.keep(store, plan_of(store, NEWER))
    store.vault.write(there.path, there.text.replace("jitter", "full jitter"), expected=there.hash)
    assert len(apply(store, kept.decide("recommended")).stale) == 1
    waiting = inbox.waiting(store)
    assert waiting[0].rule.startswith("Matched anew")
    applied = apply(store, inbox.as_plan(store, waiting).decide("recommended"))
    assert applied.status == "completed"
    assert "full jitter" in text_at(store, there.path)
    assert inbox.waiting(store) == []


def test_f54_a_target_that_vanished_is_matched_anew(store: Store, memory: Memory) -> None:
    there = learned(store, RETRY)
    plan = plan_of(store, NEWER).decide("recommended")
    memory.forget(there.path)
    applied = apply(store, plan)
    assert [(proposal.action, proposal.targets) for proposal in applied.stale] == [("CREATE", ())]


def test_f54_the_target_is_checked_again_inside_the_lock(store: Store) -> None:
    """Somebody writes between the look before the lock and the lock."""
    there = learned(store, RETRY)
    plan = plan_of(store, segment(NEWER, 1), segment("Oranges need sun.", 2)).decide("recommended")
    real = applying.editing
    mine = there.text.replace("jitter", "full jitter")

    def late(*arguments: object, **options: object) -> object:
        store.vault.write(there.path, mine, expected=there.hash)
        return real(*arguments, **options)  # type: ignore[arg-type]

    applying.editing = late  # type: ignore[assignment]
    try:
        applied = apply(store, plan)
    finally:
        applying.editing = real
    assert text_at(store, there.path) == mine
    assert [proposal.rule.startswith("Matched anew") for proposal in applied.stale] == [True]
    assert [done.key for done in applied.done] == ["seg-002"]


def test_a_named_target_is_taken_as_it_is_now_and_the_proposal_s_own_is_not(store: Store) -> None:
    there, other = learned(store, RETRY), learned(store, FRUIT)
    plan = plan_of(store, NEWER)
    for document in (there, other):
        store.vault.write(document.path, document.text.replace(".", "!"), expected=document.hash)
    assert apply(store, plan.decide({"seg-001": Decision(action="EXTEND", target=other.path)})).done
    assert apply(store, plan.decide({"seg-001": Decision(action="EXTEND", target=there.path)})).stale


# --- twice -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", ["CREATE", "UPDATE", "EXTEND"])
def test_f21_the_same_plan_twice_does_nothing_the_second_time(memory: Memory, tmp_path: Path, answer: str) -> None:
    store = store_of(memory)
    there = learned(store, RETRY)
    plan = plan_of(store, f"## How\n\n{NEWER}\n\n- and\n  - so on").decide(answer)
    apply(store, plan)
    before = snapshot(tmp_path / "vault")
    applied = apply(store, plan)
    assert [done.action for done in applied.done] == ["SKIP"]
    assert (applied.done[0].path == there.path) == (answer != "CREATE")
    assert (applied.operations, applied.memories_affected, applied.refused, applied.stale) == ((), 0, (), ())
    assert snapshot(tmp_path / "vault") == before


@pytest.mark.parametrize("second", ["UPDATE", "EXTEND"])
def test_f21_two_answers_about_one_memory_twice_do_nothing_the_second_time(
    memory: Memory, tmp_path: Path, second: Action
) -> None:
    store = store_of(memory)
    there = learned(store, RETRY)
    update = Decision(action="UPDATE", target=there.path)
    other = Decision(action=second, target=there.path)
    plan = plan_of(store, segment(NEWER, 1), FRUIT_SEGMENT).decide({"seg-001": update, "seg-002": other})
    assert [done.action for done in apply(store, plan).done] == ["UPDATE", second]
    before = snapshot(tmp_path / "vault")
    assert [done.action for done in apply(store, plan).done] == ["SKIP", "SKIP"]
    assert snapshot(tmp_path / "vault") == before


@pytest.mark.parametrize("body", [f"{RETRY}\n\n```bash\nmake", f"{RETRY}\n\n<!-- note"])
def test_f21_a_text_with_an_open_fence_is_known_again(store: Store, body: str) -> None:
    known = learned(store, body)
    assert apply(store, decided(store, body, "CREATE")).done[0].path == known.path
    assert plan_of(store, body).proposals[0].action == "SKIP"


@pytest.mark.parametrize("body", ["# Only a heading", "A heading\nof two lines\n----\n\nIts text."])
def test_f21_a_text_that_is_little_more_than_its_title_is_known_again(store: Store, body: str) -> None:
    plan = plan_of(store, segment(body, title=body.partition("\n--")[0].removeprefix("# ").replace("\n", " ")))
    known = apply(store, plan.decide("CREATE")).done[0]
    again = apply(store, plan.decide("CREATE")).done[0]
    assert (again.action, again.path) == ("SKIP", known.path)


@pytest.mark.parametrize("title", ["Pools", "Another title"])
def test_f22_a_section_with_subsections_is_known_by_its_text(store: Store, title: str) -> None:
    body = f"## Pools\n\n### Sizes\n\n{RETRY}\n\n### Limits\n\n{FRUIT}"
    known = apply(store, decided(store, body, Decision(action="CREATE", title=title))).done[0]
    for text in (body, body.replace("## ", "# ")):
        again = apply(store, decided(store, text, Decision(action="CREATE", title="Pools")))
        assert (again.done[0].action, again.done[0].path) == ("SKIP", known.path)
        assert plan_of(store, text).proposals[0].action == "SKIP"
    other = learned(store, "Oranges need sun.")
    apply(store, decided(store, f"{body}\n\nMore.", Decision(action="EXTEND", target=other.path)))
    assert plan_of(store, f"{body}\n\nMore.").proposals[0].action == "SKIP"


def test_f21_a_kept_plan_twice_does_nothing_the_second_time(store: Store) -> None:
    learned(store, RETRY)
    kept = inbox.keep(store, plan_of(store, segment(NEWER, 1), FRUIT_SEGMENT)).decide("recommended")
    assert len(apply(store, kept).done) == 2
    applied = apply(store, kept)
    assert [done.action for done in applied.done] == ["SKIP", "SKIP"]
    assert (applied.operations, applied.refused) == ((), ())


def test_two_people_decide_one_proposal_and_the_second_hears_of_it(store: Store) -> None:
    kept = inbox.keep(store, plan_of(store, RETRY))
    inbox.reject(store, kept.proposals[0])
    applied = apply(store, kept.decide("recommended"))
    assert applied.done == ()
    assert "was decided already" in applied.refused[0][1]


def test_a_proposal_that_somebody_edited_is_shown_again(store: Store) -> None:
    kept = inbox.keep(store, plan_of(store, RETRY))
    inbox.amend(store, kept.proposals[0], body="Something else.")
    applied = apply(store, kept.decide("recommended"))
    assert [proposal.body for proposal in applied.stale] == ["Something else."]
    assert apply(store, inbox.as_plan(store, applied.stale).decide("recommended")).memories_affected == 1


# --- refusals --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda text: text.replace("# ", "<<<<<<< HEAD\n# ", 1), "merge-conflict marker"),
        (lambda text: text.replace("title:", 'title: "open\nx:'), "line 2"),
        (lambda text: f"---\na: 1\n---\n{text}", "second frontmatter block"),
    ],
)
def test_f30_f108_a_damaged_target_is_named_and_left_alone(
    store: Store, damage: Callable[[str], str], reason: str
) -> None:
    there, torn = learned(store, RETRY), ""
    torn = damage(there.text)
    store.vault.write(there.path, torn, expected=there.hash)
    plan = plan_of(store, FRUIT).decide({"seg-001": Decision(action="EXTEND", target=there.path)})
    applied = apply(store, plan)
    assert reason in applied.refused[0][1] and there.path in applied.refused[0][1]
    assert text_at(store, there.path) == torn


def test_f30_a_target_that_is_not_utf8_is_left_alone(store: Store) -> None:
    there = learned(store, RETRY)
    data = there.text.replace("jitter", "café").encode("latin-1")
    store.vault.write_bytes(there.path, data, expected=there.hash)
    plan = plan_of(store, FRUIT).decide({"seg-001": Decision(action="UPDATE", target=there.path)})
    assert "not UTF-8" in apply(store, plan).refused[0][1]
    assert store.vault.read_bytes(there.path) == data


@pytest.mark.parametrize("target", ["MEM-nothing", "../../etc/passwd", "40-Facts", "", "20-Indices/index.md"])
def test_f6_a_target_that_is_no_memory_is_refused(store: Store, target: str) -> None:
    learned(store, RETRY)
    decision = Decision(action="UPDATE", target=target or None)
    plan = plan_of(store, FRUIT)
    proposal = plan.proposals[0]
    forged = Plan(
        id=plan.id, mode="text", created=plan.created, scope=plan.scope, content=plan.content,
        proposals=(proposal,), decisions={"seg-001": decision},
    )  # fmt: skip
    applied = apply(store, forged)
    assert len(applied.refused) == 1
    assert applied.memories_affected == 0


def test_a_fact_is_no_target(store: Store, memory: Memory) -> None:
    fact = memory.remember("Alice owns the deploys.")
    plan = plan_of(store, FRUIT).decide({"seg-001": Decision(action="UPDATE", target=fact.path)})
    assert "is no memory" in apply(store, plan).refused[0][1]


def test_sec1_forged_plans_write_nowhere_else(store: Store, tmp_path: Path) -> None:
    """A plan is a file that anybody may have written: paths, ids and fields in it are hostile."""
    before = snapshot(tmp_path)
    plan = plan_of(store, RETRY)
    one = plan.proposals[0]

    def forged(**changes: object) -> str:
        values = {name: getattr(one, name) for name in Proposal.__slots__} | changes
        wrong = Plan(
            id="P", mode="text", created=plan.created, scope="user", content=plan.content,
            proposals=(Proposal(**values),), decisions={"seg-001": Decision(action=values["action"])},  # type: ignore[arg-type]
        )  # fmt: skip
        return apply(store, wrong).refused[0][1]

    outside = (Target(id="x", path="../outside.md", hash="0" * 64),)
    assert forged(memory_id="../../outside")
    assert forged(memory_id="README")
    assert forged(values={"kind": "proposal"})
    assert forged(path="10-Memories/MEM-x.md")
    assert forged(path="../outside.md")
    assert forged(action="UPDATE", targets=outside, related=())
    assert snapshot(tmp_path) == before


def test_f5_placeholders_are_refused_and_hints_work(store: Store) -> None:
    """F5, F7."""
    there = learned(store, RETRY)
    short = f"{NEWER}\n\n[rest unchanged…]"
    for answer in ("UPDATE", "EXTEND", "CREATE"):
        applied = apply(store, decided(store, short, answer))
        assert "leaves something out: '[rest unchanged…]'" in applied.refused[0][1]
        assert "Put the whole text there" in applied.refused[0][1]
    whole = Decision(action="UPDATE", body=f"{NEWER}\n\nAnd log each.")
    assert apply(store, decided(store, short, whole)).done[0].path == there.path


def test_f5_an_example_in_a_code_block_may_have_dots(store: Store) -> None:
    code = f"{NEWER}\n\n```py\n# ... existing code ...\nretry()\n```"
    created = apply(store, decided(store, code, "CREATE"))
    assert created.refused == ()
    other = learned(store, FRUIT)
    update = Decision(action="UPDATE", target=other.path)
    assert "leaves something out" in apply(store, decided(store, code.replace("5", "6"), update)).refused[0][1]


def test_f4_f5_a_large_loss_needs_somebody_who_looked(store: Store) -> None:
    facts = "\n".join(f"- Retry requests with backoff and jitter, rule {number}." for number in range(10))
    there = learned(store, facts)
    plan = plan_of(store, "- Retry requests with backoff and jitter, rule eleven.")
    assert plan.proposals[0].action == "UPDATE"
    unseen = apply(store, plan.decide("recommended", by="--yes"))
    assert "1 lines would take the place of 10" in unseen.refused[0][1]
    assert unseen.by == "--yes"
    assert text_at(store, there.path) == there.text
    seen = apply(store, plan.decide("UPDATE"))
    assert seen.memories_affected == 1
    assert all(line in text_at(store, there.path) for line in facts.splitlines())


def test_an_empty_text_is_refused(store: Store) -> None:
    applied = apply(store, decided(store, RETRY, Decision(action="CREATE", body=" \n")))
    assert "has no text" in applied.refused[0][1]


# --- failures --------------------------------------------------------------------------------------------------


def test_f14_what_is_not_there_is_not_counted(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The summary is read back after the operation, so a file that is gone is no success."""
    real = applying.editing

    def losing(*arguments: object, **options: object) -> object:
        return _then(real(*arguments, **options), lambda edits: _remove(store, edits.changes))  # type: ignore[arg-type, attr-defined]

    monkeypatch.setattr(applying, "editing", losing)
    applied = apply(store, plan_of(store, RETRY, FRUIT).decide("CREATE"))
    assert applied.memories_affected == 1
    assert "is not there although it was written" in applied.refused[0][1]
    assert applied.message == "1 memory: 1 CREATE."


def _then(context: object, after: Callable[[object], None]) -> object:
    from contextlib import contextmanager

    @contextmanager
    def wrapped():  # type: ignore[no-untyped-def]
        with context as edits:  # type: ignore[attr-defined]
            yield edits
        after(edits)

    return wrapped()


def _remove(store: Store, changes: object) -> None:
    path = next(change.path for change in changes)  # type: ignore[attr-defined]
    (Path(store.vault.name) / path).unlink()


def test_a_full_disk_leaves_everything_as_it_was(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = store_of(memory)
    learned(store, RETRY)
    kept = inbox.keep(store, plan_of(store, segment(NEWER, 1), FRUIT_SEGMENT)).decide("recommended")
    before = snapshot(tmp_path / "vault")

    def full(*_: object, **__: object) -> object:
        raise Unavailable("The disk is full.")

    with monkeypatch.context() as broken:
        broken.setattr(FolderVault, "write_bytes", full)
        applied = apply(store, kept)
    assert [("disk is full" in why) for _, why in applied.refused] == [True, True]
    assert (applied.done, applied.operations) == ((), ())
    assert snapshot(tmp_path / "vault") == before
    assert apply(store, kept).memories_affected == 2


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_ctrl_c_leaves_nothing_half_written_and_the_plan_kept(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    store = store_of(memory)
    learned(store, RETRY)
    kept = inbox.keep(store, plan_of(store, segment(NEWER, 1), FRUIT_SEGMENT)).decide("recommended")
    before = snapshot(tmp_path / "vault")

    def interrupted(*_: object) -> object:
        raise error

    with monkeypatch.context() as broken:
        broken.setattr(steps, "create", interrupted)
        with pytest.raises(error):
            apply(store, kept)
    assert snapshot(tmp_path / "vault") == before
    assert len(inbox.waiting(store)) == 2
    assert apply(store, kept).memories_affected == 2


def test_what_a_failing_step_did_is_put_back_and_the_rest_stays(store: Store, tmp_path: Path) -> None:
    """``Edits.attempt``: the operation goes on without the part that failed, on disk, in the index and for undo."""
    there = learned(store, RETRY)
    with editing(store, "test", "Half of it fails") as edits:
        edits.create("10-Memories/MEM-stays.md", "Stays.\n")
        with pytest.raises(Refused), edits.attempt():  # noqa: PT012 - what is made inside is the point
            edits.create("10-Memories/MEM-goes.md", "Goes.\n")
            edits.replace(store.vault.read(there.path), there.text + "More.\n")
            edits.replace(store.vault.read(there.path), there.text + "Even more.\n")
            edits.retire(store.vault.read(there.path))
            raise Refused("No.")
        edits.create("10-Memories/MEM-goes.md", "Comes after all.\n")
    assert text_at(store, there.path) == there.text
    assert store.index.document(there.path).hash == there.hash  # type: ignore[union-attr]
    assert text_at(store, "10-Memories/MEM-goes.md") == "Comes after all.\n"
    operation = store.index.operations(1)[0]
    assert [change.path for change in operation.changes] == ["10-Memories/MEM-stays.md", "10-Memories/MEM-goes.md"]


def test_models_are_never_called_inside_the_lock(store: Store) -> None:
    there = learned(store, RETRY)
    plan = plan_of(store, NEWER).decide("recommended")
    store.vault.write(there.path, there.text.replace("jitter", "full jitter"), expected=there.hash)

    def rematch(proposal: Proposal) -> Proposal:
        with store.index.writing():  # would fail or wait for ever inside the other one
            return planning.rematch(store, proposal)

    assert applying.apply(store, plan, rematch=rematch).stale


def test_a_step_of_every_action_is_known() -> None:
    from scrubjay.proposals import ACTIONS

    assert all(callable(steps.step_for(action)) for action in ACTIONS if action != "SKIP")


def test_errors_of_the_inbox_are_conflicts() -> None:
    assert issubclass(inbox.DecidedError, Conflict) and issubclass(inbox.EditedError, Conflict)
    with pytest.raises(BadInput):
        inbox.as_plan(None, [])  # type: ignore[arg-type]
