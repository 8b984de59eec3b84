"""Which project a folder belongs to, asked of real repositories (XC-9, SK-10, CC-P2, spec 12.2; F101, F112)."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from scrubjay.vaults import identity
from scrubjay.vaults.identity import (
    birthmark,
    branch_of,
    claude_key,
    normal_remote,
    project_id,
    project_root,
    remote_of,
    speckit_ids,
)


def git(folder: Path, *arguments: str) -> None:
    options = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "protocol.file.allow=always"]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", "-C", str(folder), *options, *arguments]
    subprocess.run(command, env=clean, check=True, capture_output=True)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return Path(os.path.realpath(tmp_path / "home"))


@pytest.fixture
def repository(home: Path) -> Path:
    folder = home / "code" / "My Project"
    (folder / "src" / "deep").mkdir(parents=True)
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    return folder


def test_every_folder_of_a_repository_is_in_its_project(repository: Path) -> None:
    for cwd in [repository, repository / "src" / "deep", repository / ".git", repository / "not" / "yet"]:
        assert project_root(cwd) == repository


def test_all_worktrees_share_the_main_one(repository: Path, tmp_path: Path) -> None:
    """F101: what was learned in a worktree outlives it."""
    for place in [tmp_path / "elsewhere", repository / ".worktrees" / "inner"]:
        git(repository, "worktree", "add", "-q", "--detach", str(place))
        (place / "sub").mkdir()
        assert project_root(place) == repository
        assert project_root(place / "sub") == repository


def test_links_lead_to_the_same_project(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(repository)
    assert project_root(tmp_path / "link" / "src") == repository
    assert project_id(tmp_path / "link") == project_id(repository)


def test_a_submodule_is_a_project_of_its_own_and_its_worktrees_share_it(repository: Path, home: Path) -> None:
    library = home / "library"
    library.mkdir()
    git(library, "init", "-q")
    git(library, "commit", "-q", "--allow-empty", "-m", "first")
    git(repository, "submodule", "--quiet", "add", str(library), "vendor/library")
    inside = repository / "vendor" / "library"
    assert project_root(inside) == inside
    git(inside, "worktree", "add", "-q", "--detach", str(home / "tree"))
    assert project_root(home / "tree") == inside
    assert birthmark(inside) not in (None, birthmark(library), birthmark(repository))


def test_worktrees_of_a_bare_repository_share_it(repository: Path, home: Path) -> None:
    git(home, "clone", "-q", "--bare", str(repository), str(home / "bare.git"))
    (home / "hidden").mkdir()
    git(home, "clone", "-q", "--bare", str(repository), str(home / "hidden" / ".bare"))
    for bare, root in [(home / "bare.git", home / "bare.git"), (home / "hidden" / ".bare", home / "hidden")]:
        git(bare, "worktree", "add", "-q", "--detach", str(root / "one"))
        assert project_root(root / "one") == root


def test_home_and_what_lies_above_are_no_projects(home: Path) -> None:
    git(home, "init", "-q")
    (home / "notes").mkdir()
    for cwd in [home, home / "notes", home.parent, Path("/")]:
        assert project_root(cwd) is None


def test_without_git_a_memory_folder_marks_a_project(home: Path) -> None:
    (home / "plain" / ".memory").mkdir(parents=True)
    (home / "plain" / "sub").mkdir()
    (home / ".memory").mkdir()
    (home / "other").mkdir()
    assert project_root(home / "plain" / "sub") == home / "plain"
    assert project_root(home / "other") is None


def test_a_memory_folder_inside_a_repository_does_not_split_it(repository: Path) -> None:
    (repository / "src" / ".memory").mkdir()
    assert project_root(repository / "src" / "deep") == repository


def test_no_git_program_is_needed_for_the_root(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(repository, "worktree", "add", "-q", "--detach", str(tmp_path / "tree"))
    git(repository, "remote", "add", "origin", "https://example.org/u/r")
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert project_root(tmp_path / "tree") == repository
    assert remote_of(repository) is None


def test_a_folder_cannot_claim_to_belong_to_another_repository(repository: Path, home: Path) -> None:
    """F112: a copied folder brings a .git file or link that names somebody's private project."""
    git(repository, "remote", "add", "origin", "https://example.org/u/private")
    git(repository, "worktree", "add", "-q", "--detach", str(home / "real"))
    (entry,) = (repository / ".git" / "worktrees").iterdir()
    lies = {
        "names-a-worktree": f"gitdir: {entry}\n",
        "names-the-repository": f"gitdir: {repository / '.git'}\n",
        "names-nothing": "gitdir: /nowhere\n",
        "is-noise": "\x00\xff",
    }
    for name, text in lies.items():
        (home / name).mkdir()
        (home / name / ".git").write_text(text, encoding="utf-8")
    (home / "brings-its-own-entry" / "entry").mkdir(parents=True)
    forged = home / "brings-its-own-entry"
    (forged / "entry" / "gitdir").write_text(str(forged / ".git"), encoding="utf-8")
    (forged / "entry" / "commondir").write_text(str(repository / ".git"), encoding="utf-8")
    (forged / ".git").write_text("gitdir: entry\n", encoding="utf-8")
    (home / "links").mkdir()
    (home / "links" / ".git").symlink_to(repository / ".git")
    for name in [*lies, "brings-its-own-entry", "links"]:
        assert project_root(home / name) == home / name
        assert birthmark(home / name) is None
        assert remote_of(home / name) is None


def test_a_configured_tree_is_believed_only_when_it_leads_back(repository: Path, home: Path) -> None:
    other = home / "other"
    other.mkdir()
    git(other, "init", "-q")
    git(other, "config", "core.worktree", str(repository))
    assert project_root(other) == other


