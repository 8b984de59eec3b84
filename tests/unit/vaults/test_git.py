"""git for a vault: only its own paths, nobody's work under way, nothing that a repository says is obeyed (SM-51)."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from scrubjay.errors import NotFound, Unavailable
from scrubjay.vaults import git
from scrubjay.vaults.git import Commit, Repository

MESSAGE = "memory: add/update 1 memory\n\nSession: s1"


def run(root: Path, *arguments: str, code: int = 0) -> str:
    answer = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, check=False, encoding="utf-8")
    assert answer.returncode == code, answer.stderr + answer.stdout
    return answer.stdout


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def root(tmp_path: Path, own_home: Path) -> Path:
    put(own_home / ".gitconfig", "[user]\n\tname = A\n\temail = a@example.org\n")
    root = tmp_path / "project"
    put(root / "code.py", "x = 1\n")
    run(root, "init", "-q", "-b", "main")
    run(root, "add", ".")
    run(root, "commit", "-q", "-m", "start")
    return root


@pytest.fixture
def vault(root: Path) -> Path:
    put(root / ".memory/10-Memories/MEM-a.md", "# A\n\nText.\n")
    return root / ".memory"


def state(root: Path) -> tuple[str, str]:
    return run(root, "rev-parse", "HEAD"), run(root, "status", "--porcelain")


def files_of(root: Path) -> list[str]:
    return run(root, "show", "--name-only", "--format=", "HEAD").split()


def test_sm51_a_commit_holds_the_vault_and_is_read_back(root: Path, vault: Path) -> None:
    put(root / "code.py", "x = 2\n")
    put(root / "new.py", "y = 1\n")
    done = Repository(vault).commit(MESSAGE)
    assert done == Commit(hash=run(root, "rev-parse", "HEAD").strip())
    assert run(root, "log", "-1", "--format=%B").strip() == MESSAGE
    assert files_of(root) == [".memory/10-Memories/MEM-a.md"]
    assert run(root, "status", "--porcelain").split("\n")[:-1] == [" M code.py", "?? new.py"]
    assert Repository(vault).commit(MESSAGE).reason == "nothing in the vault changed"


def test_sm51_removed_and_moved_memories_are_committed_too(root: Path, vault: Path) -> None:
    put(vault / "10-Memories/MEM-b.md", "# B\n\nOther words here.\n")
    Repository(vault).commit(MESSAGE)
    (vault / "10-Memories/MEM-a.md").unlink()
    (vault / "10-Memories/MEM-b.md").rename(vault / "10-Memories/MEM-c.md")
    assert Repository(vault).commit(MESSAGE).hash
    assert run(root, "ls-tree", "-r", "--name-only", "HEAD", ".memory").split() == [".memory/10-Memories/MEM-c.md"]


def test_sm51_a_vault_that_is_the_repository_itself(tmp_path: Path, root: Path) -> None:
    vault = tmp_path / "notes"
    put(vault / "MEM-ü [1]*.md", "# A\n")
    run(vault, "init", "-q", "-b", "main")
    done = Repository(vault).commit(MESSAGE)
    assert done.hash, done.reason
    assert run(vault, "-c", "core.quotePath=false", "ls-files").strip() == "MEM-ü [1]*.md"


def test_sm51_what_is_one_persons_own_stays_out_even_without_a_gitignore(root: Path, vault: Path) -> None:
    for name in (
        ".obsidian/app.json",
        "90-Trash/01ABC/receipt.md",
        "90-Trash/01ABC/10-Memories/MEM-a.md",
        "cache.sqlite",
        "deep/index.sqlite-wal",
        "10-Memories/.scrubjay-1.tmp",
        "config.local.toml",
    ):
        put(vault / name, "x")
    put(vault / "90-Trash/README.md", "# Trash\n")
    assert Repository(vault).commit(MESSAGE).hash
    assert files_of(root) == [".memory/10-Memories/MEM-a.md", ".memory/90-Trash/README.md"]


def test_f6_other_staged_work_is_left_as_it_is(root: Path, vault: Path) -> None:
    put(root / "code.py", "x = 3\n")
    run(root, "add", "code.py")
    before = state(root)
    assert Repository(vault).commit(MESSAGE) == Commit(reason="code.py is staged for another commit")
    assert state(root) == before


def test_sm51_what_is_staged_in_the_vault_is_the_vaults(root: Path, vault: Path) -> None:
    run(root, "add", ".memory")
    put(vault / "10-Memories/MEM-b.md", "# B\n")
    assert Repository(vault).commit(MESSAGE).hash
    assert len(files_of(root)) == 2


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("MERGE_HEAD", "a merge is under way"),
        ("rebase-merge", "a rebase is under way"),
        ("rebase-apply", "a rebase is under way"),
        ("CHERRY_PICK_HEAD", "a cherry-pick is under way"),
        ("REVERT_HEAD", "a revert is under way"),
    ],
)
def test_sm51_work_under_way_is_not_mixed_with(root: Path, vault: Path, name: str, reason: str) -> None:
    put(root / ".git" / name, run(root, "rev-parse", "HEAD"))
    head = run(root, "rev-parse", "HEAD")
    assert Repository(vault).commit(MESSAGE).reason == reason
    assert run(root, "rev-parse", "HEAD") == head
    assert run(root, "diff", "--cached", "--name-only") == ""


def test_f108_an_unresolved_conflict_is_never_committed(root: Path, vault: Path) -> None:
    """A stash that conflicts leaves no MERGE_HEAD; adding the file would say that it is resolved."""
    memory = vault / "10-Memories/MEM-a.md"
    Repository(vault).commit(MESSAGE)
    put(memory, "# A\n\nMine.\n")
    run(root, "stash", "-q")
    put(memory, "# A\n\nTheirs.\n")
    Repository(vault).commit(MESSAGE)
    run(root, "stash", "pop", code=1)
    assert "<<<<<<<" in memory.read_text(encoding="utf-8")
    before = state(root)
    assert Repository(vault).commit(MESSAGE).reason == "a conflict is not resolved yet"
    assert state(root) == before


def test_sm51_on_no_branch_nothing_is_committed(root: Path, vault: Path) -> None:
    run(root, "checkout", "-q", "--detach")
    assert Repository(vault).commit(MESSAGE).reason == "the repository is on no branch"


def test_sm51_the_first_commit_of_a_repository(tmp_path: Path, root: Path) -> None:
    fresh = tmp_path / "fresh"
    put(fresh / ".memory/10-Memories/MEM-a.md", "# A\n")
    run(fresh, "init", "-q", "-b", "main")
    assert Repository(fresh / ".memory").commit(MESSAGE).hash


def test_sm51_an_ignored_vault_is_not_committed(root: Path, vault: Path) -> None:
    put(root / ".gitignore", ".memory/\n")
    assert Repository(vault).commit(MESSAGE).reason == "the vault is ignored by git"


def test_sm51_without_a_name_nothing_is_staged(root: Path, vault: Path, own_home: Path) -> None:
    put(own_home / ".gitconfig", "[user]\n\tuseConfigOnly = true\n")
    before = state(root)
    assert "does not know who commits" in Repository(vault).commit(MESSAGE).reason
    assert state(root) == before


def test_sm51_a_commit_that_fails_leaves_the_staging_as_it_was(root: Path, vault: Path, own_home: Path) -> None:
    with (own_home / ".gitconfig").open("a", encoding="utf-8") as config:
        config.write("[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = /bin/false\n")
    before = state(root)
    with pytest.raises(Unavailable, match="git commit failed: gpg failed to sign the data"):
        Repository(vault).commit(MESSAGE)
    assert state(root) == before


def test_sm51_an_add_that_fails_half_way_leaves_the_staging_as_it_was(root: Path, vault: Path) -> None:
    run(root, "add", ".")
    run(root, "commit", "-q", "-m", "vault")
    put(root / ".gitignore", ".memory\n")
    put(vault / "10-Memories/MEM-a.md", "# A\n\nOther text.\n")
    before = state(root)
    with pytest.raises(Unavailable, match=r"git add failed: .*[^.:]\.$"):
        Repository(vault).commit(MESSAGE)
    assert state(root) == before


def test_f6_hooks_are_not_run_and_filesystem_monitors_neither(root: Path, vault: Path, tmp_path: Path) -> None:
    script = f"#!/bin/sh\ntouch {tmp_path}/ran\nexit 1\n"
    for name in ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "reference-transaction"):
        put(root / ".git/hooks" / name, script).chmod(0o755)
    monitor = put(tmp_path / "monitor", script)
    monitor.chmod(monitor.stat().st_mode | stat.S_IXUSR)
    run(root, "config", "core.fsmonitor", str(monitor))
    assert Repository(vault).commit(MESSAGE).hash
    assert Repository(vault).versions("10-Memories/MEM-a.md", 5)
    assert not (tmp_path / "ran").exists()


def test_variables_of_a_hook_do_not_lead_elsewhere(
    root: Path, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run from inside a hook of another repository, git is told by variables where to work."""
    other = tmp_path / "other"
    put(other / "a", "a")
    run(other, "init", "-q", "-b", "main")
    for name, value in {
        "GIT_DIR": str(other / ".git"),
        "GIT_WORK_TREE": str(other),
        "GIT_INDEX_FILE": str(other / ".git/index"),
        "GIT_PREFIX": "x/",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_TRACE": str(tmp_path / "trace"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "user.name",
        "GIT_CONFIG_VALUE_0": "Somebody",
    }.items():
        monkeypatch.setenv(name, value)
    done = Repository(vault).commit(MESSAGE)
    monkeypatch.undo()
    assert done.hash == run(root, "rev-parse", "HEAD").strip()
    assert run(root, "log", "-1", "--format=%an").strip() == "A"
    assert not (tmp_path / "trace").exists()


