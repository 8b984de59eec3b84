"""Distilling: proposals with a cap, decided by somebody, reversible to the byte (SM-42 … SM-50; F1, F2, F4, F5)."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from scrubjay import Memory
from scrubjay.errors import BadInput
from scrubjay.operations.distill import log, merging
from scrubjay.proposals import Applied, Decision, Plan, Proposal, Target
from scrubjay.temporal import now
from scrubjay.text import frontmatter
from scrubjay.vaults.encoding import digest
from tests.flows.grown import grow


def ago(days: int) -> str:
    return f"{(now() - timedelta(days=days)).date()}"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    (tmp_path / "vault" / "10-Memories").mkdir(parents=True)
    return tmp_path / "vault"


def put(
    vault: Path, id: str, body: str = "Text.", *, keywords: str = "", days: int = 0, count: int = 0, more: str = ""
) -> Path:
    path = vault / "10-Memories" / f"{id}.md"
    path.write_text(
        f'---\ntitle: "{id[4:].title()}"\ncreated: {ago(days)}\ntags: [PATTERN]\ntopic: "web/api"\n'
        f'source: "user input"\nmodified: {ago(days)}\nkeywords: [{keywords}]\nsummary: "{id}"\n'
        f"retrieval_count: {count}\nlast_retrieved: null\n{more}---\n\n# {id[4:].title()}\n\n{body}\n\n"
        "## Connections\n<!-- [[MEM-other]] links go here -->\n",
        "utf-8",
    )
    return path


def as_it_is(vault: Path, proposal: Proposal) -> Proposal:
    """The proposal as if it had been made from the bytes that are there now."""
    targets = [replace(one, hash=digest((vault / one.path).read_bytes())) for one in proposal.targets]
    return replace(proposal, targets=tuple(targets))


def target(vault: Path, path: str) -> Target:
    return Target(id=path.rpartition("/")[2].removesuffix(".md"), path=path, hash=digest((vault / path).read_bytes()))


def decided(memory: Memory, *proposals: Proposal) -> Applied:
    """What becomes of hand-made proposals."""
    plan = memory.distill("purge", cap=1)
    numbered = tuple(replace(one, key=f"own-{n}", origin="distill") for n, one in enumerate(proposals))
    return memory.apply(Plan(
        id=plan.id, mode="distill", created=plan.created, scope=plan.scope, content=plan.content, proposals=numbered
    ).decide("recommended"))  # fmt: skip


def state(vault: Path) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in sorted((vault / "10-Memories").glob("MEM-*.md"))}


def own_words(vault: Path) -> dict[str, str]:
    """``state`` without the counters of retrievals, which are taken into the files now and then."""
    pattern = re.compile(r"^(?:retrieval_count|last_retrieved):.*\n", re.MULTILINE)
    return {name: pattern.sub("", text) for name, text in state(vault).items()}


def test_sm44_a_report_changes_nothing(memory: Memory, vault: Path) -> None:
    put(vault, "MEM-a", days=100)
    memory.sync()
    before = state(vault)
    found = memory.distill()
    assert (found.retrievals["never"], found.clusters, found.categories) == (1, {"web": 1}, {"PATTERN": 1})
    assert state(vault) == before and not (vault / "distill-log.json").exists()


def test_f1_a_purge_has_a_cap_and_does_nothing_by_itself(memory: Memory, vault: Path) -> None:
    """F1: forty memories, one run: at most ten proposals, and no file changed before a decision."""
    for number in range(40):
        put(vault, f"MEM-{number:02}", days=100 + number)
    memory.sync()
    before = state(vault)
    plan = memory.distill("purge")
    assert len(plan.proposals) == 10 and "30 more" in plan.content.notices[0]
    assert state(vault) == before
    done = memory.apply(plan.decide("recommended"))
    assert len(done.done) == 10
    memory.undo()
    assert state(vault) == before


def test_sm45_a_retired_memory_leaves_every_answer_and_stays_on_disk(memory: Memory, vault: Path) -> None:
    path = put(vault, "MEM-old", "Zebra stripes.", days=100)
    put(vault, "MEM-linking", "See [[MEM-old]].", days=1, count=1)
    memory.sync()
    [proposal] = memory.distill("purge").proposals
    assert proposal.cautions == ("MEM-linking links to it.",)
    done = memory.apply(memory.distill("purge").decide("recommended"))
    assert "Still linked: MEM-linking links to MEM-old." in done.message
    values = frontmatter.parse(path.read_text("utf-8")).values
    assert (values["status"], values["tombstone_reason"]) == ("tombstoned", "purge")
    assert memory.search("zebra stripes", abstain=False).hits == ()
    index = json.loads((vault / "memory-index.json").read_text("utf-8"))
    assert [entry["status"] for entry in index["entries"] if entry["id"] == "MEM-old"] == ["tombstoned"]
    assert "MEM-old" not in (vault / "20-Indices" / "index.md").read_text("utf-8")
    assert [one.targets[0].id for one in memory.distill("purge").proposals] == []


def test_sm46_a_merge_keeps_every_word_and_turns_links(memory: Memory, vault: Path) -> None:
    put(vault, "MEM-one", "First text.", keywords="http, retry, jitter", count=3, days=10)
    second = put(vault, "MEM-two", "Second text.\n\n## Detail\n\nDeep.", keywords="http, retry, pool", days=20)
    linking = put(vault, "MEM-link", "See [[MEM-two#Detail|that]] and `[[MEM-two]]`.", keywords="z", days=1)
    memory.sync()
    before = state(vault)
    plan = memory.distill("merge")
    [proposal] = plan.proposals
    assert [target.id for target in proposal.targets] == ["MEM-one", "MEM-two"]
    memory.apply(plan.decide("recommended"))
    text = state(vault)["MEM-one.md"]
    values = frontmatter.parse(text).values
    assert values["keywords"] == ["http", "jitter", "pool", "retry"]
    assert (values["retrieval_count"], values["created"]) == (3, ago(20))
    assert "First text." in text and "## Merged From MEM-two" in text and "Second text." in text and "Deep." in text
    assert text.index("Merged From") < text.index("## Connections")
    gone = frontmatter.parse(second.read_text("utf-8")).values
    assert (gone["status"], gone["tombstone_reason"]) == ("tombstoned", "merged_into:MEM-one")
    assert "See [[MEM-one#Detail|that]] and `[[MEM-two]]`." in linking.read_text("utf-8")
    memory.undo()
    assert state(vault) == before


def test_sm46_a_memory_goes_into_one_other_at_most(memory: Memory, vault: Path) -> None:
    for name in ("a", "b", "c"):
        put(vault, f"MEM-{name}", f"Text of {name}.", keywords="http, retry, pool", days=5)
    memory.sync()
    plan = memory.distill("merge")
    gone = [proposal.targets[1].id for proposal in plan.proposals]
    kept = [proposal.targets[0].id for proposal in plan.proposals]
    assert len(set(gone)) == len(gone) and not set(gone) & set(kept)
    memory.apply(plan.decide("recommended"))
    alive = [text for text in state(vault).values() if "tombstoned" not in text]
    assert len(alive) == 1 and all(f"Text of {name}." in alive[0] for name in ("a", "b", "c"))


def test_sm47_a_long_memory_is_shortened_and_the_long_text_kept(memory: Memory, vault: Path) -> None:
    sentences = " ".join(
        f"The retry number {n} of the client waits {n} seconds before it asks again." for n in range(50)
    )
    body = (
        f"{sentences}\n\n```python\nretry(5)\n```\n\nNever retry a POST without a key. "
        + "Filler words stand here. " * 60
    )
    put(vault, "MEM-long", body, keywords="retry, client, idempotency", days=1)
    memory.sync()
    before = state(vault)
    plan = memory.distill("compress")
    [proposal] = plan.proposals
    assert "```python\nretry(5)\n```" in proposal.body
    memory.apply(plan.decide("recommended"))
    text = state(vault)["MEM-long.md"]
    assert f"### Pre-Compression ({ago(0)})" in text and text.count("Filler words stand here.") >= 60
    assert memory.distill("compress").proposals == ()
    memory.undo()
    assert state(vault) == before


def test_sm48_auto_mends_what_needs_no_judgement(memory: Memory, vault: Path) -> None:
    path = put(vault, "MEM-a", keywords="Http, http, retry")
    text = path.read_text("utf-8").replace('topic: "web/api"', 'topic: "Web/API/"').replace('summary: "MEM-a"\n', "")
    path.write_text(text, "utf-8")
    memory.sync()
    plan = memory.distill("auto")
    memory.apply(plan.decide("recommended", by="auto mode"))
    values = frontmatter.parse(path.read_text("utf-8")).values
    assert (values["keywords"], values["topic"], values["summary"]) == (["Http", "retry"], "web/api", "Text.")
    [entry] = log.operations((vault / "distill-log.json").read_text("utf-8"))
    assert entry["type"] == "refine" and "auto mode" in entry["notes"]
    assert memory.distill("auto").proposals == ()


def test_sm49_only_what_was_retired_for_a_week_goes_to_the_trash(memory: Memory, vault: Path) -> None:
    old = f"status: tombstoned\ntombstoned_at: {ago(8)}\ntombstone_reason: purge\n"
    new = f"status: tombstoned\ntombstoned_at: {ago(3)}\ntombstone_reason: purge\n"
    path = put(vault, "MEM-old", days=100, more=old)
    put(vault, "MEM-new", days=100, more=new)
    memory.sync()
    before = state(vault)
    plan = memory.distill("gc")
    assert [proposal.targets[0].id for proposal in plan.proposals] == ["MEM-old"]
    memory.apply(plan.decide("recommended"))
    assert not path.exists()
    index = json.loads((vault / "memory-index.json").read_text("utf-8"))
    assert [entry["id"] for entry in index["entries"]] == ["MEM-new"]
    memory.undo()
    assert state(vault) == before


def test_sm50_the_log_survives_a_merge_of_both_sides(memory: Memory, vault: Path) -> None:
    """F106: git keeps the lines of both; each operation counts once."""
    put(vault, "MEM-old", days=100)
    memory.sync()
    memory.apply(memory.distill("purge").decide("recommended"))
    text = (vault / "distill-log.json").read_text("utf-8")
    found = json.loads(text)
    assert found["summary"]["total_purged"] == 1 and found["operations"][0]["affected_memories"] == ["MEM-old"]
    other = {**found["operations"][0], "id": "distill_other"}
    union = text.replace("    {", f"    {json.dumps(other)}\n    {{", 1)
    assert [one["id"] for one in log.operations(union)] == sorted(["distill_other", found["operations"][0]["id"]])


def test_f2_what_changed_meanwhile_is_not_merged(memory: Memory, vault: Path) -> None:
    put(vault, "MEM-one", keywords="http, retry, pool", count=3)
    path = put(vault, "MEM-two", keywords="http, retry, pool")
    memory.sync()
    plan = memory.distill("merge").decide("recommended")
    path.write_text(path.read_text("utf-8") + "\nMore.\n", "utf-8")
    memory.sync()
    before = state(vault)
    done = memory.apply(plan)
    assert done.done == () and len(done.stale) == 1
    assert state(vault) == before


@pytest.mark.parametrize(
    ("kind", "body"),
    [("purge", "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs"), ("compress", "<<<<<<< ours\n" + "Many words. " * 900)],
)
def test_a_damaged_memory_is_left_alone_and_named(memory: Memory, vault: Path, kind: str, body: str) -> None:
    """F30, F108. It takes no place under the cap either: ten of them would block every later run."""
    path = put(vault, "MEM-old", body, days=100)
    memory.sync()
    before = path.read_bytes()
    plan = memory.distill(kind)
    assert plan.proposals == () and "MEM-old.md, line 16" in plan.content.notices[0]
    assert path.read_bytes() == before


def test_a_memory_that_gets_damaged_before_the_decision_is_refused(memory: Memory, vault: Path) -> None:
    """F30, F108."""
    path = put(vault, "MEM-old", days=100)
    memory.sync()
    plan = memory.distill("purge")
    path.write_text(path.read_text("utf-8").replace("Text.", "<<<<<<< ours\nText."), "utf-8")
    memory.sync()
    done = memory.apply(replace(plan, proposals=tuple(as_it_is(vault, one) for one in plan.proposals)).decide("RETIRE"))
    assert done.done == () and "MEM-old.md, line 16" in done.refused[0][1]


def test_a_memory_without_frontmatter_is_never_marked(memory: Memory, vault: Path) -> None:
    """R-COM-3: nothing is added to a file that has none."""
    path = vault / "10-Memories" / "MEM-plain.md"
    path.write_text("# Plain\n\n" + "Words. " * 2000, "utf-8")
    memory.sync()
    for kind in ("purge", "merge", "compress", "refine", "auto"):
        assert memory.distill(kind).proposals == ()
    assert "has no frontmatter" in memory.distill("compress").content.notices[0]
    assert path.read_text("utf-8").startswith("# Plain")


def test_f30_a_memory_whose_fields_cannot_be_set_is_never_proposed(memory: Memory, vault: Path) -> None:
    """What can only be refused would take a place under the cap in every run."""
    path = vault / "10-Memories" / "MEM-braces.md"
    path.write_text(
        f"---\n{{title: x, created: {ago(99)}, keywords: [p, p]}}\n---\n# X\n\n" + "Words. " * 2000, "utf-8"
    )
    memory.sync()
    before = path.read_bytes()
    for kind in ("purge", "compress", "refine", "auto"):
        plan = memory.distill(kind)
        assert plan.proposals == () and "one mapping in braces" in plan.content.notices[0], kind
    assert path.read_bytes() == before


def test_kept_proposals_can_be_decided_by_somebody_else(memory: Memory, vault: Path) -> None:
    put(vault, "MEM-old", days=100)
    memory.sync()
    memory.keep(memory.distill("purge"))
    [waiting] = memory.inbox()
    assert waiting.action == "RETIRE"
    assert memory.decide(waiting.id, "recommended").done[0].action == "RETIRE"
    assert memory.inbox() == []


@pytest.mark.parametrize("kind", ["purge", "merge", "compress", "refine", "gc"])
def test_every_kind_of_proposal_survives_the_inbox(memory: Memory, vault: Path, kind: str) -> None:
    """What waits as a document does the same as what is decided at once, and one undo takes it back."""
    grow(vault)
    memory.sync()
    before = own_words(vault)
    plan = memory.distill(kind, cap=2)
    memory.keep(plan)
    waiting = memory.inbox()
    assert [(one.action, one.values, one.body) for one in waiting] == [
        (one.action, one.values, one.body) for one in plan.proposals
    ]
    done = memory.apply(memory.waiting_plan(plan.scope).decide("recommended"))
    assert len(done.done) == 2 and done.status == "completed" and memory.inbox() == []
    assert done.memories_affected == 2
    log_types = {one["type"] for one in log.operations((vault / "distill-log.json").read_text("utf-8"))}
    assert log_types == {kind}
    memory.undo()
    assert own_words(vault) == before and len(memory.inbox()) == 2


@pytest.mark.parametrize("edited", [True, False])
def test_sm48_topic_and_category_can_be_given_with_the_answer_or_before(
    memory: Memory, vault: Path, edited: bool
) -> None:
    """SM-48: the second tier is asked; what somebody says instead of the guess is what is written."""
    path = put(vault, "MEM-a", "Pools recycle connections.", keywords="a, b")
    path.write_text(path.read_text("utf-8").replace('topic: "web/api"\n', "").replace("PATTERN", "mine"), "utf-8")
    memory.sync()
    memory.keep(memory.distill("refine"))
    [waiting] = memory.inbox()
    words = {"topic": "/Net/Pools/", "category": "config"}
    if edited:
        memory.amend(waiting.id, **words)
        memory.decide(waiting.id, "recommended")
    else:
        memory.decide(waiting.id, Decision(action="REFINE", **words))
    values = frontmatter.parse(path.read_text("utf-8")).values
    assert values["topic"] == "net/pools"
    assert values["tags"] == ["CONFIG", "mine"]


def test_sm48_auto_leaves_a_category_as_it_is_written(memory: Memory, vault: Path) -> None:
    path = put(vault, "MEM-a", keywords="a, A")
    path.write_text(path.read_text("utf-8").replace("tags: [PATTERN]", 'tags: ["[pattern]", x]'), "utf-8")
    memory.sync()
    memory.apply(memory.distill("auto").decide("recommended"))
    assert frontmatter.parse(path.read_text("utf-8")).values["tags"] == ["[pattern]", "x"]


def test_sm48_a_description_is_a_summary(memory: Memory, vault: Path) -> None:
    path = put(vault, "MEM-a", keywords="a, b, c, d")
    path.write_text(path.read_text("utf-8").replace("summary:", "description:"), "utf-8")
    memory.sync()
    assert memory.distill("auto").proposals == ()


def test_f92_only_retrieval_counts_as_use(memory: Memory, vault: Path) -> None:
    """F92: search and show leave the clock alone; what is retrieved for a task is used (SM-43)."""
    put(vault, "MEM-zebra", "Zebra stripes differ.", days=100, keywords="zebra, stripes, animal, savanna")
    memory.sync()
    memory.search("zebra stripes")
    memory.show("MEM-zebra")
    memory.distill()
    [score] = memory.distill().scores
    assert score.unused and score.staleness == 1.0
    memory.retrieve("look at the zebra stripes")
    [score] = memory.distill().scores
    assert not score.unused and score.staleness == 0.0
    assert memory.distill("purge").proposals == ()


def test_sm45_what_was_retrieved_after_it_was_proposed_stays(memory: Memory, vault: Path) -> None:
    """Counting a retrieval changes no file, so the hash alone would not tell."""
    path = put(vault, "MEM-zebra", days=100, keywords="zebra, stripes, animal, savanna")
    memory.sync()
    plan = memory.distill("purge").decide("recommended")
    memory.retrieve("zebra stripes")
    done = memory.apply(plan)
    assert done.done == () and "was retrieved on" in done.refused[0][1]
    assert "tombstoned" not in path.read_text("utf-8")


def test_xc14_counters_of_the_overview_count_in_a_merge_and_reach_the_file(memory: Memory, vault: Path) -> None:
    """SM-31, SM-46: the sum of both, wherever each was counted."""
    put(vault, "MEM-one", "Zebra.", keywords="zebra, stripes, animal", days=50, count=1)
    put(vault, "MEM-two", "Zebra too.", keywords="zebra, stripes, herd", days=50, count=5)
    memory.sync()
    for _ in range(3):
        memory.retrieve("zebra stripes")
    memory.apply(memory.distill("merge").decide("recommended"))
    values = frontmatter.parse(state(vault)["MEM-two.md"]).values
    assert (values["retrieval_count"], values["last_retrieved"]) == (1 + 5 + 3 + 3, ago(0))
    gone = frontmatter.parse(state(vault)["MEM-one.md"]).values
    assert (gone["retrieval_count"], gone["tombstone_reason"]) == (4, "merged_into:MEM-two")


def test_sm4_the_marks_of_a_tombstone_stand_behind_the_summary(memory: Memory, vault: Path) -> None:
    path = put(vault, "MEM-old", days=100)
    memory.sync()
    memory.apply(memory.distill("purge").decide("recommended"))
    names = list(frontmatter.parse(path.read_text("utf-8")).values)
    place = names.index("summary")
    assert names[place + 1 : place + 4] == ["status", "tombstoned_at", "tombstone_reason"]


@pytest.mark.parametrize("broken", ["", "# One\n\nFirst text only.\n"])
def test_f2_a_merge_that_lost_something_changes_nothing(
    memory: Memory, vault: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    """F2: the merged memory is read back before the second one is retired."""
    put(vault, "MEM-one", "First text.", keywords="http, retry, pool", count=3)
    put(vault, "MEM-two", "Second text.", keywords="http, retry, pool")
    memory.sync()
    before = state(vault)
    plan = memory.distill("merge").decide("recommended")
    monkeypatch.setattr(merging, "merged", lambda *_, **__: broken)
    done = memory.apply(plan)
    assert done.done == () and "would lose" in done.refused[0][1] and done.operations == ()
    assert state(vault) == before and not (vault / "distill-log.json").exists()


def test_sm46_what_was_merged_earlier_in_the_batch_stands_for_the_whole(memory: Memory, vault: Path) -> None:
    """``Z``: b goes into a; that b should go into c then means a with b in it."""
    for name, count in (("a", 2), ("b", 0), ("c", 5)):
        put(vault, f"MEM-{name}", f"Text of {name}.", keywords="http, retry, pool", count=count)
    memory.sync()
    paths = {name: f"10-Memories/MEM-{name}.md" for name in "abc"}
    [ab, *_] = memory.distill("merge").proposals
    first = replace(ab, targets=(target(vault, paths["a"]), target(vault, paths["b"])))
    second = replace(ab, id=ab.id[::-1], targets=(target(vault, paths["c"]), target(vault, paths["b"])))
    done = decided(memory, first, second)
    assert len(done.done) == 2
    files = state(vault)
    assert all(f"Text of {name}." in files["MEM-c.md"] for name in "abc")
    assert [frontmatter.parse(files[f"MEM-{name}.md"]).string("tombstone_reason") for name in "ab"] == [
        "merged_into:MEM-c", "merged_into:MEM-a"
    ]  # fmt: skip


def test_sm46_a_waiting_merge_follows_what_was_merged_meanwhile(memory: Memory, vault: Path) -> None:
    for name, count in (("a", 9), ("b", 0), ("c", 5)):
        put(vault, f"MEM-{name}", f"Text of {name}.", keywords="http, retry, pool", count=count)
    memory.sync()
    [ab, *_] = memory.distill("merge").proposals
    pair = (target(vault, "10-Memories/MEM-c.md"), target(vault, "10-Memories/MEM-b.md"))
    memory.keep(
        replace(memory.distill("merge"), proposals=(replace(ab, id="01AAAAAAAAAAAAAAAAAAAAAAAA", targets=pair),))
    )
    decided(memory, replace(ab, targets=(target(vault, "10-Memories/MEM-a.md"), pair[1])))
    [waiting] = memory.inbox()
    done = memory.decide(waiting.id, "recommended")
    assert [[one.id for one in stale.targets] for stale in done.stale] == [["MEM-a", "MEM-c"]]
    [waiting] = memory.inbox()
    assert [one.id for one in waiting.targets] == ["MEM-a", "MEM-c"]
    assert memory.decide(waiting.id, "recommended").done[0].action == "MERGE"
    assert all(f"Text of {name}." in state(vault)["MEM-a.md"] for name in "abc")


def test_a_stale_proposal_is_made_anew_and_can_then_be_decided(memory: Memory, vault: Path) -> None:
    path = put(vault, "MEM-old", days=100)
    memory.sync()
    memory.keep(memory.distill("purge"))
    path.write_text(path.read_text("utf-8").replace("Text.", "Another text."), "utf-8")
    memory.sync()
    [waiting] = memory.inbox()
    done = memory.decide(waiting.id, "recommended")
    assert done.done == () and done.stale[0].rule.startswith("The memory changed.")
    [again] = memory.inbox()
    assert memory.decide(again.id, "recommended").done[0].action == "RETIRE"


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("retrieval_count: 0", f"retrieval_count: 3\nlast_retrieved: {ago(1)}", "in use again"),
        ("summary:", f"status: tombstoned\ntombstoned_at: {ago(1)}\nsummary:", "retired already"),
    ],
)
def test_a_stale_proposal_without_a_need_is_to_be_skipped(
    memory: Memory, vault: Path, old: str, new: str, why: str
) -> None:
    path = put(vault, "MEM-old", days=100)
    memory.sync()
    memory.keep(memory.distill("purge"))
    path.write_text(path.read_text("utf-8").replace("last_retrieved: null\n", "").replace(old, new), "utf-8")
    memory.sync()
    [waiting] = memory.inbox()
    memory.decide(waiting.id, "recommended")
    [again] = memory.inbox()
    assert (again.action, again.choices) == ("SKIP", ("SKIP",)) and why in again.rule
    assert memory.decide(again.id, "recommended").done[0].action == "SKIP" and memory.inbox() == []


@pytest.mark.parametrize("path", ["10-Memories/README.md", "20-Indices/index.md", "40-Facts/x.md", "README.md"])
@pytest.mark.parametrize("action", ["RETIRE", "COMPRESS", "REFINE", "DELETE"])
def test_only_memories_are_distilled(memory: Memory, vault: Path, path: str, action: str) -> None:
    """SEC-1: a proposal may come with a clone and name any file."""
    put(vault, "MEM-old", days=100)
    (vault / path).parent.mkdir(exist_ok=True)
    (vault / path).write_text("---\ntitle: x\nstatus: tombstoned\n---\n\n# x\n", "utf-8")
    memory.sync()
    before = (vault / path).read_bytes()
    proposal = Proposal(id="1", key="k", action=action, body="Short.", targets=(target(vault, path),))  # type: ignore[arg-type]
    done = decided(memory, proposal)
    assert done.done == () and done.refused and (vault / path).read_bytes() == before


def test_strange_proposals_are_refused_one_by_one(memory: Memory, vault: Path) -> None:
    put(vault, "MEM-one", "A.", keywords="x, y", days=100)
    put(vault, "MEM-two", "B.", keywords="x, y", days=100)
    memory.sync()
    before = state(vault)
    one, two = target(vault, "10-Memories/MEM-one.md"), target(vault, "10-Memories/MEM-two.md")
    strange = [
        Proposal(id="1", key="", action="MERGE", targets=(one,)),
        Proposal(id="2", key="", action="MERGE", targets=(one, one)),
        Proposal(id="3", key="", action="MERGE", targets=(one, two, two)),
        Proposal(id="4", key="", action="RETIRE"),
        Proposal(id="5", key="", action="REFINE", targets=(one,), values={"kind": "fact"}),
        Proposal(id="6", key="", action="REFINE", targets=(one,), values={"keywords": ["x"]}),
        Proposal(id="7", key="", action="COMPRESS", targets=(one,), body="  "),
        Proposal(id="8", key="", action="COMPRESS", targets=(one,), body="Short.\n\n[rest unchanged…]"),
        Proposal(id="9", key="", action="DELETE", targets=(one,)),
        Proposal(id="10", key="", action="RETIRE", targets=(replace(one, path="../../etc/passwd"),)),
    ]
    done = decided(memory, *strange)
    assert done.done == () and len(done.refused) == len(strange)
    assert state(vault) == before


def test_f4_f5_a_short_form_keeps_the_long_one(memory: Memory, vault: Path) -> None:
    """F4, F5: whatever somebody writes as the short form, every line of the long one is in the history."""
    lines = "\n\n".join(f"Line {number} says that value {number} is not {number + 1}." for number in range(200))
    put(vault, "MEM-long", f"{lines}\n\n## Detail\n\nDeep.\n\n```\nx = 1\n```", days=1, keywords="value")
    memory.sync()
    plan = memory.distill("compress")
    short = Decision(action="COMPRESS", body="Nearly nothing.")
    memory.apply(plan.decide({plan.proposals[0].key: short}))
    text = state(vault)["MEM-long.md"]
    assert "Nearly nothing." in text.split("## History")[0] and "Line 7" not in text.split("## History")[0]
    assert all(f"Line {number} says that value {number} is not {number + 1}." in text for number in range(200))
    assert "x = 1" in text and "Deep." in text


def test_sm47_a_memory_can_be_shortened_twice_on_one_day(memory: Memory, vault: Path) -> None:
    put(vault, "MEM-long", "Value 1 is not 2. " * 400, days=1)
    memory.sync()
    memory.apply(memory.distill("compress").decide("recommended"))
    path = vault / "10-Memories" / "MEM-long.md"
    path.write_text(
        path.read_text("utf-8").replace("## History", "Value 3 is not 4. " * 400 + "\n\n## History"), "utf-8"
    )
    memory.sync()
    memory.apply(memory.distill("compress").decide("recommended"))
    text = path.read_text("utf-8")
    assert text.count("### Pre-Compression") == 2 and memory.distill("compress").proposals == ()


def test_sm46_links_anywhere_in_the_vault_are_turned(memory: Memory, vault: Path) -> None:
    put(vault, "MEM-one", "First.", keywords="http, retry, pool", count=3)
    put(vault, "MEM-two", "Second, see [[MEM-one]].", keywords="http, retry, pool")
    put(vault, "MEM-dead", "[[MEM-two]]", more=f"status: tombstoned\ntombstoned_at: {ago(1)}\n")
    (vault / "Ideas").mkdir()
    (vault / "Ideas" / "plan.md").write_text(
        "# Plan\n\n[[10-Memories/MEM-two|two]]\n\n```\n[[MEM-two]]\n```\n", "utf-8"
    )
    memory.sync()
    (vault / "Ideas" / "torn.md").write_text("# Torn\n\n<<<<<<< ours\n[[MEM-two]]\n", "utf-8")
    memory.sync()
    done = memory.apply(memory.distill("merge").decide("recommended"))
    assert "Still linked: torn links to MEM-two." in done.message
    assert "[[MEM-two]]" in (vault / "Ideas" / "torn.md").read_text("utf-8")
    assert (vault / "Ideas" / "plan.md").read_text("utf-8") == (
        "# Plan\n\n[[10-Memories/MEM-one|two]]\n\n```\n[[MEM-two]]\n```\n"
    )
    assert "[[MEM-two]]" in state(vault)["MEM-dead.md"]


def test_sm49_a_tombstone_without_a_date_is_never_collected(memory: Memory, vault: Path) -> None:
    put(vault, "MEM-old", days=100, more="status: tombstoned\n")
    memory.sync()
    assert memory.distill("gc").proposals == ()
    assert [left for _, left in memory.distill().retired] == [None]


def test_sm49_several_go_in_one_run_and_are_counted(memory: Memory, vault: Path) -> None:
    for number in range(3):
        put(vault, f"MEM-{number}", days=100, more=f"status: tombstoned\ntombstoned_at: {ago(8)}\n")
    memory.sync()
    done = memory.apply(memory.distill("gc").decide("recommended"))
    assert done.memories_affected == 3 and len({one.path for one in done.done}) == 3
    log_text = (vault / "distill-log.json").read_text("utf-8")
    assert json.loads(log_text)["summary"]["total_gc_deleted"] == 3


def test_sm50_a_torn_log_is_saved_and_kept(memory: Memory, vault: Path) -> None:
    put(vault, "MEM-old", days=100)
    one = '{"id": "distill_1", "timestamp": "2026-01-01T00:00:00Z", "type": "gc", "affected_memories": ["x"]}'
    torn = f"<<<<<<< ours\n{one}"
    (vault / "distill-log.json").write_text(torn, "utf-8")
    memory.sync()
    memory.apply(memory.distill("purge").decide("recommended"))
    summary = json.loads((vault / "distill-log.json").read_text("utf-8"))["summary"]
    assert (summary["total_operations"], summary["total_gc_deleted"], summary["total_purged"]) == (2, 1, 1)
    kept = list((vault / "90-Trash").rglob("distill-log.json"))
    assert [path.read_text("utf-8") for path in kept] == [torn]


def test_sm50_a_log_that_cannot_be_written_is_told_and_stops_nothing(memory: Memory, vault: Path) -> None:
    put(vault, "MEM-old", days=100)
    (vault / "distill-log.json").mkdir()
    memory.sync()
    done = memory.apply(memory.distill("purge").decide("recommended"))
    assert len(done.done) == 1 and "distill-log.json was not written" in done.message


@pytest.mark.parametrize("cap", [0, -1, True, "3"])
def test_the_cap_is_a_whole_number_from_one_on(memory: Memory, vault: Path, cap: object) -> None:
    with pytest.raises(BadInput):
        memory.distill("purge", cap=cap)  # type: ignore[arg-type]


def test_a_year_of_use(memory: Memory, vault: Path) -> None:
    """Everything that is proposed, run after run, until nothing is: no word is lost, and each run can be taken back."""
    grown = grow(vault)
    memory.sync()
    before = own_words(vault)
    runs = 0
    for kind in ("auto", "refine", "merge", "compress", "purge", "gc"):
        while (plan := memory.distill(kind)).proposals:
            assert len(plan.proposals) <= 10
            done = memory.apply(plan.decide("recommended"))
            assert done.status == "completed", (kind, done.refused, done.stale)
            runs += 1
            assert runs < 20
    found = memory.distill()
    assert found.health >= 95 and found.untidy == ()
    text = "\n".join(state(vault).values())
    retired = {f"MEM-gone-{number}" for number in (0, 1)}
    for one in grown:
        if f"MEM-{one.slug}" not in retired:
            lines = [line for line in one.body.splitlines() if not line.startswith(("#", "- ")) and "[[" not in line]
            assert all(line in text for line in lines), one.slug
    for _ in range(runs):
        memory.undo()
    assert own_words(vault) == before