def test_the_birthmark_survives_a_move_but_not_a_copy(repository: Path, home: Path) -> None:
    mark = birthmark(repository)
    assert mark
    git(home, "clone", "-q", str(repository), str(home / "clone"))
    subprocess.run(["cp", "-a", str(repository), str(home / "copy")], check=True)
    os.rename(repository, home / "renamed")
    assert birthmark(home / "renamed") == mark
    assert mark not in (birthmark(home / "clone"), birthmark(home / "copy"))
    assert birthmark(home) is None


def test_the_id_is_a_slug_and_a_hash_of_the_place(home: Path) -> None:
    ids = set()
    for name in ["My Project", "my-project", "Jānis", "太郎", "..x..", "a" * 200]:
        (home / name).mkdir()
        found = project_id(home / name)
        assert found == project_id(home / name)
        assert found.isascii()
        assert found.replace("-", "").isalnum()
        ids.add(found)
    assert len(ids) == 6
    assert project_id(home / "Jānis").startswith("janis-")
    assert project_id(home / "太郎").startswith("project-")


@pytest.mark.parametrize(
    ("url", "normal"),
    [
        ("git@github.com:u/r.git", "github.com/u/r"),
        ("https://github.com/u/r.git", "github.com/u/r"),
        ("https://user:token@GitHub.com:443/u/r/", "github.com/u/r"),
        ("ssh://git@github.com:22/u/r.git", "github.com/u/r"),
        ("github.com:u/r", "github.com/u/r"),
        ("git://host.example/u/r.git/", "host.example/u/r"),
        ("https://gitlab.com/g/sg/r.github.git", "gitlab.com/g/sg/r.github"),
        ("/srv/git/r.git", "/srv/git/r"),
        ("file:///srv/git/r.git", "/srv/git/r"),
        ("../r.git", None),
        ("C:\\repositories\\r", None),
        ("https://[broken/u/r", None),
        ("https://github.com/", None),
        ("", None),
    ],
)
def test_remotes_have_one_form(url: str, normal: str | None) -> None:
    """SK-10; secrets in the address never reach the table."""
    assert normal_remote(url) == normal


def test_the_remote_is_asked_without_running_what_the_repository_brings(repository: Path, tmp_path: Path) -> None:
    """F112: pager, hooks and monitors of a hostile clone stay still, and the environment does not redirect git."""
    git(repository, "remote", "add", "origin", "git@github.com:u/r.git")
    trap = f"touch '{tmp_path / 'ran'}'"
    for name in ["core.pager", "pager.remote", "core.fsmonitor", "core.sshCommand", "core.editor"]:
        git(repository, "config", name, trap)
    assert remote_of(repository) == "github.com/u/r"
    assert not (tmp_path / "ran").exists()


def test_an_environment_that_points_elsewhere_is_ignored(
    repository: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(home / "nowhere"))
    git(repository, "remote", "add", "origin", "https://example.org/u/r")
    assert remote_of(repository) == "example.org/u/r"


def test_a_git_that_hangs_is_no_remote(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(command: list[str], *, timeout: float, **named: object) -> None:
        assert timeout == identity.GIT_TIMEOUT_SECONDS
        raise subprocess.TimeoutExpired(command, timeout)

    monkeypatch.setattr(subprocess, "run", hang)
    assert remote_of(repository) is None


@pytest.mark.parametrize(
    ("remote", "names"),
    [
        ("github.com/u/r", ("u-r",)),
        ("gitlab.com/g/sg/r", ("g-sg-r", "g-sg")),
        ("host.example/r", ("r",)),
        (None, ("my-project-2",)),
        ("/srv/git/r", ("my-project-2",)),
    ],
)
def test_the_names_of_spec_kit(remote: str | None, names: tuple[str, ...], home: Path) -> None:
    """SK-10, with the nested group that the upstream cuts short."""
    assert speckit_ids(remote, home / "My_Project (2)!") == names
    assert speckit_ids(None, home / "!") == ("project",)


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("/home/user/my_proj.v2", "-home-user-my-proj-v2"),
        ("/home/макс/proj", "-home------proj"),
        ("/home/u/😀x", "-home-u---x"),
        ("C:\\Users\\alice\\project", "C--Users-alice-project"),
        ("/home/Ja\u0304nis", "-home-J-nis"),
        ("/" + "a" * 199, "-" + "a" * 199),
    ],
)
def test_the_keys_of_claude_code(path: str, key: str) -> None:
    """CC-P2, spec 12.2."""
    assert claude_key(path) == key


def test_a_long_key_ends_in_a_hash_of_the_whole_path() -> None:
    """CC-P2: JavaScript's 31-hash over UTF-16 units, int32, absolute, base 36."""
    path = "/" + "a" * 200
    number = 0
    for letter in path:
        number = (number * 31 + ord(letter)) % 2**32
    number = abs(number - 2**32 if number >= 2**31 else number)
    key = claude_key(path)
    assert key.startswith("-" + "a" * 199 + "-")
    assert int(key[201:], 36) == number


def test_f103_the_branch_of_a_worktree(repository: Path, tmp_path: Path) -> None:
    assert branch_of(repository) is not None
    git(repository, "commit", "-q", "--allow-empty", "-m", "x")
    git(repository, "worktree", "add", "-q", "-b", "feature/two", str(tmp_path / "tree"))
    (tmp_path / "tree" / "below").mkdir()
    assert branch_of(tmp_path / "tree" / "below") == "feature/two"
    git(tmp_path / "tree", "checkout", "-q", "--detach")
    assert branch_of(tmp_path / "tree") is None
    assert branch_of(tmp_path) is None