def test_f29_only_harmless_commands_of_git_are_run(
    root: Path, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F6, F29: a program in git's place writes down what it is asked."""
    real = subprocess.run(["sh", "-c", "command -v git"], capture_output=True, check=True).stdout.decode().strip()
    spy = put(tmp_path / "bin/git", f'#!/bin/sh\necho $* >> "{tmp_path}/asked"\nexec {real} "$@"\n')
    spy.chmod(0o755)
    with monkeypatch.context() as spied:
        spied.setenv("PATH", f"{tmp_path}/bin{os.pathsep}{os.environ['PATH']}")
        Repository(vault).commit(MESSAGE)
        repository = Repository(vault)
        repository.texts(repository.versions("10-Memories/MEM-a.md", 5))
    asked = (tmp_path / "asked").read_text(encoding="utf-8").splitlines()
    commands = {line.partition(f"-C {vault} ")[2].removeprefix("--literal-pathspecs ").split()[0] for line in asked}
    allowed = "add cat-file check-ignore commit diff log ls-files rev-parse symbolic-ref var".split()
    assert commands <= set(allowed)
    for line in asked:
        assert not {"--force", "-f", "-A", "--all", "--hard", "push", "clean", "gc"} & set(line.split())
        assert "core.hooksPath=/dev/null" in line and "protocol.allow=never" in line


def test_git_that_hangs_is_asked_to_end_and_leaves_no_lock(
    root: Path, vault: Path, own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    signer = put(tmp_path / "sign", "#!/bin/sh\nexec cat /dev/zero\n")
    signer.chmod(0o755)
    put(
        own_home / ".gitconfig",
        f"[user]\n\tname = A\n\temail = a@example.org\n[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = {signer}\n",
    )
    before = state(root)
    monkeypatch.setattr(git, "TIMEOUT_SECONDS", 1.0)
    with pytest.raises(Unavailable, match="did not answer in time"):
        Repository(vault).commit(MESSAGE)
    assert not (root / ".git/index.lock").exists()
    assert state(root) == before


def test_no_repository_and_no_git_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Repository.around(tmp_path) is None
    with pytest.raises(NotFound, match="is in no git repository"):
        Repository(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unavailable, match="git is not installed"):
        Repository.around(tmp_path)


# --- versions --------------------------------------------------------------------------------------------------


@pytest.fixture
def commit(root: Path) -> Callable[..., None]:
    def commit(message: str, *arguments: str) -> None:
        run(root, "add", "-f", ".memory")
        run(root, "commit", "-q", "--allow-empty-message", "-m", message, *arguments)

    return commit


def subjects(repository: Repository, path: str = "10-Memories/MEM-a.md") -> list[str]:
    return [version.subject for version in repository.versions(path, 50)]


def test_versions_are_followed_through_renames_and_have_their_texts(
    vault: Path, commit: Callable[..., None], root: Path
) -> None:
    commit("one")
    run(root, "mv", ".memory/10-Memories/MEM-a.md", ".memory/10-Memories/MEM-b.md")
    commit("moved")
    put(vault / "10-Memories/MEM-b.md", "# A\r\n\r\nText, and more.\r\n")
    commit("more")
    repository = Repository(vault)
    found = repository.versions("10-Memories/MEM-b.md", 50)
    assert [(one.subject, one.author) for one in found] == [("more", "A"), ("moved", "A"), ("one", "A")]
    assert repository.texts(found) == ["# A\r\n\r\nText, and more.\r\n", "# A\n\nText.\n", "# A\n\nText.\n"]
    assert repository.versions("10-Memories/MEM-b.md", 1) == found[:1]
    assert repository.versions("10-Memories/MEM-none.md", 5) == []


def test_a_removal_is_a_version_without_text(vault: Path, commit: Callable[..., None]) -> None:
    commit("one")
    (vault / "10-Memories/MEM-a.md").unlink()
    commit("gone")
    put(vault / "10-Memories/MEM-a.md", "# A\n\nBack.\n")
    commit("back")
    repository = Repository(vault)
    found = repository.versions("10-Memories/MEM-a.md", 50)
    assert [one.subject for one in found][:2] == ["back", "gone"]
    assert repository.texts(found)[:2] == ["# A\n\nBack.\n", ""]


@pytest.mark.parametrize("name", ["MEM-[a]*.md", ":(top)x.md", "-x.md", "MEM-ключ 键.md", 'MEM-"q".md'])
def test_a_name_is_a_name_and_no_pattern(vault: Path, commit: Callable[..., None], name: str) -> None:
    commit("other")
    put(vault / "10-Memories" / name, "# Odd\n")
    commit("odd")
    repository = Repository(vault)
    assert subjects(repository, f"10-Memories/{name}") == ["odd"]
    assert repository.texts(repository.versions(f"10-Memories/{name}", 5)) == ["# Odd\n"]


@pytest.mark.parametrize(
    "subject", ["x\x1e--output=pwned\x1fy", ":100644 100644 0 0 M", "", "a\tb", "--output=pwned", "Привет 你好"]
)
def test_a_hostile_subject_is_a_subject(
    vault: Path, commit: Callable[..., None], root: Path, subject: str, tmp_path: Path
) -> None:
    commit("one")
    put(vault / "10-Memories/MEM-a.md", "# A\n\nChanged.\n")
    commit(subject)
    repository = Repository(vault)
    assert subjects(repository) == [subject, "one"]
    assert repository.texts(repository.versions("10-Memories/MEM-a.md", 5)) == ["# A\n\nChanged.\n", "# A\n\nText.\n"]
    assert not list(tmp_path.rglob("pwned*"))


def test_versions_do_not_depend_on_how_the_user_likes_git_to_talk(
    vault: Path, commit: Callable[..., None], own_home: Path
) -> None:
    commit("one")
    with (own_home / ".gitconfig").open("a", encoding="utf-8") as config:
        config.write(
            "[log]\n\tshowSignature = true\n\tdate = relative\n\tdecorate = full\n[diff]\n\trelative = true\n"
            "[color]\n\tui = always\n[core]\n\tpager = false\n[format]\n\tpretty = raw\n"
        )
    assert subjects(Repository(vault)) == ["one"]


def test_a_date_that_no_calendar_holds_is_shown_as_some_date(
    vault: Path, commit: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_COMMITTER_DATE", "@99999999999999 +0000")
    commit("one")
    [found] = Repository(vault).versions("10-Memories/MEM-a.md", 5)
    assert found.at.year < 9988


def test_bytes_of_another_encoding_are_decoded_like_a_document(vault: Path, commit: Callable[..., None]) -> None:
    (vault / "10-Memories/MEM-a.md").write_bytes("# Ключ\n\nПорт сервиса остаётся прежним.\n".encode("cp1251"))
    commit("one")
    repository = Repository(vault)
    assert "Порт сервиса" in repository.texts(repository.versions("10-Memories/MEM-a.md", 5))[0]


def test_a_version_that_is_too_large_is_shown_empty(
    vault: Path, commit: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    commit("one")
    monkeypatch.setattr(git, "MOST_BYTES", 5)
    repository = Repository(vault)
    assert repository.texts(repository.versions("10-Memories/MEM-a.md", 5)) == [""]
