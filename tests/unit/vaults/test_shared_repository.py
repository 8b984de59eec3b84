"""The repository that carries a team's memory (CC-P6, F6, F29, F112): bytes in commits, nothing checked out."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

from scrubjay.errors import Refused, Unavailable
from scrubjay.vaults import shared_repository
from scrubjay.vaults.shared_repository import FILE, Item, SharedRepository, blob_id


def git(root: Path, *arguments: str, data: bytes = b"") -> str:
    done = subprocess.run(["git", "-C", str(root), *arguments], input=data, capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace").strip()


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    place = tmp_path / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(place)], check=True)
    return place


@pytest.fixture
def mine(tmp_path: Path) -> SharedRepository:
    made = SharedRepository(tmp_path / "home" / "mine.git")
    made.prepare()
    return made


@pytest.fixture
def theirs(tmp_path: Path) -> SharedRepository:
    made = SharedRepository(tmp_path / "home" / "theirs.git")
    made.prepare()
    return made


def commit(repository: SharedRepository, files: dict[str, bytes], parent: str = "") -> str:
    repository.store(files.values())
    items = [Item(FILE, blob_id(data), path.encode()) for path, data in files.items()]
    return repository.commit(items, "test", parent=parent)


def test_files_arrive_as_they_were_sent(mine: SharedRepository, theirs: SharedRepository, remote: Path) -> None:
    files = {"a.md": b"one\n", "deep/er/b.md": b"\xff\x00two", "deep/c.md": "日本\n".encode(), "d e.md": b""}
    made = commit(mine, files)
    assert mine.push(str(remote), made, parent="").done
    assert theirs.fetch(str(remote)) == made
    items = theirs.files(made)
    assert {item.path.decode(): theirs.contents([item.id])[item.id] for item in items} == files
    assert theirs.sizes([item.id for item in items]) == {blob_id(data): len(data) for data in files.values()}
    assert sorted(theirs.outgoing(made, "")) == sorted(blob_id(data) for data in files.values())
    assert theirs.outgoing(made, made) == []


def test_an_empty_remote_has_no_commit(mine: SharedRepository, remote: Path) -> None:
    assert mine.fetch(str(remote)) == ""
    assert mine.files("") == []


def test_many_files_in_many_folders_make_one_tree(mine: SharedRepository) -> None:
    files = {f"f{n % 17}/g{n % 5}/n{n}.md": f"{n}\n".encode() for n in range(400)}
    made = commit(mine, files)
    assert sorted(item.path.decode() for item in mine.files(made)) == sorted(files)
    git(mine.folder, "fsck", "--strict")


def test_f29_a_push_never_forces(mine: SharedRepository, theirs: SharedRepository, remote: Path) -> None:
    first = commit(mine, {"a.md": b"1"})
    assert mine.push(str(remote), first, parent="").done
    theirs.fetch(str(remote))
    assert theirs.push(str(remote), commit(theirs, {"a.md": b"2"}, first), parent=first).done
    assert not mine.push(str(remote), commit(mine, {"a.md": b"3"}, first), parent=first).done
    newest = mine.fetch(str(remote))
    assert mine.follows(newest, first)
    assert {item.id for item in mine.files(newest)} == {blob_id(b"2")}


def test_f29_a_rewritten_history_is_seen_and_the_old_one_rescued(mine: SharedRepository, remote: Path) -> None:
    first = commit(mine, {"a.md": b"1"})
    second = commit(mine, {"a.md": b"2"}, first)
    mine.push(str(remote), second, parent="")
    mine.settle(remote=second, base=second)
    git(remote, "update-ref", "refs/heads/main", first)
    assert not mine.follows(mine.fetch(str(remote)), second)
    name = mine.rescue(second)
    assert mine.commit_of(name) == second
    git(mine.folder, "-c", "gc.pruneExpire=now", "gc", "-q")
    assert mine.files(second)


def test_f6_hooks_of_the_remote_folder_and_of_ours_are_not_run(
    mine: SharedRepository, remote: Path, tmp_path: Path
) -> None:
    for folder in (mine.folder / "hooks", remote / "hooks"):
        folder.mkdir(exist_ok=True)
        for name in ("pre-push", "pre-receive", "update", "post-receive", "post-update", "reference-transaction"):
            (folder / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n", encoding="utf-8")
            (folder / name).chmod(0o755)
    mine.push(str(remote), commit(mine, {"a.md": b"1"}), parent="")
    mine.fetch(str(remote))
    assert not (tmp_path / "ran").exists()
    assert git(remote, "rev-parse", "main")


def test_f112_transports_that_run_programs_are_refused_by_git_too(mine: SharedRepository, tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="not allowed"):
        mine.fetch(f"ext::touch {tmp_path}/ran")
    assert not (tmp_path / "ran").exists()


def test_f112_a_tree_that_climbs_out_is_refused_as_a_whole(mine: SharedRepository, remote: Path) -> None:
    blob = git(remote, "hash-object", "-w", "--stdin", data=b"x")
    for name in ("..", ".git", "."):
        inner = git(remote, "mktree", data=f"100644 blob {blob}\tx.md\n".encode())
        tree = git(remote, "mktree", data=f"040000 tree {inner}\t{name}\n".encode())
        made = git(remote, "-c", "user.name=x", "-c", "user.email=x@x", "commit-tree", "-m", "x", tree)
        git(remote, "update-ref", "refs/heads/main", made)
        with pytest.raises(Refused, match="what no program should make"):
            mine.fetch(str(remote))


def test_a_bomb_of_trees_is_not_unpacked(mine: SharedRepository) -> None:
    below = blob_id(b"x")
    mine.store([b"x"])
    mode = "100644 blob"
    for _ in range(9):
        listed = "".join(f"{mode} {below}\t{letter}\n" for letter in "abcdefghij")
        below, mode = git(mine.folder, "mktree", data=listed.encode()), "040000 tree"
    made = git(mine.folder, "-c", "user.name=x", "-c", "user.email=x@x", "commit-tree", "-m", "x", below)
    with pytest.raises(Refused, match="20,000"):
        mine.files(made)


def test_a_bomb_in_the_history_fills_no_memory(mine: SharedRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    if not hasattr(pytest.importorskip("resource"), "prlimit"):
        pytest.skip("this system cannot limit another process")
    below, mode = blob_id(b"x"), "100644 blob"
    mine.store([b"x"])
    for _ in range(6):
        listed = "".join(f"{mode} {below}\t{letter}\n" for letter in "abcdefghij")
        below, mode = git(mine.folder, "mktree", data=listed.encode()), "040000 tree"
    bomb = git(mine.folder, "-c", "user.name=x", "-c", "user.email=x@x", "commit-tree", "-m", "x", below)
    monkeypatch.setattr(shared_repository, "MOST_LISTED", 1_000_000)
    assert mine.ever(commit(mine, {"a.md": b"1"}, bomb)) == set()


def test_a_fetch_that_would_fill_the_disk_ends(
    mine: SharedRepository, theirs: SharedRepository, remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    resource = pytest.importorskip("resource")
    if not hasattr(resource, "prlimit"):
        pytest.skip("this system cannot limit another process")
    theirs.push(str(remote), commit(theirs, {"a.md": os.urandom(3_000_000)}), parent="")
    monkeypatch.setattr(shared_repository, "MOST_FETCHED", 1_000_000)
    with pytest.raises(Unavailable):
        mine.fetch(str(remote))


def test_sec4_the_repository_is_the_users_own(mine: SharedRepository, remote: Path) -> None:
    assert stat.S_IMODE(mine.folder.stat().st_mode) == 0o700
    mine.prepare()
    assert not (mine.folder / "hooks").exists()


def test_what_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path / "own")], check=True)
    with pytest.raises(Refused, match="not a repository of Scrubjay"):
        SharedRepository(tmp_path / "own").prepare()


def test_every_path_that_ever_was_is_known_with_its_ids(mine: SharedRepository) -> None:
    first = commit(mine, {"a.md": b"1", "b.md": b"b"})
    second = commit(mine, {"a.md": b"2"}, first)
    ever = mine.ever(second)
    assert {(b"a.md", blob_id(b"1")), (b"a.md", blob_id(b"2")), (b"b.md", blob_id(b"b"))} <= ever


def test_a_user_without_an_identity_can_share(mine: SharedRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("EMAIL", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"):
        monkeypatch.delenv(name, raising=False)
    made = commit(mine, {"a.md": b"1"})
    assert git(mine.folder, "log", "-1", "--format=%an <%ae>", made) == "Scrubjay <scrubjay@localhost>"
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Ada")
    monkeypatch.setenv("GIT_AUTHOR_EMAIL", "ada@example.org")
    monkeypatch.setenv("GIT_COMMITTER_NAME", "Ada")
    monkeypatch.setenv("GIT_COMMITTER_EMAIL", "ada@example.org")
    assert git(mine.folder, "log", "-1", "--format=%an", commit(mine, {"a.md": b"1"})) == "Ada"
