"""What sessions leave in an agent's notebook (CC-E1, CC-E2, CC-E4, CC-F4, F55, F70, F105, F110, HK-14)."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scrubjay import Memory
from scrubjay.vaults.dialects.claude_memory import instructions
from scrubjay.vaults.identity import claude_key
from tests.flows.secret_keys import github_pat

OFF = {"models.embedder": "none", "models.reranker": "none"}
Opener = Callable[..., Memory]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "work"
    root.mkdir()
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def folder(project: Path, tmp_path: Path) -> Path:
    return tmp_path / "claude" / "projects" / claude_key(str(project.resolve())) / "memory"


@pytest.fixture
def opened(project: Path, tmp_path: Path) -> Iterator[Opener]:
    found: list[Memory] = []

    def open_(**settings: object) -> Memory:
        memory = Memory.open(home=tmp_path / "home", settings={**OFF, **settings}, background=False)
        found.append(memory)
        return memory

    yield open_
    for memory in found:
        memory.close()


def session(tmp_path: Path, name: str, *texts: str) -> Path:
    file = tmp_path / f"{name}.jsonl"
    rows = [
        {
            "type": "user",
            "uuid": f"{name}-{number}",
            "parentUuid": f"{name}-{number - 1}" if number else None,
            "sessionId": name,
            "timestamp": f"2026-11-{int(name[-1]) + 10}T10:{number:02}:00.000Z",
            "message": {"role": "user", "content": text},
        }
        for number, text in enumerate(texts)
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def text_of(folder: Path, name: str) -> str:
    return (folder / f"{name}.md").read_text(encoding="utf-8")


def test_cc_e4_statements_go_into_a_file_of_their_kind_with_its_line(
    opened: Opener, folder: Path, tmp_path: Path
) -> None:
    memory = opened()
    noted = memory.note_session(
        session(tmp_path, "s1", "I prefer short answers.", "We decided to use PostgreSQL for the orders."), asked=True
    )
    assert noted.paths == ("learned-about-the-user.md", "learned-decisions.md")
    assert "- 2026-11-11: We decided to use PostgreSQL for the orders." in text_of(folder, "learned-decisions")
    assert "type: project" in text_of(folder, "learned-decisions")
    index = (folder / "MEMORY.md").read_text(encoding="utf-8")
    assert index.count("\n") == 2 and "learned-decisions.md" in index
    again = memory.note_session(tmp_path / "s1.jsonl", asked=True)
    assert (again.paths, again.operation) == ((), "")
    memory.undo(noted.operation)
    assert not list(folder.glob("*.md"))


def test_cc_e4_what_is_superseded_loses_its_line_and_what_a_person_wrote_stays(
    opened: Opener, folder: Path, tmp_path: Path
) -> None:
    memory = opened()
    memory.note_session(session(tmp_path, "s1", "We decided to use MySQL.", "We decided to use Redis."), asked=True)
    file = folder / "learned-decisions.md"
    text = file.read_text(encoding="utf-8")
    file.write_text(
        text.replace("- 2026-11-11: We decided to use Redis.\n", "") + "Ask Nina first.\n", encoding="utf-8"
    )
    memory.sync()
    noted = memory.note_session(session(tmp_path, "s2", "We decided to move from MySQL to PostgreSQL."), asked=True)
    after = file.read_text(encoding="utf-8")
    assert noted.dropped == ("We decided to use MySQL.",)
    assert "use MySQL" not in after and "PostgreSQL" in after and "Ask Nina first." in after
    assert "Redis" not in after, "what somebody took out does not come back"


def test_cc_e1_nothing_is_written_unasked_while_the_host_keeps_its_own(
    opened: Opener, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = session(tmp_path, "s1", "We decided to use PostgreSQL.")
    memory = opened()
    memory.ingest(file)
    memory.extract()
    assert "own memory is on" in memory.note_session(file).reason and not folder.exists()
    assert opened(**{"notebook.write": "never"}).note_session(file).paths == ()
    monkeypatch.setenv("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1")
    assert memory.note_session(file).paths == ("learned-decisions.md",)


def test_cc_e1_a_run_is_left_out_when_the_agent_wrote_itself(opened: Opener, folder: Path, tmp_path: Path) -> None:
    memory = opened(**{"notebook.write": "always"})
    memory.ingest(session(tmp_path, "s1", "We decided to use PostgreSQL."))
    memory.extract()
    assert memory.note_session().paths
    own = folder / "own.md"
    own.write_text("The agent's own words.\n", encoding="utf-8")
    later = time.time() + 5
    os.utime(own, (later, later))
    memory.ingest(session(tmp_path, "s2", "We decided to use Valkey."))
    memory.extract()
    assert "itself" in memory.note_session().reason
    assert memory.note_session().added == ("We decided to use Valkey.",), "the next run makes up for it"


def test_cc_e1_a_sub_agent_leaves_nothing(opened: Opener, folder: Path, tmp_path: Path) -> None:
    file = session(tmp_path, "agent-1", "We decided to use PostgreSQL.")
    assert "sub-agent" in opened(**{"notebook.write": "always"}).note_session(file).reason
    assert not folder.exists()


def test_cc_f4_hk14_what_the_instructions_say_is_not_written_again(
    opened: Opener, folder: Path, project: Path, tmp_path: Path
) -> None:
    text = "# Rules\n\nSee @docs/more.md and @/etc/hostname\n<!-- We decided to use Redis. -->\n"
    (project / "CLAUDE.md").write_text(text, encoding="utf-8")
    (project / "docs").mkdir()
    (project / "docs" / "more.md").write_text("We decided to use PostgreSQL.\n", encoding="utf-8")
    said = instructions.read(project)
    assert "PostgreSQL" in said and "Redis" not in said and "hostname" not in said.replace("@/etc/hostname", "")
    memory = opened()
    noted = memory.note_session(
        session(tmp_path, "s1", "We decided to use PostgreSQL.", "We decided to use Redis."), asked=True
    )
    assert noted.added == ("We decided to use Redis.",)


def test_f105_f110_what_was_recalled_and_secrets_never_get_there(opened: Opener, folder: Path, tmp_path: Path) -> None:
    recalled = "<memory-context>\n- We decided to use Oracle.\n</memory-context>\nWe decided to use PostgreSQL."
    opened().note_session(
        session(tmp_path, "s1", recalled, f"We decided to use the token {github_pat()}.", "TODO: buy milk by Friday."),
        asked=True,
    )
    everything = "".join(file.read_text(encoding="utf-8") for file in folder.glob("*.md"))
    assert "PostgreSQL" in everything
    assert "Oracle" not in everything and "ghp_" not in everything and "milk" not in everything


def test_f70_a_run_is_bounded_and_the_rest_waits(opened: Opener, folder: Path, tmp_path: Path) -> None:
    texts = [f"We decided to use tool{number} for part{number}." for number in range(30)]
    memory = opened()
    noted = memory.note_session(session(tmp_path, "s1", *texts), asked=True)
    assert (len(noted.added), noted.waiting) == (20, 10)
    assert len(memory.note_session(asked=True).added) == 10
    assert text_of(folder, "learned-decisions").count("We decided") == 30


def test_f112_instructions_that_a_clone_leads_elsewhere_are_not_read(project: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret words\n", encoding="utf-8")
    (project / "CLAUDE.md").symlink_to(tmp_path / "secret.md")
    assert instructions.read(project) == ""
    (project / "CLAUDE.md").unlink()
    (project / "CLAUDE.md").write_text("@CLAUDE.md @../secret.md @~/x.md\n", encoding="utf-8")
    assert "secret words" not in instructions.read(project)
