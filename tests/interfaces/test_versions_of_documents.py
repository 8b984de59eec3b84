"""``scrubjay log`` and ``scrubjay diff``: what a document said before, with git and without (SM-51)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.interfaces.conftest import Jay

LONG = "A paragraph that stays the same, so that git sees a file that moved.\n"


def _git(root: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=Max\x1b[31m Muster", "-c", "user.email=m@example.org")
    subprocess.run(["git", *identity, "-C", str(root), *arguments], capture_output=True, check=True)


@pytest.fixture
def name(jay: Jay) -> str:
    jay("note", "Retry policy", "Retries back off to 30 s.", "--topic", "http")
    return "MEM-http-retry-policy"


@pytest.fixture
def committed(jay: Jay, tmp_path: Path) -> Path:
    """A note of a project with two commits, the second after a rename."""
    root = tmp_path / "project"
    root.mkdir()
    _git(root, "init", "-q", "-b", "main")
    memory = root / ".memory/10-Memories/MEM-old.md"
    memory.parent.mkdir(parents=True)
    memory.write_text(f"# Retry\n\n{LONG}\nRetries back off to 30 s.\n", encoding="utf-8")
    _git(root, "add", ".")
    _git(root, "commit", "-q", "-m", "Learn of retries")
    new = memory.with_name("MEM-retry.md")
    memory.rename(new)
    new.write_text(f"# Retry\n\n{LONG}\nRetries back off to 60 s.\n", encoding="utf-8")
    _git(root, "add", ".")
    _git(root, "commit", "-q", "-m", "Say \x1b]0;title\x07 how long")
    return root / ".memory"


def test_without_git_log_lists_what_scrubjay_did(jay: Jay, name: str) -> None:
    [version] = jay("--json", "log", name).json["versions"]
    assert jay("log", name).shown == f"{version['id'][:12]} DATE   Wrote note: Retry policy\n"
    assert version["what"] == "Wrote note: Retry policy" and len(version["id"]) == 26


def test_without_a_version_diff_says_so_and_how_to_look(jay: Jay, name: str) -> None:
    done = jay("diff", name)
    assert done.code == 3 and "has no earlier version" in done.err and f"`scrubjay log {name}`" in done.err


def test_a_document_written_by_hand_has_no_version(jay: Jay, name: str, own_home: Path) -> None:
    (own_home / ".scrubjay/vault/mine.md").write_text("# Mine\n\nText.\n", encoding="utf-8")
    done = jay("log", "mine.md")
    assert done.err == ""
    assert done.out == "No version is known: the file was written by hand.\n"


def test_diff_shows_what_a_change_replaced(jay: Jay) -> None:
    id = jay("--json", "remember", "The port is 8080.").json["id"]
    jay("supersede", id, "The port is 9090.")
    done = jay("diff", id)
    assert done.code == 0 and "+ superseded_by:" in done.out
    assert "- " not in done.out.replace("---", "")
    first, second = (version["id"] for version in jay("--json", "log", id).json["versions"])
    assert jay("diff", id, "--from", second, "--to", first).out == done.out
    assert jay("diff", id, "--from", first).out == "Nothing changed.\n"
    assert jay("diff", id, "--from", "0").code == 3


def test_a_state_before_a_change_has_a_name_that_can_be_typed(jay: Jay, own_home: Path) -> None:
    path = own_home / ".scrubjay/vault/mine.md"
    path.parent.mkdir(parents=True)
    path.write_text("# Mine\n\nThe port is 8080 here.\n", encoding="utf-8")
    jay("forget", "mine.md", "--yes")
    jay("undo")
    shown = [line.split()[0] for line in jay("log", "mine.md").out.splitlines()]
    assert [name[-1] == "^" for name in shown] == [False, True]
    assert jay("diff", "mine.md", "--from", shown[1]).out == "Nothing changed.\n"


def test_with_git_log_lists_commits_and_follows_the_rename(jay: Jay, committed: Path) -> None:
    out = jay("--vault", str(committed), "log", "MEM-retry").out
    first, second = out.splitlines()
    assert "Learn of retries" in second and "Max" in second
    assert "\x1b" not in out and "\x07" not in out and "how long" in first
    assert len(jay("--vault", str(committed), "log", "MEM-retry", "--limit", "1").out.splitlines()) == 1


def test_with_git_diff_shows_the_last_change(jay: Jay, committed: Path) -> None:
    done = jay("--vault", str(committed), "diff", "MEM-retry")
    assert "- Retries back off to 30 s." in done.out and "+ Retries back off to 60 s." in done.out
    values = jay("--vault", str(committed), "--json", "diff", "MEM-retry").json
    assert (values["path"], values["to"]) == ("10-Memories/MEM-retry.md", None)
    assert values["before"].endswith("30 s.\n") and values["after"].endswith("60 s.\n")


@pytest.mark.parametrize("command", ["log", "diff"])
def test_an_unknown_name_is_not_found(jay: Jay, name: str, command: str) -> None:
    assert jay(command, "MEM-nothing").code == 3
