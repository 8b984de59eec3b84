"""The table of project names (XC-9, SK-10; F101, F31)."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from scrubjay.errors import Unavailable
from scrubjay.types import Document
from scrubjay.vaults import projects as module
from scrubjay.vaults.folder import FolderVault
from scrubjay.vaults.identity import project_id, project_root
from scrubjay.vaults.projects import TABLE, Projects


def git(folder: Path, *arguments: str) -> None:
    options = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    subprocess.run(["git", "-C", str(folder), *options, *arguments], env=clean, check=True, capture_output=True)


def repository(folder: Path, remote: str | None = None) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    if remote:
        git(folder, "remote", "add", "origin", remote)
    return folder


@pytest.fixture(autouse=True)
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "home" / "code").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return Path(os.path.realpath(tmp_path / "home" / "code"))


@pytest.fixture
def projects(tmp_path: Path) -> Projects:
    return Projects(tmp_path / "scrubjay")


def test_a_project_keeps_its_id_and_all_its_names(projects: Projects, code: Path) -> None:
    root = repository(code / "app", "git@example.org:team/app.git")
    found = projects.identify(root)
    assert found == project_id(root) == projects.identify(root)
    assert projects.find(f"path:{root}") == found
    assert projects.find("remote:example.org/team/app") == found
    assert projects.find("speckit:team-app") == found
    assert projects.find("claude:" + str(root).replace("/", "-").replace("_", "-")) == found
    assert len(projects.aliases(found)) == 5
    assert projects.find("path:/elsewhere") is None


def test_a_known_project_needs_no_git_process(projects: Projects, code: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = repository(code / "app", "git@example.org:team/app.git")
    found = projects.identify(root)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(module, "remote_of", None)
    assert projects.identify(root) == found


def test_a_renamed_project_is_found(projects: Projects, code: Path) -> None:
    """F101, without any remote."""
    found = projects.identify(repository(code / "old"))
    os.rename(code / "old", code / "new")
    assert projects.identify(code / "new") == found
    assert projects.find(f"former:{code / 'old'}") == found
    assert projects.identify(repository(code / "old")) != found


def test_worktrees_and_links_are_one_project(projects: Projects, code: Path) -> None:
    """F101."""
    root = repository(code / "app")
    git(root, "commit", "-q", "--allow-empty", "-m", "first")
    git(root, "worktree", "add", "-q", "--detach", str(code / "tree"))
    (code / "link").symlink_to(root)
    roots = [project_root(place) for place in (root, code / "tree", code / "link")]
    assert {projects.identify(found) for found in roots if found} == {project_id(root)}


def test_another_clone_and_another_machine_find_the_same_memory(projects: Projects, code: Path) -> None:
    found = projects.identify(repository(code / "a", "git@Example.org:Team/app.git"))
    assert projects.identify(repository(code / "b", "https://token@example.org/team/app")) == found


def test_a_changed_remote_does_not_strand_a_project(projects: Projects, code: Path) -> None:
    root = repository(code / "app", "git@example.org:old/app.git")
    found = projects.identify(root)
    git(root, "remote", "set-url", "origin", "git@example.org:new/app.git")
    assert projects.identify(root) == found


def test_a_path_that_holds_another_repository_is_another_project(projects: Projects, code: Path) -> None:
    """Containers mount every project at one path."""
    first = projects.identify(repository(code / "workspace", "git@example.org:team/one.git"))
    os.rename(code / "workspace", code.parent / "gone")
    second = projects.identify(repository(code / "workspace", "git@example.org:team/two.git"))
    assert first != second
    assert projects.identify(code / "workspace") == second
    assert projects.find("remote:example.org/team/one") == first


def test_a_repository_made_anew_in_its_place_keeps_its_memory(projects: Projects, code: Path) -> None:
    found = projects.identify(repository(code / "app"))
    os.rename(code / "app" / ".git", code / "before.git")
    git(code / "app", "init", "-q")
    assert projects.identify(code / "app") == found


def test_a_shared_name_stays_with_the_first(projects: Projects, code: Path) -> None:
    first = projects.identify(repository(code / "x" / "app"))
    second = projects.identify(repository(code / "y" / "app"))
    assert first != second
    assert projects.find("speckit:app") == first


def test_a_name_given_by_hand_holds(projects: Projects, code: Path) -> None:
    root = code / "notes"
    (root / ".memory").mkdir(parents=True)
    projects.link(f"path:{root}", "notes-0123456789")
    assert projects.identify(root) == "notes-0123456789"


@pytest.mark.parametrize(
    "damage", ["", "{", "[]", '{"path:/x": 3}', '{"path:/x": "../../etc"}', "[" * 100_000, "\udcff"]
)
def test_a_damaged_table_is_kept_aside_and_the_last_good_one_used(
    projects: Projects, code: Path, tmp_path: Path, damage: str
) -> None:
    """F31: nothing of it is lost, and the projects are found as before."""
    old = projects.identify(repository(code / "old"))
    projects.identify(repository(code / "other"))
    os.rename(code / "old", code / "new")
    folder = tmp_path / "scrubjay" / "projects"
    data = damage.encode("utf-8", "surrogateescape")
    (folder / TABLE).write_bytes(data)
    assert projects.identify(code / "new") == old
    assert [file.read_bytes() for file in folder.glob("aliases.damaged-*.json")] == [data]


def test_two_writers_both_get_their_names_in(projects: Projects, code: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = Projects(code.parent.parent / "scrubjay")
    first, second = repository(code / "a"), repository(code / "b")
    real_write = FolderVault.write
    waiting = [second]

    def write_late(self: FolderVault, path: str, text: str, *, expected: str | None) -> Document:
        if waiting:
            other.identify(waiting.pop())
        return real_write(self, path, text, expected=expected)

    monkeypatch.setattr(FolderVault, "write", write_late)
    projects.identify(first)
    assert projects.find(f"path:{first}") == project_id(first)
    assert projects.find(f"path:{second}") == project_id(second)


def test_a_home_that_cannot_be_written_does_not_hide_the_project(
    projects: Projects, code: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = repository(code / "app")

    def refuse(*arguments: object, **named: object) -> None:
        raise Unavailable("The disk is read-only.")

    monkeypatch.setattr(FolderVault, "write", refuse)
    assert projects.identify(root) == project_id(root)
