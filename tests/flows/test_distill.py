"""Distilling: proposals with a cap, decided by somebody, reversible to the byte (SM-42 … SM-50; F1, F2, F4, F5)."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from scrubjay import Memory
from scrubjay.operations.distill import log
from scrubjay.operations.distill.compressing import compressed
from scrubjay.operations.distill.steps import turned
from scrubjay.temporal import now
from scrubjay.text import frontmatter


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


def state(vault: Path) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in sorted((vault / "10-Memories").glob("MEM-*.md"))}


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
    memory.apply(memory.distill("purge").decide("recommended"))
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


def test_sm47_code_and_numbers_survive_and_lost_keywords_are_named() -> None:
    body = (
        "# T\n\n" + "The pool holds 20 connections. It is fine. " * 40 + "\n\n```\nx = 1\n```\n\nOdd word: marmalade.\n"
    )
    short = compressed(body, ["pool", "marmalade"])
    assert short is not None and "```\nx = 1\n```" in short and "marmalade" in short
    assert len(short) < len(body) / 2
    assert compressed("# T\n\nShort.\n", []) is None


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


def test_a_memory_with_the_marks_of_a_merge_is_left_alone(memory: Memory, vault: Path) -> None:
    """F30, F108."""
    path = put(vault, "MEM-old", "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs", days=100)
    memory.sync()
    before = path.read_bytes()
    done = memory.apply(memory.distill("purge").decide("recommended"))
    assert done.done == () and "MEM-old.md" in done.refused[0][1]
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("[[a]] [[a|x]] [[a#h]] [[ab]]", "[[b]] [[b|x]] [[b#h]] [[ab]]"),
        ("`[[a]]`\n\n```\n[[a]]\n```\n", "`[[a]]`\n\n```\n[[a]]\n```\n"),
        ("no links", "no links"),
    ],
)
def test_links_are_turned_outside_code_only(text: str, wanted: str) -> None:
    assert turned(text, "a", "b") == wanted


def test_kept_proposals_can_be_decided_by_somebody_else(memory: Memory, vault: Path) -> None:
    put(vault, "MEM-old", days=100)
    memory.sync()
    memory.keep(memory.distill("purge"))
    [waiting] = memory.inbox()
    assert waiting.action == "RETIRE"
    assert memory.decide(waiting.id, "recommended").done[0].action == "RETIRE"
    assert memory.inbox() == []
