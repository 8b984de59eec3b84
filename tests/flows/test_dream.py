"""Dreaming over an agent's notebook (CC-D1 … CC-D4, F1 … F5, F28, F54, F92)."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from scrubjay import Memory
from scrubjay.operations.dream import steps
from scrubjay.proposals import Decision
from scrubjay.vaults.dialects.claude_memory import host
from scrubjay.vaults.identity import claude_key

OFF = {"models.embedder": "none", "models.reranker": "none"}
OLD = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


@pytest.fixture
def notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "work"
    root.mkdir()
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.chdir(root)
    folder = tmp_path / "claude" / "projects" / claude_key(str(root.resolve())) / "memory"
    folder.mkdir(parents=True)
    return folder


Opener = Callable[..., Memory]


@pytest.fixture
def opened(notebook: Path, tmp_path: Path) -> Iterator[Opener]:
    found: list[Memory] = []

    def open_(**settings: object) -> Memory:
        memory = Memory.open(home=tmp_path / "home", settings={**OFF, **settings}, background=False, zone=UTC)
        found.append(memory)
        return memory

    yield open_
    for memory in found:
        memory.close()


def put(folder: Path, name: str, body: str, *, type: str = "project", listed: bool = True, at: datetime = OLD) -> Path:
    file = folder / f"{name}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    stamp = f"{at:%Y-%m-%dT%H:%M:%S}.000Z"
    file.write_text(
        f"---\nname: {name}\ndescription: About {name}\nmetadata:\n  type: {type}\n  modified: {stamp}\n---\n{body}\n",
        encoding="utf-8",
    )
    os.utime(file, (at.timestamp(), at.timestamp()))
    if listed:
        with (folder / "MEMORY.md").open("a", encoding="utf-8") as index:
            index.write(f"- [{name}]({name}.md) — about {name}\n")
    return file


def everything(folder: Path) -> dict[str, bytes]:
    found = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    found.pop(host.LOCK_NAME, None)
    return found


def test_cc_d1_nothing_happens_before_it_is_time(notebook: Path, opened: Opener) -> None:
    put(notebook, "a", "Same words here.")
    put(notebook, "b", "Same words here.")
    before = everything(notebook)
    found = opened().dream()
    assert (found.status, found.plan) == ("closed", None) and "Only 0 of 5 sessions" in found.reason
    assert everything(notebook) == before and not (notebook / host.LOCK_NAME).exists()
    assert "10 minutes" in opened().dream().reason
    assert opened(**{"dream.enabled": False}).dream().reason == "Dreaming is switched off."


def test_cc_d3_what_is_safe_is_done_and_one_undo_takes_it_back(notebook: Path, opened: Opener) -> None:
    put(notebook, "kettle", "Descaled with vinegar in March.")
    put(notebook, "tea", "Descaled with vinegar in March.")
    put(notebook, "oven", "Preheat it.", listed=False)
    index = notebook / "MEMORY.md"
    index.write_text(index.read_text(encoding="utf-8") + "- [Gone](gone.md) — is not there\n", encoding="utf-8")
    before = everything(notebook)
    memory = opened()
    dry = memory.dream(dry_run=True, force=True)
    assert dry.status == "dry run" and everything(notebook) == before
    found = memory.dream(force=True)
    assert found.status == "completed" and found.applied is not None
    assert {one.action for one in found.applied.done} == {"REPLACE", "MERGE"}
    listed = index.read_text(encoding="utf-8")
    assert "gone.md" not in listed and "oven.md" in listed and listed.count("tea.md") + listed.count("kettle.md") == 1
    assert (notebook / "tea.md").exists() != (notebook / "kettle.md").exists()
    assert len([hit for hit in memory.search("descaled vinegar", abstain=False).hits if "vinegar" in hit.text]) == 1
    assert [each.id for each in memory.dreams()] == list(found.operations)
    memory.undo(found.operations[0])
    assert everything(notebook) == before
    assert memory.dream().reason.startswith("The last dream was less than 24 hours ago")


def test_f1_forty_files_and_one_dream_lose_five_at_most(notebook: Path, opened: Opener) -> None:
    for number in range(40):
        put(notebook, f"m{number:02}", "The very same words in all of them.")
    before = everything(notebook)
    memory = opened(**{"dream.accept": "all", "dream.cap": 100})
    found = memory.dream(force=True)
    assert len(list(notebook.glob("m*.md"))) == 35 and found.left > 0
    assert not any("90-Trash" in str(path) for path in notebook.rglob("*")), "the trash lies in our own home"
    memory.undo(found.operations[0])
    assert everything(notebook) == before


def test_cc_d3_what_needs_judgement_waits_in_the_inbox(notebook: Path, opened: Opener) -> None:
    long = "The build runs on the big machine in the cellar and takes about ten minutes when nobody else uses it."
    put(notebook, "build", long)
    put(notebook, "make", long.replace("about ", "").replace("when", "while"))
    before = everything(notebook)
    memory = opened()
    found = memory.dream(force=True)
    assert (found.status, found.waiting) == ("partial", 1) and everything(notebook) == before
    [waiting] = memory.inbox()
    assert (waiting.action, waiting.origin, waiting.scope) == ("MERGE", "dream", "notebook")
    assert memory.dream(force=True).waiting == 1 and len(memory.inbox()) == 1, "it waits once"
    plan = memory.waiting_plan("notebook")
    assert "while nobody" in memory.preview(plan, plan.proposals[0].key).after
    applied = memory.apply(plan.decide("MERGE"))
    assert [one.action for one in applied.done] == ["MERGE"] and memory.inbox() == []
    memory.undo()
    assert everything(notebook) == before


def test_cc_f4_dates_of_old_notes_wait_and_those_of_fresh_ones_are_safe(notebook: Path, opened: Opener) -> None:
    put(notebook, "deploy", "Deployed yesterday.")
    memory = opened()
    assert memory.dream(force=True).waiting == 1
    body = memory.inbox()[0].body
    assert "yesterday (2026-03-01)" in body
    assert "2026-03-02T12:00:00.000Z" in body, "F92: a date beside it makes no memory younger"
    fresh = put(notebook, "later", "Broke yesterday.", at=datetime.now(UTC) + timedelta(seconds=5))
    memory.sync()
    memory.dream(force=True)
    assert f"({datetime.now(UTC) - timedelta(days=1):%Y-%m-%d})" in fresh.read_text(encoding="utf-8")


def test_f16_a_newer_fact_that_says_the_opposite_marks_the_sentence(notebook: Path, opened: Opener) -> None:
    put(notebook, "prod", "Production deployment is allowed.\nAsk first.")
    memory = opened()
    memory.remember("Production deployment is not allowed.")
    memory.dream(force=True)
    [waiting] = memory.inbox()
    assert "Contradicted on" in waiting.body and "Ask first." in waiting.body
    assert "says the opposite" in waiting.rule


def test_cc_d3_personal_copies_of_team_facts_go_and_nothing_goes_to_the_team(notebook: Path, opened: Opener) -> None:
    put(notebook, "port", "The service listens on 8080.")
    put(notebook / "team", "port", "The service listens on 8080.", listed=False)
    team = everything(notebook / "team")
    memory = opened(**{"dream.accept": "all"})
    memory.dream(force=True)
    assert not (notebook / "port.md").exists()
    assert everything(notebook / "team") == team
    put(notebook / "team", "port2", "The service listens on 8080.", listed=False)
    memory.sync()
    assert memory.dream(force=True, scope="team").waiting >= 1, "a team's memory is never changed unasked"


def test_f30_f108_what_cannot_be_read_safely_is_left_alone_and_named(notebook: Path, opened: Opener) -> None:
    put(notebook, "a", "Same words here.")
    (notebook / "broken.md").write_text('---\nname: "open\n---\nSame words here.\n', encoding="utf-8")
    (notebook / "torn.md").write_text("<<<<<<< HEAD\nSame words here.\n=======\n>>>>>>> x\n", encoding="utf-8")
    before = {name: (notebook / name).read_bytes() for name in ("broken.md", "torn.md")}
    found = opened().dream(force=True)
    assert {remark.partition(" ")[0] for remark in found.remarks} == {"broken.md", "torn.md"}
    assert {name: (notebook / name).read_bytes() for name in before} == before


def test_f54_a_memory_that_is_edited_meanwhile_is_matched_anew(notebook: Path, opened: Opener) -> None:
    put(notebook, "deploy", "Deployed yesterday.")
    memory = opened()
    memory.dream(force=True)
    put(notebook, "deploy", "Deployed yesterday, and again today.", listed=False)
    memory.sync()
    applied = memory.apply(memory.waiting_plan("notebook").decide("recommended"))
    assert applied.done == () and len(applied.stale) == 1
    assert "and again today" in applied.stale[0].body
    assert "yesterday, and again" in (notebook / "deploy.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("body", ["[rest unchanged…]\nOne line.", "One line.", "  "])
def test_f4_f5_a_rewriting_that_loses_lines_is_refused(notebook: Path, opened: Opener, body: str) -> None:
    put(notebook, "deploy", "Deployed yesterday.\n" + "".join(f"Line {number}.\n" for number in range(10)))
    memory = opened()
    memory.dream(force=True)
    before = everything(notebook)
    plan = memory.waiting_plan("notebook")
    applied = memory.apply(plan.decide({plan.proposals[0].key: Decision(action="REPLACE", body=body)}))
    assert applied.done == () and len(applied.refused) == 1
    assert everything(notebook) == before


def test_f2_nothing_is_retired_when_the_merged_memory_does_not_read_back(
    notebook: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(notebook, "a", "Same words here.\nAnd more of them.")
    put(notebook, "b", "Same words here.\nAnd more of them.")
    before = everything(notebook)
    monkeypatch.setattr(steps, "missing", lambda *_: "a line")
    found = opened().dream(force=True)
    assert found.applied is not None and found.applied.done == () and len(found.applied.refused) == 1
    assert everything(notebook) == before


def test_cc_d2_a_second_dream_is_told_that_one_is_under_way(notebook: Path, opened: Opener) -> None:
    put(notebook, "a", "Same words here.")
    (notebook / host.LOCK_NAME).write_text(str(os.getppid()), encoding="utf-8")
    found = opened().dream(force=True)
    assert (found.status, found.plan) == ("locked", None)


def test_cc_d3_instructions_of_the_project_are_never_touched(notebook: Path, opened: Opener, tmp_path: Path) -> None:
    instructions = tmp_path / "work" / "CLAUDE.md"
    instructions.write_text("Deployed yesterday.\n", encoding="utf-8")
    put(notebook, "deploy", "Deployed yesterday.")
    opened(**{"dream.accept": "all"}).dream(force=True)
    assert instructions.read_text(encoding="utf-8") == "Deployed yesterday.\n"
