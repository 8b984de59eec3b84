"""Where facts of conversations go: private vaults are written, shared ones get proposals (design §2.5)."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from scrubjay import Memory
from scrubjay.types import Message, Session

SAID = "I prefer uv over pip. We decided to use PostgreSQL 16."


@pytest.fixture
def project(tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    """A memory inside a project with a vault that everybody reads."""
    folder = own_home / "shop"
    (folder / ".memory").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    monkeypatch.chdir(folder)
    settings = {"models.embedder": "none", "models.reranker": "none"}
    with Memory.open(settings=settings, background=False, zone=UTC) as memory:
        yield memory


def talk(id: str = "s") -> Session:
    at = datetime(2026, 3, 1, 12, tzinfo=UTC)
    return Session(id=id, source="test", title="Setup", messages=[Message(id="m", role="user", text=SAID, at=at)])


def test_what_is_about_the_person_is_theirs_everywhere(project: Memory) -> None:
    project.ingest(talk())
    assert project.drain().learned.stored == 2  # type: ignore[union-attr]
    assert {fact.text: fact.scope for fact in project.facts()} == {
        "User prefers uv over pip.": "user",
        "We decided to use PostgreSQL 16.": "local",
    }
    [preference] = project.facts(scopes=["user"])
    assert [message.scope for message in project.evidence(preference.id)] == ["local"]
    assert project.inbox() == []


def test_a_shared_vault_gets_proposals_and_nothing_else(project: Memory) -> None:
    project.ingest(talk())
    done = project.extract(scope="project")
    assert [one.outcome for one in done.found] == ["proposed", "proposed"]
    assert project.facts() == []
    waiting = project.inbox()
    assert [proposal.title for proposal in waiting] == ["User prefers uv over pip.", "We decided to use PostgreSQL 16."]
    assert "> We decided to use PostgreSQL 16." in waiting[1].body and waiting[1].origin == "extract"


def test_what_waits_or_was_decided_is_not_proposed_again(project: Memory) -> None:
    project.ingest(talk())
    project.extract(scope="project")
    assert project.extract(scope="project").outcomes == {"known": 2}
    project.reject("1")
    project.decide("1", "accept")
    assert project.inbox() == []
    assert project.extract(scope="project").outcomes == {"gone": 2}
    assert list(Path.cwd().glob(".memory/10-Memories/MEM-*.md")) != []


def test_a_dry_run_proposes_nothing(project: Memory) -> None:
    project.ingest(talk())
    assert project.extract(scope="project", dry_run=True).proposed == 2
    assert project.inbox() == []


def test_proposing_does_not_keep_facts_from_being_learned(project: Memory) -> None:
    """Where reading stopped is about one's own vaults; a shared one sees everything again."""
    project.ingest(talk())
    project.extract(scope="project")
    assert project.extract().stored == 2
