"""Versions of a memory, and committing a vault's own changes (SM-51; F6, F29)."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from scrubjay import Memory


def _git(root: Path, *arguments: str) -> str:
    answer = subprocess.run(
        ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-C", str(root), *arguments],
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    assert answer.returncode == 0, answer.stderr + answer.stdout
    return answer.stdout


@pytest.fixture
def project(tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    _git(root, "init", "-q", "-b", "main")
    (root / "code.py").write_text("x = 1\n", "utf-8")
    _git(root, "add", ".")
    _git(root, "commit", "-q", "-m", "start")
    (own_home / ".gitconfig").write_text("[user]\n\tname = A\n\temail = a@example.org\n", "utf-8")
    return root


@pytest.fixture
def committing(project: Path, open_memory: Callable[..., Memory]) -> Memory:
    return open_memory(project / ".memory", settings={"git.commit": True})


def _learn(memory: Memory, text: str) -> object:
    return memory.apply(memory.learn(text, scope="project").decide("recommended"))


def test_sm51_only_the_vaults_own_paths_are_committed(committing: Memory, project: Path) -> None:
    (project / "code.py").write_text("x = 2\n", "utf-8")
    done = _learn(committing, "Retries back off from one second to a minute.")
    assert done.commit == _git(project, "rev-parse", "HEAD").strip()
    assert _git(project, "log", "-1", "--format=%s").strip() == "memory: add/update 1 memory"
    assert all(line.startswith(".memory/") for line in _git(project, "show", "--name-only", "--format=").split())
    assert _git(project, "status", "--porcelain", "code.py").strip() == "M code.py"


def test_sm51_it_is_off_by_default(project: Path, open_memory: Callable[..., Memory]) -> None:
    head = _git(project, "rev-parse", "HEAD")
    done = _learn(open_memory(project / ".memory"), "Retries back off from one second to a minute.")
    assert done.commit == "" and _git(project, "rev-parse", "HEAD") == head


def test_sm51_nothing_is_committed_while_other_work_is_staged(committing: Memory, project: Path) -> None:
    (project / "code.py").write_text("x = 3\n", "utf-8")
    _git(project, "add", "code.py")
    head = _git(project, "rev-parse", "HEAD")
    done = _learn(committing, "Retries back off from one second to a minute.")
    assert done.commit == "" and "code.py is staged" in done.message
    assert _git(project, "rev-parse", "HEAD") == head
    assert _git(project, "diff", "--cached", "--name-only").split() == ["code.py"]


def test_sm51_nothing_is_committed_during_a_merge_or_without_a_branch(committing: Memory, project: Path) -> None:
    _git(project, "checkout", "-q", "--detach")
    done = _learn(committing, "Retries back off from one second to a minute.")
    assert "on no branch" in done.message
    _git(project, "checkout", "-q", "main")
    (project / ".git" / "MERGE_HEAD").write_text(_git(project, "rev-parse", "HEAD"), "utf-8")
    assert "a merge is under way" in _learn(committing, "Another thing entirely about caches.").message


def test_f6_a_hook_of_the_repository_is_not_run(committing: Memory, project: Path, tmp_path: Path) -> None:
    hook = project / ".git" / "hooks" / "pre-commit"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\nexit 1\n", "utf-8")
    hook.chmod(0o755)
    assert _learn(committing, "Retries back off from one second to a minute.").commit
    assert not (tmp_path / "ran").exists()


def test_versions_of_a_memory_come_from_git_and_follow_a_rename(committing: Memory, project: Path) -> None:
    done = _learn(committing, "Retries back off from one second to a minute.")
    path = done.done[0].path
    vault = project / ".memory"
    _git(project, "mv", f".memory/{path}", ".memory/10-Memories/MEM-other.md")
    _git(project, "commit", "-q", "-m", "rename")
    text = (vault / "10-Memories/MEM-other.md").read_text("utf-8")
    (vault / "10-Memories/MEM-other.md").write_text(text.replace("a minute", "an hour"), "utf-8")
    _git(project, "commit", "-q", "-am", "longer")
    committing.sync()
    found = committing.versions("MEM-other")
    assert [one.what for one in found] == ["longer", "rename", "memory: add/update 1 memory"]
    assert "an hour" in found[0].text and "a minute" in found[1].text and "a minute" in found[2].text
    assert committing.version("MEM-other", found[1].id[:10]) == found[1]


def test_without_git_the_trash_knows_the_versions(memory: Memory) -> None:
    fact = memory.remember("The port is 8080.")
    note = memory.note("Ports", "The port is 8080.")
    done = memory.apply(memory.learn("# Ports\n\nThe port is 9090 now.").decide("recommended"))
    assert done.done
    assert [one.what for one in memory.versions(note.id)][-1].startswith("Wrote note")
    memory.supersede(fact.id, "The port is 9090.")
    found = memory.versions(fact.id)
    assert len(found) == 2 and "superseded_by" in found[0].text and "superseded_by" not in found[1].text
