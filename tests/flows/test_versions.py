"""Versions of a memory, and committing a vault's own changes (SM-51; F6, F29)."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from scrubjay import Decision, Memory
from scrubjay.errors import NotFound
from scrubjay.vaults.layout import init


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


def test_sm51_the_overviews_are_committed_with_the_memories(committing: Memory, project: Path) -> None:
    """The commit is made after the overviews, so that a clean tree is left; each person's trash is ignored."""
    init(next(iter(committing._stores)).vault)
    _learn(committing, "Retries back off from one second to a minute.")
    committing.close()
    assert _git(project, "status", "--porcelain").strip() == ""
    assert ".memory/memory-index.json" in _git(project, "show", "--name-only", "--format=").split()


def test_sm51_the_session_is_named_on_one_line(committing: Memory, project: Path) -> None:
    from scrubjay.operations import versions

    committing.note("One", "Text.", scope="project")
    done = versions.commit(next(iter(committing._stores)), 2, session="abc\nInjected: trailer")
    assert done.hash
    body = _git(project, "log", "-1", "--format=%B").strip()
    assert body == "memory: add/update 2 memories\n\nSession: abc Injected: trailer"


def test_sm51_the_plan_is_the_session(committing: Memory, project: Path) -> None:
    plan = committing.learn("Retries back off from one second to a minute.", scope="project")
    committing.apply(plan.decide("recommended"))
    assert _git(project, "log", "-1", "--format=%B").strip().endswith(f"Session: {plan.id}")


def test_sm51_a_failure_of_git_is_a_reason(committing: Memory, project: Path, own_home: Path) -> None:
    (own_home / ".gitconfig").write_text(
        "[user]\n\tname = A\n\temail = a@e\n[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = /bin/false\n", "utf-8"
    )
    done = _learn(committing, "Retries back off from one second to a minute.")
    assert done.memories_affected == 1 and done.commit == ""
    assert "Not committed: git commit failed" in done.message


def test_sm51_a_vault_outside_any_repository_is_not_committed(memory: Memory) -> None:
    from scrubjay.operations import versions

    memory.note("One", "Text.")
    assert versions.commit(next(iter(memory._stores)), 1).reason == "the vault is in no git repository"


def test_versions_of_a_fact_in_git(committing: Memory, project: Path) -> None:
    fact = committing.remember("The port is 8080.", scope="project")
    _git(project, "add", ".memory")
    _git(project, "commit", "-q", "-m", "a fact")
    committing.retract(fact.id)
    assert [one.what for one in committing.versions(fact.id)] == ["a fact"]
    assert "closed" not in committing.versions(fact.id)[0].text


def test_a_memory_that_git_does_not_have_yet_is_known_from_the_trash(committing: Memory) -> None:
    note = committing.note("One", "Text.", scope="project")
    assert [one.what for one in committing.versions(note.id)] == ["Wrote note: One"]


def test_a_state_by_another_hand_is_a_version_and_no_operations(memory: Memory, tmp_path: Path) -> None:
    """What was written by hand, changed by us, changed by hand and changed by us again."""
    path = tmp_path / "vault/10-Memories/MEM-ports.md"
    path.parent.mkdir(parents=True)
    path.write_text("# Ports\n\nThe port of the server is 8080.\n", "utf-8")
    memory.sync()
    _update(memory, "The port of the server is 9090.")
    path.write_text(path.read_text("utf-8").replace("9090", "9091"), "utf-8")
    memory.sync()
    _update(memory, "The port of the server is 7070.")
    found = memory.versions("MEM-ports")
    assert [(one.id[26:], _port(one.text)) for one in found] == [("", "7070"), ("^", "9091"), ("^", "8080")]
    assert [one.what[:7] for one in found] == ["Applied", "Before:", "Before:"]
    assert memory.version("MEM-ports", found[2].id) == found[2]
    assert memory.version("MEM-ports", f"{found[1].id[:24]}^") == found[1]
    path.write_text(path.read_text("utf-8").replace("7070", "7071"), "utf-8")
    memory.sync()
    assert [_port(one.text) for one in memory.versions("MEM-ports")] == ["9091", "8080"]


def test_what_was_undone_is_a_version_too(memory: Memory) -> None:
    note = memory.note("Ports", "The port of the server is 8080.")
    _update(memory, "The port of the server is 9090.")
    memory.undo()
    found = memory.versions(note.id)
    assert [(one.what[:5], _port(one.text)) for one in found] == [
        ("Undid", "8080"),
        ("Appli", "9090"),
        ("Wrote", "8080"),
    ]
    memory.forget(note.id)
    memory.undo()
    assert len(memory.versions(note.id)) == 4


def test_a_version_that_is_not_there_is_named(memory: Memory) -> None:
    note = memory.note("One", "Text.")
    for name in ("zzz", "^", f"{memory.versions(note.id)[0].id}^"):
        with pytest.raises(NotFound, match="has no version"):
            memory.version(note.id, name)


def _update(memory: Memory, text: str) -> None:
    done = memory.apply(memory.learn(text).decide({"seg-001": Decision(action="UPDATE", target="MEM-ports")}))
    assert done.memories_affected == 1, done


def _port(text: str) -> str:
    return text.split("## History")[0].split("server is ")[1][:4]
